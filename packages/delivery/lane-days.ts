// What a lane knows of business days: when each is planned to close, and which have closed. From the markers of its topic; kept
// in the lane's document.
//
// #1 Of a day's planned closes the newest counts (by its number), whatever order they are read in.
// #2 A day is over for attempts once its DayReconciled was read, or once its planned close has passed by agreed time. Only the
//    latter can be undone, by a later plan.
// #3 At most `daysKept` days, the latest by date; a forgotten day is not over.

import type { DayReconciled, DayTimes } from "@sluice/contracts";

export const daysKept = 64;

interface KnownDay {
  readonly number: number;
  readonly closesAtMs: number | null;
  readonly isReconciled: boolean;
}

const unknownDay: KnownDay = { number: 0, closesAtMs: null, isReconciled: false };

export class LaneDays {
  readonly #days = new Map<string, KnownDay>();

  /** Takes in what the lane's document says; what is known already and newer stays. */
  learn(state: unknown): void {
    for (const [day, learnt] of entriesOf(state)) {
      const known = this.#days.get(day) ?? unknownDay;
      const newer = known.closesAtMs !== null && known.number >= learnt.number ? known : learnt;
      this.#keep(day, { ...newer, isReconciled: known.isReconciled || learnt.isReconciled });
    }
  }

  /** Answers whether the plan is news. */
  planned(marker: Pick<DayTimes, "scheme" | "businessDate" | "number" | "reconciliationAtMs">): boolean {
    const day = `${marker.scheme}:${marker.businessDate}`;
    const known = this.#days.get(day) ?? unknownDay;
    if (known.closesAtMs !== null && marker.number <= known.number) return false;
    this.#keep(day, { ...known, number: marker.number, closesAtMs: marker.reconciliationAtMs });
    return true;
  }

  reconciled(marker: Pick<DayReconciled, "scheme" | "businessDate">): string {
    const day = `${marker.scheme}:${marker.businessDate}`;
    this.#keep(day, { ...(this.#days.get(day) ?? unknownDay), isReconciled: true });
    return day;
  }

  /** Planned close, epoch ms by agreed time; null where none is known. */
  closesAtMs(day: string): number | null {
    return this.#days.get(day)?.closesAtMs ?? null;
  }

  isOver(day: string, agreedNowMs: number): boolean {
    const known = this.#days.get(day);
    if (known === undefined) return false;
    return known.isReconciled || (known.closesAtMs !== null && known.closesAtMs <= agreedNowMs);
  }

  /** Plain JSON, for the lane's document. */
  state(): object {
    return { days: Object.fromEntries(this.#days) };
  }

  #keep(day: string, known: KnownDay): void {
    this.#days.set(day, known);
    if (this.#days.size <= daysKept) return;
    const oldest = [...this.#days.keys()].toSorted((a, b) => (dateOf(a) < dateOf(b) ? -1 : 1))[0];
    if (oldest !== undefined) this.#days.delete(oldest);
  }
}

function dateOf(day: string): string {
  return day.slice(day.indexOf(":") + 1);
}

function entriesOf(state: unknown): readonly (readonly [string, KnownDay])[] {
  if (typeof state !== "object" || state === null || !("days" in state)) return [];
  return Object.entries(state.days ?? {}).flatMap(([day, known]) => (isKnownDay(known) ? [[day, known] as const] : []));
}

function isKnownDay(value: unknown): value is KnownDay {
  if (typeof value !== "object" || value === null) return false;
  const { number, closesAtMs, isReconciled } = value as Partial<Record<keyof KnownDay, unknown>>;
  return typeof number === "number" && (closesAtMs === null || typeof closesAtMs === "number") && typeof isReconciled === "boolean";
}
