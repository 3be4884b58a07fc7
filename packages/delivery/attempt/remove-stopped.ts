// Removes stopped messages from the store once their records cannot be read again (given-up-messages.ts #2).

import type { EngineContext } from "../context.ts";
import { unpark } from "./end.ts";
import type { DeliveryPartition } from "../partition/delivery-partition.ts";
import { isPartitionClosed } from "../partition/delivery-lease.ts";

/** Removes what may leave now, and looks again later. */
export function removeStopped(context: EngineContext, partition: DeliveryPartition): void {
  partition.stoppedTimer?.[Symbol.dispose]();
  partition.stoppedTimer = null;
  if (!partition.lease.isOpen || context.isStopping()) return;
  for (const message of partition.givenUp.takeOld(partition.position, context.brokerClock.nowMs())) {
    const removing = unpark(context, partition, message)
      .catch((error: unknown) => {
        if (!isPartitionClosed(error))
          context.logger.error("delivery.stopped-not-removed", { id: message.id, partition: partition.number, error });
      })
      .then(() => void partition.running.delete(removing));
    partition.running.add(removing);
  }
  if (partition.givenUp.hasStopped) partition.stoppedTimer = context.time.after(lookAgainMs, () => removeStopped(context, partition));
}

const lookAgainMs = 60_000;
