// What a partition knows of business days: when each is planned to close, and which have closed. The knowledge comes
// from the markers of its topic and is stored with its position.
//
// #1 The newest plan of a day's close counts (by its number), in whatever order plans are read.
// #2 Attempts of a day are over once its DayReconciled was read, or once its planned close has passed on the broker
//    clock. Only the latter can be undone, by a later plan.
// #3 Of each scheme at most `daysKeptPerScheme` days are kept, the latest by date. A day is planned a week ahead, so
//    one that is not known and is older than a reconciled day of its scheme was forgotten: it is over.
// #4 It also keeps from which sequence on messages were parked untried because their day was over. Once the day is
//    reconciled they are removed (closed-days.ts).

import type { DayReconciled, DayTimes } from "@sluice/contracts";

/** Days; the dispatch topic keeps 30, and a day is planned a week ahead. */
export const daysKeptPerScheme = 64;

interface KnownDay {
  readonly number: number;
  readonly closesAtMs: number | null;
  readonly isReconciled: boolean;
  /** The offset of its DayReconciled, as decimal text; null before it. */
  readonly reconciledAt: string | null;
  /** The lowest sequence that was parked untried because the day was over, as decimal text; null: none is. */
  readonly overFrom: string | null;
}

const unknownDay: KnownDay = { number: 0, closesAtMs: null, isReconciled: false, reconciledAt: null, overFrom: null };

/** Messages of a reconciled day that were parked untried: the first sequence, and the offset of the day's marker. */
export interface UntriedSpan {
  readonly day: string;
  readonly from: bigint;
  readonly below: bigint;
}

export class PartitionDays {
  readonly #days = new Map<string, KnownDay>();
  /** The latest reconciled date of each scheme. */
  readonly #reconciledUntil = new Map<string, string>();

  /** Adds the stored state; newer knowledge of this process stays. */
  restore(state: unknown): void {
    for (const [day, learnt] of readEntries(state)) {
      const known = this.#days.get(day) ?? unknownDay;
      const newer = known.closesAtMs !== null && known.number >= learnt.number ? known : learnt;
      this.#keep(day, {
        ...newer,
        isReconciled: known.isReconciled || learnt.isReconciled,
        reconciledAt: known.reconciledAt ?? learnt.reconciledAt,
        overFrom: known.overFrom ?? learnt.overFrom,
      });
    }
  }

  /** Returns whether the plan was new. */
  plan(marker: Pick<DayTimes, "scheme" | "businessDate" | "number" | "reconciliationAtMs">): boolean {
    const day = `${marker.scheme}:${marker.businessDate}`;
    const known = this.#days.get(day) ?? unknownDay;
    if (known.closesAtMs !== null && marker.number <= known.number) return false;
    this.#keep(day, { ...known, number: marker.number, closesAtMs: marker.reconciliationAtMs });
    return true;
  }

  /** `offset` is that of the marker. */
  reconcile(marker: Pick<DayReconciled, "scheme" | "businessDate">, offset: bigint): string {
    const day = `${marker.scheme}:${marker.businessDate}`;
    this.#keep(day, { ...(this.#days.get(day) ?? unknownDay), isReconciled: true, reconciledAt: String(offset) });
    return day;
  }

  /** The planned close in epoch ms of the broker clock; null where none is known. */
  closesAtMs(day: string): number | null {
    return this.#days.get(day)?.closesAtMs ?? null;
  }

  isOver(day: string, agreedNowMs: number): boolean {
    const known = this.#days.get(day);
    if (known === undefined) return this.#isForgotten(day);
    return known.isReconciled || (known.closesAtMs !== null && known.closesAtMs <= agreedNowMs);
  }

  /** Tells whether the day's DayReconciled was read, and lies beyond this sequence. */
  isReconciledBeyond(day: string, sequence: bigint): boolean {
    const reconciledAt = this.#days.get(day)?.reconciledAt ?? null;
    return reconciledAt !== null && BigInt(reconciledAt) > sequence;
  }

  /** #4. Returns whether that was new. */
  noteOver(day: string, sequence: bigint): boolean {
    const known = this.#days.get(day);
    if (known === undefined || (known.overFrom !== null && BigInt(known.overFrom) <= sequence)) return false;
    this.#days.set(day, { ...known, overFrom: String(sequence) });
    return true;
  }

  /** #4. Lists the reconciled days of which untried messages may be parked. */
  untriedSpans(): readonly UntriedSpan[] {
    return [...this.#days].flatMap(([day, { reconciledAt, overFrom }]) =>
      reconciledAt === null || overFrom === null ? [] : [{ day, from: BigInt(overFrom), below: BigInt(reconciledAt) }],
    );
  }

  /** #4. The untried messages of the day from that sequence on were removed. */
  forgetOver(day: string, from: bigint): void {
    const known = this.#days.get(day);
    if (known?.overFrom === String(from)) this.#days.set(day, { ...known, overFrom: null });
  }

  /** Plain JSON, stored with the position. */
  state(): object {
    return { days: Object.fromEntries(this.#days) };
  }

  /** #3. Every message of a day that is not known asks three times. */
  #isForgotten(day: string): boolean {
    if (this.#reconciledUntil.size === 0) return false;
    return dateInKey(day) < (this.#reconciledUntil.get(schemeInKey(day)) ?? "");
  }

  #keep(day: string, known: KnownDay): void {
    const scheme = schemeInKey(day);
    if (known.isReconciled && dateInKey(day) > (this.#reconciledUntil.get(scheme) ?? "")) this.#reconciledUntil.set(scheme, dateInKey(day));
    const isNew = !this.#days.has(day);
    this.#days.set(day, known);
    if (!isNew) return;
    const ofScheme = [...this.#days.keys()].filter((kept) => schemeInKey(kept) === scheme);
    const oldest = ofScheme.toSorted()[0];
    if (ofScheme.length > daysKeptPerScheme && oldest !== undefined) this.#days.delete(oldest);
  }
}

function schemeInKey(day: string): string {
  return day.slice(0, day.indexOf(":"));
}

function dateInKey(day: string): string {
  return day.slice(day.indexOf(":") + 1);
}

function readEntries(state: unknown): readonly (readonly [string, KnownDay])[] {
  if (typeof state !== "object" || state === null || !("days" in state)) return [];
  return Object.entries(state.days ?? {}).flatMap(([day, known]) => (isKnownDay(known) ? [[day, known] as const] : []));
}

function isKnownDay(value: unknown): value is KnownDay {
  if (typeof value !== "object" || value === null) return false;
  const { number, closesAtMs, isReconciled, reconciledAt, overFrom } = value as Partial<Record<keyof KnownDay, unknown>>;
  return (
    typeof number === "number" &&
    (closesAtMs === null || typeof closesAtMs === "number") &&
    typeof isReconciled === "boolean" &&
    [reconciledAt, overFrom].every((offset) => offset === null || typeof offset === "string")
  );
}
