// `./sluice bench dead-bank`: how long messages of nine banks take while a tenth never answers, against the same
// traffic with a tenth that does.
//
// #1 Messages are appended to the dispatcher's topic at times fixed beforehand, and their latency counts from those to
//    their arrival.
// #2 Rounds without a dead bank and with one alternate. Both send a tenth to a tenth bank: to one that answers, or to
//    the one that never does. From its first round on, the dead bank's messages wait in the store and are tried again.

import { createServer } from "node:http";
import { outgoingRecord, partitionCountDefault, topics } from "@sluice/contracts";
import { machineTime, sleep, type Time } from "@sluice/kernel";
import type { Producer } from "@sluice/messaging";
import { buildDispatch } from "../delivery/feed.ts";
import { type BenchBank, type BenchEnvironment, openBenchEnvironment } from "../environment.ts";
import { benchMessage } from "../messages.ts";
import { machineFacts } from "../processor-time.ts";
import { computeSpread, quantile, roundTo } from "../spread.ts";
import { buildFigure, type LimitsBenchOptions, type LimitsReport } from "./figures.ts";

const perSecond = 200;
const others = 9;
const branchFirst = 250_700;
const tickMs = 10;
const arriveWithinMs = 30_000;
const p99 = 0.99;
const nobody = "http://127.0.0.1:9";

interface Arrivals {
  /** Monotonic milliseconds of the first arrival, by webhook-id. */
  readonly atMs: Map<string, number>;
}

interface Bench {
  readonly environment: BenchEnvironment;
  readonly producer: Producer;
  readonly arrivals: Arrivals;
  readonly seconds: number;
  readonly time: Time;
  readonly signal: AbortSignal;
}

export async function runDeadBankBench(options: LimitsBenchOptions, time: Time = machineTime): Promise<LimitsReport> {
  const { size: seconds, rounds, say, signal } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  const arrivals: Arrivals = { atMs: new Map() };
  const banks: BenchBank[] = [];
  for (const [index, id] of listBanks().entries()) {
    banks.push({ id, branch: String(branchFirst + index), url: await openBank(id === "dead" ? null : arrivals, time, opened) });
  }
  const environment = await openBenchEnvironment(
    { ...options, bankUrl: nobody, moreBanks: banks, connections: 16, profileDirectory: null, time },
    opened,
  );
  const dispatcher = await environment.start("dispatcher");
  opened.defer(async () => void (await dispatcher.stop()));
  await dispatcher.ready();
  const producer = await environment.messaging.producer("bench-feed");
  opened.defer(() => producer.close());
  const bench: Bench = { environment, producer, arrivals, seconds, time, signal };
  say("warming up");
  await playRound(bench, "warm-up", "standin");
  const healthy: RoundLatency[] = [];
  const withDead: RoundLatency[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    healthy.push(await playRound(bench, `healthy-${round}`, "standin"));
    withDead.push(await playRound(bench, `dead-${round}`, "dead"));
    say(`round ${round} of ${rounds}: p99 ${healthy.at(-1)?.p99Ms} ms without a dead bank, ${withDead.at(-1)?.p99Ms} ms with one`);
  }
  const missing = [...healthy, ...withDead].reduce((sum, one) => sum + one.missing, 0);
  const spread = (of: readonly RoundLatency[], read: (one: RoundLatency) => number) => computeSpread(of.map(read), 1);
  const ratios = withDead.map((one, index) => one.p99Ms / Math.max(1, healthy[index]?.p99Ms ?? 1));
  return {
    isRight: missing === 0,
    problems: missing === 0 ? [] : [`${missing} messages of the other banks did not arrive within ${arriveWithinMs / 1_000} s`],
    machine: machineFacts(),
    store: environment.storeText,
    played: `${perSecond} messages a second to ten banks for ${seconds} s, ${rounds} rounds`,
    figures: {
      "others' p50": buildFigure(
        "ms",
        spread(healthy, ({ p50Ms }) => p50Ms),
      ),
      "others' p99": buildFigure(
        "ms",
        spread(healthy, (one) => one.p99Ms),
      ),
      "others' p50 with a dead bank": buildFigure(
        "ms",
        spread(withDead, ({ p50Ms }) => p50Ms),
      ),
      "others' p99 with a dead bank": buildFigure(
        "ms",
        spread(withDead, (one) => one.p99Ms),
      ),
      "p99 with a dead bank of that without": buildFigure("ratio", computeSpread(ratios, 2), { atMost: 1.2 }),
    },
    tookMs: Math.round(time.monotonicMs() - startedMs),
  };
}

function listBanks(): readonly string[] {
  return [...Array.from({ length: others }, (_, index) => `other${index}`), "standin", "dead"];
}

/** Answers 202 at once and notes what arrives; without `arrivals` it never answers. */
async function openBank(arrivals: Arrivals | null, time: Time, opened: AsyncDisposableStack): Promise<string> {
  const server = createServer((request, response) => {
    if (arrivals === null) return void request.resume();
    const id = String(request.headers["webhook-id"] ?? "");
    if (!arrivals.atMs.has(id)) arrivals.atMs.set(id, time.monotonicMs());
    request.resume();
    request.once("end", () => response.writeHead(202, { "content-length": "0" }).end());
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.defer(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

interface RoundLatency {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly missing: number;
}

async function playRound(bench: Bench, run: string, tenth: "standin" | "dead"): Promise<RoundLatency> {
  const { environment, producer, arrivals, seconds, time, signal } = bench;
  const total = seconds * perSecond;
  const due = new Map<string, number>();
  const sends: Promise<unknown>[] = [];
  const fromMs = time.monotonicMs() + tickMs;
  arrivals.atMs.clear();
  for (let next = 0; next < total; await sleep(time, tickMs, signal)) {
    signal.throwIfAborted();
    for (let dueMs = fromMs; next < total; next += 1) {
      dueMs = fromMs + (next * 1_000) / perSecond;
      if (dueMs > time.monotonicMs()) break;
      const message = benchMessage(run, next);
      const place = next % (others + 1);
      const bank = place === others ? tenth : `other${place}`;
      if (place < others) due.set(message.id, dueMs);
      const sent = { partitionCount: partitionCountDefault };
      const decoded = buildDispatch(message, time.nowMs(), bank);
      sends.push(producer.send([outgoingRecord(environment.serde, topics.dispatch, message.uetr, decoded, sent)]));
    }
  }
  await Promise.all(sends);
  const untilMs = time.monotonicMs() + arriveWithinMs;
  const isOver = (): boolean => [...due.keys()].every((id) => arrivals.atMs.has(id)) || time.monotonicMs() > untilMs;
  while (!isOver()) await sleep(time, tickMs, signal);
  const latencies = [...due].flatMap(([id, dueMs]) => {
    const atMs = arrivals.atMs.get(id);
    return atMs === undefined ? [] : [atMs - dueMs];
  });
  const sorted = latencies.toSorted((a, b) => a - b);
  return { p50Ms: roundTo(quantile(sorted, 0.5), 1), p99Ms: roundTo(quantile(sorted, p99), 1), missing: due.size - sorted.length };
}
