// Opens the worker of a partition whose assignment lasts for the whole test.

import type { BatchHandler, PartitionEnds } from "@sluice/messaging";
import type { PartitionContext } from "./context.ts";
import { openPartitionWorker } from "./worker.ts";

export async function openTestWorker(context: PartitionContext, partition: number, assigned: PartitionEnds): Promise<BatchHandler> {
  return await openPartitionWorker(context, partition, assigned, new AbortController().signal);
}
