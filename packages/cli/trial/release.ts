// `./sluice trial release`: many debits are held, then their window opens, and they go out in order at the speed of their banks, while the
// scheduler's memory is looked at.
//
// 1. Times and speeds are printed, never asserted: they are the machine's. Asserted are order, once each, all of them, and memory.
// 2. Memory is the kernel's own count of the scheduler process at its highest, before and after the restart.
// 3. It gives up when nothing has gone on for two minutes.

import { machineTime, sleep } from "@sluice/runtime";
import type { Random, Time } from "@sluice/runtime";
import type { ServiceProcess } from "../processes.ts";
import { memoryOf, metricsOf, sumOf } from "./process-watch.ts";
import { feedDebits } from "./release-feed.ts";
import type { FedDebit } from "./release-feed.ts";
import { openReleaseGround, releaseBanks } from "./release-ground.ts";
import type { ReleaseGround } from "./release-ground.ts";
import { createHeard } from "./release-heard.ts";
import type { Heard } from "./release-heard.ts";
import { judgeReleases } from "./release-judge.ts";
import type { ReleaseVerdict } from "./release-judge.ts";

export interface ReleaseTrialOptions {
  readonly held: number;
  readonly random: Random;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  readonly environment: NodeJS.ProcessEnv;
  readonly time?: Time;
}

export interface ReleaseTrialReport {
  readonly isRight: boolean;
  readonly problems: readonly string[];
  readonly held: number;
  readonly store: string;
  readonly figures: ReleaseFigures;
  readonly counts: ReleaseVerdict["counts"];
  readonly tookMs: number;
}

export interface ReleaseFigures {
  readonly heldPerSecond: number;
  /** From the first debit at a bank to the last. */
  readonly releasedPerSecond: number;
  /** From the planned opening, or the restart where that is later, to the first debit at a bank. */
  readonly firstAfterMs: number;
  readonly restartMs: number;
  readonly memoryHoldingMiB: number;
  readonly memoryReleasingMiB: number;
  /** Reads of the store for pages of held debits, while releasing. */
  readonly pageReads: number;
}

interface Trial {
  readonly options: ReleaseTrialOptions;
  readonly time: Time;
  readonly ground: ReleaseGround;
  readonly heard: Heard;
}

export const memoryMaxMiB = 300;
const mebibyte = 1_048_576;
const lookIntervalMs = 1_000;
const tellIntervalMs = 10_000;
const standstillMaxMs = 120_000;
const opensAfterMs = 20_000;
/** Fed and not yet held: enough that nobody waits for the feed. */
const aheadMax = 30_000;
const feedPauseMs = 50;
const recordsPerDebit = 2;
const looksDoneMin = 3;

export async function runReleaseTrial(options: ReleaseTrialOptions): Promise<ReleaseTrialReport> {
  const { held, say, signal, time = machineTime } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const heard = createHeard();
  const ground = await openReleaseGround({ ...options, recorder: heard, time }, opened);
  signal.throwIfAborted();
  const trial: Trial = { options, time, ground, heard };
  say(`services are up, with ${ground.storeText}; ${held} debits are brought in`);
  const holding = await hold(trial);
  say(`${held} debits are held; the scheduler is started again with a window that opens in ${opensAfterMs / 1_000} s`);
  const releasing = await release(trial);
  say("all debits are with their banks; reading the journal from its start");
  const verdict = await judgeReleases({ fed: holding.fed, heard, messaging: ground.messaging, serde: ground.serde });
  const figures = { ...holding.figures, ...releasing };
  const memoryMiB = Math.max(figures.memoryHoldingMiB, figures.memoryReleasingMiB);
  const problems = [
    ...ground.losses(),
    ...(memoryMiB <= memoryMaxMiB ? [] : [`the scheduler took ${memoryMiB} MiB of memory, at most ${memoryMaxMiB} are allowed`]),
    ...verdict.problems,
  ];
  const tookMs = Math.round(time.monotonicMs() - startedMs);
  return { isRight: problems.length === 0, problems, held, store: ground.storeText, figures, counts: verdict.counts, tookMs };
}

