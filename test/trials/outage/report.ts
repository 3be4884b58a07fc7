// The report of an outage trial, the limits that it asserts, and its text.

import type { OutageVerdict } from "./recorder.ts";

export interface OutageFigures {
  readonly parkedPerSecond: number;
  /**
   * Highest memory as the kernel counts it: of the dispatcher that parked all messages, and of the one started while
   * they waited.
   */
  readonly memoryMiB: { readonly parking: number; readonly afterRestart: number };
  /** From the start of the second process to its last partition lease; null if it took none. */
  readonly takenOverAfterMs: number | null;
  readonly breakerOpenings: number;
  /** Milliseconds between probes while nothing else came. */
  readonly probeGapsMs: readonly number[];
  readonly lookedForMs: number;
  /** Reads of the store in that time; null if its address does not allow a proxy. */
  readonly readsWhileWaiting: number | null;
  /** From the first accepted probe to the first other message; null if none came. */
  readonly revivedAfterMs: number | null;
  readonly drainedPerSecond: number;
  /** p99 up to the first acknowledgement of other banks: before, while very many wait, and while they drain. */
  readonly healthyP99Ms: { readonly before: number; readonly waiting: number; readonly draining: number };
  /** p99 while draining over p99 before; null if nothing was measured. */
  readonly p99Ratio: number | null;
}

export interface OutageReport {
  readonly isRight: boolean;
  readonly problems: readonly string[];
  readonly seed: number;
  readonly waiting: number;
  /** Banks besides the one that is down. */
  readonly receivers: number;
  /** Those of them that were away too, and the waits of what came for them. */
  readonly crowd: { readonly receivers: number; readonly messages: number; readonly longestMs: number };
  readonly store: string;
  readonly figures: OutageFigures;
  readonly verdict: OutageVerdict;
  readonly tookMs: number;
}

/**
 * Memory must not grow with the backlog. Node's heap takes up to 128 MiB of this for young objects, and lets old ones
 * grow to 96 MiB and more before it collects them (processes.ts).
 */
const outageMemoryMaxMiB = 480;
/** Each receiver has connections, a breaker and metrics of its own, with or without a backlog. */
const memoryPerReceiverKiB = 64;
/**
 * The consumer group waits for the killed process for up to 9 s of this. It must not grow with the backlog, because
 * other banks' messages wait too.
 */
const takenOverAfterMsMax = 20_000;
const probeGapMsMin = 8_000;
/** The promise is 1 s; this leaves room for a busy machine. */
const revivedAfterMsMax = 5_000;
/** A probe reads the message that it sends; nothing else needs a read. */
const readsPerSecondMax = 2;

const memoryMaxMiB = (receivers: number): number => outageMemoryMaxMiB + Math.ceil((receivers * memoryPerReceiverKiB) / 1_024);

/** `away` is the number of other banks that are away too: what waits for them is tried, and read from the store. */
export function outageProblems(figures: OutageFigures, away = 0, receivers = 0): readonly string[] {
  const { memoryMiB, takenOverAfterMs, breakerOpenings, probeGapsMs, readsWhileWaiting, lookedForMs, revivedAfterMs } = figures;
  const highestMiB = Math.max(memoryMiB.parking, memoryMiB.afterRestart);
  const shortestMs = Math.min(...probeGapsMs);
  const readsMax = (readsPerSecondMax * lookedForMs) / 1_000;
  const allowedMiB = memoryMaxMiB(receivers);
  return [
    ...(highestMiB > allowedMiB ? [`the dispatcher took ${highestMiB} MiB of memory, at most ${allowedMiB} are allowed`] : []),
    ...(takenOverAfterMs === null ? ["the dispatcher that was started again took no partition"] : []),
    ...(takenOverAfterMs !== null && takenOverAfterMs > takenOverAfterMsMax
      ? [
          `the dispatcher that was started again had its partitions after ${takenOverAfterMs} ms, at most ${takenOverAfterMsMax} are allowed`,
        ]
      : []),
    ...(breakerOpenings === 0 ? ["the breaker never opened"] : []),
    ...(probeGapsMs.length === 0 ? [`fewer than two probes came in ${lookedForMs / 1_000} s`] : []),
    ...(shortestMs < probeGapMsMin ? [`a probe came ${shortestMs} ms after the one before it`] : []),
    ...(away === 0 && readsWhileWaiting !== null && readsWhileWaiting > readsMax
      ? [`the store was read ${readsWhileWaiting} times while nothing was to be done, at most ${readsMax} are allowed`]
      : []),
    ...(revivedAfterMs === null ? ["nothing followed the probe that was accepted"] : []),
    ...(revivedAfterMs !== null && revivedAfterMs > revivedAfterMsMax
      ? [`the first message came ${revivedAfterMs} ms after the probe that was accepted`]
      : []),
  ];
}

export function formatOutageReport({
  isRight,
  problems,
  waiting,
  receivers,
  crowd,
  store,
  figures,
  verdict,
  tookMs,
}: OutageReport): string {
  const { probeGapsMs, healthyP99Ms, readsWhileWaiting, lookedForMs, memoryMiB, takenOverAfterMs } = figures;
  const seconds = (tookMs / 1_000).toFixed(0);
  const ms = (value: number): string => `${Math.round(value)} ms`;
  return [
    `  messages waiting       ${waiting}, with ${store}; parked ${figures.parkedPerSecond} a second`,
    `  dispatcher's memory    at most ${memoryMiB.parking} MiB while they came, ${memoryMiB.afterRestart} MiB after a kill and a restart (${memoryMaxMiB(receivers)} allowed)`,
    `  started again          all partitions taken after ${takenOverAfterMs === null ? "unknown" : ms(takenOverAfterMs)}, most of it the group's wait for the one that was killed`,
    `  breaker                opened ${figures.breakerOpenings} times; between probes ${probeGapsMs.map(ms).join(", ") || "unknown"}`,
    `  reads of the store     ${readsWhileWaiting ?? "unknown"} in ${lookedForMs / 1_000} s while they waited`,
    `  first drained          ${figures.revivedAfterMs === null ? "never" : ms(figures.revivedAfterMs)} after the probe that was accepted`,
    `  drained                ${figures.drainedPerSecond} a second, ${verdict.attempts} attempts, ${verdict.repeats} repeats`,
    `  order                  within a partition at most ${verdict.behind.most} places late (99 of 100: ${verdict.behind.p99}); per UETR none`,
    `  other banks' p99       ${ms(healthyP99Ms.before)} before, ${ms(healthyP99Ms.waiting)} waiting, ${ms(healthyP99Ms.draining)} draining: ratio ${figures.p99Ratio ?? "unknown"}`,
    `  receivers              ${receivers} others, ${crowd.receivers} of them away too; their ${crowd.messages} messages waited ${ms(crowd.longestMs)} at most`,
    "",
    isRight ? `All of them drained, unchanged and in order (${seconds} s).` : `VIOLATED (${seconds} s):`,
    ...problems.map((problem) => `  - ${problem}`),
  ].join("\n");
}
