// Spill: a message is parked in the store, and its record is done.
//
// #1 A message is parked only when the store has acknowledged it; a duplicate is success. Only then the position moves
//    on, and only then the next message of its key is handled, so messages of one key are parked in order.
// #2 A page that covers its sequence gets the message at once; otherwise the scan that reaches it brings it.
// #3 An earlier owner may have tried what was in the partition at the take-over without storing the result.

import type { ParkedMessage } from "@sluice/store";
import type { EngineContext } from "../context.ts";
import type { Delivery, AttemptProgress } from "../rules.ts";
import type { parkReasons } from "../metrics.ts";
import {
  toBacklogEntry,
  areAttemptsOver,
  mayBeRepeat,
  updateSpilling,
  getQueue,
  type ReceiverQueue,
  type DeliveryPartition,
} from "../partition/delivery-partition.ts";
import type { BacklogEntry } from "./backlog-entry.ts";
import { rememberArrival } from "./scan-state.ts";
import type { UnversionedMessage } from "./parked-calls.ts";

export interface ParkedState {
  readonly progress: AttemptProgress;
  /** Milliseconds of the broker clock, since the epoch. */
  readonly nextAttemptAtMs: number;
  readonly ended: "refusing" | "refused" | "stopped" | null;
}

/** Why a message is parked: `failed` and `ended` after an attempt, `slow` during its first, all others without one. */
export type ParkReason = (typeof parkReasons)[number];

export async function park(
  context: EngineContext,
  partition: DeliveryPartition,
  delivery: Delivery,
  state: ParkedState,
  reason: ParkReason,
): Promise<void> {
  const message = toParkedMessage(partition, delivery, state);
  await context.parkedCalls.insert(partition, message);
  context.metrics.parked.add({ receiver: delivery.receiverId, reason });
  context.logger.debug("delivery.parked", {
    id: delivery.id,
    uetr: delivery.uetr,
    receiver: delivery.receiverId,
    reason,
    partition: partition.number,
  });
  if (state.ended !== null || areAttemptsOver(context, partition, message)) return;
  const queue = getQueue(context, partition, delivery.receiverId);
  addToPage(context, partition, queue, toBacklogEntry(context, partition, message));
  updateSpilling(context, partition, queue);
}

/** #2 */
export function addToPage(context: EngineContext, partition: DeliveryPartition, { page }: ReceiverQueue, entry: BacklogEntry): void {
  if (page.covers(entry)) page.offer(entry);
  else rememberArrival(partition.scan, entry, context.bounds.scanArrivalsMax);
}

export function toParkedMessage(
  partition: DeliveryPartition,
  delivery: Delivery,
  { progress, nextAttemptAtMs, ended }: ParkedState,
): UnversionedMessage {
  const { id, receiverId, deliveryKey, uetr, operation, sequence, record, traceparent, reconciliationDay, stopsAtMs, deadlineMs } =
    delivery;
  return {
    id,
    partition: partition.number,
    receiverId,
    deliveryKey,
    uetr,
    operation,
    sequence,
    record,
    traceparent,
    reconciliationDay,
    stopsAtMs,
    deadlineMs,
    nextAttemptAtMs,
    ended,
    ...progress,
  };
}

/** #3 */
export function progressFromParked(partition: DeliveryPartition, message: ParkedMessage): AttemptProgress {
  const { attempts, anyAnswer, recentAttempts, earlier, redrive, stop } = message;
  return {
    attempts,
    anyAnswer,
    mayHaveBeenTaken: message.mayHaveBeenTaken || mayBeRepeat(partition, message),
    recentAttempts,
    earlier,
    redrive,
    stop,
  };
}
