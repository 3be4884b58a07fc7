// `./sluice bench delivery`: how many messages a second dispatcher and event-publisher deliver from a full topic,
// compared with a bare loop of requests to the same sink in the same run.
//
// #1 Service and bare loop alternate, each as a fresh process every round. A service is compared with the mean of the
//    loops before and after it, so that other work of the machine meets both.
// #2 The speed of a service is measured at the sink, from its first request to its last; its processor time until each
//    receipt is in the topic.
// #3 Broker and store are warm at the start: rounds that do not count come before the first, unless the rounds
//    themselves are short.
// #4 The first messages of other banks are measured behind 10,000 of one bank (head-of-line.ts).
// #5 Speeds depend on the machine and are only printed. The bench asserts that each message arrived, in order per UETR.
// #6 Processor time is counted from the first look that sees a request. A round of few messages may be over by then,
//    and has none.

import { topics } from "@sluice/contracts";
import { machineTime, sleep, type Time } from "@sluice/kernel";
import { fetchMetrics, sumMetric } from "@sluice/environment";
import { type DeliveringService, feedTopic } from "./feed.ts";
import { findDeliveryProblems } from "./verdict.ts";
import { type BenchEnvironment, openBenchEnvironment } from "../environment.ts";
import { bodyBytes } from "../messages.ts";
import { readNumber, startLineProcess } from "../line-process.ts";
import { type Machine, machineFacts, readProcessorSeconds, subtractProcessorSeconds } from "../processor-time.ts";
import { openSink, type Sink } from "./sink.ts";
import { type HeadOfLineFigures, measureHeadOfLine, openHeadOfLineBanks } from "./head-of-line.ts";
import { computeSpread, type Spread } from "../spread.ts";

export interface DeliveryBenchOptions {
  readonly messages: number;
  readonly rounds: number;
  readonly services: readonly DeliveringService[];
  readonly profileDirectory: string | null;
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  readonly time?: Time;
}

interface DeliveryFigures {
  readonly service: DeliveringService;
  readonly deliveriesPerSecond: Spread;
  /** Per round, the service's speed over the mean of the bare loops before and after it. */
  readonly ratio: Spread;
  readonly repeated: number;
  /** Messages that went through the store over all rounds, by reason. */
  readonly parked: Readonly<Record<string, number>>;
  /** Seconds by process (the service, kafka, mongo, sink) and their sum; empty where not measured (#6). */
  readonly processorSecondsPer1000: Readonly<Record<string, Spread>>;
}

export interface DeliveryBenchReport {
  readonly isRight: boolean;
  readonly problems: readonly string[];
  readonly machine: Machine;
  readonly store: string;
  readonly messages: number;
  readonly rounds: number;
  readonly bodyBytes: number;
  readonly connections: number;
  readonly services: readonly DeliveryFigures[];
  /** Null where the dispatcher is not measured. */
  readonly headOfLine: HeadOfLineFigures | null;
  readonly bareLoop: { readonly requestsPerSecond: Spread; readonly processorSecondsPer1000: Spread };
  readonly tookMs: number;
}

interface Bench {
  readonly options: DeliveryBenchOptions;
  readonly time: Time;
  readonly environment: BenchEnvironment;
  readonly sink: Sink;
}

/** The default of a bank's configuration. */
const connections = 16;
/** Values of the metric's label `reason`; other reasons do not occur in a bench. */
const parkReasons = ["share", "slot", "slow", "held", "spilling", "failed", "breaker", "retry-after"] as const;
type ParkReason = (typeof parkReasons)[number];
/**
 * The broker compiles its hot code for this long: after one round of 150,000 its compiler still took up to a quarter of
 * a core in the first round that counted.
 */
const warmUpMessages = 200_000;
const warmUpRounds = 2;
const lookIntervalMs = 50;
const standstillMaxMs = 60_000;

