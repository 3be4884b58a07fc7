// `./sluice trial delivery`: twenty banks or up to a thousand, some of them dead, slow or hostile, while dispatcher and
// event-publisher are killed again and again. Is every message acknowledged, in order and unchanged, is nothing lost,
// and does nothing wait for long that its bank takes?
//
// #1 The trial asserts the rules of `verdict.ts`, and that no service ended by itself. Times and ratios depend on the
//    machine and are only printed.
// #2 The ratio of the healthy banks' p99 compares phases B and A of one run, both without kills (`plan.ts` #3).
// #3 The trial ends when every message has its ends, or when nothing has changed for minutes. The verdict then names
//    what is missing.

import { join } from "node:path";
import { machineTime, sleep, type Time } from "@sluice/kernel";
import { seededRandom } from "@sluice/testkit";
import { projectRoot } from "@sluice/environment";
import { openTrialBanks, type TrialBanks } from "./banks.ts";
import { openTrialNames, type TrialNames } from "./names.ts";
import { createDeliveryEnds } from "./ends.ts";
import { keepEvidence } from "./evidence.ts";
import { type DeliveryFeedPorts, feedPhase } from "./feed.ts";
import { type DeliveryEnvironment, openDeliveryEnvironment } from "./environment.ts";
import { createDeliveryRecorder, type DeliveryRecorder, sortedQuantile } from "./recorder.ts";
import { type DeliveryHistory, type MessageEnd, verifyDeliveries } from "./verdict.ts";
import {
  type DeliveryPlan,
  type DeliveryService,
  messagesPerUetr,
  planDeliveries,
  type PlannedFreeze,
  type PlannedPhase,
  type TrialMessage,
} from "./plan.ts";
import type { BankRow, ClassRow, DeliveryTrialReport, PhaseFigures } from "./report.ts";
import { deliveryServices } from "./services.ts";

export interface DeliveryTrialOptions {
  readonly seed: number;
  readonly messages: number;
  readonly receivers: number;
  /** Messages that one of many receivers answers with 500 for ever. */
  readonly poison: number;
  /** Keeps the evidence of a good trial too. */
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
  readonly recorder: DeliveryRecorder;
  readonly banks: TrialBanks;
  readonly environment: DeliveryEnvironment;
  readonly feed: DeliveryFeedPorts;
  readonly kills: Record<DeliveryService, number>;
  readonly freezes: Record<DeliveryService, number>;
}

const mebibyte = 1_048_576;
const lookIntervalMs = 500;
const reportIntervalMs = 10_000;
/** Longer than any wait before a retry that a bank here can bring about. */
const standstillMaxMs = { brief: 90_000, long: 360_000 } as const;
/** Between phases, the backlog of the healthy banks may take this long to drain. */
const settleMaxMs = 30_000;
/** In phase C the feed pauses while the healthy banks' backlog is larger, so the machine sets the speed. */
const healthyWaitingMax = 5_000;
const killWaitMaxMs = 20_000;

