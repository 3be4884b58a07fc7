// Fills a database with the transactions of the console bench, and says what it is filled with.
//
// #1 A store that the environment names keeps what it was filled with: the next run of the same date and size finds it.
//    A mark, written last, says so. What has no mark was filled in part, and is dropped.
// #2 Indexes come after the documents: one that is built at once takes a fraction of the time. A server goes on with it
//    where the answer takes longer than the driver waits, so the call is repeated until it is answered.

import { readDirectDebit, type Serde, partitionCountDefault } from "@sluice/contracts";
import { decideDay, extendRules, type Day, type DayFact } from "@sluice/domain";
import { Fault, silentLogger, sleep, type Time } from "@sluice/kernel";
import { createMongoStore, type Store, type TransactionWrite } from "@sluice/store";
import { buildDirectDebit, encodeBody } from "@sluice/testkit";
import { MongoClient } from "mongodb";
import { type BenchSpan, buildBenchTransaction, scheme } from "./transactions.ts";

export interface FillOptions {
  readonly url: string;
  readonly database: string;
  readonly span: BenchSpan;
  readonly zone: string;
  readonly serde: Serde;
  readonly time: Time;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

interface Filled {
  readonly span: BenchSpan;
  /** Null: an earlier run has filled it. */
  readonly tookMs: number | null;
}

/** The mark of a filled database. */
interface FilledMark {
  readonly _id: "filled";
  readonly total: number;
  readonly nowMs: number;
}

const bulk = 1_000;
const sayEvery = 100_000;
const askAgainMs = 1_000;
const indexesWithinMs = 3_600_000;
const hourMs = 3_600_000;
const services = ["scheduler", "dispatcher", "event-publisher"] as const;

export async function fillDatabase(options: FillOptions): Promise<Filled> {
  const { url, database, span, time, say, signal } = options;
  await using client = await MongoClient.connect(url);
  const marks = client.db(database).collection<FilledMark>("benchMarks");
  const mark = await marks.findOne({ _id: "filled" });
  if (mark !== null && mark.total === span.total) {
    say(`${database} is filled already`);
    return { span: { ...span, nowMs: mark.nowMs }, tookMs: null };
  }
  await client.db(database).dropDatabase();
  const startedMs = time.monotonicMs();
  const store = createMongoStore({ url, database, logger: silentLogger });
  try {
    for (const service of services) {
      for (let partition = 0; partition < partitionCountDefault; partition += 1) await store.partitions.takeOver(service, partition);
    }
    await writeTransactions(store, options);
    say("building the indexes");
    await prepareWithin(store, time, signal);
    await writeDays(store, options);
  } finally {
    await store.close();
  }
  await marks.insertOne({ _id: "filled", total: span.total, nowMs: span.nowMs });
  return { span, tookMs: Math.round(time.monotonicMs() - startedMs) };
}

async function writeTransactions(store: Store, { span, serde, say, signal }: FillOptions): Promise<void> {
  const acceptedMessage = encodeAccepted(serde, span);
  for (let from = 0; from < span.total; from += bulk) {
    signal.throwIfAborted();
    if (from % sayEvery === 0) say(`${from} of ${span.total} transactions are written`);
    const writes = Array.from({ length: Math.min(bulk, span.total - from) }, (_, index): TransactionWrite => {
      const { transaction, search } = buildBenchTransaction(from + index, span);
      const kept = { acceptedMessage, finalReport: null, verdict: null, rules: extendRules(null, 1), traceparent: null };
      return { document: { ...kept, transaction, search }, expectedVersion: 0 };
    });
    const { conflicts } = await store.transactions.write(writes);
    if (conflicts.length > 0) throw new Error(`${conflicts.length} transactions are there already`);
  }
}

/** The same message for all: it is only shown, and its size is that of others. */
function encodeAccepted(serde: Serde, { nowMs, day, banks }: BenchSpan): Uint8Array {
  const reading = readDirectDebit(encodeBody(buildDirectDebit()));
  if (!reading.ok) throw new Error("the sample message is read");
  const { message: debit, contentHash, substanceHash } = reading.read;
  const received = { sender: banks[0] ?? "", receivedAtMs: nowMs, contentHash, substanceHash, flow: "ON_US", bank: null, debit } as const;
  return serde.encode("DirectDebitReceived", { ...received, reconciliationDay: `${scheme}:${day}`, closesAtMs: nowMs });
}

/** #2 */
async function prepareWithin(store: Store, time: Time, signal: AbortSignal): Promise<void> {
  const deadlineMs = time.monotonicMs() + indexesWithinMs;
  for (;;) {
    try {
      return await store.prepare();
    } catch (error) {
      if (!(error instanceof Fault) || !error.isRetryable || time.monotonicMs() > deadlineMs) throw error;
      await sleep(time, askAgainMs, signal);
    }
  }
}

/** Both days are open: the scheduler that would close the first is not part of the bench. */
async function writeDays(store: Store, { span, zone }: FillOptions): Promise<void> {
  for (const date of [span.dayBefore, span.day]) await store.days.write(planDay(date, zone), 0);
}

function planDay(businessDate: string, zone: string): Day {
  const atMs = Temporal.PlainDate.from(businessDate).toZonedDateTime(zone).epochMilliseconds;
  const about = { scheme, businessDate } as const;
  const planned: DayFact = {
    kind: "DayPlanned",
    ...about,
    zone,
    calendarVersion: "bench",
    isWorkingDay: true,
    windows: [{ number: 1, opensAtMs: atMs + 8 * hourMs, closesAtMs: atMs + 20 * hourMs }],
    cutOffAtMs: atMs + 19 * hourMs,
    reconciliationAtMs: atMs + 23 * hourMs,
    nextBusinessDate: Temporal.PlainDate.from(businessDate).add({ days: 1 }).toString(),
    creditsFinal: "clock",
    partitionCount: partitionCountDefault,
  };
  const opens: DayFact = { kind: "DayTimeReached", ...about, time: "window-opens", number: 1 };
  let day: Day | null = null;
  for (const [index, fact] of [planned, opens].entries()) {
    day = decideDay(`${scheme}:${businessDate}`, day, fact, { offset: BigInt(index), appendedAtMs: atMs + index }).day;
  }
  if (day === null) throw new Error("the day is planned");
  return day;
}
