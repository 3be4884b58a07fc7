// What a trial of windows goes through, as data: rounds, their windows, and the faults of each. A function of the seed alone.
//
// #1 The same seed and number of windows give the same plan.
// #2 A round is one business day; the windows are shared out evenly among as few rounds as can hold them.
// #3 In each round there is a kill, a stop and a changed clock at least, if it has three windows or more. At most two of the schedulers are
//    away at a time; of the other services at most one. A process has one fault at a time.
// #4 A stop lasts longer than a consumer's session (6 s), so its lanes go to others and it wakes up as a stale owner. Half of the stops of
//    schedulers begin just before a window opens or closes.
// #5 No scheduler's clock is right: two are ahead and one is behind from the start, so that one that went by its own would be seen to.
// #6 Times are milliseconds from the opening of the first window; windows are whole seconds, as a configuration names them.

import type { Random } from "@sluice/runtime";
import { seededRandom } from "@sluice/testkit";

export const schedulerLabels = ["scheduler-1", "scheduler-2", "scheduler-3"] as const;
export const otherLabels = ["ingress", "validator", "dispatcher", "event-publisher"] as const;
export type Label = (typeof schedulerLabels)[number] | (typeof otherLabels)[number];

export interface PlannedFault {
  readonly label: Label;
  readonly kind: "kill" | "stop" | "clock";
  readonly atMs: number;
  /** Until it is started again, or goes on; 0 for a clock, which stays as it is. */
  readonly forMs: number;
  /** Of its clock from then on; 0 for the others. */
  readonly offsetMs: number;
}

export interface PlannedRound {
  readonly number: number;
  readonly windows: readonly { readonly number: number; readonly opensAtMs: number; readonly closesAtMs: number }[];
  readonly reconciliationAtMs: number;
  readonly creditsFinal: "clock" | "connector";
  /** When the connector declares credits final; null: the clock does. */
  readonly declaredAtMs: number | null;
  /** By how much clocks are off from the start. */
  readonly offsetsMs: Readonly<Partial<Record<Label, number>>>;
  /** In the order of their times. */
  readonly faults: readonly PlannedFault[];
}

export const windowsOfDayMax = 24;
const [windowMsMin, windowMsMax] = [3_000, 6_000];
const [gapMsMin, gapMsMax] = [1_000, 2_000];
const reconciliationAfterMs = 2_000;
const [stopMsMin, stopMsMax] = [7_000, 10_000];
const [deadMsMin, deadMsMax] = [500, 4_000];
const [pauseMsMin, pauseMsMax] = [4_000, 10_000];
/** From the end of one fault of the other services to the next. */
const [otherPauseMsMin, otherPauseMsMax] = [6_000, 16_000];
const schedulersAwayMax = 2;
const beforeEdgeMsMax = 1_000;
const secondsAwry = [-18_000, -7_200, -3_600, -30, 30, 3_600, 7_200, 18_000] as const;

export function planWindows(seed: number, windows: number): readonly PlannedRound[] {
  const rounds = Math.ceil(windows / windowsOfDayMax);
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
  const offsetsMs = { ...skewed, validator: awry(random), dispatcher: awry(random) };
  return { number, windows, reconciliationAtMs: endMs + reconciliationAfterMs, creditsFinal, declaredAtMs, offsetsMs, faults };
}

function schedulerFaults(random: Random, edges: readonly number[], endMs: number): readonly PlannedFault[] {
  const faults: PlannedFault[] = [];
  const freeFromMs = new Map<Label, number>(schedulerLabels.map((label) => [label, 0]));
  const wanted = shuffled(random, ["kill", "stop", "clock"] as const);
  for (let atMs = between(random, 500, 2_500); atMs < endMs; atMs += between(random, pauseMsMin, pauseMsMax)) {
    const kind = wanted[faults.length] ?? pick(random, ["kill", "kill", "stop", "stop", "clock"]);
    const startsAtMs = kind === "stop" && random.fraction() < 0.5 ? beforeEdge(random, edges, atMs) : atMs;
    const free = schedulerLabels.filter((label) => (freeFromMs.get(label) ?? 0) <= startsAtMs);
    const away = schedulerLabels.length - free.length;
    const label = free.length === 0 ? null : pick(random, free);
    if (label === null || (kind !== "clock" && away >= schedulersAwayMax)) continue;
    const fault = faultOf(random, label, kind, startsAtMs);
    if (kind !== "clock") freeFromMs.set(label, startsAtMs + fault.forMs + 1_000);
    faults.push(fault);
  }
  return faults;
}

function otherFaults(random: Random, endMs: number): readonly PlannedFault[] {
  const faults: PlannedFault[] = [];
  for (let atMs = between(random, 3_000, 8_000); atMs < endMs;) {
    const fault = faultOf(random, pick(random, otherLabels), pick(random, ["kill", "stop"]), atMs);
    faults.push(fault);
    atMs += fault.forMs + between(random, otherPauseMsMin, otherPauseMsMax);
  }
  return faults;
}

function faultOf(random: Random, label: Label, kind: PlannedFault["kind"], atMs: number): PlannedFault {
  if (kind === "clock") return { label, kind, atMs, forMs: 0, offsetMs: awry(random) };
  const forMs = kind === "kill" ? between(random, deadMsMin, deadMsMax) : between(random, stopMsMin, stopMsMax);
  return { label, kind, atMs, forMs, offsetMs: 0 };
}

/** A moment before the next edge, if there is one. */
function beforeEdge(random: Random, edges: readonly number[], atMs: number): number {
  const edge = edges.find((candidate) => candidate > atMs + beforeEdgeMsMax);
  return edge === undefined ? atMs : edge - between(random, 100, beforeEdgeMsMax);
}

function awry(random: Random): number {
  return pick(random, secondsAwry) * 1_000;
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

function shuffled<T>(random: Random, given: readonly T[]): readonly T[] {
  return given
    .map((one) => ({ one, place: random.fraction() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ one }) => one);
}
