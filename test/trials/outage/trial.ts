// `./sluice trial delivery --outage`: one bank is down while very many messages wait for it. Is memory flat, is nothing
// polled, does the backlog drain at once and in order when the bank is back, and do the other banks notice?
//
// #1 The trial asserts the rules of `recorder.ts`, an end for each message, the dispatcher's memory, that the breaker
//    opened, the time between probes, that the store is hardly read while nothing comes, and, loosely, how soon a
//    dispatcher has taken over and the drain begins. Everything else is only printed.
// #2 The dispatcher is killed when all messages wait. The figures after that are of a process that took over full
//    partitions with an open breaker.
// #3 With many receivers a crowd of them is away (503) too, with messages of their own, and comes back with the bank.
//    All that waits for the crowd must arrive. Its waits are printed.
// #4 The trial gives up when nothing has changed for two minutes.

import { machineTime, sleep, type Time } from "@sluice/kernel";
import { seededRandom, drawUetr } from "@sluice/testkit";
import { openTrialBanks } from "../delivery/banks.ts";
import { createDeliveryEnds } from "../delivery/ends.ts";
import { type DeliveryFeedPorts, feedPhase } from "../delivery/feed.ts";
import { type DeliveryEnvironment, openDeliveryEnvironment } from "../delivery/environment.ts";
import { createDeliveryRecorder, type DeliveryRecorder, sortedQuantile } from "../delivery/recorder.ts";
import type { PhaseName, PlannedBank, PlannedPhase } from "../delivery/plan.ts";
import { openOutageBank, type OutageBank } from "./bank.ts";
import { createOutageRecorder, type OutageRecorder } from "./recorder.ts";
import { appendWaiting } from "./feed.ts";
import { parseMessageNumber } from "./plan.ts";
import { type OutageFigures, outageProblems, type OutageReport } from "./report.ts";
import { fetchMetrics, type ProcessMemory, sumMetric } from "@sluice/environment";
import { openStoreProxy, type StoreProxy } from "./store-proxy.ts";

export interface OutageTrialOptions {
  readonly seed: number;
  readonly waiting: number;
  /** Banks besides the one that is down, maybe none; a tenth of more than ten of them is away at the same time. */
  readonly receivers: number;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  readonly environment: NodeJS.ProcessEnv;
  readonly time?: Time;
}

interface Trial {
  readonly options: OutageTrialOptions;
  readonly time: Time;
  readonly environment: DeliveryEnvironment;
  readonly feed: DeliveryFeedPorts;
  readonly healthy: DeliveryRecorder;
  readonly down: OutageBank;
  readonly recorder: OutageRecorder;
  readonly proxy: StoreProxy | null;
  readonly others: readonly PlannedBank[];
}

const downBank: PlannedBank = { id: "down01", branch: "250600", profile: "healthy" };
const branchFirst = 250_601;
const awayShare = 0.1;
const mebibyte = 1_048_576;
const perSecond = 60;
const phaseMs = { "warm-up": 3_000, A: 15_000, B: 45_000, C: 5_000 } as const;
const chunkRecords = 500;
/** Messages appended and not yet parked; enough that the dispatcher never waits for the feed. */
const aheadMax = 10_000;
const lookIntervalMs = 250;
const reportIntervalMs = 10_000;
const standstillMaxMs = 120_000;
/** Messages that come while the backlog drains and must queue behind it. */
const lateMessages = 500;
const stillMs = 5_000;
/** Shorter than the time between two looks of an idle owner at its partitions, which are reads too. */
const noReadsMs = 2_000;
const readCommands = ["find", "getMore", "aggregate", "count"] as const;

