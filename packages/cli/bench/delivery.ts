// `./sluice bench delivery`: how many messages a second dispatcher and event-publisher deliver from a full topic, against a bare loop of requests to
// the same sink in the same run.
//
// 1. Service and bare loop take turns, each a fresh process every round, and a service is held against the mean of the loops before and after it: what the
//    machine does meanwhile meets both.
// 2. A service's speed is taken at the sink, from its first request to its last; its processor time until each receipt is in the log.
// 3. Broker and store are warm when it begins: rounds that do not count come before the first, unless the rounds themselves are short.
// 4. Speeds are printed, never asserted: they are the machine's. Asserted is that each message arrived, in order per UETR.

import { topics } from "@sluice/contracts";
import { machineTime, sleep } from "@sluice/runtime";
import type { Time } from "@sluice/runtime";
import { metricsOf, sumOf } from "../trial/process-watch.ts";
import { feed } from "./delivery-feed.ts";
import type { DeliveringService } from "./delivery-feed.ts";
import { problemsOf } from "./delivery-judge.ts";
import { openGround } from "./ground.ts";
import type { Ground } from "./ground.ts";
import { bodyBytes } from "./messages.ts";
import { numberIn, startOwnProcess } from "./own-process.ts";
import { between, machineFacts, processorSecondsOf } from "./processor-time.ts";
import type { Machine } from "./processor-time.ts";
import { openSink } from "./sink.ts";
import type { Sink } from "./sink.ts";
import { spreadOf } from "./spread.ts";
import type { Spread } from "./spread.ts";

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

export interface DeliveryFigures {
  readonly service: DeliveringService;
  readonly deliveriesPerSecond: Spread;
  /** Of each round: the service's speed over that of the bare loop after it. */
  readonly ratio: Spread;
  readonly repeated: number;
  /** Messages that went through the store, by reason, over all rounds. */
  readonly parked: Readonly<Record<string, number>>;
  /** By process: the service itself, kafka, mongo, sink, and their sum. */
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
  readonly bareLoop: { readonly requestsPerSecond: Spread; readonly processorSecondsPer1000: Spread };
  readonly tookMs: number;
}

interface Bench {
  readonly options: DeliveryBenchOptions;
  readonly time: Time;
  readonly ground: Ground;
  readonly sink: Sink;
}

/** What a bank has where its configuration says nothing else. */
const connections = 16;
/** As the metric names them; others do not come up here. */
const parkReasons = ["share", "slot", "slow", "held", "spilling", "failed", "breaker", "gate"] as const;
type ParkReason = (typeof parkReasons)[number];
/** The broker goes on compiling what it does for so long: with one round of 150,000, its compiler still took up to a quarter of a core in the first that counted. */
const warmUpMessages = 200_000;
const warmUpRounds = 2;
const lookIntervalMs = 50;
const standstillMaxMs = 60_000;

