// Plans a windows trial as data: rounds, their windows and their faults.
//
// #1 The same seed and number of windows give the same plan.
// #2 A round is one business day. The windows are distributed evenly over as few rounds as can hold them.
// #3 A round of three windows or more has at least one kill, one stop and one changed clock. At most two schedulers are
//    away at a time, and at most one of the other services. A process has one fault at a time.
// #4 A stop lasts longer than a consumer's session (6 s): the partitions go to others, and the process wakes up with a
//    lost lease. Half of the stops of schedulers begin just before a window opens or closes.
// #5 No scheduler's clock is right: two are ahead and one is behind from the start, so that a scheduler that used its
//    own clock would be noticed.
// #6 Times are milliseconds from the opening of the first window. Windows are whole seconds, because a configuration
//    names whole seconds.

import type { Random } from "@sluice/kernel";
import { seededRandom } from "@sluice/testkit";

export const schedulerLabels = ["scheduler-1", "scheduler-2", "scheduler-3"] as const;
export const otherLabels = ["ingress", "validator", "dispatcher", "event-publisher"] as const;
export type ProcessLabel = (typeof schedulerLabels)[number] | (typeof otherLabels)[number];

export interface PlannedFault {
  readonly label: ProcessLabel;
  readonly kind: "kill" | "stop" | "clock";
  readonly atMs: number;
  /** Milliseconds until it is started again or resumed; 0 for a clock, which keeps its offset. */
  readonly forMs: number;
  /** Offset of its clock from then on; 0 for the other faults. */
  readonly offsetMs: number;
}

export interface PlannedRound {
  readonly number: number;
  readonly windows: readonly { readonly number: number; readonly opensAtMs: number; readonly closesAtMs: number }[];
  readonly reconciliationAtMs: number;
  readonly creditsFinal: "clock" | "connector";
  /** When the connector declares credits final; null if the clock does. */
  readonly declaredAtMs: number | null;
  /** Clock offsets from the start, in milliseconds. */
  readonly offsetsMs: Readonly<Partial<Record<ProcessLabel, number>>>;
  /** Faults in the order of their times. */
  readonly faults: readonly PlannedFault[];
}

export const windowsPerDayMax = 24;
const [windowMsMin, windowMsMax] = [3_000, 6_000];
const [gapMsMin, gapMsMax] = [1_000, 2_000];
const reconciliationAfterMs = 2_000;
const [stopMsMin, stopMsMax] = [7_000, 10_000];
const [deadMsMin, deadMsMax] = [500, 4_000];
const [pauseMsMin, pauseMsMax] = [4_000, 10_000];
/** Milliseconds from the end of a fault of the other services to the next one. */
const [otherPauseMsMin, otherPauseMsMax] = [6_000, 16_000];
const schedulersAwayMax = 2;
const beforeEdgeMsMax = 1_000;
const offsetsSeconds = [-18_000, -7_200, -3_600, -30, 30, 3_600, 7_200, 18_000] as const;

export function planWindows(seed: number, windows: number): readonly PlannedRound[] {
  const rounds = Math.ceil(windows / windowsPerDayMax);
  const declarers = ["connector", "clock"] as const;
  const offset = Math.abs(seed) % declarers.length;
  return Array.from({ length: rounds }, (_, index) => {
    const ofRound = Math.floor(windows / rounds) + (index < windows % rounds ? 1 : 0);
    const random = seededRandom(`windows ${seed} ${index}`);
    return planRound(random, index + 1, ofRound, declarers[(index + offset) % declarers.length] ?? "clock");
  });
}