async function hold(
  trial: Trial,
): Promise<{ readonly fed: readonly FedDebit[]; readonly figures: Pick<ReleaseFigures, "heldPerSecond" | "memoryHoldingMiB"> }> {
  const { ground, time, options } = trial;
  const scheduler = ground.scheduler();
  const before = await ground.progress();
  const progress = { held: 0 };
  const feeding = feedDebits(options.held, {
    ...ground,
    banks: releaseBanks,
    random: options.random,
    time,
    signal: options.signal,
    async ready(fed) {
      while (fed - progress.held > aheadMax && !options.signal.aborted) await sleep(time, feedPauseMs, options.signal);
    },
  });
  const fromMs = time.monotonicMs();
  let looksDone = 0;
  const memoryHoldingMiB = await follow(trial, scheduler, "held", async () => {
    // Broker and store may be busy for a moment; the next look will tell.
    const looked = await ground.progress().catch(() => null);
    if (looked === null) return progress.held;
    const { done, appended } = looked;
    // A debit and its verdict; what else there is lay there before. All of them only when nothing is left to do.
    const folded = Math.floor((done - before.done) / recordsPerDebit);
    const isDone = done === appended && appended - before.appended >= options.held * recordsPerDebit;
    looksDone = isDone ? looksDone + 1 : 0;
    progress.held = looksDone >= looksDoneMin ? options.held : Math.max(0, Math.min(folded, options.held - 1));
    return progress.held;
  });
  const seconds = (time.monotonicMs() - fromMs) / 1_000;
  return { fed: await feeding, figures: { heldPerSecond: Math.round(options.held / seconds), memoryHoldingMiB } };
}

async function release(trial: Trial): Promise<Omit<ReleaseFigures, "heldPerSecond" | "memoryHoldingMiB">> {
  const { ground, time, heard, options } = trial;
  const restartedMs = time.monotonicMs();
  const opensAtMs = await ground.openWindowIn(opensAfterMs);
  const restartMs = Math.round(time.monotonicMs() - restartedMs);
  const scheduler = ground.scheduler();
  const dueMs = time.monotonicMs() + Math.max(0, opensAtMs - time.nowMs());
  let firstMs: number | null = null;
  let lastMs = dueMs;
  const memoryReleasingMiB = await follow(trial, scheduler, "with their banks", () => {
    if (heard.count() > 0) {
      firstMs ??= time.monotonicMs();
      lastMs = time.monotonicMs();
    }
    return Promise.resolve(heard.count());
  });
  const pageReads = sumOf(await metricsOf(scheduler.opsPort, time), "sluice_scheduler_queue_reads_total");
  const seconds = Math.max(1, (lastMs - (firstMs ?? dueMs)) / 1_000);
  const firstAfterMs = Math.round(Math.max(0, (firstMs ?? lastMs) - dueMs));
  return { releasedPerSecond: Math.round(options.held / seconds), firstAfterMs, restartMs, memoryReleasingMiB, pageReads };
}

/** Until all have come that far; answers the highest memory of the process in MiB. Throws when nothing goes on. */
async function follow({ options, time }: Trial, { pid }: ServiceProcess, what: string, count: () => Promise<number>): Promise<number> {
  const { held, say, signal } = options;
  let [before, toldBefore] = [-1, 0];
  let movedMs = time.monotonicMs();
  let toldMs = movedMs;
  for (;;) {
    signal.throwIfAborted();
    const now = await count();
    const nowMs = time.monotonicMs();
    if (now !== before) movedMs = nowMs;
    before = now;
    const memory = await memoryOf(pid);
    if (now >= held) return Math.ceil((memory?.highestBytes ?? 0) / mebibyte);
    if (nowMs - movedMs > standstillMaxMs) throw new Error(`${now} of ${held} debits are ${what}, and nothing has gone on for two minutes`);
    if (nowMs - toldMs >= tellIntervalMs) {
      const perSecond = Math.round((now - toldBefore) / ((nowMs - toldMs) / 1_000));
      say(`${now} of ${held} ${what}, ${perSecond} a second; scheduler ${Math.round((memory?.nowBytes ?? 0) / mebibyte)} MiB`);
      [toldMs, toldBefore] = [nowMs, now];
    }
    await sleep(time, lookIntervalMs, signal);
  }
}

export function formatReleaseReport({ isRight, problems, held, store, figures, counts, tookMs }: ReleaseTrialReport): string {
  return [
    `  debits held            ${held}, with ${store}`,
    `  held                   ${figures.heldPerSecond} a second`,
    `  scheduler's restart    ${figures.restartMs} ms until it was ready with all of them`,
    `  released               ${figures.releasedPerSecond} a second; the first ${figures.firstAfterMs} ms after the opening`,
    `  scheduler's memory     at most ${figures.memoryHoldingMiB} MiB while holding, ${figures.memoryReleasingMiB} MiB while releasing (${memoryMaxMiB} allowed)`,
    `  reads of the store     ${figures.pageReads} for pages of held debits while releasing`,
    `  in the journal         ${counts.releases} releases, ${counts.outOfOrder} out of order, ${counts.twice} twice; ${counts.repeatedAttempts} attempts repeated at banks`,
    "",
    isRight ? `All of them, in order, once each (${(tookMs / 1_000).toFixed(0)} s).` : `VIOLATED (${(tookMs / 1_000).toFixed(0)} s):`,
    ...problems.map((problem) => `  - ${problem}`),
  ].join("\n");
}
