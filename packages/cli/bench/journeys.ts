// `./sluice bench journeys`: whole on-us journeys through all services, with as many a second as asked, or as the machine sustains.
//
// A journey: the bank posts a debit; the report ACCP arrives at it; the debit is held, and as its window is open released; it arrives at the bank, which
// reports it made; the event COMPLETED arrives.
//
// 1. Debits are posted at times fixed beforehand, whatever becomes of those before, and latency counts from those times: a system that falls behind shows it.
// 2. A rate is sustained if all journeys have ended `lateMaxMs` after the last debit was to be posted.
// 3. Nothing is asserted but that all journeys end.

import { machineTime } from "@sluice/runtime";
import type { Time } from "@sluice/runtime";
import type { ServiceName } from "../processes.ts";
import { bankBranch, openGround } from "./ground.ts";
import { bankToken } from "./messages.ts";
import type { JourneyLoad, JourneysHeard } from "./journeys-load.ts";
import { numberIn, startOwnProcess } from "./own-process.ts";
import type { OwnProcess } from "./own-process.ts";
import { between, machineFacts, processorSecondsOf } from "./processor-time.ts";
import type { Machine, Watched } from "./processor-time.ts";

export interface JourneysBenchOptions {
  /** Null: the highest that is sustained is looked for. */
  readonly ratePerSecond: number | null;
  readonly seconds: number;
  readonly profileDirectory: string | null;
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  readonly time?: Time;
}

export interface JourneysStep extends JourneysHeard {
  readonly ratePerSecond: number;
  readonly isSustained: boolean;
  /** By process, and their sum. */
  readonly processorMicrosPerJourney: Readonly<Record<string, number>>;
}

export interface JourneysBenchReport {
  /** All journeys ended. */
  readonly isRight: boolean;
  readonly problems: readonly string[];
  readonly machine: Machine;
  readonly store: string;
  readonly seconds: number;
  /** The highest rate that was sustained; null: none was. */
  readonly sustained: JourneysStep | null;
  readonly steps: readonly JourneysStep[];
  readonly tookMs: number;
}

interface Bench {
  readonly bank: OwnProcess;
  readonly load: Omit<JourneyLoad, "ratePerSecond" | "seconds">;
  readonly watched: Watched;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

const services = ["ingress", "validator", "scheduler", "dispatcher", "event-publisher"] as const satisfies readonly ServiceName[];
const connections = 32;
const lateMaxMs = 3_000;
const warmUp = { ratePerSecond: 20, seconds: 5 } as const;
const firstRate = 25;
/** The search ends when it knows the rate to about a tenth. */
const closeEnough = 1.15;

export async function runJourneysBench(options: JourneysBenchOptions): Promise<JourneysBenchReport> {
  const { seconds, ratePerSecond, say, signal, time = machineTime } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const bank = startOwnProcess(new URL("./journeys-bank-process.ts", import.meta.url), []);
  opened.defer(() => bank.stop());
  const bankUrl = `http://127.0.0.1:${numberIn(await bank.line(), "port")}`;
  const ground = await openGround({ ...options, bankUrl, connections, time }, opened);
  const running = await Promise.all(services.map((name) => ground.start(name)));
  opened.defer(async () => void (await Promise.all(running.map((service) => service.stop()))));
  await Promise.all(running.map((service) => service.ready()));
  const ingressUrl = `http://127.0.0.1:${running.find(({ name }) => name === "ingress")?.port}`;
  const watched = new Map([...ground.watched, ...running.map(({ name, pid }) => [name, pid] as const), ["bank", bank.pid]]);
  const bench: Bench = { bank, load: { ingressUrl, token: bankToken, branch: bankBranch }, watched, say, signal };
  say("services are up; warming up");
  await step(bench, warmUp.ratePerSecond, Math.min(seconds, warmUp.seconds));
  const steps = ratePerSecond === null ? await search(bench, seconds) : [await step(bench, ratePerSecond, seconds)];
  const problems = steps.filter(({ started, completed }) => completed < started).map(problemOf);
  return {
    isRight: problems.length === 0,
    problems,
    machine: machineFacts(),
    store: ground.storeText,
    seconds,
    sustained: bestOf(steps),
    steps,
    tookMs: Math.round(time.monotonicMs() - startedMs),
  };
}

function problemOf({ started, completed, ratePerSecond }: JourneysStep): string {
  return `at ${ratePerSecond} a second ${started - completed} of ${started} journeys did not end`;
}

async function step({ bank, load, watched, say, signal }: Bench, ratePerSecond: number, seconds: number): Promise<JourneysStep> {
  signal.throwIfAborted();
  const before = await processorSecondsOf(watched);
  bank.tell({ ...load, ratePerSecond, seconds } satisfies JourneyLoad);
  const heard = readHeard(await bank.line());
  const used = between(before, await processorSecondsOf(watched));
  const micros = new Map(
    [...used].map(([name, processorSeconds]) => [name, (processorSeconds * 1_000_000) / Math.max(1, heard.completed)]),
  );
  const all = [...micros.values()].reduce((sum, one) => sum + one, 0);
  const processorMicrosPerJourney = Object.fromEntries([...micros, ["all", all] as const].map(([name, one]) => [name, Math.round(one)]));
  const isSustained = heard.completed === heard.started && heard.lastAfterMs <= lateMaxMs;
  const { p50, p99 } = heard.untilReportMs;
  say(
    `${ratePerSecond} a second for ${seconds} s: ${heard.completed} of ${heard.started} ended, ${isSustained ? "sustained" : "not sustained"}; report after ${p50} ms (p99 ${p99} ms)`,
  );
  return { ratePerSecond, isSustained, ...heard, processorMicrosPerJourney };
}

/** Doubles until a rate is not sustained, then halves the gap. */
async function search(bench: Bench, seconds: number): Promise<readonly JourneysStep[]> {
  const steps: JourneysStep[] = [];
  let [low, high] = [0, Number.POSITIVE_INFINITY];
  for (let rate = firstRate; low === 0 ? rate >= 1 : high / low > closeEnough;) {
    const one = await step(bench, rate, seconds);
    steps.push(one);
    // What did not end would be counted against the next.
    if (one.completed < one.started) break;
    if (one.isSustained) low = Math.max(low, rate);
    else high = Math.min(high, rate);
    rate = high === Number.POSITIVE_INFINITY ? rate * 2 : Math.round((low + high) / 2);
    if (rate === low || rate === high) break;
  }
  return steps;
}

function bestOf(steps: readonly JourneysStep[]): JourneysStep | null {
  return steps.filter(({ isSustained }) => isSustained).toSorted((a, b) => b.ratePerSecond - a.ratePerSecond)[0] ?? null;
}

function readHeard(said: unknown): JourneysHeard {
  numberIn(said, "completed");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other end of the pipe is our own file
  return said as JourneysHeard;
}
