// Asks broker and store once for what a take-over asks, and handles some records, before the process joins its group.
//
// #1 A process that has just started opens its connections, and loads and compiles the code behind them, at its first
//    questions and records. Debits would wait for that during its first take-over. Before it joins, others own the
//    partitions, and nobody waits.
// #2 The answers count for nothing: a take-over asks again, under its epoch. Nor do the records: they are folded as a
//    rebuild folds them, into memory, and what follows from them is sent nowhere. But the key service is asked for the
//    keys of sealed records among them, as their partition's owner asks: a key that is known is not asked for again.
// #3 It ends after `warmUpMaxMs` and whatever fails: a server that does not answer is the trouble of the take-over.
//    Then nothing more is asked, read or folded: the process has joined, and others wait for what it does.

import { topics } from "@sluice/contracts";
import { formatReason, type Logger, sleep } from "@sluice/kernel";
import { type Messaging, type ReceivedRecord, requireCovered } from "@sluice/messaging";
import type { Store, TransactionDocument } from "@sluice/store";
import { foldInMemory, PartitionFold, type PartitionFoldPorts } from "./rebuild/partition-fold.ts";
import { quarantinedCountMax } from "./tasks/quarantine-count.ts";

export interface WarmUpPorts extends Omit<PartitionFoldPorts, "partition" | "skips" | "ending"> {
  readonly messaging: Pick<Messaging, "ends" | "identity" | "read">;
  readonly store: Pick<Store, "days" | "transactions" | "partitions">;
  readonly logger: Pick<Logger, "info">;
}

export const warmUpMaxMs = 2_000;
/** Partitions asked for at once: as many as a process takes over at the same moment opens as many connections. */
const partitionsMax = 12;
/** Records that are read and folded, of one partition: some twenty journeys. */
const recordsMax = 100n;

/** Resolves when all is asked, or after `warmUpMaxMs`. Never rejects. */
export async function warmUp(ports: WarmUpPorts): Promise<void> {
  const { time, logger } = ports;
  const ended = new AbortController();
  const startedMs = time.monotonicMs();
  const asked = Promise.all([askBroker(ports, ended.signal), askStore(ports)]).then(
    () => null,
    (error: unknown) => formatReason(error),
  );
  const trouble = await Promise.race([asked, sleep(time, warmUpMaxMs, ended.signal).then(() => "no answer in time")]);
  ended.abort();
  logger.info("scheduler.warm", { tookMs: Math.round(time.monotonicMs() - startedMs), ...(trouble === null ? {} : { trouble }) });
}

async function askBroker(ports: WarmUpPorts, ending: AbortSignal): Promise<void> {
  const { messaging, partitionCount } = ports;
  const partitions = Array.from({ length: partitionCount }, (_, partition) => partition);
  const [ends] = await Promise.all([
    messaging.ends(partitions.map((partition) => ({ topic: topics.journal, partition }))),
    messaging.ends(partitions.map((partition) => ({ topic: topics.deadLetters, partition }))),
    messaging.identity(topics.journal),
    messaging.identity(topics.deadLetters),
  ]);
  ending.throwIfAborted();
  const partition = ends.findIndex(({ logStart, logEnd }) => logEnd > logStart);
  const found = ends[partition];
  if (found === undefined) return;
  const { logStart, logEnd } = found;
  const from = logEnd - recordsMax > logStart ? logEnd - recordsMax : logStart;
  const place = { topic: topics.journal, partition };
  const records = await Array.fromAsync(requireCovered(messaging.read(place, from, logEnd), place, from, logEnd));
  await foldNowhere(ports, partition, records, ending);
}

/** #2 */
async function foldNowhere(ports: WarmUpPorts, partition: number, records: readonly ReceivedRecord[], ending: AbortSignal): Promise<void> {
  const nothing = { load: () => Promise.resolve(new Map<string, TransactionDocument>()) };
  const fold = new PartitionFold({ ...ports, partition, skips: { find: () => null }, ending }, foldInMemory(new Map(), nothing));
  await fold.fold(records);
}

async function askStore({ service, store, partitionCount }: WarmUpPorts): Promise<void> {
  const partitions = Array.from({ length: Math.min(partitionCount, partitionsMax) }, (_, partition) => partition);
  await Promise.all([
    store.partitions.positions(service),
    store.days.open(),
    ...partitions.map((partition) => store.transactions.open(partition, null, 1)),
    ...partitions.map((partition) => store.transactions.quarantined(partition, quarantinedCountMax)),
  ]);
}
