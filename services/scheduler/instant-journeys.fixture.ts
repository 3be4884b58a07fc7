// On-us journeys, recorded once and then folded on adapters that answer at once: what is left is the computing of one
// partition. Measures and guards use it; results are judged by other tests.

import { getHeapStatistics } from "node:v8";
import { createFixedSerde, topics } from "@sluice/contracts";
import type { AppendResult, Producer, ReceivedRecord } from "@sluice/messaging";
import type { BankState, Day } from "@sluice/domain";
import type { PartitionLedger, TransactionDocument, TransactionWrite } from "@sluice/store";
import { openTestWorker } from "./partition/open-worker.fixture.ts";
import type { PartitionContext } from "./partition/context.ts";
import { opensAtMs, SchedulerEnvironment } from "./scheduler.fixture.ts";

const options = { partitionCount: 1, maxUnacknowledged: 10_000 } as const;

/** Debits that are held, released, acknowledged and reported as made: six records each, beside those of the day. */
export async function recordJourneys(count: number): Promise<readonly ReceivedRecord[]> {
  const environment = new SchedulerEnvironment(options);
  const journal = () => environment.broker.records({ topic: topics.journal, partition: 0 });
  await environment.scheduler();
  await environment.until("planned", () => environment.named(topics.journal, "DayTimes").length > 0);
  const uetrs = Array.from({ length: count }, () => environment.uetr());
  for (const uetr of uetrs) await environment.hold(uetr);
  await environment.time.advance(opensAtMs + 1_000 - environment.time.nowMs());
  await environment.until("released", () => environment.named(topics.journal, "Release").length === count);
  for (const uetr of uetrs) {
    await environment.append(topics.journal, uetr, environment.deliveryEnded(uetr, "D"));
    await environment.append(topics.journal, uetr, environment.report(uetr, "made"));
  }
  return journal();
}

export interface FoldOptions {
  readonly batchRecords: number;
  /** Called with each bulk, in the place of the store's client. */
  readonly onWrite?: (writes: readonly TransactionWrite[]) => void;
}

export interface Folded {
  /** Records that were sent, and the bytes of their values. */
  readonly sent: number;
  readonly bytes: number;
  /** Bytes of the heap that were taken meanwhile. */
  readonly allocated: number;
}

const serde = createFixedSerde();

export async function foldJourneys(records: readonly ReceivedRecord[], { batchRecords, onWrite }: FoldOptions): Promise<Folded> {
  const environment = new SchedulerEnvironment(options);
  const counted = { sent: 0, bytes: 0 };
  const producer: Producer = {
    send(outgoing) {
      counted.sent += outgoing.length;
      for (const { value } of outgoing) counted.bytes += value?.length ?? 0;
      return Promise.resolve(outgoing.map(({ topic, partition }): AppendResult => ({ topic, partition, offset: 0n, appendedAtMs: 0 })));
    },
    close: () => Promise.resolve(),
  };
  const context = await environment.partitionContext({ producer, serde, store: instantStore(environment, onWrite) });
  const worker = await environment.settle(openTestWorker(context, 0, { logStart: 0n, logEnd: BigInt(records.length) }));
  const before = getHeapStatistics().total_allocated_bytes;
  for (let start = 0; start < records.length; start += batchRecords) {
    await settleSoon(environment, worker.handle(records.slice(start, start + batchRecords)));
  }
  return { ...counted, allocated: getHeapStatistics().total_allocated_bytes - before };
}

/** Only a batch that asks for the lease waits for the clock; timers of tasks stay where they are meanwhile. */
async function settleSoon(environment: SchedulerEnvironment, handled: Promise<void>): Promise<void> {
  const state = { isDone: false };
  const done = handled.finally(() => (state.isDone = true));
  await new Promise((resolve) => setImmediate(resolve));
  await (state.isDone ? done : environment.settle(done));
}

function instantStore(environment: SchedulerEnvironment, onWrite: FoldOptions["onWrite"]): PartitionContext["store"] {
  const store = environment.liveStore();
  const [documents, days] = [new Map<string, TransactionDocument>(), new Map<string, Day>()];
  const [banks, ledgers] = [new Map<string, BankState>(), new Map<string, PartitionLedger>()];
  return {
    partitions: store.partitions,
    transactions: {
      ...store.transactions,
      load: (uetrs) => Promise.resolve(pick(documents, uetrs)),
      versions: (uetrs) => Promise.resolve(new Map([...pick(documents, uetrs)].map(([uetr, { transaction }]) => [uetr, transaction]))),
      write(writes) {
        for (const { document } of writes) documents.set(document.transaction.uetr, document);
        onWrite?.(writes);
        return Promise.resolve({ conflicts: [] });
      },
    },
    days: { ...store.days, load: (keys) => Promise.resolve(pick(days, keys)), write: (day) => putIn(days, day.key, day) },
    banks: { ...store.banks, load: (ids) => Promise.resolve(pick(banks, ids)), write: (bank) => putIn(banks, bank.bank, bank) },
    ledgers: {
      ...store.ledgers,
      load: (_partition, keys) => Promise.resolve(pick(ledgers, keys)),
      write: (ledger) => putIn(ledgers, ledger.day, ledger),
    },
  };
}

function pick<Value>(from: ReadonlyMap<string, Value>, keys: readonly string[]): ReadonlyMap<string, Value> {
  return new Map(keys.flatMap((key) => (from.has(key) ? [[key, from.get(key)!] as const] : [])));
}

function putIn<Value>(into: Map<string, Value>, key: string, value: Value): Promise<boolean> {
  into.set(key, value);
  return Promise.resolve(true);
}
