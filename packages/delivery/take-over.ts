// Take-over: the lane is ours, and this is what it starts from.
//
// #1 The owner epoch in the store is raised first: a write of an owner before us fails from then on.
// #2 Before the first record is handed out, all parked keys of the lane are known, or the banks that they may belong to spill.
// #3 The lane starts at its own position, not at the group's offset: a restored store repairs itself by replay.
// #4 What lies in the partition already may have been tried by an owner before us.

import type { LogEnds } from "@sluice/messaging";
import type { LaneDocument } from "@sluice/store";
import type { EngineContext } from "./context.ts";
import type { DeliveryLane } from "./lane.ts";
import { scan } from "./scan.ts";

/** Answers where to start. Rejects as the store does; then it is to be called again. */
export async function takeOver(context: EngineContext, lane: DeliveryLane, log: LogEnds): Promise<bigint> {
  const { ownership, partition } = lane;
  const document = await ownership.whileOpen(context.lanes.takeOver(context.rules.service, partition));
  const position = startOf(document, log);
  lane.ownerEpoch = document.epoch;
  lane.days.learn(document.state);
  lane.pauses.learn(document.state);
  for (const bank of lane.pauses.banks()) context.metrics.paused.set(1, { bank, lane: String(partition) });
  lane.position = position;
  lane.repeatsBelow = log.logEnd;
  await scan(context, lane, {
    messagesMax: context.bounds.takeOverMessagesMax,
    seen: ({ id, sequence }) => {
      if (sequence >= position && lane.parkedAhead.size < context.bounds.pageMessagesMax) lane.parkedAhead.add(id);
    },
  });
  lane.isTaken = true;
  const parked = [...lane.banks.values()].reduce((sum, { page }) => sum + page.size, 0);
  context.log.info("lane.taken", { partition, epoch: lane.epoch, ownerEpoch: document.epoch, position, parked });
  return position;
}

/** A lane that was never written starts where its log does; any other position must lie inside the log, or the consumer ends. */
function startOf({ position }: LaneDocument, { logStart }: LogEnds): bigint {
  return position === 0n ? logStart : position;
}
