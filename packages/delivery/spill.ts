// Spill: a message goes to the store, and its record is done.
//
// #1 A message is parked only when the store has acknowledged it; a duplicate is success. The lane's offset moves on after
//    that, and the next message of its key is looked at after that: spills of one key are in order.
// #2 Where the page covers its sequence, it is in the page from then on; else the scan that covers it will bring it.
// #3 What lay in the partition when the lane was taken may have been tried by an owner that could not write down what came of it.

import type { ParkedMessage } from "@sluice/store";
import type { EngineContext } from "./context.ts";
import type { Delivery, Progress } from "./delivery.ts";
import type { Hold } from "./destination.ts";
import { entryOf, isOver, mayBeRepeat, noteSpilling, queueOf, type BankQueue, type DeliveryLane } from "./lane.ts";
import type { PageEntry } from "./parked-page.ts";

export interface ParkedState {
  readonly progress: Progress;
  /** Epoch ms by agreed time. */
  readonly nextAttemptAtMs: number;
  readonly ended: "refusing" | "refused" | "stopped" | null;
}

/** Why a message is parked: `failed` and `ended` after an attempt, `slow` during its first, all others without one. */
export type ParkReason = "failed" | "ended" | "held" | "spilling" | "share" | "slot" | "slow" | "over" | "paused" | Hold;

export async function park(
  context: EngineContext,
  lane: DeliveryLane,
  delivery: Delivery,
  state: ParkedState,
  reason: ParkReason,
): Promise<void> {
  const message = parkedOf(lane, delivery, state);
  await context.parkedCalls.insert(lane.ownership, message);
  context.metrics.parked.add({ bank: delivery.bank, reason });
  context.log.debug("delivery.parked", { id: delivery.id, uetr: delivery.uetr, bank: delivery.bank, reason, partition: lane.partition });
  if (state.ended !== null || isOver(context, lane, message)) return;
  const queue = queueOf(context, lane, delivery.bank);
  takeIntoPage(context, queue, entryOf(context, lane, message));
  noteSpilling(context, lane, queue);
}

/** #2 */
export function takeIntoPage(context: EngineContext, { page, scan }: BankQueue, entry: PageEntry): void {
  if (page.covers(entry.sequence)) {
    page.offer(entry);
    return;
  }
  if (scan === null) return;
  if (scan.late.length < context.bounds.scanLateMax) scan.late.push(entry);
  else if (scan.lowestLost === null || entry.sequence < scan.lowestLost) scan.lowestLost = entry.sequence;
}

export function parkedOf(lane: DeliveryLane, delivery: Delivery, { progress, nextAttemptAtMs, ended }: ParkedState): ParkedMessage {
  const { id, bank, deliveryKey, uetr, operation, sequence, record, traceparent, closesWith, stopsAtMs, deadlineMs } = delivery;
  return {
    id,
    lane: lane.partition,
    bank,
    deliveryKey,
    uetr,
    operation,
    sequence,
    record,
    traceparent,
    closesWith,
    stopsAtMs,
    deadlineMs,
    nextAttemptAtMs,
    ended,
    ...progress,
  };
}

/** #3 */
export function progressOf(lane: DeliveryLane, message: ParkedMessage): Progress {
  const { attempts, anyAnswer, recentAttempts, earlier, redrive } = message;
  return {
    attempts,
    anyAnswer,
    mayHaveBeenTaken: message.mayHaveBeenTaken || mayBeRepeat(lane, message),
    recentAttempts,
    earlier,
    redrive,
  };
}
