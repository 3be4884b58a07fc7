// What a lane knows of pauses: which receivers operators have paused, and when each was resumed last. From the markers of its topic;
// kept in the lane's document.
//
// #1 Markers are numbered per receiver and kind, and a pause and the resume that ends it have the same number. So a receiver is paused
//    while its newest pause has no resume of that number, whatever is read twice: a marker that is not newer changes nothing.
// #2 A maintenance is a pause with an end: whoever has the clock says when it is over (`endedBy`); whether a place of the topic lies in it
//    is judged by the place's append time. A pause that changes the end of one in force goes on from where that began.
// #3 At most `banksKept` receivers; one that is not paused is forgotten first, and a forgotten one is not paused.

import type { BankPaused, BankResumed } from "@sluice/contracts";

export const banksKept = 1_000;

export type PauseMarker = Pick<BankPaused, "bank" | "number" | "untilMs">;

interface KnownBank {
  readonly pauses: number;
  readonly resumes: number;
  /** Offset of the newest pause, as text (plain JSON); null: none. */
  readonly pausedAt: string | null;
  /** When the newest pause ends by itself, epoch ms; null: only a resume ends it. */
  readonly untilMs: number | null;
  /** It was seen to be over. */
  readonly hasEnded: boolean;
  readonly resumedAt: string | null;
  /** Append time of the newest resume, epoch ms. */
  readonly resumedAtMs: number | null;
}

/** Where a marker lies in the lane's topic. */
export interface MarkerPlace {
  readonly offset: bigint;
  readonly appendedAtMs: number;
}

const unknownBank: KnownBank = {
  pauses: 0,
  resumes: 0,
  pausedAt: null,
  untilMs: null,
  hasEnded: false,
  resumedAt: null,
  resumedAtMs: null,
};

export class LanePauses {
  readonly #banks = new Map<string, KnownBank>();
  /** Until the next end of a maintenance (pauses.ts). */
  timer: Disposable | null = null;

  /** Takes in what the lane's document says; what is known already and newer stays. */
  learn(state: unknown): void {
    for (const [bank, learnt] of entriesOf(state)) {
      const known = this.#banks.get(bank) ?? unknownBank;
      const { pauses, pausedAt, untilMs } = learnt.pauses > known.pauses ? learnt : known;
      const hasEnded = [learnt, known].some((one) => one.pauses === pauses && one.hasEnded);
      const { resumes, resumedAt, resumedAtMs } = learnt.resumes > known.resumes ? learnt : known;
      this.#keep(bank, { pauses, resumes, pausedAt, untilMs, hasEnded, resumedAt, resumedAtMs });
    }
  }

  /** Answers whether the marker is news. */
  paused({ bank, number, untilMs }: PauseMarker, { offset, appendedAtMs }: MarkerPlace): boolean {
    const known = this.#banks.get(bank) ?? unknownBank;
    if (number <= known.pauses) return false;
    // #2
    const isChange = known.pauses > known.resumes && (known.untilMs === null || appendedAtMs < known.untilMs);
    const pausedAt = isChange ? known.pausedAt : String(offset);
    this.#keep(bank, { ...known, pauses: number, pausedAt, untilMs, hasEnded: false });
    return true;
  }

  /** Answers whether the marker is news. */
  resumed({ bank, number }: Pick<BankResumed, "bank" | "number">, { offset, appendedAtMs }: MarkerPlace): boolean {
    const known = this.#banks.get(bank) ?? unknownBank;
    if (number <= known.resumes) return false;
    this.#keep(bank, { ...known, resumes: number, resumedAt: String(offset), resumedAtMs: appendedAtMs });
    return true;
  }

  isPaused(bank: string): boolean {
    const known = this.#banks.get(bank);
    return known !== undefined && isPaused(known);
  }

  /** Whether it was paused at that place of the lane's topic, as far as its newest pause and resume say. */
  wasPausedAt(bank: string, { offset, appendedAtMs }: MarkerPlace): boolean {
    const { pauses, resumes, pausedAt, untilMs, resumedAt } = this.#banks.get(bank) ?? unknownBank;
    const isOver = untilMs !== null && untilMs <= appendedAtMs;
    const hasEnded = isOver || (resumes >= pauses && resumedAt !== null && BigInt(resumedAt) < offset);
    return pausedAt !== null && BigInt(pausedAt) < offset && !hasEnded;
  }

  /** When its last pause ended, or will by itself, epoch ms; null: none is known. */
  resumedAtMs(bank: string): number | null {
    const { pauses, resumes, untilMs, resumedAtMs } = this.#banks.get(bank) ?? unknownBank;
    return pauses > resumes && untilMs !== null ? untilMs : resumedAtMs;
  }

  /** #2. The receivers whose maintenance was in force as far as was known, and is over by then. */
  endedBy(nowMs: number): readonly string[] {
    const ended = [...this.#banks].filter(([, known]) => isPaused(known) && known.untilMs !== null && known.untilMs <= nowMs);
    for (const [bank, known] of ended) this.#banks.set(bank, { ...known, hasEnded: true });
    return ended.map(([bank]) => bank);
  }

  /** When the next maintenance ends, epoch ms; null: none is in force. */
  nextEndMs(): number | null {
    const ends = [...this.#banks.values()].flatMap((known) => (isPaused(known) && known.untilMs !== null ? [known.untilMs] : []));
    return ends.length === 0 ? null : Math.min(...ends);
  }

  /** All that are paused. */
  banks(): readonly string[] {
    return [...this.#banks].flatMap(([bank, known]) => (isPaused(known) ? [bank] : []));
  }

  /** Plain JSON, for the lane's document. */
  state(): object {
    return { pauses: Object.fromEntries(this.#banks) };
  }

  /** #3 */
  #keep(bank: string, known: KnownBank): void {
    this.#banks.delete(bank);
    this.#banks.set(bank, known);
    if (this.#banks.size <= banksKept) return;
    const [oldest] = this.#banks.keys();
    const forgotten = [...this.#banks].find(([, other]) => !isPaused(other))?.[0] ?? oldest;
    if (forgotten !== undefined) this.#banks.delete(forgotten);
  }
}

/** #1 */
function isPaused({ pauses, resumes, hasEnded }: KnownBank): boolean {
  return pauses > resumes && !hasEnded;
}

function entriesOf(state: unknown): readonly (readonly [string, KnownBank])[] {
  if (typeof state !== "object" || state === null || !("pauses" in state)) return [];
  return Object.entries(state.pauses ?? {}).flatMap(([bank, known]) =>
    // What was written before there were maintenances says nothing of an end.
    isKnownBank(known) ? [[bank, { ...known, untilMs: known.untilMs ?? null, hasEnded: known.hasEnded === true }] as const] : [],
  );
}

type WrittenBank = Omit<KnownBank, "untilMs" | "hasEnded"> & Partial<Pick<KnownBank, "untilMs" | "hasEnded">>;

function isKnownBank(value: unknown): value is WrittenBank {
  if (typeof value !== "object" || value === null) return false;
  const { pauses, resumes, pausedAt, resumedAt, resumedAtMs } = value as Partial<Record<keyof KnownBank, unknown>>;
  const areTimesKnown = isNullOr("string", pausedAt) && isNullOr("string", resumedAt) && isNullOr("number", resumedAtMs);
  return typeof pauses === "number" && typeof resumes === "number" && areTimesKnown;
}

function isNullOr(type: "string" | "number", value: unknown): boolean {
  return value === null || typeof value === type;
}
