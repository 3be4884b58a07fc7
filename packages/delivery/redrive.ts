// Redrive: an operator has a message tried again that was refused for good, or a posting that was given up: the same id and bytes.
//
// #1 Only a message that is parked and given up is redriven: it is due at once, its attempts go on counting. Of anything else nothing
//    is tried, and the log says why.
// #2 Each redrive is applied once: its offset lies with the message from then on. One that is read again, or is older than the last change
//    that was applied to the message, does nothing.
// #3 A message whose day has closed, or whose time to stop has passed, stays: no attempt is made past either.
// #4 A posting's own deadline is put off, where that is later, to one hour after the redrive; so one that had expired is tried again.
// #5 A refusal that may not be said yet is said before (end.ts #4).

import type { ParkedMessage } from "@sluice/store";
import type { EngineContext } from "./context.ts";
import type { DeliverySubject } from "./delivery.ts";
import { drain } from "./drain.ts";
import { sayRefused } from "./end.ts";
import { lockKey } from "./key-locks.ts";
import { deadlineOf, entryOf, isOver, noteSpilling, queueOf, type DeliveryLane } from "./lane.ts";
import { readParked } from "./read-parked.ts";
import { parkedOf, progressOf, takeIntoPage } from "./spill.ts";

export interface DeliveryRedrive {
  readonly subject: Pick<DeliverySubject, "id" | "uetr" | "bank">;
  readonly deliveryKey: string;
  /** Journal offset of the operator's decision. */
  readonly causedByOffset: bigint;
  /** Of the record that says so. */
  readonly appendedAtMs: number;
}

export const redriveExtensionMs = 3_600_000;

/** Resolves when it is applied or known to do nothing; rejects with a retryable Fault when the lane closed before that. */
export async function redriveDelivery(context: EngineContext, lane: DeliveryLane, redrive: DeliveryRedrive): Promise<void> {
  const { subject, causedByOffset } = redrive;
  lane.ownership.requireOpen();
  await lane.locks.hold(lockKey(subject.bank, redrive.deliveryKey), async () => {
    const parked = await context.parkedCalls.load(lane.ownership, subject);
    const why = whyNot(context, lane, redrive, parked);
    context.metrics.redrives.add({ bank: subject.bank, result: why ?? "applied" });
    const said = { id: subject.id, uetr: subject.uetr, bank: subject.bank, causedByOffset, partition: lane.partition };
    if (parked === undefined || why !== null) {
      context.log.warn("delivery.redrive-ignored", { ...said, why });
      return;
    }
    await apply(context, lane, redrive, parked);
    context.log.info("delivery.redriven", { ...said, attempts: parked.attempts });
  });
  drain(context, lane, queueOf(context, lane, subject.bank));
}

type Why = "older" | "not-parked" | "still-tried" | "attempts-over";

function whyNot(
  context: EngineContext,
  lane: DeliveryLane,
  { subject, causedByOffset }: DeliveryRedrive,
  parked: ParkedMessage | undefined,
): Why | null {
  if (lane.recent.isOlder(subject.id, causedByOffset)) return "older";
  if (parked === undefined || parked.bank !== subject.bank || parked.ended === "stopped") return "not-parked";
  if (parked.redrive !== null && causedByOffset <= parked.redrive.offset) return "older";
  if (parked.ended === null) return "still-tried";
  if (isOver(context, lane, parked)) return "attempts-over";
  const deadlineMs = deadlineOf(parked);
  return deadlineMs !== null && deadlineMs <= context.agreed.nowMs() && !context.rules.isExpiredKept ? "attempts-over" : null;
}

async function apply(context: EngineContext, lane: DeliveryLane, redrive: DeliveryRedrive, parked: ParkedMessage): Promise<void> {
  const delivery = await readParked(context, parked);
  const before = progressOf(lane, parked);
  if (parked.ended === "refusing") await sayRefused(context, lane, delivery, before);
  const progress = { ...before, redrive: { offset: redrive.causedByOffset, untilMs: untilMs(context, redrive, parked) } };
  const message = parkedOf(lane, delivery, { progress, nextAttemptAtMs: context.agreed.nowMs(), ended: null });
  await context.parkedCalls.update(lane.ownership, message);
  lane.givenUp.remove(parked.id);
  lane.recent.changed(parked.id, progress, redrive.causedByOffset);
  const queue = queueOf(context, lane, parked.bank);
  takeIntoPage(context, queue, entryOf(context, lane, message));
  noteSpilling(context, lane, queue);
}

/** #4. Counted from now where the record was read late: one attempt at least is what was asked for. */
function untilMs(context: EngineContext, { appendedAtMs }: DeliveryRedrive, parked: ParkedMessage): number | null {
  const deadlineMs = deadlineOf(parked);
  if (deadlineMs === null || !context.rules.isExpiredKept) return parked.redrive?.untilMs ?? null;
  const extendedMs = Math.max(appendedAtMs, context.agreed.nowMs()) + redriveExtensionMs;
  return extendedMs > deadlineMs ? extendedMs : (parked.redrive?.untilMs ?? null);
}
