// I9, window once: each window opens and closes once per scheme, business date and number, never before its time.
//
// 1. The times are the plan's: those that whoever made the configuration gives (`plannedDays`), else those of the DayPlanned records, and then
//    the earliest that any of them names. A day of which no plan is known is not asked for.
// 2. No copy of a marker was appended before its planned time: WindowOpened, WindowClosed, DayReconciled.
// 3. In each lane a window opens at most once and closes at most once, in the order of the numbers, the opening before the closing. A copy with
//    the id of an earlier one is the same marker again (a replay): it is counted, and what was released by it is I8's to judge.
// 4. All lanes agree, once at rest: what one has opened or closed all have.
// 5. When a day is reconciled in a lane, each of its windows has been closed there; one that was not opened is missed.

import type { Evidence, PlacedRecord } from "./evidence.ts";
import type { Finding } from "./finding.ts";
import type { Violation } from "./history.ts";
import { memberAt, numberAt, textAt } from "./value.ts";

export interface PlannedDay {
  /** `scheme:date`. */
  readonly day: string;
  readonly windows: readonly { readonly number: number; readonly opensAtMs: number; readonly closesAtMs: number }[];
  readonly reconciliationAtMs: number;
}

type Told = "WindowOpened" | "WindowClosed" | "DayReconciled";

export function checkWindowOnce(evidence: Evidence): Finding {
  const days = evidence.plannedDays ?? plansOf(evidence);
  const violations = days.flatMap((planned) => [
    ...evidence.partitions.flatMap((partition) => judgeLane(evidence.markers(partition, planned.day), planned, partition)),
    ...(evidence.isDrained ? disagreements(evidence, planned) : []),
  ]);
  return { violations, counts: countsOf(evidence, days) };
}

/** The earliest times that the journal's plans name; windows that all of them have. */
function plansOf(evidence: Evidence): readonly PlannedDay[] {
  const byDay = Map.groupBy(evidence.plans, ({ value }) => `${textAt(value, "scheme")}:${textAt(value, "businessDate")}`);
  return [...byDay].flatMap(([day, records]) => {
    const plans = records.map((record) => windowsOf(record));
    const everywhere = plans[0]?.filter(({ number }) => plans.every((plan) => plan.some((window) => window.number === number))) ?? [];
    const windows = everywhere.map(({ number }) => {
      const same = plans.flatMap((plan) => plan.filter((window) => window.number === number));
      const opensAtMs = Math.min(...same.map((window) => window.opensAtMs));
      return { number, opensAtMs, closesAtMs: Math.min(...same.map((window) => window.closesAtMs)) };
    });
    const reconciliationAtMs = Math.min(...records.map(({ value }) => numberAt(value, "reconciliationAtMs")));
    return windows.length === 0 ? [] : [{ day, windows, reconciliationAtMs }];
  });
}

function windowsOf({ value }: PlacedRecord): PlannedDay["windows"] {
  const windows = memberAt(value, "windows");
  if (!Array.isArray(windows)) return [];
  return windows.map((window: unknown) => ({
    number: numberAt(window, "number"),
    opensAtMs: numberAt(window, "opensAtMs"),
    closesAtMs: numberAt(window, "closesAtMs"),
  }));
}

function judgeLane(markers: readonly PlacedRecord[], planned: PlannedDay, lane: number): readonly Violation[] {
  const early = markers.flatMap((marker) => {
    const dueAtMs = dueAtMsOf(marker, planned);
    if (dueAtMs === null || marker.appendedAtMs >= dueAtMs) return [];
    const byMs = dueAtMs - marker.appendedAtMs;
    return [violation(planned, `${nameOf(marker)} was appended to lane ${lane} at offset ${marker.at}, ${byMs} ms before its time`)];
  });
  return [...early, ...twice(markers, planned, lane), ...outOfOrder(markers, planned, lane), ...leftOpen(markers, planned, lane)];
}

/** Null: no marker that has a time, or a window that the plan does not know. */
function dueAtMsOf(marker: PlacedRecord, { windows, reconciliationAtMs }: PlannedDay): number | null {
  if (marker.type === "DayReconciled") return reconciliationAtMs;
  const window = windows.find(({ number }) => number === numberAt(marker.value, "number"));
  if (marker.type === "WindowOpened") return window?.opensAtMs ?? null;
  return marker.type === "WindowClosed" ? (window?.closesAtMs ?? null) : null;
}

