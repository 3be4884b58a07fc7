// Messages that are read for the first time after the attempts of their day are over: nobody tries them any more.
//
// #1 Such a message is parked untried, because its day's close may still be extended. Once DayReconciled is read that
//    lies beyond it, it is done: a stop beyond the marker is answered without it. So a replay of many days leaves
//    nothing behind.
// #2 That holds for what was in the partition at the take-over. Of a message that came later, the parked copy is what
//    shows that nobody has tried it, so it waits for its stop.
// #3 The removal reads the store once from the first such message on. If it fails, the next close or the next owner
//    starts it again.
// #4 A message that this owner has reported as acknowledged is done too: a replay of the scheduler appended it again.

import { formatReason } from "@sluice/kernel";
import type { ParkedRow } from "@sluice/store";
import type { EngineContext } from "../context.ts";
import type { Delivery } from "../rules.ts";
import { mayBeRepeat, type DeliveryPartition } from "../partition/delivery-partition.ts";
import { isPartitionClosed } from "../partition/delivery-lease.ts";
import type { UntriedSpan } from "../partition/partition-days.ts";
import { unpark } from "./end.ts";

/** #1, #2 */
function isDoneByClose(partition: DeliveryPartition, { reconciliationDay, sequence }: Delivery): boolean {
  if (reconciliationDay === null || !mayBeRepeat(partition, { sequence })) return false;
  return partition.days.isReconciledBeyond(reconciliationDay, sequence);
}

/** Parks a message whose day is over, by `parking`, unless its day is reconciled. #1 */
export async function parkOver(
  context: EngineContext,
  partition: DeliveryPartition,
  delivery: Delivery,
  parking: () => Promise<void>,
): Promise<void> {
  // #4
  if (isDoneByClose(partition, delivery) || partition.recentEnds.isAcknowledged(delivery.id)) return;
  const { reconciliationDay, sequence } = delivery;
  const isNoted = reconciliationDay !== null && mayBeRepeat(partition, delivery) && partition.days.noteOver(reconciliationDay, sequence);
  if (isNoted) partition.isStateWritten = false;
  await parking();
  // The marker may have been read, and the removal made, while this was being written.
  if (isDoneByClose(partition, delivery)) await unpark(context, partition, delivery);
}

/** #3. Removes what was parked untried of all reconciled days. */
export function removeUntried(context: EngineContext, partition: DeliveryPartition): void {
  if (!partition.lease.isOpen || context.isStopping()) return;
  for (const span of partition.days.untriedSpans()) {
    const removing = removeSpan(context, partition, span)
      .catch((error: unknown) => {
        if (isPartitionClosed(error)) return;
        const reason = formatReason(error);
        context.logger.warn("delivery.untried-not-removed", { day: span.day, partition: partition.number, reason });
      })
      .then(() => void partition.running.delete(removing));
    partition.running.add(removing);
  }
}

async function removeSpan(context: EngineContext, partition: DeliveryPartition, span: UntriedSpan): Promise<void> {
  const limit = context.bounds.scanMessagesMax;
  let after = span.from === 0n ? null : { sequence: span.from - 1n, id: afterAllIds };
  for (;;) {
    const rows = await partition.lease.whileOpen(context.parked.listByPartition(partition.number, after, limit));
    await Promise.all(rows.filter((row) => isUntried(partition, span, row)).map((row) => unpark(context, partition, row)));
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit || last.sequence >= span.below) break;
    after = { sequence: last.sequence, id: last.id };
  }
  partition.days.forgetOver(span.day, span.from);
  partition.isStateWritten = false;
}

/** Sorts after every id of its sequence. */
const afterAllIds = "~";

function isUntried(partition: DeliveryPartition, { day, below }: UntriedSpan, row: ParkedRow): boolean {
  if (row.reconciliationDay !== day || row.ended !== null || row.attempts > 0) return false;
  return row.sequence < below && mayBeRepeat(partition, row);
}
