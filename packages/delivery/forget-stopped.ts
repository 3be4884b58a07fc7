// What was stopped leaves the store when its record cannot come any more (given-up.ts #2).

import type { EngineContext } from "./context.ts";
import { unpark } from "./end.ts";
import type { DeliveryLane } from "./lane.ts";
import { isLaneClosed } from "./ownership.ts";

/** Removes what need not stay, now and when its time has come. */
export function forgetStopped(context: EngineContext, lane: DeliveryLane): void {
  lane.stoppedTimer?.[Symbol.dispose]();
  lane.stoppedTimer = null;
  if (!lane.ownership.isOpen || context.isStopping()) return;
  for (const message of lane.givenUp.takeOld(lane.position, context.agreed.nowMs())) {
    const removing = unpark(context, lane, message)
      .catch((error: unknown) => {
        if (!isLaneClosed(error)) context.log.error("delivery.not-forgotten", { id: message.id, partition: lane.partition, error });
      })
      .then(() => void lane.running.delete(removing));
    lane.running.add(removing);
  }
  if (lane.givenUp.keepsStopped) lane.stoppedTimer = context.time.after(lookAgainMs, () => forgetStopped(context, lane));
}

const lookAgainMs = 60_000;
