// `./sluice trial delivery`: twenty banks, some of them dead, slow or hostile, and dispatcher and event-publisher that are killed again and again.
// Is every message acknowledged, in order, unchanged, and nothing lost?
//
// 1. Asserted is what `delivery-judge.ts` says, and that no service ended by itself. Times and ratios are printed, they are the machine's.
// 2. The ratio of the healthy banks' p99 compares phases B and A of one run, both without kills (`delivery-plan.ts` #3).
// 3. It ends when all has come to its end, or when nothing has gone on for minutes: then the judge says what is missing.

import { join } from "node:path";
import { machineTime, sleep } from "@sluice/runtime";
import type { Time } from "@sluice/runtime";
import { seededRandom } from "@sluice/testkit";
import { projectRoot } from "../run-program.ts";
import { openTrialBanks } from "./delivery-banks.ts";
import type { TrialBanks } from "./delivery-banks.ts";
import { createDeliveryEnds } from "./delivery-ends.ts";
import { keepEvidence } from "./delivery-evidence.ts";
import { feedPhase } from "./delivery-feed.ts";
import type { DeliveryFeedPorts } from "./delivery-feed.ts";
import { openDeliveryGround } from "./delivery-ground.ts";
import type { DeliveryGround } from "./delivery-ground.ts";
import { createHeardDeliveries, quantile } from "./delivery-heard.ts";
import type { HeardDeliveries } from "./delivery-heard.ts";
import { judgeDeliveries } from "./delivery-judge.ts";
import type { DeliveryHistory, MessageEnd } from "./delivery-judge.ts";
import { messagesPerUetr, planDeliveries } from "./delivery-plan.ts";
import type { DeliveryPlan, DeliveryService, PlannedFreeze, PlannedPhase } from "./delivery-plan.ts";
import type { BankRow, DeliveryTrialReport, PhaseFigures } from "./delivery-report.ts";
import { deliveryServices } from "./delivery-services.ts";

export interface DeliveryTrialOptions {
  readonly seed: number;
  readonly messages: number;
  /** Keeps the evidence of a good one too. */
  readonly isKept: boolean;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  readonly environment: NodeJS.ProcessEnv;
  readonly time?: Time;
}

interface Trial {
  readonly options: DeliveryTrialOptions;
  readonly plan: DeliveryPlan;
  readonly time: Time;
  readonly heard: HeardDeliveries;
  readonly banks: TrialBanks;
  readonly ground: DeliveryGround;
  readonly feed: DeliveryFeedPorts;
  readonly kills: Record<DeliveryService, number>;
  readonly freezes: Record<DeliveryService, number>;
}

const mebibyte = 1_048_576;
const lookIntervalMs = 500;
const tellIntervalMs = 10_000;
/** Longer than any wait of the law of retries that a bank here can bring about. */
const standstillMaxMs = { brief: 90_000, long: 360_000 } as const;
/** Between phases: what they brought to healthy banks is to be gone. */
const settleMaxMs = 30_000;
/** In phase C the feed waits while healthy banks have more to wait for: the machine decides how fast it goes. */
const healthyWaitingMax = 5_000;
const killWaitMaxMs = 20_000;

