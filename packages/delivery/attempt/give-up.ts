// Give up: an operator has a message tried no more that its receiver fails for ever.
//
// #1 Only a message that is parked and still tried is given up. The attempt under way ends first; what it says counts.
//    Any other give-up does nothing, and the logger says why.
// #2 It stays parked and marked like a refused one: it delays no other, its record is done when it is read again, and a
//    redrive tries it again. No fact follows: its transaction ends it, and its stop is answered with all attempts.
// #3 It is marked before its receipt is appended, so that no attempt follows the receipt. Each is applied once, because
//    its offset is stored with the message; one that is read again appends the receipt again.

import type { DispatchChange } from "@sluice/contracts";
import type { ParkedMessage, ParkedStop } from "@sluice/store";
import type { EngineContext } from "../context.ts";
import type { DeliverySubject } from "../rules.ts";
import { drainReceiver } from "../backlog/drain.ts";
import { loadParked } from "../backlog/late-rows.ts";
import { endDelivery, markEnded } from "./end.ts";
import { lockKey } from "../partition/key-locks.ts";
import { areAttemptsOver, effectiveDeadlineMs, getQueue, type DeliveryPartition } from "../partition/delivery-partition.ts";
import { readParkedDelivery } from "../backlog/read-parked.ts";
import { progressFromParked } from "../backlog/spill.ts";

export interface DeliveryGiveUp {
  readonly subject: Pick<DeliverySubject, "id" | "uetr" | "receiverId">;
  readonly deliveryKey: string;
  /** The operator's decision: its journal offset, and who made and confirmed it. */
  readonly stop: ParkedStop;
}

/** Reads the operator's decision from the record that carries it. */
export function readOperatorStop({ causedByOffset, stoppedBy, confirmedBy }: DispatchChange): ParkedStop {
  return { offset: causedByOffset, operator: stoppedBy ?? "", confirmedBy };
}

/** Resolves when it is applied or ignored; rejects with a retryable Fault if the partition closes before that. */
export async function applyGiveUp(context: EngineContext, partition: DeliveryPartition, giveUp: DeliveryGiveUp): Promise<void> {
  const { subject, stop } = giveUp;
  partition.lease.requireOpen();
  await partition.locks.run(lockKey(subject.receiverId, giveUp.deliveryKey), async () => {
    const parked = await loadParked(context, partition, subject);
    const why = findIgnoreReason(context, partition, giveUp, parked);
    context.metrics.giveUps.add({ receiver: subject.receiverId, result: why ?? "applied" });
    const { offset: causedByOffset, operator } = stop;
    const fields = { id: subject.id, uetr: subject.uetr, receiver: subject.receiverId, causedByOffset, partition: partition.number };
    if (parked === undefined || why !== null) {
      context.logger.warn("delivery.give-up-ignored", { ...fields, why });
      return;
    }
    await apply(context, partition, stop, parked);
    context.logger.info("delivery.given-up", { ...fields, operator, attempts: parked.attempts });
  });
  drainReceiver(context, partition, getQueue(context, partition, subject.receiverId));
}

type IgnoreReason = "older" | "not-parked" | "not-tried" | "attempts-over";

/** #1 */
function findIgnoreReason(
  context: EngineContext,
  partition: DeliveryPartition,
  { subject, stop: { offset } }: DeliveryGiveUp,
  parked: ParkedMessage | undefined,
): IgnoreReason | null {
  if (partition.recentEnds.isOlder(subject.id, offset)) return "older";
  if (parked === undefined || parked.receiverId !== subject.receiverId || parked.ended === "stopped") return "not-parked";
  if (parked.redrive !== null && offset <= parked.redrive.offset) return "older";
  if (parked.ended !== null) return parked.stop?.offset === offset ? null : "not-tried";
  const deadlineMs = effectiveDeadlineMs(parked);
  const isExpired = deadlineMs !== null && deadlineMs <= context.brokerClock.nowMs();
  return isExpired || areAttemptsOver(context, partition, parked) ? "attempts-over" : null;
}

/** #2, #3 */
async function apply(context: EngineContext, partition: DeliveryPartition, stop: ParkedStop, parked: ParkedMessage): Promise<void> {
  const delivery = await readParkedDelivery(context, parked);
  const progress = { ...progressFromParked(partition, parked), stop };
  if (parked.ended === null) await markEnded(context, partition, delivery, { progress, ended: "refused" }, true);
  await endDelivery(context, partition, delivery, { outcome: "given-up", httpStatusCode: null, progress });
  partition.recentEnds.recordChange(parked.id, progress, stop.offset);
}
