// Measures how long the first message of a bank waits while 10,000 messages of another bank stand before it in the same
// partition. That other bank answers after 100 ms, so its messages take a minute. A hundred banks have one message
// each.
//
// #1 It comes after all rounds of the bench, because most of the 10,000 stay in the topic.

import { createServer, type Server } from "node:http";
import { outgoingRecord, partitionCountDefault, topics } from "@sluice/contracts";
import { sleep, type Time } from "@sluice/kernel";
import { bankId, type BenchBank, type BenchEnvironment } from "../environment.ts";
import { benchMessage } from "../messages.ts";
import { buildDispatch } from "./feed.ts";

export interface HeadOfLineFigures {
  readonly messagesBefore: number;
  /** First messages that arrived; each is of another bank. */
  readonly arrived: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface Arrivals {
  readonly url: string;
  /** Monotonic milliseconds of the first arrival, by webhook-id. */
  readonly atMs: ReadonlyMap<string, number>;
}

const host = "127.0.0.1";
const messagesBefore = 10_000;
const busyAnswerMs = 100;
const banksCount = 100;
const branchFirst = 250_700;
const partition = 0;
const chunkRecords = 1_000;
const settleMs = 3_000;
const arriveWithinMs = 30_000;
const lookIntervalMs = 50;

/** The bank whose messages stand before the others, and those others. */
export interface HeadOfLineBanks {
  readonly banks: readonly BenchBank[];
  readonly busy: BenchBank;
  readonly others: readonly BenchBank[];
  readonly arrivals: Arrivals;
}

/** Starts the banks; `opened` stops them. */
export async function openHeadOfLineBanks(time: Time, opened: AsyncDisposableStack): Promise<HeadOfLineBanks> {
  const slow = await openBanks(time, busyAnswerMs, opened);
  const arrivals = await openBanks(time, 0, opened);
  const busy = { id: "busy", branch: String(branchFirst - 1), url: slow.url };
  const others = Array.from({ length: banksCount }, (_, index) => {
    return { id: `first${index}`, branch: String(branchFirst + index), url: arrivals.url };
  });
  return { banks: [busy, ...others], busy, others, arrivals };
}

async function openBanks(time: Time, answerMs: number, opened: AsyncDisposableStack): Promise<Arrivals> {
  const atMs = new Map<string, number>();
  const server = createServer((request, response) => {
    const id = String(request.headers["webhook-id"] ?? "");
    if (!atMs.has(id)) atMs.set(id, time.monotonicMs());
    request.resume();
    request.once("end", () => void sleep(time, answerMs).then(() => response.writeHead(202, { "content-length": "0" }).end()));
  });
  const port = await listen(server);
  opened.defer(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return { url: `http://${host}:${port}`, atMs };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

/** #1 */
export async function measureHeadOfLine(
  environment: BenchEnvironment,
  { busy, others, arrivals }: HeadOfLineBanks,
  { time, signal }: { readonly time: Time; readonly signal: AbortSignal },
): Promise<HeadOfLineFigures> {
  const running = await environment.start("dispatcher");
  const producer = await environment.messaging.producer("bench-head-of-line");
  const toRecord = (bank: string, run: string, number: number) => {
    const message = benchMessage(run, number);
    const decoded = buildDispatch(message, time.nowMs(), bank);
    return outgoingRecord(environment.serde, topics.dispatch, message.uetr, decoded, { partitionCount: partitionCountDefault, partition });
  };
  try {
    await running.ready();
    // The bank of the rounds once more, so that the process has delivered something.
    await producer.send([toRecord(bankId, "head-of-line-warm-up", 0)]);
    await sleep(time, settleMs, signal);
    for (let from = 0; from < messagesBefore; from += chunkRecords)
      await producer.send(Array.from({ length: chunkRecords }, (_, index) => toRecord(busy.id, "head-of-line-busy", from + index)));
    const appendedAtMs = time.monotonicMs();
    await producer.send(others.map(({ id }, index) => toRecord(id, `head-of-line-${id}`, index)));
    while (arrivals.atMs.size < others.length && time.monotonicMs() - appendedAtMs < arriveWithinMs)
      await sleep(time, lookIntervalMs, signal);
    const waitsMs = [...arrivals.atMs.values()].map((atMs) => atMs - appendedAtMs).toSorted((one, other) => one - other);
    const quantile = (share: number): number => Math.round(waitsMs[Math.min(waitsMs.length - 1, Math.floor(waitsMs.length * share))] ?? 0);
    return { messagesBefore, arrived: waitsMs.length, p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
  } finally {
    await producer.close();
    await running.kill();
  }
}