export async function runDeliveryBench(options: DeliveryBenchOptions): Promise<DeliveryBenchReport> {
  const { messages, rounds, services, say, time = machineTime } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const sink = await openSink(opened);
  const line = await openHeadOfLineBanks(time, opened);
  const environment = await openBenchEnvironment({ ...options, bankUrl: sink.origin, moreBanks: line.banks, connections, time }, opened);
  const bench: Bench = { options, time, environment, sink };
  const served: ServiceRound[] = [];
  const bare: BareRound[] = [];
  if (messages >= warmUpMessages) {
    say("warming up broker and store");
    const warmUp = { ...bench, options: { ...options, messages: warmUpMessages } };
    for (let round = 1; round <= warmUpRounds; round += 1) {
      for (const service of services) await serviceRound(warmUp, service, `${service}-warm-up-${round}`);
    }
  }
  for (let round = 1; round <= rounds; round += 1) {
    for (const service of services) {
      const before = await bareRound(bench, service, `before-${service}-${round}`);
      const one = await serviceRound(bench, service, `${service}-${round}`);
      const after = await bareRound(bench, service, `after-${service}-${round}`);
      const loopPerSecond = (before.perSecond + after.perSecond) / 2;
      const ratio = one.perSecond / loopPerSecond;
      served.push({ ...one, ratio });
      bare.push(before, after);
      say(
        `round ${round} of ${rounds}: ${service} ${Math.round(one.perSecond)} of ${Math.round(loopPerSecond)} a second (${ratio.toFixed(2)})`,
      );
    }
  }
  say("measuring the first messages of banks behind 10,000 of another");
  const headOfLine = services.includes("dispatcher") ? await measureHeadOfLine(environment, line, { time, signal: options.signal }) : null;
  const problems = served.flatMap((one) => one.problems);
  return {
    isRight: problems.length === 0,
    problems,
    machine: machineFacts(),
    store: environment.storeText,
    messages,
    rounds,
    bodyBytes,
    connections,
    services: services.map((service) => buildFigures(service, served)),
    headOfLine,
    bareLoop: {
      requestsPerSecond: computeSpread(
        bare.map(({ perSecond }) => perSecond),
        0,
      ),
      processorSecondsPer1000: computeSpread(
        bare.map(({ processorSeconds }) => (processorSeconds * 1_000) / messages),
        3,
      ),
    },
    tookMs: Math.round(time.monotonicMs() - startedMs),
  };
}

interface ServiceRound {
  readonly service: DeliveringService;
  readonly perSecond: number;
  readonly ratio: number;
  readonly repeated: number;
  readonly parked: ReadonlyMap<ParkReason, number>;
  /** Seconds for a thousand deliveries, by process; null where all had arrived at the first look (#6). */
  readonly processorSeconds: ReadonlyMap<string, number> | null;
  readonly problems: readonly string[];
}

async function serviceRound(
  { options, time, environment, sink }: Bench,
  service: DeliveringService,
  run: string,
): Promise<Omit<ServiceRound, "ratio">> {
  const { messages } = options;
  await feedTopic(service, run, messages, { ...environment, nowMs: time.nowMs() });
  await sink.reset();
  const receiptsBefore = await environment.appended(topics.receipts);
  const running = await environment.start(service);
  const watched = new Map([...environment.watched, ["sink", sink.pid], [service, running.pid]]);
  try {
    const { count: countBefore } = await pollUntil(
      options,
      time,
      () => sink.received(),
      ({ count }) => count > 0,
    );
    const before = await readProcessorSeconds(watched);
    await pollUntil(
      options,
      time,
      () => sink.received(),
      ({ count }) => count >= messages,
    );
    await pollUntil(
      options,
      time,
      () => environment.appended(topics.receipts),
      (appended) => appended - receiptsBefore >= messages,
    );
    const used = subtractProcessorSeconds(before, await readProcessorSeconds(watched));
    const { count, tookMs } = await sink.received();
    const thousands = (count - countBefore) / 1_000;
    return {
      service,
      perSecond: (count - 1) / (tookMs / 1_000),
      repeated: count - messages,
      parked: await readParked(running.opsPort, time),
      processorSeconds: thousands > 0 ? new Map([...used].map(([name, seconds]) => [name, seconds / thousands])) : null,
      problems: findDeliveryProblems(await sink.ids(), run, messages).map((problem) => `${run}: ${problem}`),
    };
  } finally {
    await running.stop();
  }
}