export async function runOutageTrial(options: OutageTrialOptions): Promise<OutageReport> {
  const { seed, waiting, receivers, say, signal, time = machineTime } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const healthy = createDeliveryRecorder(time);
  const recorder = createOutageRecorder(waiting + lateMessages);
  const others = planOthers(receivers);
  const banks = await openTrialBanks(others, { recorder: healthy, random: seededRandom(seed), time, isBrief: true }, opened);
  const down = await openOutageBank(recorder, time, opened);
  const opening: { proxy: StoreProxy | null } = { proxy: null };
  const environment = await openDeliveryEnvironment(
    {
      banks: [...others, downBank],
      urls: new Map([...banks.urls, [downBank.id, down.url]]),
      services: ["dispatcher"],
      interceptStore: async (storeUrl) => {
        const proxy = await openStoreProxy(storeUrl);
        if (proxy !== null) opened.defer(() => proxy.close());
        opening.proxy = proxy;
        return proxy?.url ?? storeUrl;
      },
      time,
      environment: options.environment,
      say,
      signal,
    },
    opened,
  );
  const feed = { ...environment, recorder: healthy, random: seededRandom(`bodies ${seed}`), time, signal };
  const trial: Trial = { options, time, environment, feed, healthy, down, recorder, proxy: opening.proxy, others };
  const figures = await play(trial, () => banks.heal());
  signal.throwIfAborted();
  const missingEnds = await untilEndsAreThere(trial);
  const verdict = recorder.verdict(waiting + lateMessages);
  const unacknowledged = healthy.waiting();
  const awayWaits = healthy.waitsMs(idsOf(trial, "away"));
  const problems = [
    ...environment.services.losses(),
    ...verdict.problems,
    ...(unacknowledged > 0 ? [`${unacknowledged} messages of other banks were not acknowledged`] : []),
    ...(missingEnds > 0 ? [`${missingEnds} ends are missing in journal and receipts`] : []),
    ...outageProblems(figures, idsOf(trial, "away").size, receivers),
  ];
  const tookMs = Math.round(time.monotonicMs() - startedMs);
  const crowd = { receivers: idsOf(trial, "away").size, messages: awayWaits.length, longestMs: awayWaits.at(-1) ?? 0 };
  const report = { problems, seed, waiting, receivers, crowd, store: environment.storeText, figures, verdict, tookMs };
  return { isRight: problems.length === 0, ...report };
}

function planOthers(receivers: number): readonly PlannedBank[] {
  const away = receivers > 10 ? Math.floor(receivers * awayShare) : 0;
  return Array.from({ length: receivers }, (_, index) => {
    const profile = index < receivers - away ? "healthy" : "away";
    return { id: `${profile}${String(index + 1).padStart(2, "0")}`, branch: String(branchFirst + index), profile };
  });
}

function idsOf({ others }: Pick<Trial, "others">, profile: PlannedBank["profile"]): ReadonlySet<string> {
  return new Set(others.filter((bank) => bank.profile === profile).map(({ id }) => id));
}

async function play(trial: Trial, heal: () => Promise<void>): Promise<OutageFigures> {
  const { options, time, environment, down, recorder, healthy } = trial;
  const { say, waiting } = options;
  const { services } = environment;
  await playPhase(trial, "warm-up");
  await playPhase(trial, "A");
  say(`${waiting} messages are brought in for a bank that is down`);
  const fillFromMs = time.monotonicMs();
  await fill(trial);
  const parkedPerSecond = Math.round(waiting / ((time.monotonicMs() - fillFromMs) / 1_000));
  const memoryParking = await services.memoryNow("dispatcher");
  say(`all of them wait (${parkedPerSecond} a second); SIGKILL dispatcher`);
  await services.killAndStart("dispatcher");
  await untilStill(trial);
  const takenOverAfterMs = await takeOverMs(trial);
  say(`observing it for ${phaseMs.B / 1_000} s`);
  const [arrivalsBefore, readsBefore] = [recorder.arrivalsWhileDownMs().length, reads(trial)];
  await playPhase(trial, "B");
  const probesAtMs = recorder.arrivalsWhileDownMs().slice(arrivalsBefore);
  const readsWhileWaiting = trial.proxy === null ? null : reads(trial) - readsBefore;
  down.recover();
  await heal();
  say(`the bank is back; ${probesAtMs.length} probes came in that time`);
  const drain = await drained(trial);
  const latency = (phase: PhaseName): number => sortedQuantile(healthy.latenciesMs(phase, idsOf(trial, "healthy")), 0.99);
  const [p99BeforeMs, p99WaitingMs, p99DrainingMs] = [latency("A"), latency("B"), latency("C")];
  return {
    parkedPerSecond,
    memoryMiB: { parking: inMiB(memoryParking), afterRestart: inMiB(await services.memoryNow("dispatcher")) },
    takenOverAfterMs,
    breakerOpenings: (await services.logEvents("dispatcher", "breaker.opened")).filter(({ receiver }) => receiver === downBank.id).length,
    probeGapsMs: probesAtMs.slice(1).map((atMs, index) => Math.round(atMs - (probesAtMs[index] ?? 0))),
    lookedForMs: phaseMs.B,
    readsWhileWaiting,
    ...drain,
    healthyP99Ms: { before: p99BeforeMs, waiting: p99WaitingMs, draining: p99DrainingMs },
    p99Ratio: p99BeforeMs === 0 ? null : Math.round((p99DrainingMs / p99BeforeMs) * 100) / 100,
  };
}

