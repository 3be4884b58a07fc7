// The outstanding debits of a partition: a Release is appended (or being appended), or the transaction is RELEASED.
//
// #1 A debit is outstanding from the moment its Release is about to be appended until its transaction has left
//    RELEASED, or its Release is refused.
// #2 A Release belongs to a round: the day, and what of it was open when it was chosen. While one of an earlier round
//    is undecided, no Release of a later round may overtake it.
// #3 A debit that was released and not acknowledged for `silentAfterMs`, while its bank acknowledged others, stays
//    outstanding but no longer counts.
//
// Bound, for each bank: its share, and the debits of #3, which grow by at most one share every `silentAfterMs`.

import type { DayKey, State } from "@sluice/domain";
import type { Time } from "@sluice/kernel";

const silentAfterMs = 60_000;

/** `open` stays equal as long as the same window is open and the bank was not paused in between. */
export interface ReleaseRound {
  readonly day: DayKey;
  readonly open: string;
}

export interface OutstandingReleases {
  /** Adds a debit whose Release is about to be appended. */
  addRelease(bank: string, uetr: string, round: ReleaseRound): void;
  /**
   * Whether a Release of the same bank and day, of another round, is undecided: it may be refused, and then comes
   * first.
   */
  hasEarlierRound(bank: string, round: ReleaseRound): boolean;
  /** Takes note of a debit's state after a record. Returns true if it is HELD and not outstanding (any more). */
  observe(bank: string, uetr: string, state: State, isRelease: boolean): boolean;
  /**
   * Removes a debit whose Release was not appended, as far as is known. Returns true if it is not outstanding any more.
   */
  removeUnappended(bank: string, uetr: string): boolean;
  /** Number of outstanding debits of a bank that count. */
  count(bank: string): number;
  /** Milliseconds after which one more may stop counting; null if none will. */
  silentInMs(bank: string): number | null;
}

interface OutstandingDebit {
  readonly sinceMs: number;
  readonly isReleased: boolean;
  /** The round of a Release that this process appended. */
  readonly round: ReleaseRound | null;
}

/** `acknowledgedAtMs` holds when each bank last acknowledged a debit (monotonic), over all partitions of a process. */
export function createOutstandingReleases(time: Time, acknowledgedAtMs: Map<string, number>): OutstandingReleases {
  const banks = new Map<string, Map<string, OutstandingDebit>>();

  function debitsOf(bank: string): Map<string, OutstandingDebit> {
    const known = banks.get(bank) ?? new Map<string, OutstandingDebit>();
    banks.set(bank, known);
    return known;
  }

  return {
    addRelease: (bank, uetr, round) => void debitsOf(bank).set(uetr, { sinceMs: time.monotonicMs(), isReleased: false, round }),
    hasEarlierRound(bank, { day, open }) {
      return [...debitsOf(bank).values()].some(({ isReleased, round }) => !isReleased && round?.day === day && round.open !== open);
    },
    observe(bank, uetr, state, isRelease) {
      const known = debitsOf(bank).get(uetr);
      // While a Release is pending the debit stays outstanding, whatever else happens to it.
      if (state === "HELD" && known !== undefined && !isRelease) return false;
      if (state === "RELEASED") {
        if (known?.isReleased !== true)
          debitsOf(bank).set(uetr, { sinceMs: known?.sinceMs ?? time.monotonicMs(), isReleased: true, round: null });
        return false;
      }
      const wasReleased = debitsOf(bank).delete(uetr);
      if (wasReleased && acknowledged.has(state)) acknowledgedAtMs.set(bank, time.monotonicMs());
      return state === "HELD";
    },
    removeUnappended(bank, uetr) {
      // Decided already: the answer of the append was lost, the record was not.
      if (debitsOf(bank).get(uetr)?.isReleased !== false) return false;
      return debitsOf(bank).delete(uetr);
    },
    count(bank) {
      const nowMs = time.monotonicMs();
      const lastMs = acknowledgedAtMs.get(bank) ?? Number.NEGATIVE_INFINITY;
      const isGivenUp = ({ sinceMs, isReleased }: OutstandingDebit): boolean =>
        isReleased && nowMs - sinceMs >= silentAfterMs && lastMs > sinceMs;
      return [...debitsOf(bank).values()].filter((one) => !isGivenUp(one)).length;
    },
    silentInMs(bank) {
      const nowMs = time.monotonicMs();
      const waits = [...debitsOf(bank).values()].map(({ sinceMs }) => sinceMs + silentAfterMs - nowMs).filter((waitMs) => waitMs > 0);
      return waits.length === 0 ? null : waits.reduce((a, b) => Math.min(a, b));
    },
  };
}

const acknowledged: ReadonlySet<State> = new Set<State>(["DELIVERED", "COMPLETED", "UNPAID"]);
