// I9, window once: each window opens and closes once per scheme, business date and number, never before its time.
//
// #1 The planned times come from `plannedDays`, if the configuration's author gives them. Otherwise they are the
//    earliest times in the DayPlanned records. A day without a known plan is not checked.
// #2 No copy of a WindowOpened, WindowClosed or DayReconciled was appended before its planned time, by clocks that
//    differ by `brokerClocksApartMs` at most: another broker may lead the partition than the one whose clock decided.
// #3 In each partition a window opens at most once and closes at most once, the opening first, in the order of the
//    numbers. A copy with the id of an earlier one is the same marker again (a replay): it is counted, and I8 checks
//    what was released by it.
// #4 Once all work has ended, all partitions agree: a window that opened or closed in one did so in all.
// #5 When a day is reconciled in a partition, each of its windows was closed there. A window that never opened counts
//    as missed.

import type { Evidence, PlacedRecord, PlannedDay } from "../evidence/evidence.ts";
import type { PromiseFinding } from "./finding.ts";
import type { Violation } from "../history.ts";
import { readRecordMember, readRecordNumber, readRecordText } from "../evidence/record-members.ts";

type TimedMarker = "WindowOpened" | "WindowClosed" | "DayReconciled";

export function checkWindowOnce(evidence: Evidence): PromiseFinding {
  const days = evidence.plannedDays ?? earliestPlans(evidence);
  const violations = days.flatMap((planned) => [
    ...evidence.partitions.flatMap((partition) => checkPartition(evidence, planned, partition)),
    ...(evidence.isDrained ? disagreements(evidence, planned) : []),
  ]);
  return { violations, counts: countMarkers(evidence, days) };
}

/** Takes the earliest times from the journal's plans, for the windows that all plans of a day have. */
function earliestPlans(evidence: Evidence): readonly PlannedDay[] {
  const byDay = Map.groupBy(evidence.plans, ({ value }) => `${readRecordText(value, "scheme")}:${readRecordText(value, "businessDate")}`);
  return [...byDay].flatMap(([day, records]) => {
    const plans = records.map((record) => parseWindows(record));
    const everywhere = plans[0]?.filter(({ number }) => plans.every((plan) => plan.some((window) => window.number === number))) ?? [];
    const windows = everywhere.map(({ number }) => {
      const same = plans.flatMap((plan) => plan.filter((window) => window.number === number));
      const opensAtMs = Math.min(...same.map((window) => window.opensAtMs));
      return { number, opensAtMs, closesAtMs: Math.min(...same.map((window) => window.closesAtMs)) };
    });
    const reconciliationAtMs = Math.min(...records.map(({ value }) => readRecordNumber(value, "reconciliationAtMs")));
    return windows.length === 0 ? [] : [{ day, windows, reconciliationAtMs }];
  });
}

function parseWindows({ value }: PlacedRecord): PlannedDay["windows"] {
  const windows = readRecordMember(value, "windows");
  if (!Array.isArray(windows)) return [];
  return windows.map((window: unknown) => ({
    number: readRecordNumber(window, "number"),
    opensAtMs: readRecordNumber(window, "opensAtMs"),
    closesAtMs: readRecordNumber(window, "closesAtMs"),
  }));
}

function checkPartition(evidence: Evidence, planned: PlannedDay, partition: number): readonly Violation[] {
  const markers = evidence.markers(partition, planned.day);
  const early = markers.flatMap((marker) => {
    const dueAtMs = plannedTimeMs(marker, planned);
    if (dueAtMs === null || marker.appendedAtMs + evidence.brokerClocksApartMs >= dueAtMs) return [];
    const byMs = dueAtMs - marker.appendedAtMs;
    return [
      violation(
        planned,
        `${markerName(marker)} was appended to partition ${partition} at offset ${marker.position}, ${byMs} ms before its time`,
      ),
    ];
  });
  return [
    ...early,
    ...twice(markers, planned, partition),
    ...outOfOrder(markers, planned, partition),
    ...leftOpen(markers, planned, partition),
  ];
}

/** Null for a marker without a planned time and for a window that the plan does not have. */
function plannedTimeMs(marker: PlacedRecord, { windows, reconciliationAtMs }: PlannedDay): number | null {
  if (marker.type === "DayReconciled") return reconciliationAtMs;
  const window = windows.find(({ number }) => number === readRecordNumber(marker.value, "number"));
  if (marker.type === "WindowOpened") return window?.opensAtMs ?? null;
  return marker.type === "WindowClosed" ? (window?.closesAtMs ?? null) : null;
}