export async function runDeliveryTrial(options: DeliveryTrialOptions): Promise<DeliveryTrialReport> {
  const { seed, messages, say, signal, environment, time = machineTime } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const plan = planDeliveries(seed, messages);
  const heard = createHeardDeliveries(time);
  const random = seededRandom(`banks ${seed}`);
  const banks = await openTrialBanks(plan.banks, { heard, random, time, isBrief: plan.isBrief }, opened);
  const ground = await openDeliveryGround({ banks: plan.banks, urls: banks.urls, time, environment, say, signal }, opened);
  signal.throwIfAborted();
  const feed = { ...ground, heard, random: seededRandom(`bodies ${seed}`), time, signal };
  const trial: Trial = { options, plan, time, heard, banks, ground, feed, kills: none(), freezes: none() };
  say(`seed ${seed}: services are up, with ${ground.storeText}; ${plan.banks.length} banks, ${messages / messagesPerUetr} UETRs`);
  await play(trial);
  signal.throwIfAborted();
  const history = await untilAllEnded(trial);
  signal.throwIfAborted();
  const verdict = judgeDeliveries(history);
  const problems = [...ground.services.losses(), ...verdict.problems];
  const folder = join(projectRoot, ".sluice", "trial", new Date(time.nowMs()).toISOString().replaceAll(":", "-"));
  const evidence = problems.length > 0 || options.isKept ? await keepEvidence(folder, history, ground.directory) : null;
  const [a, b] = [phaseFigures(trial, "A"), phaseFigures(trial, "B")];
  return {
    isRight: problems.length === 0,
    problems,
    notes: [
      "The dead, slow and hostile banks were healed near the end, so that everything could be acknowledged.",
      ...(plan.isBrief ? ["Too short for answers about the address (200, 404, redirects), after which a message waits for minutes."] : []),
    ],
    seed,
    messages: history.sent.length,
    uetrs: history.sent.length / messagesPerUetr,
    store: ground.storeText,
    kills: trial.kills,
    freezes: trial.freezes,
    banks: await rowsOf(trial),
    healthy: { alone: a, besideTheSick: b, p99Ratio: a.p99Ms === 0 ? null : Math.round((b.p99Ms / a.p99Ms) * 100) / 100 },
    memoryMiB: { dispatcher: await memoryMiB(trial, "dispatcher"), "event-publisher": await memoryMiB(trial, "event-publisher") },
    violations: verdict.violations,
    evidence,
    tookMs: Math.round(time.monotonicMs() - startedMs),
  };
}

function none(): Record<DeliveryService, number> {
  return { dispatcher: 0, "event-publisher": 0 };
}

async function play(trial: Trial): Promise<void> {
  const { plan, feed, options } = trial;
  const { say, signal } = options;
  for (const phase of plan.phases) {
    if (signal.aborted) return;
    const { name, forMs, messages } = phase;
    const perSecond = Math.round(messages.length / (forMs / 1_000));
    say(`phase ${name}: ${messages.length} messages at ${perSecond} a second${name === "C" ? ", with kills" : ""}`);
    if (name === "C") return await playC(trial, phase);
    await feedPhase(phase, feed);
    await settle(trial);
  }
}

async function settle({ time, heard, plan, options: { signal } }: Trial): Promise<void> {
  for (
    const fromMs = time.monotonicMs();
    waitingOfHealthy(heard, plan) > 0 && time.monotonicMs() - fromMs < settleMaxMs && !signal.aborted;
  ) {
    await sleep(time, lookIntervalMs, signal);
  }
}

function waitingOfHealthy(heard: HeardDeliveries, { banks }: DeliveryPlan): number {
  return banks.reduce((sum, { id, temper }) => sum + (temper === "healthy" ? heard.waiting(id) : 0), 0);
}

async function playC(trial: Trial, phase: PlannedPhase): Promise<void> {
  const { plan, feed, banks, time, heard, options } = trial;
  const { say, signal } = options;
  const feeding = { isOver: false };
  const fromMs = time.monotonicMs();
  const until = (atMs: number): Promise<void> => sleep(time, Math.max(0, fromMs + atMs - time.monotonicMs()), signal);

  async function heal(): Promise<void> {
    while (heard.appended() < plan.healsAfterMessages && !signal.aborted) await sleep(time, lookIntervalMs, signal);
    if (signal.aborted) return;
    say(`the dead, slow and hostile banks are healed; ${heard.waiting()} messages wait`);
    await banks.heal();
  }

  async function kill(service: DeliveryService): Promise<void> {
    const planned = plan.killsAtMs[service];
    let frozenMs = 0;
    for (let kills = 0; kills < planned.length || !feeding.isOver; kills += 1) {
      await until(frozenMs + (planned[kills] ?? (planned.at(-1) ?? 0) + (kills + 1 - planned.length) * plan.killEveryMs));
      await untilItDelivers(trial, service);
      if (signal.aborted || (kills >= planned.length && feeding.isOver)) return;
      trial.kills[service] += 1;
      say(`SIGKILL ${service}; ${heard.waiting()} of ${heard.appended()} messages wait`);
      await trial.ground.services.killAndStart(service);
      if (plan.freeze?.afterKills !== trial.kills[service]) continue;
      await freeze(service, plan.freeze);
      frozenMs = plan.freeze.frozenMs + plan.freeze.thawedMs;
    }
  }

  async function freeze(service: DeliveryService, planned: PlannedFreeze): Promise<void> {
    await untilItDelivers(trial, service);
    if (signal.aborted) return;
    trial.freezes[service] += 1;
    say(`SIGSTOP ${service} for ${planned.frozenMs / 1_000} s, while another takes over`);
    await trial.ground.services.freeze(service, planned);
  }

  async function bring(): Promise<void> {
    await feedPhase(phase, { ...feed, mayGoOn: () => waitingOfHealthy(heard, plan) < healthyWaitingMax });
    feeding.isOver = true;
  }

  await Promise.all([bring(), heal(), ...deliveryServices.map(kill)]);
}

