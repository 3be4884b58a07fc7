// `./sluice bench tracing`: what a journey costs while nothing is traced, one in a hundred, and each, in turns.
//
// #1 Processes without a collector play first. Then others with one play all rounds: none, a hundredth, all, and back.
// #2 A turn counts until its last span was sent.
// #3 The bench asserts that all journeys end, and that the spans of exactly those which should be traced have come.

import { machineTime, sleep, type Time } from "@sluice/kernel";
import type { ServiceName, ServiceProcess } from "@sluice/environment";
import { type OtlpCollector, openOtlpCollector } from "@sluice/testkit";
import { bankBranch, type BenchEnvironment, openBenchEnvironment } from "../environment.ts";
import { readResult } from "../journeys/bench.ts";
import type { JourneyLoad } from "../journeys/load.ts";
import { type LineProcess, readNumber, startLineProcess } from "../line-process.ts";
import { bankToken } from "../messages.ts";
import { type Machine, machineFacts, readProcessorSeconds, subtractProcessorSeconds } from "../processor-time.ts";
import { compareTurns, type Comparison, type Turn, turnsOfRound, type Variant } from "./compare.ts";
import { tracedHalf } from "./halves.ts";

export interface TracingBenchOptions {
  readonly rounds: number;
  readonly ratePerSecond: number;
  /** Of one turn. */
  readonly seconds: number;
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  readonly time?: Time;
}

export interface TracingBenchReport extends Comparison {
  readonly isRight: boolean;
  readonly problems: readonly string[];
  readonly machine: Machine;
  readonly turns: readonly Turn[];
  readonly spans: number;
  readonly tookMs: number;
}

interface Bench {
  readonly options: TracingBenchOptions;
  readonly time: Time;
  readonly bank: LineProcess;
  readonly environment: BenchEnvironment;
  readonly collector: OtlpCollector;
  readonly turns: Turn[];
  readonly problems: string[];
}

const services = ["ingress", "validator", "scheduler", "dispatcher", "event-publisher"] as const satisfies readonly ServiceName[];
const connections = 32;
const warmUpSeconds = 15;
/** #2. Milliseconds, longer than spans wait before they are sent. */
const sentWithinMs = 2_000;
const shares: Readonly<Record<Variant, number>> = { off: 0, none: 0, hundredth: 0.01, all: 1 };
const withoutCollector = ["off", "off", "off"] as const;

export async function runTracingBench(options: TracingBenchOptions): Promise<TracingBenchReport> {
  const { rounds, say, time = machineTime } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const bank = startLineProcess(new URL("../journeys/bank-process.ts", import.meta.url), []);
  opened.defer(() => bank.stop());
  const bankUrl = `http://127.0.0.1:${readNumber(await bank.nextLine(), "port")}`;
  const environment = await openBenchEnvironment({ ...options, profileDirectory: null, bankUrl, connections, time }, opened);
  const collector = opened.use(await openOtlpCollector());
  const bench: Bench = { options, time, bank, environment, collector, turns: [], problems: [] };
  await playProcesses(bench, { isTracing: false, rounds: [withoutCollector] });
  await playProcesses(bench, { isTracing: true, rounds: Array.from({ length: rounds }, () => turnsOfRound) });
  const { turns, problems } = bench;
  say("all turns are played");
  return {
    isRight: problems.length === 0,
    problems,
    machine: machineFacts(),
    turns,
    ...compareTurns(turns),
    spans: collector.spans.length,
    tookMs: Math.round(time.monotonicMs() - startedMs),
  };
}

interface Plan {
  readonly isTracing: boolean;
  readonly rounds: readonly (readonly Variant[])[];
}

/** Starts the services, plays the rounds and stops them. */
async function playProcesses(bench: Bench, { isTracing, rounds }: Plan): Promise<void> {
  const { environment, collector, options } = bench;
  const settings = isTracing ? { SLUICE_TRACES_URL: collector.url, SLUICE_TRACES_RATIO: String(tracedHalf) } : {};
  await using stack = new AsyncDisposableStack();
  const running = await Promise.all(services.map((name) => environment.start(name, settings)));
  stack.defer(async () => void (await Promise.all(running.map((service) => service.stop()))));
  await Promise.all(running.map((service) => service.ready()));
  options.say(`processes ${isTracing ? "with" : "without"} a collector are up; warming up`);
  // Half of them traced, so that what records a span is compiled too.
  await play(bench, running, isTracing ? tracedHalf : 0, warmUpSeconds);
  for (const [index, played] of rounds.entries()) {
    const round = isTracing ? index + 1 : 0;
    for (const variant of played) {
      const { completed, processorSeconds, seen } = await play(bench, running, shares[variant], options.seconds);
      const micros = (processorSeconds * 1_000_000) / Math.max(1, completed);
      bench.turns.push({ round, variant, micros });
      const wanted = Math.floor(completed * shares[variant]);
      if (seen !== wanted) bench.problems.push(`round ${round}, ${variant}: ${seen} debits were traced, wanted ${wanted}`);
      options.say(`round ${round}, ${variant}: ${Math.round(micros)} µs for a journey, ${seen} traced`);
    }
  }
}

interface Played {
  readonly completed: number;
  readonly processorSeconds: number;
  /** Debits whose first span came. */
  readonly seen: number;
}

async function play(bench: Bench, running: readonly ServiceProcess[], tracedShare: number, seconds: number): Promise<Played> {
  const { bank, collector, time, options } = bench;
  options.signal.throwIfAborted();
  const ingressUrl = `http://127.0.0.1:${running.find(({ name }) => name === "ingress")?.port}`;
  const watched = new Map(running.map(({ name, pid }) => [name, pid]));
  const spansBefore = collector.spans.length;
  const before = await readProcessorSeconds(watched);
  const load = { ingressUrl, token: bankToken, branch: bankBranch, ratePerSecond: options.ratePerSecond, seconds, tracedShare };
  bank.send(load satisfies JourneyLoad);
  const { started, completed } = readResult(await bank.nextLine());
  await sleep(time, sentWithinMs, options.signal);
  const used = subtractProcessorSeconds(before, await readProcessorSeconds(watched));
  if (completed < started) bench.problems.push(`${started - completed} of ${started} journeys did not end`);
  const seen = collector.spans.slice(spansBefore).filter(({ name }) => name === "take outboundDirectDebit").length;
  return { completed, processorSeconds: [...used.values()].reduce((sum, one) => sum + one, 0), seen };
}