function twice(markers: readonly PlacedRecord[], planned: PlannedDay, lane: number): readonly Violation[] {
  const told = markers.filter(({ type }) => ["WindowOpened", "WindowClosed", "DayReconciled"].includes(type));
  return [...Map.groupBy(told, nameOf)].flatMap(([name, copies]) => {
    const ids = new Set(copies.map(({ value }) => textAt(value, "id")));
    const [first, second] = copies;
    return ids.size <= 1
      ? []
      : [violation(planned, `${name} is in lane ${lane} as ${ids.size} markers, at offsets ${first?.at}, ${second?.at} and on`)];
  });
}

function outOfOrder(markers: readonly PlacedRecord[], planned: PlannedDay, lane: number): readonly Violation[] {
  const firstOf = (type: Told, number: number): bigint | null => firstAt(markers, type, number);
  const numbers = planned.windows.map(({ number }) => number).toSorted((a, b) => a - b);
  const problems: string[] = [];
  for (const [place, number] of numbers.entries()) {
    const [opened, closed] = [firstOf("WindowOpened", number), firstOf("WindowClosed", number)];
    if (opened !== null && closed !== null && opened > closed) problems.push(`window ${number} opened after it had closed`);
    const before = numbers[place - 1];
    if (before === undefined || opened === null) continue;
    const closedBefore = firstOf("WindowClosed", before);
    if (closedBefore === null || closedBefore > opened) problems.push(`window ${number} opened before window ${before} was closed`);
  }
  return problems.map((text) => violation(planned, `${text}, in lane ${lane}`));
}

function leftOpen(markers: readonly PlacedRecord[], planned: PlannedDay, lane: number): readonly Violation[] {
  const reconciled = markers.find(({ type }) => type === "DayReconciled");
  if (reconciled === undefined) return [];
  return planned.windows.flatMap(({ number }) => {
    const closed = firstAt(markers, "WindowClosed", number);
    if (closed !== null && closed < reconciled.at) return [];
    return [violation(planned, `window ${number} was not closed when the day was reconciled, in lane ${lane} at offset ${reconciled.at}`)];
  });
}

function disagreements(evidence: Evidence, planned: PlannedDay): readonly Violation[] {
  const told = evidence.partitions.map((lane) => ({ lane, names: namesIn(evidence.markers(lane, planned.day)) }));
  const all = new Set(told.flatMap(({ names }) => [...names]));
  return [...all].flatMap((name) => {
    const without = told.filter(({ names }) => !names.has(name)).map(({ lane }) => lane);
    return without.length === 0 ? [] : [violation(planned, `${name} is missing in lanes ${without.join(", ")}`)];
  });
}

function namesIn(markers: readonly PlacedRecord[]): ReadonlySet<string> {
  return new Set(markers.filter(({ type }) => ["WindowOpened", "WindowClosed", "DayReconciled"].includes(type)).map(nameOf));
}

function countsOf(evidence: Evidence, days: readonly PlannedDay[]): Readonly<Record<string, number>> {
  const counts = { windowsPlanned: 0, windowsOpened: 0, windowsMissed: 0, windowsClosed: 0, markersAgain: 0 };
  for (const { day, windows } of days) {
    const markers = evidence.partitions.flatMap((lane) => evidence.markers(lane, day));
    const isAnywhere = (type: Told, number: number): boolean => firstAt(markers, type, number) !== null;
    counts.windowsPlanned += windows.length;
    for (const { number } of windows) {
      const [isOpened, isClosed] = [isAnywhere("WindowOpened", number), isAnywhere("WindowClosed", number)];
      counts.windowsOpened += Number(isOpened);
      counts.windowsClosed += Number(isClosed);
      counts.windowsMissed += Number(isClosed && !isOpened);
    }
    counts.markersAgain += markers.length - new Set(markers.map(({ value }) => textAt(value, "id"))).size;
  }
  return counts;
}

function firstAt(markers: readonly PlacedRecord[], type: Told, number: number): bigint | null {
  return markers.find((marker) => marker.type === type && numberAt(marker.value, "number") === number)?.at ?? null;
}

function nameOf({ type, value }: PlacedRecord): string {
  return type === "DayReconciled" ? type : `${type} ${numberAt(value, "number")}`;
}

function violation({ day }: PlannedDay, text: string): Violation {
  return { promise: "I9", uetr: null, text: `${day}: ${text}` };
}