export async function runDeliveryTrial(options: DeliveryTrialOptions): Promise<DeliveryTrialReport> {
  const { seed, messages, receivers, poison, say, signal, time = machineTime } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const plan = planDeliveries(seed, { messages, receivers, poison });
  const recorder = createDeliveryRecorder(time);
  const random = seededRandom(`banks ${seed}`);
  const failingIds = new Set(listNeverTaken(plan).map(({ id }) => id));
  const names = await openTrialNames(plan.banks, opened);
  const hostOf = names.hostOf.bind(names);
  const banks = await openTrialBanks(plan.banks, { recorder, random, time, isBrief: plan.isBrief, failingIds, hostOf }, opened);
  const environment = await openDeliveryEnvironment(
    { banks: plan.banks, urls: banks.urls, nameServer: names.server, time, environment: options.environment, say, signal },
    opened,
  );
  signal.throwIfAborted();
  const feed = { ...environment, recorder, random: seededRandom(`bodies ${seed}`), time, signal };
  const trial: Trial = { options, plan, time, recorder, banks, environment, feed, kills: zeroCounts(), freezes: zeroCounts() };
  say(`seed ${seed}: services are up, with ${environment.storeText}; ${plan.banks.length} banks, ${messages / messagesPerUetr} UETRs`);
  await play(trial);
  signal.throwIfAborted();
  const history = await untilAllEnded(trial);
  signal.throwIfAborted();
  const verdict = verifyDeliveries(history);
  const problems = [...environment.services.losses(), ...findNameProblems(plan, names), ...verdict.problems];
  const folder = join(projectRoot, ".sluice", "trial", new Date(time.nowMs()).toISOString().replaceAll(":", "-"));
  const evidence = problems.length > 0 || options.isKept ? await keepEvidence(folder, history, environment.directory) : null;
  const [a, b] = [phaseFigures(trial, "A"), phaseFigures(trial, "B")];
  return {
    isRight: problems.length === 0,
    problems,
    notes: [
      "The dead, slow and hostile banks were healed near the end, so that everything could be acknowledged.",
      ...(failingIds.size === 0 ? [] : [`${failingIds.size} messages are never taken: they still wait at the end, and nobody else does.`]),
      nameNote(names),
      ...(plan.isBrief ? ["Too short for answers about the address (200, 404, redirects), after which a message waits for minutes."] : []),
    ],
    seed,
    messages: history.sent.length,
    uetrs: new Set(history.sent.map(({ message }) => message.uetr)).size,
    store: environment.storeText,
    kills: trial.kills,
    freezes: trial.freezes,
    banks: await buildRows(trial),
    classes: buildClasses(trial),
    healthy: { alone: a, withTroubled: b, p99Ratio: a.p99Ms === 0 ? null : Math.round((b.p99Ms / a.p99Ms) * 100) / 100 },
    memoryMiB: { dispatcher: await memoryMiB(trial, "dispatcher"), "event-publisher": await memoryMiB(trial, "event-publisher") },
    violations: verdict.violations,
    evidence,
    tookMs: Math.round(time.monotonicMs() - startedMs),
  };
}

/** A trial in which the silent name server was not asked, or the other banks' names were not, shows too little. */
function findNameProblems({ banks }: DeliveryPlan, names: TrialNames): readonly string[] {
  const { silent, answered } = names.counts();
  const hasNameless = banks.some(({ profile }) => profile === "nameless");
  return [
    ...(hasNameless && silent === 0 ? ["nobody asked for the name about which the name server is silent"] : []),
    ...(answered === 0 ? ["nobody asked for the names of healthy banks"] : []),
  ];
}

function nameNote(names: TrialNames): string {
  const { silent, answered } = names.counts();
  return `The name server answered ${answered} questions for names of healthy banks, and left ${silent} for that of the nameless one without an answer.`;
}