function twice(markers: readonly PlacedRecord[], planned: PlannedDay, partition: number): readonly Violation[] {
  const timed = markers.filter(({ type }) => ["WindowOpened", "WindowClosed", "DayReconciled"].includes(type));
  return [...Map.groupBy(timed, markerName)].flatMap(([name, copies]) => {
    const ids = new Set(copies.map(({ value }) => readRecordText(value, "id")));
    const [first, second] = copies;
    return ids.size <= 1
      ? []
      : [
          violation(
            planned,
            `${name} is in partition ${partition} as ${ids.size} markers, at offsets ${first?.position}, ${second?.position} and on`,
          ),
        ];
  });
}

function outOfOrder(markers: readonly PlacedRecord[], planned: PlannedDay, partition: number): readonly Violation[] {
  const firstOffset = (type: TimedMarker, number: number): bigint | null => firstAt(markers, type, number);
  const numbers = planned.windows.map(({ number }) => number).toSorted((a, b) => a - b);
  const problems: string[] = [];
  for (const [place, number] of numbers.entries()) {
    const [opened, closed] = [firstOffset("WindowOpened", number), firstOffset("WindowClosed", number)];
    if (opened !== null && closed !== null && opened > closed) problems.push(`window ${number} opened after it had closed`);
    const before = numbers[place - 1];
    if (before === undefined || opened === null) continue;
    const closedBefore = firstOffset("WindowClosed", before);
    if (closedBefore === null || closedBefore > opened) problems.push(`window ${number} opened before window ${before} was closed`);
  }
  return problems.map((text) => violation(planned, `${text}, in partition ${partition}`));
}

function leftOpen(markers: readonly PlacedRecord[], planned: PlannedDay, partition: number): readonly Violation[] {
  const reconciled = markers.find(({ type }) => type === "DayReconciled");
  if (reconciled === undefined) return [];
  return planned.windows.flatMap(({ number }) => {
    const closed = firstAt(markers, "WindowClosed", number);
    if (closed !== null && closed < reconciled.position) return [];
    return [
      violation(
        planned,
        `window ${number} was not closed when the day was reconciled, in partition ${partition} at offset ${reconciled.position}`,
      ),
    ];
  });
}

function disagreements(evidence: Evidence, planned: PlannedDay): readonly Violation[] {
  const seen = evidence.partitions.map((partition) => ({ partition, names: markerNames(evidence.markers(partition, planned.day)) }));
  const all = new Set(seen.flatMap(({ names }) => [...names]));
  return [...all].flatMap((name) => {
    const without = seen.filter(({ names }) => !names.has(name)).map(({ partition }) => partition);
    return without.length === 0 ? [] : [violation(planned, `${name} is missing in partitions ${without.join(", ")}`)];
  });
}

function markerNames(markers: readonly PlacedRecord[]): ReadonlySet<string> {
  return new Set(markers.filter(({ type }) => ["WindowOpened", "WindowClosed", "DayReconciled"].includes(type)).map(markerName));
}

function countMarkers(evidence: Evidence, days: readonly PlannedDay[]): Readonly<Record<string, number>> {
  const counts = { windowsPlanned: 0, windowsOpened: 0, windowsMissed: 0, windowsClosed: 0, markersAgain: 0 };
  for (const { day, windows } of days) {
    const markers = evidence.partitions.flatMap((partition) => evidence.markers(partition, day));
    const isAnywhere = (type: TimedMarker, number: number): boolean => firstAt(markers, type, number) !== null;
    counts.windowsPlanned += windows.length;
    for (const { number } of windows) {
      const [isOpened, isClosed] = [isAnywhere("WindowOpened", number), isAnywhere("WindowClosed", number)];
      counts.windowsOpened += Number(isOpened);
      counts.windowsClosed += Number(isClosed);
      counts.windowsMissed += Number(isClosed && !isOpened);
    }
    counts.markersAgain += markers.length - new Set(markers.map(({ value }) => readRecordText(value, "id"))).size;
  }
  return counts;
}

function firstAt(markers: readonly PlacedRecord[], type: TimedMarker, number: number): bigint | null {
  return markers.find((marker) => marker.type === type && readRecordNumber(marker.value, "number") === number)?.position ?? null;
}

function markerName({ type, value }: PlacedRecord): string {
  return type === "DayReconciled" ? type : `${type} ${readRecordNumber(value, "number")}`;
}

function violation({ day }: PlannedDay, text: string): Violation {
  return { promise: "I9", uetr: null, text: `${day}: ${text}` };
}