function planRound(random: Random, number: number, count: number, creditsFinal: PlannedRound["creditsFinal"]): PlannedRound {
  const windows: PlannedRound["windows"][number][] = [];
  for (let at = 0; windows.length < count;) {
    const closesAtMs = at + wholeSeconds(random, windowMsMin, windowMsMax);
    windows.push({ number: windows.length + 1, opensAtMs: at, closesAtMs });
    at = closesAtMs + wholeSeconds(random, gapMsMin, gapMsMax);
  }
  const endMs = windows.at(-1)?.closesAtMs ?? 0;
  const [first, second] = windows;
  const declaredAtMs = creditsFinal === "clock" ? null : between(random, first?.closesAtMs ?? 0, second?.closesAtMs ?? endMs);
  const edges = windows.flatMap(({ opensAtMs, closesAtMs }) => [opensAtMs, closesAtMs]);
  const faults = [...schedulerFaults(random, edges, endMs), ...otherFaults(random, endMs)].toSorted((a, b) => a.atMs - b.atMs);
  const skews = shuffled(random, [30_000, pick(random, [3_600_000, 18_000_000]), pick(random, [-30_000, -3_600_000, -18_000_000])]);
  const skewed = Object.fromEntries(schedulerLabels.map((label, index) => [label, skews[index] ?? 0]));
  const offsetsMs = { ...skewed, validator: drawOffset(random), dispatcher: drawOffset(random) };
  return { number, windows, reconciliationAtMs: endMs + reconciliationAfterMs, creditsFinal, declaredAtMs, offsetsMs, faults };
}

function schedulerFaults(random: Random, edges: readonly number[], endMs: number): readonly PlannedFault[] {
  const faults: PlannedFault[] = [];
  const freeFromMs = new Map<ProcessLabel, number>(schedulerLabels.map((label) => [label, 0]));
  const wanted = shuffled(random, ["kill", "stop", "clock"] as const);
  for (let atMs = between(random, 500, 2_500); atMs < endMs; atMs += between(random, pauseMsMin, pauseMsMax)) {
    const kind = wanted[faults.length] ?? pick(random, ["kill", "kill", "stop", "stop", "clock"]);
    const startsAtMs = kind === "stop" && random.fraction() < 0.5 ? beforeEdge(random, edges, atMs) : atMs;
    const free = schedulerLabels.filter((label) => (freeFromMs.get(label) ?? 0) <= startsAtMs);
    const away = schedulerLabels.length - free.length;
    const label = free.length === 0 ? null : pick(random, free);
    if (label === null || (kind !== "clock" && away >= schedulersAwayMax)) continue;
    const fault = planFault(random, label, kind, startsAtMs);
    if (kind !== "clock") freeFromMs.set(label, startsAtMs + fault.forMs + 1_000);
    faults.push(fault);
  }
  return faults;
}

function otherFaults(random: Random, endMs: number): readonly PlannedFault[] {
  const faults: PlannedFault[] = [];
  for (let atMs = between(random, 3_000, 8_000); atMs < endMs;) {
    const fault = planFault(random, pick(random, otherLabels), pick(random, ["kill", "stop"]), atMs);
    faults.push(fault);
    atMs += fault.forMs + between(random, otherPauseMsMin, otherPauseMsMax);
  }
  return faults;
}

function planFault(random: Random, label: ProcessLabel, kind: PlannedFault["kind"], atMs: number): PlannedFault {
  if (kind === "clock") return { label, kind, atMs, forMs: 0, offsetMs: drawOffset(random) };
  const forMs = kind === "kill" ? between(random, deadMsMin, deadMsMax) : between(random, stopMsMin, stopMsMax);
  return { label, kind, atMs, forMs, offsetMs: 0 };
}

/** Returns a moment shortly before the next opening or closing, if there is one. */
function beforeEdge(random: Random, edges: readonly number[], atMs: number): number {
  const edge = edges.find((candidate) => candidate > atMs + beforeEdgeMsMax);
  return edge === undefined ? atMs : edge - between(random, 100, beforeEdgeMsMax);
}

function drawOffset(random: Random): number {
  return pick(random, offsetsSeconds) * 1_000;
}

function between(random: Random, least: number, most: number): number {
  return Math.floor(least + random.fraction() * (most - least));
}

function wholeSeconds(random: Random, leastMs: number, mostMs: number): number {
  return Math.round(between(random, leastMs, mostMs + 1) / 1_000) * 1_000;
}

function pick<T>(random: Random, from: readonly T[]): T {
  const one = from[Math.floor(random.fraction() * from.length)];
  if (one === undefined) throw new Error("there is nothing to pick from");
  return one;
}

function shuffled<T>(random: Random, values: readonly T[]): readonly T[] {
  return values
    .map((one) => ({ one, place: random.fraction() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ one }) => one);
}
