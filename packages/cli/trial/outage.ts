// `./sluice trial delivery --outage`: one bank is down while very many messages wait for it. Is memory flat, is nothing polled, does it drain at once
// and in order when it is back, and do the others notice?
//
// 1. Asserted: what `outage-heard.ts` says, an end for each message, the dispatcher's memory, that the breaker opened, how far apart probes are, that the
//    store is hardly read while nothing comes, and, loosely, how soon a dispatcher has taken over and the drain begins. All else is printed.
// 2. The dispatcher is killed when all of them wait: what is measured afterwards is a process that took over full lanes, with a breaker that stands.
// 3. It gives up when nothing has gone on for two minutes.

import { machineTime, sleep } from "@sluice/runtime";
import type { Time } from "@sluice/runtime";
import { seededRandom, uetrFrom } from "@sluice/testkit";
import { openTrialBanks } from "./delivery-banks.ts";
import { createDeliveryEnds } from "./delivery-ends.ts";
import { feedPhase } from "./delivery-feed.ts";
import type { DeliveryFeedPorts } from "./delivery-feed.ts";
import { openDeliveryGround } from "./delivery-ground.ts";
import type { DeliveryGround } from "./delivery-ground.ts";
import { createHeardDeliveries, quantile } from "./delivery-heard.ts";
import type { HeardDeliveries } from "./delivery-heard.ts";
import type { PhaseName, PlannedBank, PlannedPhase } from "./delivery-plan.ts";
import { openOutageBank } from "./outage-bank.ts";
import type { OutageBank } from "./outage-bank.ts";
import { createOutageHeard } from "./outage-heard.ts";
import type { OutageHeard } from "./outage-heard.ts";
import { appendWaiting } from "./outage-feed.ts";
import { numberOf } from "./outage-plan.ts";
import { outageProblems } from "./outage-report.ts";
import type { OutageFigures, OutageReport } from "./outage-report.ts";
import { metricsOf, sumOf } from "./process-watch.ts";
import type { Memory } from "./process-watch.ts";
import { watchStore } from "./store-watch.ts";
import type { StoreWatch } from "./store-watch.ts";

export interface OutageTrialOptions {
  readonly seed: number;
  readonly waiting: number;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  readonly environment: NodeJS.ProcessEnv;
  readonly time?: Time;
}

interface Trial {
  readonly options: OutageTrialOptions;
  readonly time: Time;
  readonly ground: DeliveryGround;
  readonly feed: DeliveryFeedPorts;
  readonly healthy: HeardDeliveries;
  readonly down: OutageBank;
  readonly heard: OutageHeard;
  readonly watch: StoreWatch | null;
}

const downBank: PlannedBank = { id: "down01", branch: "250600", temper: "healthy" };
const healthyBanks: readonly PlannedBank[] = [1, 2, 3].map((number) => ({
  id: `healthy0${number}`,
  branch: `25060${number}`,
  temper: "healthy",
}));
const mebibyte = 1_048_576;
const perSecond = 60;
const phaseMs = { "warm-up": 3_000, A: 15_000, B: 45_000, C: 5_000 } as const;
const chunkRecords = 500;
/** Appended and not parked: enough that the dispatcher never waits for the feed. */
const aheadMax = 10_000;
const lookIntervalMs = 250;
const tellIntervalMs = 10_000;
const standstillMaxMs = 120_000;
/** Come while it drains, and have to wait for their turn. */
const lateMessages = 500;
const stillMs = 5_000;
const readCommands = ["find", "getMore", "aggregate", "count"] as const;

export async function runOutageTrial(options: OutageTrialOptions): Promise<OutageReport> {
  const { seed, waiting, say, signal, environment, time = machineTime } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const healthy = createHeardDeliveries(time);
  const heard = createOutageHeard(waiting + lateMessages);
  const banks = await openTrialBanks(healthyBanks, { heard: healthy, random: seededRandom(seed), time, isBrief: true }, opened);
  const down = await openOutageBank(heard, time, opened);
  const held: { watch: StoreWatch | null } = { watch: null };
  const ground = await openDeliveryGround(
    {
      banks: [...healthyBanks, downBank],
      urls: new Map([...banks.urls, [downBank.id, down.url]]),
      services: ["dispatcher"],
      between: async (storeUrl) => {
        const watch = await watchStore(storeUrl);
        if (watch !== null) opened.defer(() => watch.close());
        held.watch = watch;
        return watch?.url ?? storeUrl;
      },
      time,
      environment,
      say,
      signal,
    },
    opened,
  );
  const feed = { ...ground, heard: healthy, random: seededRandom(`bodies ${seed}`), time, signal };
  const trial: Trial = { options, time, ground, feed, healthy, down, heard, watch: held.watch };
  const figures = await play(trial);
  signal.throwIfAborted();
  const missingEnds = await untilEndsAreThere(trial);
  const verdict = heard.verdict(waiting + lateMessages);
  const unacknowledged = healthy.waiting();
  const problems = [
    ...ground.services.losses(),
    ...verdict.problems,
    ...(unacknowledged > 0 ? [`${unacknowledged} messages of healthy banks were not acknowledged`] : []),
    ...(missingEnds > 0 ? [`${missingEnds} ends are missing in journal and receipts`] : []),
    ...outageProblems(figures),
  ];
  const tookMs = Math.round(time.monotonicMs() - startedMs);
  return { isRight: problems.length === 0, problems, seed, waiting, store: ground.storeText, figures, verdict, tookMs };
}

