// Debits of a lane that are out: a Release is appended (or being appended), or the transaction is RELEASED.
//
// 1. One is out from the moment its Release is about to be appended until its transaction has left RELEASED, or its Release is refused.
// 2. A Release is of a turn: the day, and what of it was open when it was chosen. While one of an earlier turn is not judged yet nothing may pass it.
// 3. A debit that was released and not acknowledged for `silentAfterMs`, while its bank acknowledged others, is out but no longer counts.
//
// Bound: of a bank its share and those that (3) gave up, which grow by at most a share every `silentAfterMs`.

import type { DayKey, State } from "@sluice/domain";
import type { Time } from "@sluice/runtime";

export const silentAfterMs = 60_000;

/** `open`: equal as long as the same window is open, and the bank was not paused in between. */
export interface Turn {
  readonly day: DayKey;
  readonly open: string;
}

export interface Outstanding {
  /** A Release of it is about to be appended. */
  isReleasing(bank: string, uetr: string, turn: Turn): void;
  /** A Release of the same bank and day, of another turn, is not judged yet: it may be refused, and then comes first. */
  isEarlierTurnOpen(bank: string, turn: Turn): boolean;
  /** Its state after a record; `isRelease`: the record was a Release. True: it is held, and not out (any more). */
  saw(bank: string, uetr: string, state: State, isRelease: boolean): boolean;
  /** Its Release was not appended, as far as is known. True: it is not out any more. */
  notAppended(bank: string, uetr: string): boolean;
  /** Debits of a bank that count. */
  counted(bank: string): number;
  /** Milliseconds after which one more may stop counting; null: none. */
  silentInMs(bank: string): number | null;
}

interface Out {
  readonly sinceMs: number;
  readonly isReleased: boolean;
  /** Of a Release of our own. */
  readonly turn: Turn | null;
}

/** `acknowledgedAtMs`: when each bank last acknowledged a debit, monotonic; shared by the lanes of a process. */
export function createOutstanding(time: Time, acknowledgedAtMs: Map<string, number>): Outstanding {
  const banks = new Map<string, Map<string, Out>>();

  function out(bank: string): Map<string, Out> {
    const known = banks.get(bank) ?? new Map<string, Out>();
    banks.set(bank, known);
    return known;
  }

  return {
    isReleasing: (bank, uetr, turn) => void out(bank).set(uetr, { sinceMs: time.monotonicMs(), isReleased: false, turn }),
    isEarlierTurnOpen(bank, { day, open }) {
      return [...out(bank).values()].some(({ isReleased, turn }) => !isReleased && turn?.day === day && turn.open !== open);
    },
    saw(bank, uetr, state, isRelease) {
      const known = out(bank).get(uetr);
      // While a Release is under way the debit is out, whatever else happens to it.
      if (state === "HELD" && known !== undefined && !isRelease) return false;
      if (state === "RELEASED") {
        if (known?.isReleased !== true)
          out(bank).set(uetr, { sinceMs: known?.sinceMs ?? time.monotonicMs(), isReleased: true, turn: null });
        return false;
      }
      const wasReleased = out(bank).delete(uetr);
      if (wasReleased && acknowledged.has(state)) acknowledgedAtMs.set(bank, time.monotonicMs());
      return state === "HELD";
    },
    notAppended(bank, uetr) {
      // Judged already: the answer was lost, the record was not.
      if (out(bank).get(uetr)?.isReleased !== false) return false;
      return out(bank).delete(uetr);
    },
    counted(bank) {
      const nowMs = time.monotonicMs();
      const lastMs = acknowledgedAtMs.get(bank) ?? Number.NEGATIVE_INFINITY;
      const isGivenUp = ({ sinceMs, isReleased }: Out): boolean => isReleased && nowMs - sinceMs >= silentAfterMs && lastMs > sinceMs;
      return [...out(bank).values()].filter((one) => !isGivenUp(one)).length;
    },
    silentInMs(bank) {
      const nowMs = time.monotonicMs();
      const waits = [...out(bank).values()].map(({ sinceMs }) => sinceMs + silentAfterMs - nowMs).filter((waitMs) => waitMs > 0);
      return waits.length === 0 ? null : waits.reduce((a, b) => Math.min(a, b));
    },
  };
}

const acknowledged: ReadonlySet<State> = new Set<State>(["DELIVERED", "COMPLETED", "UNPAID"]);
