// Before a group assigns its partitions again, a member finishes what it has begun and commits it: whatever it leaves
// open, the next owner does once more.
//
// #1 The others wait meanwhile, so a hand-over is given up after `handOverMaxMs`. What is then under way is abandoned,
//    as at any loss of a partition, and the log says so.
// #2 The bound is half of the rebalance time-out, because the member must have joined by then. It sends heartbeats
//    meanwhile, so that its session does not end, and so that its writes are confirmed.

import { formatReason, type Logger, sleep, type Time } from "@sluice/kernel";
import type { ConsumerHandlers, TopicPartition } from "./port.ts";

/**
 * Milliseconds. Receivers are waited for two seconds of them at most; the rest is for our own store and broker, on a
 * machine without a processor to spare.
 */
const handOverMaxMs = 5_000;

export interface HandOverOptions {
  readonly handlers: Pick<ConsumerHandlers, "handOver">;
  readonly time: Time;
  readonly logger: Logger;
}

/** Resolves when all partitions are handed over, or the bound is reached (#1). Never rejects. */
export async function handOverPartitions(
  partitions: readonly { readonly partition: TopicPartition; readonly epoch: number }[],
  { handlers, time, logger }: HandOverOptions,
): Promise<void> {
  if (partitions.length === 0) return;
  const ended = new AbortController();
  const handedOver = Promise.all(partitions.map(({ partition, epoch }) => handlers.handOver(partition, epoch))).then(
    () => ended.abort(),
    (error: unknown) => {
      logger.warn("consumer.hand-over-failed", { reason: formatReason(error) });
      ended.abort();
    },
  );
  await Promise.race([handedOver, sleep(time, handOverMaxMs, ended.signal)]);
  if (!ended.signal.aborted) logger.warn("consumer.hand-over-given-up", { afterMs: handOverMaxMs, partitions: partitions.length });
}