async function play(trial: Trial): Promise<OutageFigures> {
  const { options, time, ground, down, heard, healthy } = trial;
  const { say, waiting } = options;
  const { services } = ground;
  await feedPhase(steady(trial, "warm-up"), trial.feed);
  await feedPhase(steady(trial, "A"), trial.feed);
  say(`${waiting} messages are brought in for a bank that is down`);
  const fillFromMs = time.monotonicMs();
  await fill(trial);
  const parkedPerSecond = Math.round(waiting / ((time.monotonicMs() - fillFromMs) / 1_000));
  const memoryParking = await services.memoryNow("dispatcher");
  say(`all of them wait (${parkedPerSecond} a second); SIGKILL dispatcher`);
  await services.killAndStart("dispatcher");
  await untilStill(trial);
  const takenOverAfterMs = await takeOverMs(trial);
  say(`looking at it for ${phaseMs.B / 1_000} s`);
  const [askedBefore, readsBefore] = [heard.askedAtMs().length, reads(trial)];
  await feedPhase(steady(trial, "B"), trial.feed);
  const probesAtMs = heard.askedAtMs().slice(askedBefore);
  const readsWhileWaiting = trial.watch === null ? null : reads(trial) - readsBefore;
  down.rise();
  say(`the bank is back; ${probesAtMs.length} probes came in that time`);
  const drain = await drained(trial);
  const latency = (phase: PhaseName): number => quantile(healthy.latenciesMs(phase, new Set(healthyBanks.map(({ id }) => id))), 0.99);
  const [p99BeforeMs, p99WaitingMs, p99DrainingMs] = [latency("A"), latency("B"), latency("C")];
  return {
    parkedPerSecond,
    memoryMiB: { parking: inMiB(memoryParking), afterRestart: inMiB(await services.memoryNow("dispatcher")) },
    takenOverAfterMs,
    breakerOpenings: (await services.said("dispatcher", "breaker.opened")).filter(({ bank }) => bank === downBank.id).length,
    probeGapsMs: probesAtMs.slice(1).map((atMs, index) => Math.round(atMs - (probesAtMs[index] ?? 0))),
    lookedForMs: phaseMs.B,
    readsWhileWaiting,
    ...drain,
    healthyP99Ms: { before: p99BeforeMs, waiting: p99WaitingMs, draining: p99DrainingMs },
    p99Ratio: p99BeforeMs === 0 ? null : Math.round((p99DrainingMs / p99BeforeMs) * 100) / 100,
  };
}

function inMiB(memory: Memory | null): number {
  return Math.ceil((memory?.highestBytes ?? 0) / mebibyte);
}

async function fill(trial: Trial): Promise<void> {
  const { options, time, ground } = trial;
  const { waiting, signal, say } = options;
  const moving = standstill(trial, "parked");
  let [appended, parked, toldMs] = [0, 0, time.monotonicMs()];
  while (parked < waiting) {
    signal.throwIfAborted();
    while (appended < waiting && appended - parked < aheadMax) {
      appended = await appendWaiting(downBank.id, appended, Math.min(waiting, appended + chunkRecords), trial.feed);
    }
    const process = ground.services.process("dispatcher");
    parked = process === null ? 0 : sumOf(await metricsOf(process.opsPort, time), "sluice_delivery_parked_total", `bank="${downBank.id}"`);
    moving(parked);
    if (time.monotonicMs() - toldMs >= tellIntervalMs) {
      toldMs = time.monotonicMs();
      say(`${parked} of ${waiting} wait`);
    }
    await sleep(time, lookIntervalMs, signal);
  }
}

/** Until the new process has read what it reads at a take-over. */
async function untilStill(trial: Trial): Promise<void> {
  const { time, options } = trial;
  const fromMs = time.monotonicMs();
  await trial.ground.services.process("dispatcher")?.ready();
  for (let [before, sinceMs] = [reads(trial), fromMs]; time.monotonicMs() - fromMs < standstillMaxMs && !options.signal.aborted;) {
    await sleep(time, lookIntervalMs, options.signal);
    if (reads(trial) !== before) [before, sinceMs] = [reads(trial), time.monotonicMs()];
    if (time.monotonicMs() - sinceMs >= stillMs) return;
  }
}