function inMiB(memory: ProcessMemory | null): number {
  return Math.ceil((memory?.highestBytes ?? 0) / mebibyte);
}

/** Counts the messages of all banks; while the trial fills, only the bank that is down gets any. */
async function countParked({ environment, time }: Trial): Promise<number> {
  const process = environment.services.process("dispatcher");
  return process === null ? 0 : sumMetric(await fetchMetrics(process.opsPort, time), "sluice_delivery_parked_total");
}

async function fill(trial: Trial): Promise<void> {
  const { options, time } = trial;
  const { waiting, signal, say } = options;
  const checkProgress = standstill(trial, "parked");
  const parkedBefore = await countParked(trial);
  let [appended, parked, reportedMs] = [0, 0, time.monotonicMs()];
  while (parked < waiting) {
    signal.throwIfAborted();
    while (appended < waiting && appended - parked < aheadMax) {
      appended = await appendWaiting(downBank.id, appended, Math.min(waiting, appended + chunkRecords), trial.feed);
    }
    parked = (await countParked(trial)) - parkedBefore;
    checkProgress(parked);
    if (time.monotonicMs() - reportedMs >= reportIntervalMs) {
      reportedMs = time.monotonicMs();
      say(`${parked} of ${waiting} wait`);
    }
    await sleep(time, lookIntervalMs, signal);
  }
}

/** Waits until the new process has read what a take-over reads. */
async function untilStill(trial: Trial): Promise<void> {
  const { time, options } = trial;
  const fromMs = time.monotonicMs();
  await trial.environment.services.process("dispatcher")?.ready();
  for (let [before, sinceMs] = [reads(trial), fromMs]; time.monotonicMs() - fromMs < standstillMaxMs && !options.signal.aborted;) {
    await sleep(time, lookIntervalMs, options.signal);
    if (reads(trial) !== before) [before, sinceMs] = [reads(trial), time.monotonicMs()];
    if (time.monotonicMs() - sinceMs >= noReadsMs) return;
  }
}

/**
 * Measures the process that was started while messages waited, from its start to its last partition lease. Other banks'
 * messages wait that long too. Returns null if it took no partition.
 */
async function takeOverMs({ environment }: Trial): Promise<number | null> {
  const { services } = environment;
  const [started, taken] = [
    (await services.logEvents("dispatcher", "service.listening")).at(-1),
    await services.logEvents("dispatcher", "partition.taken"),
  ];
  const fromMs = Number(started?.["time"]);
  const lastMs = Math.max(...taken.map(({ time }) => Number(time)));
  return lastMs > fromMs ? lastMs - fromMs : null;
}

function reads({ proxy }: Trial): number {
  const counts = proxy?.counts();
  return readCommands.reduce((sum, name) => sum + (counts?.get(name) ?? 0), 0);
}