export async function runDeliveryBench(options: DeliveryBenchOptions): Promise<DeliveryBenchReport> {
  const { messages, rounds, services, say, time = machineTime } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const sink = await openSink(opened);
  const ground = await openGround({ ...options, bankUrl: sink.origin, connections, time }, opened);
  const bench: Bench = { options, time, ground, sink };
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
  const problems = served.flatMap((one) => one.problems);
  return {
    isRight: problems.length === 0,
    problems,
    machine: machineFacts(),
    store: ground.storeText,
    messages,
    rounds,
    bodyBytes,
    connections,
    services: services.map((service) => figuresOf(service, served)),
    bareLoop: {
      requestsPerSecond: spreadOf(
        bare.map(({ perSecond }) => perSecond),
        0,
      ),
      processorSecondsPer1000: spreadOf(
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
  /** By process, for a thousand deliveries. */
  readonly processorSeconds: ReadonlyMap<string, number>;
  readonly problems: readonly string[];
}

async function serviceRound(
  { options, time, ground, sink }: Bench,
  service: DeliveringService,
  run: string,
): Promise<Omit<ServiceRound, "ratio">> {
  const { messages } = options;
  await feed(service, run, messages, { ...ground, nowMs: time.nowMs() });
  await sink.forget();
  const receiptsBefore = await ground.appended(topics.receipts);
  const running = await ground.start(service);
  const watched = new Map([...ground.watched, ["sink", sink.pid], [service, running.pid]]);
  try {
    const { count: countBefore } = await until(
      options,
      time,
      () => sink.heard(),
      ({ count }) => count > 0,
    );
    const before = await processorSecondsOf(watched);
    await until(
      options,
      time,
      () => sink.heard(),
      ({ count }) => count >= messages,
    );
    await until(
      options,
      time,
      () => ground.appended(topics.receipts),
      (appended) => appended - receiptsBefore >= messages,
    );
    const used = between(before, await processorSecondsOf(watched));
    const { count, tookMs } = await sink.heard();
    const thousands = (count - countBefore) / 1_000;
    return {
      service,
      perSecond: (count - 1) / (tookMs / 1_000),
      repeated: count - messages,
      parked: await parkedBy(running.opsPort, time),
      processorSeconds: new Map([...used].map(([name, seconds]) => [name, seconds / thousands])),
      problems: problemsOf(await sink.ids(), run, messages).map((problem) => `${run}: ${problem}`),
    };
  } finally {
    await running.stop();
  }
}

async function parkedBy(opsPort: number, time: Time): Promise<ReadonlyMap<ParkReason, number>> {
  const metrics = await metricsOf(opsPort, time);
  const counts = parkReasons.map((reason) => [reason, sumOf(metrics, "sluice_delivery_parked_total", `reason="${reason}"`)] as const);
  return new Map(counts.filter(([, count]) => count > 0));
}

interface BareRound {
  readonly perSecond: number;
  readonly processorSeconds: number;
}

async function bareRound({ options, sink }: Bench, service: DeliveringService, run: string): Promise<BareRound> {
  const named = { origin: sink.origin, path: "/", service, run };
  const words = { ...named, connections: String(connections), messages: String(options.messages) };
  const child = startOwnProcess(
    new URL("./bare-loop-process.ts", import.meta.url),
    Object.entries(words).map(([name, value]) => `--${name}=${value}`),
  );
  try {
    const said = await child.line();
    return { perSecond: options.messages / (numberIn(said, "tookMs") / 1_000), processorSeconds: numberIn(said, "processorSeconds") };
  } finally {
    await child.stop();
  }
}

/** Throws when what is seen does not change for a minute. */
async function until<Seen>(
  { signal }: DeliveryBenchOptions,
  time: Time,
  look: () => Promise<Seen>,
  isReached: (seen: Seen) => boolean,
): Promise<Seen> {
  let [before, movedMs] = ["", time.monotonicMs()];
  for (;;) {
    signal.throwIfAborted();
    const seen = await look();
    if (isReached(seen)) return seen;
    const now = JSON.stringify(seen);
    if (now !== before) [before, movedMs] = [now, time.monotonicMs()];
    if (time.monotonicMs() - movedMs > standstillMaxMs) throw new Error(`nothing has gone on for a minute: ${now}`);
    await sleep(time, lookIntervalMs, signal);
  }
}

function figuresOf(service: DeliveringService, all: readonly ServiceRound[]): DeliveryFigures {
  const rounds = all.filter((one) => one.service === service);
  const names = [...new Set(rounds.flatMap(({ processorSeconds }) => [...processorSeconds.keys()]))];
  const sums = rounds.map(({ processorSeconds }) => [...processorSeconds.values()].reduce((sum, seconds) => sum + seconds, 0));
  const byName = names.map(
    (name) =>
      [
        name,
        spreadOf(
          rounds.map(({ processorSeconds }) => processorSeconds.get(name) ?? 0),
          3,
        ),
      ] as const,
  );
  return {
    service,
    deliveriesPerSecond: spreadOf(
      rounds.map(({ perSecond }) => perSecond),
      0,
    ),
    ratio: spreadOf(
      rounds.map(({ ratio }) => ratio),
      2,
    ),
    repeated: rounds.reduce((sum, { repeated }) => sum + repeated, 0),
    parked: Object.fromEntries(parkReasons.flatMap((reason) => parkedFor(reason, rounds))),
    processorSecondsPer1000: { ...Object.fromEntries(byName), all: spreadOf(sums, 3) },
  };
}

function parkedFor(reason: ParkReason, rounds: readonly ServiceRound[]): readonly (readonly [string, number])[] {
  const count = rounds.reduce((sum, { parked }) => sum + (parked.get(reason) ?? 0), 0);
  return count === 0 ? [] : [[reason, count]];
}
