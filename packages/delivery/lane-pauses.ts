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
  /** Append time of the last resume, epoch ms; null: never resumed. */
  readonly resumedAtMs: number | null;
}

const unknownBank: KnownBank = { pauses: 0, resumes: 0, resumedAtMs: null };

export class LanePauses {
  readonly #banks = new Map<string, KnownBank>();

  /** Takes in what the lane's document says; what is known already and newer stays. */
  learn(state: unknown): void {
    for (const [bank, learnt] of entriesOf(state)) {
      const known = this.#banks.get(bank) ?? unknownBank;
      const { resumes, resumedAtMs } = learnt.resumes > known.resumes ? learnt : known;
      this.#keep(bank, { pauses: Math.max(known.pauses, learnt.pauses), resumes, resumedAtMs });
    }
  }

  /** Answers whether the marker is news. */
  paused({ bank, number }: Pick<BankPaused, "bank" | "number">): boolean {
    const known = this.#banks.get(bank) ?? unknownBank;
    if (number <= known.pauses) return false;
    this.#keep(bank, { ...known, pauses: number });
    return true;
  }

  /** Answers whether the marker is news. */
  resumed({ bank, number }: Pick<BankResumed, "bank" | "number">, appendedAtMs: number): boolean {
    const known = this.#banks.get(bank) ?? unknownBank;
    if (number <= known.resumes) return false;
    this.#keep(bank, { ...known, resumes: number, resumedAtMs: appendedAtMs });
    return true;
  }

  isPaused(bank: string): boolean {
    const known = this.#banks.get(bank);
    return known !== undefined && isPaused(known);
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
  const { pauses, resumes, resumedAtMs } = value as Partial<Record<keyof KnownBank, unknown>>;
  return typeof pauses === "number" && typeof resumes === "number" && (resumedAtMs === null || typeof resumedAtMs === "number");
}