async function drained(trial: Trial): Promise<Pick<OutageFigures, "revivedAfterMs" | "drainedPerSecond">> {
  const { options, time, recorder } = trial;
  const { waiting, signal, say } = options;
  const all = waiting + lateMessages;
  const checkProgress = standstill(trial, "acknowledged");
  const over = new AbortController();
  const steadyTraffic = steadyUntil(trial, over.signal);
  await appendWaiting(downBank.id, waiting, all, trial.feed);
  let [fromMs, reportedMs] = [time.monotonicMs(), time.monotonicMs()];
  try {
    while (recorder.acknowledged() < all) {
      signal.throwIfAborted();
      checkProgress(recorder.acknowledged());
      await sleep(time, lookIntervalMs, signal);
      if (recorder.revival() === null) fromMs = time.monotonicMs();
      if (time.monotonicMs() - reportedMs < reportIntervalMs) continue;
      reportedMs = time.monotonicMs();
      say(`${all - recorder.acknowledged()} of ${all} wait`);
    }
  } finally {
    over.abort();
    await steadyTraffic;
  }
  const revival = recorder.revival();
  const seconds = Math.max(0.001, (time.monotonicMs() - fromMs) / 1_000);
  return {
    revivedAfterMs: revival === null || revival.drainedAtMs === null ? null : Math.round(revival.drainedAtMs - revival.acceptedAtMs),
    drainedPerSecond: Math.round(all / seconds),
  };
}

async function steadyUntil(trial: Trial, over: AbortSignal): Promise<void> {
  while (!over.aborted && !trial.options.signal.aborted) await playPhase(trial, "C");
}

/** #4. The returned function is called with the progress so far, and throws after a standstill. */
function standstill({ time }: Trial, what: string): (now: number) => void {
  let [before, sinceMs] = [-1, time.monotonicMs()];
  return (now) => {
    if (now !== before) [before, sinceMs] = [now, time.monotonicMs()];
    if (time.monotonicMs() - sinceMs > standstillMaxMs)
      throw new Error(`${now} messages were ${what}, and nothing has changed for two minutes`);
  };
}

/** Waits until no more ends come, and returns how many are missing. */
async function untilEndsAreThere(trial: Trial): Promise<number> {
  const { options, time, environment, healthy } = trial;
  const all = options.waiting + lateMessages;
  const ended = { DeliveryEnded: new Uint8Array(all), Receipt: new Uint8Array(all) };
  const healthyEnds = new Set<string>();
  const counts = { ended: 0 };
  const topicsRead = createDeliveryEnds(environment.messaging, environment.serde, ({ id, record, outcome }) => {
    if (outcome !== "ACKNOWLEDGED") return;
    const number = parseMessageNumber(id);
    if (number === null) {
      healthyEnds.add(`${record} ${id}`);
      return;
    }
    if (ended[record][number] === 0) counts.ended += 1;
    ended[record][number] = 1;
  });
  const due = 2 * (all + healthy.sent().length);
  for (let [before, sinceMs] = [-1, time.monotonicMs()]; ;) {
    await topicsRead.read();
    const missing = due - counts.ended - healthyEnds.size;
    if (missing === 0 || options.signal.aborted) return missing;
    if (missing !== before) [before, sinceMs] = [missing, time.monotonicMs()];
    if (time.monotonicMs() - sinceMs > stillMs * 4) return missing;
    await sleep(time, lookIntervalMs, options.signal);
  }
}

/** Feeds the other banks for the time of a phase; without any it only passes the time. */
async function playPhase(trial: Trial, name: PhaseName): Promise<void> {
  const { time, options, others } = trial;
  if (others.length === 0) await sleep(time, phaseMs[name], options.signal);
  else await feedPhase(steady(trial, name), trial.feed);
}

/** Plans steady traffic for all other banks, each message with a UETR of its own. */
function steady({ feed, others }: Trial, name: PhaseName): PlannedPhase {
  const forMs = phaseMs[name];
  const messages = Array.from({ length: Math.round((forMs / 1_000) * perSecond) }, (_, index) => {
    const uetr = drawUetr(feed.random);
    const bank = others[index % others.length]?.id ?? "";
    return { id: `${uetr.replaceAll("-", "")}D`, uetr, bank, service: "dispatcher", place: 1, operation: "inboundDirectDebit" } as const;
  });
  return { name, forMs, messages };
}
