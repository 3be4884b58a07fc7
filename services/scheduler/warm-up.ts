// Asks broker and store once for what a take-over asks, before the process joins its group.
//
// #1 A process that has just started opens its connections, and loads and compiles the code behind them, at its first
//    questions. Debits would wait for that during its first take-over. Before it joins, others own the partitions, and
//    nobody waits.
// #2 The answers count for nothing: a take-over asks again, under its epoch.
// #3 It ends after `warmUpMaxMs` and whatever fails: a server that does not answer is the trouble of the take-over.

import { topics } from "@sluice/contracts";
import { formatReason, type Logger, sleep, type Time } from "@sluice/kernel";
import { type Messaging, requireCovered } from "@sluice/messaging";
import type { Store } from "@sluice/store";
import { quarantinedCountMax } from "./tasks/quarantine-count.ts";

export interface WarmUpPorts {
  /** Names the service in the partitions' documents. */
  readonly service: string;
  readonly messaging: Pick<Messaging, "ends" | "identity" | "read">;
  readonly store: Pick<Store, "days" | "transactions" | "partitions">;
  readonly partitionCount: number;
  readonly time: Time;
  readonly logger: Pick<Logger, "info">;
}

export const warmUpMaxMs = 2_000;
/** Partitions asked for at once: as many as a process takes over at the same moment opens as many connections. */
const partitionsMax = 12;
/** Records that are read, of one partition. */
const recordsMax = 20n;

/** Resolves when all is asked, or after `warmUpMaxMs`. Never rejects. */
export async function warmUp(ports: WarmUpPorts): Promise<void> {
  const { time, logger } = ports;
  const ended = new AbortController();
  const startedMs = time.monotonicMs();
  const asked = Promise.all([askBroker(ports), askStore(ports)]).then(
    () => null,
    (error: unknown) => formatReason(error),
  );
  const trouble = await Promise.race([asked, sleep(time, warmUpMaxMs, ended.signal).then(() => "no answer in time")]);
  ended.abort();
  logger.info("scheduler.warm", { tookMs: Math.round(time.monotonicMs() - startedMs), ...(trouble === null ? {} : { trouble }) });
}

async function askBroker({ messaging, partitionCount }: WarmUpPorts): Promise<void> {
  const partitions = Array.from({ length: partitionCount }, (_, partition) => partition);
  const [ends] = await Promise.all([
    messaging.ends(partitions.map((partition) => ({ topic: topics.journal, partition }))),
    messaging.ends(partitions.map((partition) => ({ topic: topics.deadLetters, partition }))),
    messaging.identity(topics.journal),
    messaging.identity(topics.deadLetters),
  ]);
  const partition = ends.findIndex(({ logStart, logEnd }) => logEnd > logStart);
  const found = ends[partition];
  if (found === undefined) return;
  const { logStart, logEnd } = found;
  const from = logEnd - recordsMax > logStart ? logEnd - recordsMax : logStart;
  const place = { topic: topics.journal, partition };
  for await (const _record of requireCovered(messaging.read(place, from, logEnd), place, from, logEnd));
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
