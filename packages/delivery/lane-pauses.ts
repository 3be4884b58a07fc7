// What a lane knows of pauses: which receivers operators have paused, and when each was resumed last. From the markers of its topic;
// kept in the lane's document.
//
// #1 Markers are numbered per receiver and kind, and a pause and the resume that ends it have the same number. So a receiver is paused
//    while its newest pause has no resume of that number, whatever is read twice: a marker that is not newer changes nothing.
// #2 At most `banksKept` receivers; one that is not paused is forgotten first, and a forgotten one is not paused.

import type { BankPaused, BankResumed } from "@sluice/contracts";

export const banksKept = 1_000;

interface KnownBank {
  readonly pauses: number;
  readonly resumes: number;
  /** Offset of the newest pause, as text (plain JSON); null: none. */
  readonly pausedAt: string | null;
  readonly resumedAt: string | null;
  /** Append time of the newest resume, epoch ms. */
  readonly resumedAtMs: number | null;
}

/** Where a marker lies in the lane's topic. */
export interface MarkerPlace {
  readonly offset: bigint;
  readonly appendedAtMs: number;
}

const unknownBank: KnownBank = { pauses: 0, resumes: 0, pausedAt: null, resumedAt: null, resumedAtMs: null };

export class LanePauses {
  readonly #banks = new Map<string, KnownBank>();

  /** Takes in what the lane's document says; what is known already and newer stays. */
  learn(state: unknown): void {
    for (const [bank, learnt] of entriesOf(state)) {
      const known = this.#banks.get(bank) ?? unknownBank;
      const { pauses, pausedAt } = learnt.pauses > known.pauses ? learnt : known;
      const { resumes, resumedAt, resumedAtMs } = learnt.resumes > known.resumes ? learnt : known;
      this.#keep(bank, { pauses, resumes, pausedAt, resumedAt, resumedAtMs });
    }
  }

  /** Answers whether the marker is news. */
  paused({ bank, number }: Pick<BankPaused, "bank" | "number">, { offset }: MarkerPlace): boolean {
    const known = this.#banks.get(bank) ?? unknownBank;
    if (number <= known.pauses) return false;
    this.#keep(bank, { ...known, pauses: number, pausedAt: String(offset) });
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
  wasPausedAt(bank: string, offset: bigint): boolean {
    const { pauses, resumes, pausedAt, resumedAt } = this.#banks.get(bank) ?? unknownBank;
    const hasEnded = resumes >= pauses && resumedAt !== null && BigInt(resumedAt) < offset;
    return pausedAt !== null && BigInt(pausedAt) < offset && !hasEnded;
  }

  /** Append time of its last resume, epoch ms; null: none is known. */
  resumedAtMs(bank: string): number | null {
    return this.#banks.get(bank)?.resumedAtMs ?? null;
  }

  /** All that are paused. */
  banks(): readonly string[] {
    return [...this.#banks].flatMap(([bank, known]) => (isPaused(known) ? [bank] : []));
  }

  /** Plain JSON, for the lane's document. */
  state(): object {
    return { pauses: Object.fromEntries(this.#banks) };
  }

  /** #2 */
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
function isPaused({ pauses, resumes }: KnownBank): boolean {
  return pauses > resumes;
}

function entriesOf(state: unknown): readonly (readonly [string, KnownBank])[] {
  if (typeof state !== "object" || state === null || !("pauses" in state)) return [];
  return Object.entries(state.pauses ?? {}).flatMap(([bank, known]) => (isKnownBank(known) ? [[bank, known] as const] : []));
}

function isKnownBank(value: unknown): value is KnownBank {
  if (typeof value !== "object" || value === null) return false;
  const { pauses, resumes, pausedAt, resumedAt, resumedAtMs } = value as Partial<Record<keyof KnownBank, unknown>>;
  const areTimesKnown = isNullOr("string", pausedAt) && isNullOr("string", resumedAt) && isNullOr("number", resumedAtMs);
  return typeof pauses === "number" && typeof resumes === "number" && areTimesKnown;
}

function isNullOr(type: "string" | "number", value: unknown): boolean {
  return value === null || typeof value === type;
}