async function readParked(opsPort: number, time: Time): Promise<ReadonlyMap<ParkReason, number>> {
  const metrics = await fetchMetrics(opsPort, time);
  const counts = parkReasons.map((reason) => [reason, sumMetric(metrics, "sluice_delivery_parked_total", `reason="${reason}"`)] as const);
  return new Map(counts.filter(([, count]) => count > 0));
}

interface BareRound {
  readonly perSecond: number;
  readonly processorSeconds: number;
}

async function bareRound({ options, sink }: Bench, service: DeliveringService, run: string): Promise<BareRound> {
  const named = { origin: sink.origin, path: "/", service, run };
  const words = { ...named, connections: String(connections), messages: String(options.messages) };
  const child = startLineProcess(
    new URL("./bare-loop-process.ts", import.meta.url),
    Object.entries(words).map(([name, value]) => `--${name}=${value}`),
  );
  try {
    const said = await child.nextLine();
    return { perSecond: options.messages / (readNumber(said, "tookMs") / 1_000), processorSeconds: readNumber(said, "processorSeconds") };
  } finally {
    await child.stop();
  }
}

/** Polls until a value is reached. Throws when it does not change for a minute. */
async function pollUntil<Seen>(
  { signal }: DeliveryBenchOptions,
  time: Time,
  look: () => Promise<Seen>,
  isReached: (seen: Seen) => boolean,
): Promise<Seen> {
  let [before, changedMs] = ["", time.monotonicMs()];
  for (;;) {
    signal.throwIfAborted();
    const seen = await look();
    if (isReached(seen)) return seen;
    const now = JSON.stringify(seen);
    if (now !== before) [before, changedMs] = [now, time.monotonicMs()];
    if (time.monotonicMs() - changedMs > standstillMaxMs) throw new Error(`nothing has changed for a minute: ${now}`);
    await sleep(time, lookIntervalMs, signal);
  }
}

function buildFigures(service: DeliveringService, all: readonly ServiceRound[]): DeliveryFigures {
  const rounds = all.filter((one) => one.service === service);
  const measured = rounds.flatMap(({ processorSeconds }) => (processorSeconds === null ? [] : [processorSeconds]));
  return {
    service,
    deliveriesPerSecond: computeSpread(
      rounds.map(({ perSecond }) => perSecond),
      0,
    ),
    ratio: computeSpread(
      rounds.map(({ ratio }) => ratio),
      2,
    ),
    repeated: rounds.reduce((sum, { repeated }) => sum + repeated, 0),
    parked: Object.fromEntries(parkReasons.flatMap((reason) => sumParked(reason, rounds))),
    processorSecondsPer1000: measured.length === 0 ? {} : spreadByProcess(measured),
  };
}

function spreadByProcess(rounds: readonly ReadonlyMap<string, number>[]): Readonly<Record<string, Spread>> {
  const names = [...new Set(rounds.flatMap((seconds) => [...seconds.keys()]))];
  const spreadOf = (pick: (seconds: ReadonlyMap<string, number>) => number): Spread => computeSpread(rounds.map(pick), 3);
  const byName = names.map((name) => [name, spreadOf((seconds) => seconds.get(name) ?? 0)] as const);
  return { ...Object.fromEntries(byName), all: spreadOf((seconds) => seconds.values().reduce((sum, one) => sum + one, 0)) };
}

function sumParked(reason: ParkReason, rounds: readonly ServiceRound[]): readonly (readonly [string, number])[] {
  const count = rounds.reduce((sum, { parked }) => sum + (parked.get(reason) ?? 0), 0);
  return count === 0 ? [] : [[reason, count]];
}
