// What a trial of an outage found, what of it is asserted, and how it is told.

import type { OutageVerdict } from "./outage-heard.ts";

export interface OutageFigures {
  readonly parkedPerSecond: number;
  /** The dispatcher's highest, as the kernel counts it: of the process that parked all, and of the one that was started while they waited. */
  readonly memoryMiB: { readonly parking: number; readonly afterRestart: number };
  /** Of the second process, from its first word to the last lane that it took; null: it took none. */
  readonly takenOverAfterMs: number | null;
  readonly breakerOpenings: number;
  /** While it was only looked at. */
  readonly probeGapsMs: readonly number[];
  readonly lookedForMs: number;
  /** Of the store, in that time; null: the store's address could not be watched. */
  readonly readsWhileWaiting: number | null;
  /** From the first probe that was accepted to the first other message; null: there was none. */
  readonly revivedAfterMs: number | null;
  readonly drainedPerSecond: number;
  /** Of first deliveries to other banks: before, while very many wait, and while they drain. */
  readonly healthyP99Ms: { readonly before: number; readonly waiting: number; readonly draining: number };
  /** Draining over before; null: nothing was measured. */
  readonly p99Ratio: number | null;
}

export interface OutageReport {
  readonly isRight: boolean;
  readonly problems: readonly string[];
  readonly seed: number;
  readonly waiting: number;
  readonly store: string;
  readonly figures: OutageFigures;
  readonly verdict: OutageVerdict;
  readonly tookMs: number;
}

/** It must not grow with what waits. Of it Node's heap takes up to 128 MiB for young objects, and lets old ones grow to 96 MiB and more before it looks them through (processes.ts). */
export const outageMemoryMaxMiB = 480;
/** Up to 9 s of it the group waits for the process that was killed. It must not grow with what waits: other banks' messages wait as well. */
const takenOverAfterMsMax = 20_000;
const probeGapMsMin = 8_000;
/** The promise is 1 s; a busy machine is let off. */
const revivedAfterMsMax = 5_000;
/** A probe reads the message that it is made with; nothing else is to be read. */
const readsPerSecondMax = 2;

export function outageProblems(figures: OutageFigures): readonly string[] {
  const { memoryMiB, takenOverAfterMs, breakerOpenings, probeGapsMs, readsWhileWaiting, lookedForMs, revivedAfterMs } = figures;
  const highestMiB = Math.max(memoryMiB.parking, memoryMiB.afterRestart);
  const shortestMs = Math.min(...probeGapsMs);
  const readsMax = (readsPerSecondMax * lookedForMs) / 1_000;
  return [
    ...(highestMiB > outageMemoryMaxMiB
      ? [`the dispatcher took ${highestMiB} MiB of memory, at most ${outageMemoryMaxMiB} are allowed`]
      : []),
    ...(takenOverAfterMs === null ? ["the dispatcher that was started again took no lane"] : []),
    ...(takenOverAfterMs !== null && takenOverAfterMs > takenOverAfterMsMax
      ? [`the dispatcher that was started again had its lanes after ${takenOverAfterMs} ms, at most ${takenOverAfterMsMax} are allowed`]
      : []),
    ...(breakerOpenings === 0 ? ["the breaker never opened"] : []),
    ...(probeGapsMs.length === 0 ? [`fewer than two probes came in ${lookedForMs / 1_000} s`] : []),
    ...(shortestMs < probeGapMsMin ? [`a probe came ${shortestMs} ms after the one before it`] : []),
    ...(readsWhileWaiting !== null && readsWhileWaiting > readsMax
      ? [`the store was read ${readsWhileWaiting} times while nothing was to be done, at most ${readsMax} are allowed`]
      : []),
    ...(revivedAfterMs === null ? ["nothing followed the probe that was accepted"] : []),
    ...(revivedAfterMs !== null && revivedAfterMs > revivedAfterMsMax
      ? [`the first message came ${revivedAfterMs} ms after the probe that was accepted`]
      : []),
  ];
}

export function formatOutageReport({ isRight, problems, waiting, store, figures, verdict, tookMs }: OutageReport): string {
  const { probeGapsMs, healthyP99Ms, readsWhileWaiting, lookedForMs, memoryMiB, takenOverAfterMs } = figures;
  const seconds = (tookMs / 1_000).toFixed(0);
  const ms = (value: number): string => `${Math.round(value)} ms`;
  return [
    `  messages waiting       ${waiting}, with ${store}; parked ${figures.parkedPerSecond} a second`,
    `  dispatcher's memory    at most ${memoryMiB.parking} MiB while they came, ${memoryMiB.afterRestart} MiB after a kill and a restart (${outageMemoryMaxMiB} allowed)`,
    `  started again          all lanes taken after ${takenOverAfterMs === null ? "unknown" : ms(takenOverAfterMs)}, most of it the group's wait for the one that was killed`,
    `  breaker                opened ${figures.breakerOpenings} times; between probes ${probeGapsMs.map(ms).join(", ") || "unknown"}`,
    `  reads of the store     ${readsWhileWaiting ?? "unknown"} in ${lookedForMs / 1_000} s while they waited`,
    `  first drained          ${figures.revivedAfterMs === null ? "never" : ms(figures.revivedAfterMs)} after the probe that was accepted`,
    `  drained                ${figures.drainedPerSecond} a second, ${verdict.attempts} attempts, ${verdict.repeats} repeats`,
    `  order                  within a lane at most ${verdict.behind.most} places late (99 of 100: ${verdict.behind.p99}); per UETR none`,
    `  other banks' p99       ${ms(healthyP99Ms.before)} before, ${ms(healthyP99Ms.waiting)} waiting, ${ms(healthyP99Ms.draining)} draining: ratio ${figures.p99Ratio ?? "unknown"}`,
    "",
    isRight ? `All of them drained, unchanged and in order (${seconds} s).` : `VIOLATED (${seconds} s):`,
    ...problems.map((problem) => `  - ${problem}`),
  ].join("\n");
}
