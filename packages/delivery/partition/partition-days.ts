// What a partition knows of business days: when each is planned to close, and which have closed. The knowledge comes
// from the markers of its topic and is stored with its position.
//
// #1 The newest plan of a day's close counts (by its number), in whatever order plans are read.
// #2 Attempts of a day are over once its DayReconciled was read, or once its planned close has passed on the broker
//    clock. Only the latter can be undone, by a later plan.
// #3 At most `daysKept` days are kept, the latest by date; a forgotten day is not over.

import type { DayReconciled, DayTimes } from "@sluice/contracts";

export const daysKept = 64;

interface KnownDay {
  readonly number: number;
  readonly closesAtMs: number | null;
  readonly isReconciled: boolean;
}

const unknownDay: KnownDay = { number: 0, closesAtMs: null, isReconciled: false };

export class PartitionDays {
  readonly #days = new Map<string, KnownDay>();

  /** Adds the stored state; newer knowledge of this process stays. */
  restore(state: unknown): void {
    for (const [day, learnt] of readEntries(state)) {
      const known = this.#days.get(day) ?? unknownDay;
      const newer = known.closesAtMs !== null && known.number >= learnt.number ? known : learnt;
      this.#keep(day, { ...newer, isReconciled: known.isReconciled || learnt.isReconciled });
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

  reconcile(marker: Pick<DayReconciled, "scheme" | "businessDate">): string {
    const day = `${marker.scheme}:${marker.businessDate}`;
    this.#keep(day, { ...(this.#days.get(day) ?? unknownDay), isReconciled: true });
    return day;
  }

  /** The planned close in epoch ms of the broker clock; null where none is known. */
  closesAtMs(day: string): number | null {
    return this.#days.get(day)?.closesAtMs ?? null;
  }

  isOver(day: string, agreedNowMs: number): boolean {
    const known = this.#days.get(day);
    if (known === undefined) return false;
    return known.isReconciled || (known.closesAtMs !== null && known.closesAtMs <= agreedNowMs);
  }

  /** Plain JSON, stored with the position. */
  state(): object {
    return { days: Object.fromEntries(this.#days) };
  }

  #keep(day: string, known: KnownDay): void {
    this.#days.set(day, known);
    if (this.#days.size <= daysKept) return;
    const oldest = [...this.#days.keys()].toSorted((a, b) => (dateInKey(a) < dateInKey(b) ? -1 : 1))[0];
    if (oldest !== undefined) this.#days.delete(oldest);
  }
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
  const { number, closesAtMs, isReconciled } = value as Partial<Record<keyof KnownDay, unknown>>;
  return typeof number === "number" && (closesAtMs === null || typeof closesAtMs === "number") && typeof isReconciled === "boolean";
}
