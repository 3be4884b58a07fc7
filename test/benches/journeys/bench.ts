// `./sluice bench journeys`: whole on-us journeys through all services, at the rate asked for or at the highest that
// the machine sustains.
//
// In a journey the bank posts a debit and receives the report ACCP. The debit is held, and released because its window
// is open. It arrives at the bank, which reports it settled, and the event COMPLETED arrives.
//
// #1 Debits are posted at times fixed beforehand, whatever became of earlier ones, and latency counts from those times.
//    So a system that falls behind shows it.
// #2 A rate is sustained if neither the backlog nor the latency grows (`sustained.ts`).
// #3 The bench asserts only that all journeys end.
// #4 It warms up until a journey costs what it cost before, or for as long as a rate is played.

import { machineTime, type Time } from "@sluice/kernel";
import type { ServiceName } from "@sluice/environment";
import { bankBranch, openBenchEnvironment } from "../environment.ts";
import { bankToken } from "../messages.ts";
import type { JourneyLoad, JourneysResult } from "./load.ts";
import { type LineProcess, readNumber, startLineProcess } from "../line-process.ts";
import { type Machine, machineFacts, readProcessorSeconds, subtractProcessorSeconds, type WatchedProcesses } from "../processor-time.ts";

export interface JourneysBenchOptions {
  /** Journeys a second; null to search for the highest rate that is sustained. */
  readonly ratePerSecond: number | null;
  readonly seconds: number;
  readonly profileDirectory: string | null;
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  readonly time?: Time;
}

export interface JourneysStep extends JourneysResult {
  readonly ratePerSecond: number;
  /** Microseconds of processor time by process, and their sum. */
  readonly processorMicrosPerJourney: Readonly<Record<string, number>>;
}

export interface JourneysBenchReport {
  /** All journeys ended. */
  readonly isRight: boolean;
  readonly problems: readonly string[];
  readonly machine: Machine;
  readonly store: string;
  readonly seconds: number;
  /** Step with the highest sustained rate; null if none was sustained. */
  readonly sustained: JourneysStep | null;
  readonly steps: readonly JourneysStep[];
  readonly tookMs: number;
}

interface Bench {
  readonly bank: LineProcess;
  readonly load: Omit<JourneyLoad, "ratePerSecond" | "seconds" | "tracedShare">;
  readonly watched: WatchedProcesses;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

const services = ["ingress", "validator", "scheduler", "dispatcher", "event-publisher"] as const satisfies readonly ServiceName[];
const connections = 32;
const warmUp = { ratePerSecond: 50, seconds: 5 } as const;
/** #4. A tenth, as a share. */
const stillWithin = 0.1;
const firstRate = 25;
/** The search ends when the bounds of the rate are this near, a tenth or so. */
const closeEnough = 1.15;

export async function runJourneysBench(options: JourneysBenchOptions): Promise<JourneysBenchReport> {
  const { seconds, ratePerSecond, say, signal, time = machineTime } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const bank = startLineProcess(new URL("./bank-process.ts", import.meta.url), []);
  opened.defer(() => bank.stop());
  const bankUrl = `http://127.0.0.1:${readNumber(await bank.nextLine(), "port")}`;
  const environment = await openBenchEnvironment({ ...options, bankUrl, connections, time }, opened);
  const running = await Promise.all(services.map((name) => environment.start(name)));
  opened.defer(async () => void (await Promise.all(running.map((service) => service.stop()))));
  await Promise.all(running.map((service) => service.ready()));
  const ingressUrl = `http://127.0.0.1:${running.find(({ name }) => name === "ingress")?.port}`;
  const watched = new Map([...environment.watched, ...running.map(({ name, pid }) => [name, pid] as const), ["bank", bank.pid]]);
  const bench: Bench = { bank, load: { ingressUrl, token: bankToken, branch: bankBranch }, watched, say, signal };
  say("services are up; warming up");
  await warm(bench, seconds);
  const steps = ratePerSecond === null ? await search(bench, seconds) : [await step(bench, ratePerSecond, seconds)];
  const problems = steps.filter(({ started, completed }) => completed < started).map(describeProblem);
  return {
    isRight: problems.length === 0,
    problems,
    machine: machineFacts(),
    store: environment.storeText,
    seconds,
    sustained: findBest(steps),
    steps,
    tookMs: Math.round(time.monotonicMs() - startedMs),
  };
}

function describeProblem({ started, completed, ratePerSecond }: JourneysStep): string {
  return `at ${ratePerSecond} a second ${started - completed} of ${started} journeys did not end`;
}

async function step({ bank, load, watched, say, signal }: Bench, ratePerSecond: number, seconds: number): Promise<JourneysStep> {
  signal.throwIfAborted();
  const before = await readProcessorSeconds(watched);
  bank.send({ ...load, ratePerSecond, seconds, tracedShare: null } satisfies JourneyLoad);
  const result = readResult(await bank.nextLine());
  const used = subtractProcessorSeconds(before, await readProcessorSeconds(watched));
  const micros = new Map(
    [...used].map(([name, processorSeconds]) => [name, (processorSeconds * 1_000_000) / Math.max(1, result.completed)]),
  );
  const all = [...micros.values()].reduce((sum, one) => sum + one, 0);
  const processorMicrosPerJourney = Object.fromEntries([...micros, ["all", all] as const].map(([name, one]) => [name, Math.round(one)]));
  const { p50, p99 } = result.untilReportMs;
  say(
    `${ratePerSecond} a second for ${seconds} s: ${result.completed} of ${result.started} ended, ${result.isSustained ? "sustained" : "not sustained"}; report after ${p50} ms (p99 ${p99} ms)`,
  );
  return { ratePerSecond, ...result, processorMicrosPerJourney };
}

/** #4 */
async function warm(bench: Bench, secondsMax: number): Promise<void> {
  const seconds = Math.min(secondsMax, warmUp.seconds);
  let beforeMicros = Infinity;
  for (let played = 0; played < secondsMax; played += seconds) {
    const { processorMicrosPerJourney } = await step(bench, warmUp.ratePerSecond, seconds);
    const micros = processorMicrosPerJourney["all"] ?? 0;
    if (Math.abs(beforeMicros - micros) <= stillWithin * micros) return;
    beforeMicros = micros;
  }
}

/** Doubles the rate until it is not sustained, then halves the gap. */
async function search(bench: Bench, seconds: number): Promise<readonly JourneysStep[]> {
  const steps: JourneysStep[] = [];
  let [low, high] = [0, Number.POSITIVE_INFINITY];
  for (let rate = firstRate; low === 0 ? rate >= 1 : high / low > closeEnough;) {
    const one = await step(bench, rate, seconds);
    steps.push(one);
    // Journeys that did not end would disturb the next step.
    if (one.completed < one.started) break;
    if (one.isSustained) low = Math.max(low, rate);
    else high = Math.min(high, rate);
    rate = high === Number.POSITIVE_INFINITY ? rate * 2 : Math.round((low + high) / 2);
    if (rate === low || rate === high) break;
  }
  return steps;
}

function findBest(steps: readonly JourneysStep[]): JourneysStep | null {
  return steps.filter(({ isSustained }) => isSustained).toSorted((a, b) => b.ratePerSecond - a.ratePerSecond)[0] ?? null;
}

export function readResult(said: unknown): JourneysResult {
  readNumber(said, "completed");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other end of the pipe is our own file
  return said as JourneysResult;
}