function zeroCounts(): Record<DeliveryService, number> {
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

async function settle({ time, recorder, plan, options: { signal } }: Trial): Promise<void> {
  for (
    const fromMs = time.monotonicMs();
    waitingOfHealthy(recorder, plan) > 0 && time.monotonicMs() - fromMs < settleMaxMs && !signal.aborted;
  ) {
    await sleep(time, lookIntervalMs, signal);
  }
}

function waitingOfHealthy(recorder: DeliveryRecorder, { banks }: DeliveryPlan): number {
  return banks.reduce((sum, { id, profile }) => sum + (profile === "healthy" ? recorder.waiting(id) : 0), 0);
}

async function playC(trial: Trial, phase: PlannedPhase): Promise<void> {
  const { plan, feed, banks, time, recorder, options } = trial;
  const { say, signal } = options;
  const feeding = { isOver: false };
  const fromMs = time.monotonicMs();
  const until = (atMs: number): Promise<void> => sleep(time, Math.max(0, fromMs + atMs - time.monotonicMs()), signal);

  async function heal(): Promise<void> {
    while (recorder.appended() < plan.healsAfterMessages && !signal.aborted) await sleep(time, lookIntervalMs, signal);
    if (signal.aborted) return;
    say(`the dead, slow and hostile banks are healed; ${recorder.waiting()} messages wait`);
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
      say(`SIGKILL ${service}; ${recorder.waiting()} of ${recorder.appended()} messages wait`);
      await trial.environment.services.killAndStart(service);
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
    await trial.environment.services.freeze(service, planned);
  }

  async function feedC(): Promise<void> {
    await feedPhase(phase, { ...feed, mayContinue: () => waitingOfHealthy(recorder, plan) < healthyWaitingMax });
    feeding.isOver = true;
  }

  await Promise.all([feedC(), heal(), ...deliveryServices.map(kill)]);
}

/** Killing a process that has delivered nothing yet would show little. */
async function untilItDelivers({ time, recorder, options: { signal } }: Trial, service: DeliveryService): Promise<void> {
  const [before, fromMs] = [recorder.acknowledgedBy(service), time.monotonicMs()];
  while (recorder.acknowledgedBy(service) === before && time.monotonicMs() - fromMs < killWaitMaxMs && !signal.aborted) {
    await sleep(time, lookIntervalMs / 10, signal);
  }
}

/** #3 */
async function untilAllEnded(trial: Trial): Promise<DeliveryHistory> {
  const { time, recorder, plan, environment, options } = trial;
  const { say, signal } = options;
  const ends: MessageEnd[] = [];
  /** A repeated message may have a second end, so distinct ends are counted. */
  const distinct = new Set<string>();
  const topicsRead = createDeliveryEnds(environment.messaging, environment.serde, (end) => {
    ends.push(end);
    distinct.add(`${end.record} ${end.id}`);
  });
  const due = recorder.sent().filter(({ message }) => message.isNeverTaken !== true);
  const endsDue = due.length + due.filter(({ message }) => message.service === "dispatcher").length;
  const standstillMs = plan.isBrief ? standstillMaxMs.brief : standstillMaxMs.long;
  let [before, movedMs, reportedMs] = ["", time.monotonicMs(), time.monotonicMs()];
  for (;;) {
    const waiting = recorder.waiting();
    if (waiting === 0) await topicsRead.read();
    const nowMs = time.monotonicMs();
    const isOver = waiting === 0 && distinct.size >= endsDue;
    const now = `${waiting} ${distinct.size}`;
    if (now !== before) movedMs = nowMs;
    before = now;
    if (isOver || signal.aborted || nowMs - movedMs > standstillMs) {
      await topicsRead.read();
      const found = { attempts: recorder.attempts(), ends, deadLetters: await topicsRead.deadLetters() };
      return { sent: recorder.sent(), ...found, promptBanks: promptBanks(plan) };
    }
    if (nowMs - reportedMs >= reportIntervalMs) {
      say(
        waiting > 0 ? `${waiting} messages wait to be acknowledged` : `all are acknowledged; ${distinct.size} ends of ${endsDue} were read`,
      );
      reportedMs = nowMs;
    }
    await sleep(time, lookIntervalMs, signal);
  }
}

function phaseFigures({ recorder, plan }: Trial, phase: "A" | "B"): PhaseFigures {
  const healthy = new Set(plan.banks.filter(({ profile }) => profile === "healthy").map(({ id }) => id));
  const sorted = recorder.latenciesMs(phase, healthy);
  return { messages: sorted.length, p50Ms: sortedQuantile(sorted, 0.5), p99Ms: sortedQuantile(sorted, 0.99) };
}

async function buildRows({ recorder, plan, environment }: Trial): Promise<readonly BankRow[]> {
  const openings = (await Promise.all(deliveryServices.map((service) => environment.services.logEvents(service, "breaker.opened")))).flat();
  const figures = new Map(recorder.figures().map((bankFigures) => [bankFigures.bank, bankFigures]));
  return plan.banks.flatMap(({ id, profile }) => {
    const bankFigures = figures.get(id);
    return bankFigures === undefined
      ? []
      : [{ ...bankFigures, profile, breakerOpenings: openings.filter(({ receiver }) => receiver === id).length }];
  });
}

function listNeverTaken({ phases }: DeliveryPlan): readonly TrialMessage[] {
  return phases.flatMap(({ messages }) => messages.filter(({ isNeverTaken }) => isNeverTaken === true));
}

/** Banks that answer 202 at once, and can take more than they are offered. */
function promptBanks({ banks }: DeliveryPlan): ReadonlySet<string> {
  return new Set(banks.filter(({ profile }) => profile === "healthy" || profile === "choosy").map(({ id }) => id));
}

function buildClasses({ plan, recorder }: Trial): readonly ClassRow[] {
  return [...Map.groupBy(plan.banks, ({ profile }) => profile)].map(([profile, banks]) => {
    const sorted = recorder.waitsMs(new Set(banks.map(({ id }) => id)));
    const [p50Ms, p99Ms, longestMs] = [sortedQuantile(sorted, 0.5), sortedQuantile(sorted, 0.99), sorted.at(-1) ?? 0];
    return { profile, receivers: banks.length, messages: sorted.length, p50Ms, p99Ms, longestMs };
  });
}

async function memoryMiB({ environment }: Trial, service: DeliveryService): Promise<number> {
  return Math.ceil((await environment.services.memoryHighestBytes(service)) / mebibyte);
}