/** Of the process that was started while they waited: from its first word to its last lane. Others' messages wait for as long. Null: it took none. */
async function takeOverMs({ ground }: Trial): Promise<number | null> {
  const { services } = ground;
  const [started, taken] = [
    (await services.said("dispatcher", "service.listening")).at(-1),
    await services.said("dispatcher", "lane.taken"),
  ];
  const fromMs = Number(started?.["time"]);
  const lastMs = Math.max(...taken.map(({ time }) => Number(time)));
  return lastMs > fromMs ? lastMs - fromMs : null;
}

function reads({ watch }: Trial): number {
  const counts = watch?.counts();
  return readCommands.reduce((sum, name) => sum + (counts?.get(name) ?? 0), 0);
}

async function drained(trial: Trial): Promise<Pick<OutageFigures, "revivedAfterMs" | "drainedPerSecond">> {
  const { options, time, heard } = trial;
  const { waiting, signal, say } = options;
  const all = waiting + lateMessages;
  const moving = standstill(trial, "acknowledged");
  const over = new AbortController();
  const beside = steadyUntil(trial, over.signal);
  await appendWaiting(downBank.id, waiting, all, trial.feed);
  let [fromMs, toldMs] = [time.monotonicMs(), time.monotonicMs()];
  try {
    while (heard.acknowledged() < all) {
      signal.throwIfAborted();
      moving(heard.acknowledged());
      await sleep(time, lookIntervalMs, signal);
      if (heard.revival() === null) fromMs = time.monotonicMs();
      if (time.monotonicMs() - toldMs < tellIntervalMs) continue;
      toldMs = time.monotonicMs();
      say(`${all - heard.acknowledged()} of ${all} wait`);
    }
  } finally {
    over.abort();
    await beside;
  }
  const revival = heard.revival();
  const seconds = Math.max(0.001, (time.monotonicMs() - fromMs) / 1_000);
  return {
    revivedAfterMs: revival === null || revival.drainedAtMs === null ? null : Math.round(revival.drainedAtMs - revival.acceptedAtMs),
    drainedPerSecond: Math.round(all / seconds),
  };
}

async function steadyUntil(trial: Trial, over: AbortSignal): Promise<void> {
  while (!over.aborted && !trial.options.signal.aborted) await feedPhase(steady(trial, "C"), trial.feed);
}

/** 3. To be called with how far it has come. */
function standstill({ time }: Trial, what: string): (now: number) => void {
  let [before, sinceMs] = [-1, time.monotonicMs()];
  return (now) => {
    if (now !== before) [before, sinceMs] = [now, time.monotonicMs()];
    if (time.monotonicMs() - sinceMs > standstillMaxMs)
      throw new Error(`${now} messages were ${what}, and nothing has gone on for two minutes`);
  };
}

/** Answers how many ends are missing when nothing more comes. */
async function untilEndsAreThere(trial: Trial): Promise<number> {
  const { options, time, ground, healthy } = trial;
  const all = options.waiting + lateMessages;
  const ended = { DeliveryEnded: new Uint8Array(all), Receipt: new Uint8Array(all) };
  const ofHealthy = new Set<string>();
  const counts = { ended: 0 };
  const topicsRead = createDeliveryEnds(ground.messaging, ground.serde, ({ id, record, outcome }) => {
    if (outcome !== "ACKNOWLEDGED") return;
    const number = numberOf(id);
    if (number === null) {
      ofHealthy.add(`${record} ${id}`);
      return;
    }
    if (ended[record][number] === 0) counts.ended += 1;
    ended[record][number] = 1;
  });
  const due = 2 * (all + healthy.sent().length);
  for (let [before, sinceMs] = [-1, time.monotonicMs()]; ;) {
    await topicsRead.read();
    const missing = due - counts.ended - ofHealthy.size;
    if (missing === 0 || options.signal.aborted) return missing;
    if (missing !== before) [before, sinceMs] = [missing, time.monotonicMs()];
    if (time.monotonicMs() - sinceMs > stillMs * 4) return missing;
    await sleep(time, lookIntervalMs, options.signal);
  }
}

/** Even traffic of the healthy banks, each message of a UETR of its own. */
function steady({ feed }: Trial, name: PhaseName): PlannedPhase {
  const forMs = phaseMs[name];
  const messages = Array.from({ length: Math.round((forMs / 1_000) * perSecond) }, (_, index) => {
    const uetr = uetrFrom(feed.random);
    const bank = healthyBanks[index % healthyBanks.length]?.id ?? "";
    return { id: `${uetr.replaceAll("-", "")}D`, uetr, bank, service: "dispatcher", place: 1, operation: "inboundDirectDebit" } as const;
  });
  return { name, forMs, messages };
}