/** A kill of a process that has done nothing yet would show little. */
async function untilItDelivers({ time, heard, options: { signal } }: Trial, service: DeliveryService): Promise<void> {
  const [before, fromMs] = [heard.acknowledgedOf(service), time.monotonicMs()];
  while (heard.acknowledgedOf(service) === before && time.monotonicMs() - fromMs < killWaitMaxMs && !signal.aborted) {
    await sleep(time, lookIntervalMs / 10, signal);
  }
}

/** 3 */
async function untilAllEnded(trial: Trial): Promise<DeliveryHistory> {
  const { time, heard, plan, ground, options } = trial;
  const { say, signal } = options;
  const ends: MessageEnd[] = [];
  /** A repeat may have a second end: only the distinct ones tell. */
  const distinct = new Set<string>();
  const topicsRead = createDeliveryEnds(ground.messaging, ground.serde, (end) => {
    ends.push(end);
    distinct.add(`${end.record} ${end.id}`);
  });
  const sent = heard.sent();
  const endsDue = sent.length + sent.filter(({ message }) => message.service === "dispatcher").length;
  const standstillMs = plan.isBrief ? standstillMaxMs.brief : standstillMaxMs.long;
  let [before, movedMs, toldMs] = ["", time.monotonicMs(), time.monotonicMs()];
  for (;;) {
    const waiting = heard.waiting();
    if (waiting === 0) await topicsRead.read();
    const nowMs = time.monotonicMs();
    const isOver = waiting === 0 && distinct.size >= endsDue;
    const now = `${waiting} ${distinct.size}`;
    if (now !== before) movedMs = nowMs;
    before = now;
    if (isOver || signal.aborted || nowMs - movedMs > standstillMs) {
      await topicsRead.read();
      return { sent, heard: heard.attempts(), ends, deadLetters: await topicsRead.deadLetters() };
    }
    if (nowMs - toldMs >= tellIntervalMs) {
      say(
        waiting > 0 ? `${waiting} messages wait to be acknowledged` : `all are acknowledged; ${distinct.size} ends of ${endsDue} were read`,
      );
      toldMs = nowMs;
    }
    await sleep(time, lookIntervalMs, signal);
  }
}

function phaseFigures({ heard, plan }: Trial, phase: "A" | "B"): PhaseFigures {
  const healthy = new Set(plan.banks.filter(({ temper }) => temper === "healthy").map(({ id }) => id));
  const sorted = heard.latenciesMs(phase, healthy);
  return { messages: sorted.length, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
}

async function rowsOf({ heard, plan, ground }: Trial): Promise<readonly BankRow[]> {
  const openings = (await Promise.all(deliveryServices.map((service) => ground.services.said(service, "breaker.opened")))).flat();
  const figures = new Map(heard.figures().map((of) => [of.bank, of]));
  return plan.banks.flatMap(({ id, temper }) => {
    const of = figures.get(id);
    return of === undefined ? [] : [{ ...of, temper, breakerOpenings: openings.filter(({ bank }) => bank === id).length }];
  });
}

async function memoryMiB({ ground }: Trial, service: DeliveryService): Promise<number> {
  return Math.ceil((await ground.services.memoryHighestBytes(service)) / mebibyte);
}
