// `./sluice trial release`: many debits are held, then their window opens, and they leave in order at the speed of
// their banks, while the scheduler's memory is measured.
//
// #1 Times and speeds depend on the machine and are only printed. The trial asserts that all debits leave, once each
//    and in order, and memory.
// #2 Memory is the highest of the scheduler process as the kernel counts it, before and after the restart.
// #3 The trial gives up when nothing has changed for two minutes.

import { machineTime, type Random, sleep, type Time } from "@sluice/kernel";
import { fetchMetrics, readMemory, type ServiceProcess, sumMetric } from "@sluice/environment";
import { type FedDebit, feedDebits } from "./feed.ts";
import { openReleaseEnvironment, releaseBanks, type ReleaseEnvironment } from "./environment.ts";
import { createReleaseRecorder, type ReleaseRecorder } from "./recorder.ts";
import { type ReleaseVerdict, verifyReleases } from "./verdict.ts";

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

interface ReleaseFigures {
  readonly heldPerSecond: number;
  /** Between the first debit at a bank and the last. */
  readonly releasedPerSecond: number;
  /** From the planned opening, or from the restart if that is later, to the first debit at a bank. */
  readonly firstAfterMs: number;
  readonly restartMs: number;
  readonly memoryHoldingMiB: number;
  readonly memoryReleasingMiB: number;
  /** Reads of the store for pages of held debits during the release. */
  readonly pageReads: number;
}

interface Trial {
  readonly options: ReleaseTrialOptions;
  readonly time: Time;
  readonly environment: ReleaseEnvironment;
  readonly recorder: ReleaseRecorder;
}

const memoryMaxMiB = 300;
const mebibyte = 1_048_576;
const lookIntervalMs = 1_000;
const reportIntervalMs = 10_000;
const standstillMaxMs = 120_000;
const opensAfterMs = 20_000;
/** Debits fed and not yet held; enough that no service waits for the feed. */
const aheadMax = 30_000;
const feedPauseMs = 50;
const recordsPerDebit = 2;
const looksDoneMin = 3;

export async function runReleaseTrial(options: ReleaseTrialOptions): Promise<ReleaseTrialReport> {
  const { held, say, signal, time = machineTime } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const recorder = createReleaseRecorder();
  const environment = await openReleaseEnvironment({ ...options, recorder, time }, opened);
  signal.throwIfAborted();
  const trial: Trial = { options, time, environment, recorder };
  say(`services are up, with ${environment.storeText}; ${held} debits are brought in`);
  const holding = await hold(trial);
  say(`${held} debits are held; the scheduler is started again with a window that opens in ${opensAfterMs / 1_000} s`);
  const releasing = await release(trial);
  say("all debits are with their banks; reading the journal from its start");
  const verdict = await verifyReleases({ fed: holding.fed, recorder, messaging: environment.messaging, serde: environment.serde });
  const figures = { ...holding.figures, ...releasing };
  const memoryMiB = Math.max(figures.memoryHoldingMiB, figures.memoryReleasingMiB);
  const problems = [
    ...environment.losses(),
    ...(memoryMiB <= memoryMaxMiB ? [] : [`the scheduler took ${memoryMiB} MiB of memory, at most ${memoryMaxMiB} are allowed`]),
    ...verdict.problems,
  ];
  const tookMs = Math.round(time.monotonicMs() - startedMs);
  return { isRight: problems.length === 0, problems, held, store: environment.storeText, figures, counts: verdict.counts, tookMs };
}

async function hold(
  trial: Trial,
): Promise<{ readonly fed: readonly FedDebit[]; readonly figures: Pick<ReleaseFigures, "heldPerSecond" | "memoryHoldingMiB"> }> {
  const { environment, time, options } = trial;
  const scheduler = environment.scheduler();
  const before = await environment.progress();
  const progress = { held: 0 };
  const feeding = feedDebits(options.held, {
    ...environment,
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
    // Broker and store may be busy for a moment; the next round asks again.
    const looked = await environment.progress().catch(() => null);
    if (looked === null) return progress.held;
    const { done, appended } = looked;
    // Each debit has two records, itself and its verdict; the others were there before. All are held only when no
    // record is left to handle.
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
  const { environment, time, recorder, options } = trial;
  const restartedMs = time.monotonicMs();
  const opensAtMs = await environment.openWindowIn(opensAfterMs);
  const restartMs = Math.round(time.monotonicMs() - restartedMs);
  const scheduler = environment.scheduler();
  const dueMs = time.monotonicMs() + Math.max(0, opensAtMs - time.nowMs());
  let firstMs: number | null = null;
  let lastMs = dueMs;
  const memoryReleasingMiB = await follow(trial, scheduler, "with their banks", () => {
    if (recorder.count() > 0) {
      firstMs ??= time.monotonicMs();
      lastMs = time.monotonicMs();
    }
    return Promise.resolve(recorder.count());
  });
  const pageReads = sumMetric(await fetchMetrics(scheduler.opsPort, time), "sluice_scheduler_queue_reads_total");
  const seconds = Math.max(1, (lastMs - (firstMs ?? dueMs)) / 1_000);
  const firstAfterMs = Math.round(Math.max(0, (firstMs ?? lastMs) - dueMs));
  return { releasedPerSecond: Math.round(options.held / seconds), firstAfterMs, restartMs, memoryReleasingMiB, pageReads };
}

/**
 * Waits until `count` reaches all debits and returns the highest memory of the process in MiB. Throws after a
 * standstill.
 */
async function follow({ options, time }: Trial, { pid }: ServiceProcess, what: string, count: () => Promise<number>): Promise<number> {
  const { held, say, signal } = options;
  let [before, reportedBefore] = [-1, 0];
  let movedMs = time.monotonicMs();
  let reportedMs = movedMs;
  for (;;) {
    signal.throwIfAborted();
    const now = await count();
    const nowMs = time.monotonicMs();
    if (now !== before) movedMs = nowMs;
    before = now;
    const memory = await readMemory(pid);
    if (now >= held) return Math.ceil((memory?.highestBytes ?? 0) / mebibyte);
    if (nowMs - movedMs > standstillMaxMs) throw new Error(`${now} of ${held} debits are ${what}, and nothing has changed for two minutes`);
    if (nowMs - reportedMs >= reportIntervalMs) {
      const perSecond = Math.round((now - reportedBefore) / ((nowMs - reportedMs) / 1_000));
      say(`${now} of ${held} ${what}, ${perSecond} a second; scheduler ${Math.round((memory?.nowBytes ?? 0) / mebibyte)} MiB`);
      [reportedMs, reportedBefore] = [nowMs, now];
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
