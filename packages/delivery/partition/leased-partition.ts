// A partition from its assignment to the end of its epoch, under its lease (`partition-lease.ts` of messaging).
//
// #1 The position is written under the owner epoch, with what was read of days and pauses, and with the take-over.
// #2 A partition that is taken over again starts its work again; what is known of days, pauses and attempts is kept.
//    Every record that is in it then may have been tried by the owner that came between.
// #3 If the store was restored to an older point while this process lived, the process ends: what it knows is not in
//    the store, and its successor reads the topic again from the store's position.
// #4 Retries begin when the partition has read what was in it at the take-over, because an operator's pause may be
//    among it. They wait for that at most `catchUpWaitMaxMs`.
// #5 The position passes nothing whose receipt is not acknowledged. What is left of an earlier lease goes out too,
//    because this process does not handle those records again.
// #6 A position counts in one topic of one cluster. A partition is not taken while the topic is another one.

import { type PartitionEnds, PartitionLease, requireSameLog } from "@sluice/messaging";
import type { PartitionDocument } from "@sluice/store";
import { Fault, formatReason } from "@sluice/kernel";
import type { EngineContext } from "../context.ts";
import { drainPartition } from "../backlog/drain.ts";
import { removeStopped } from "../attempt/remove-stopped.ts";
import { removeUntried } from "../attempt/closed-days.ts";
import { createDeliveryPartition, type DeliveryPartition } from "./delivery-partition.ts";
import { partitionClosed } from "./delivery-lease.ts";
import { awaitMaintenanceEnds, clearMaintenanceTimer } from "./apply-pause-markers.ts";
import { takeOver } from "./take-over.ts";

interface PartitionAssignment {
  readonly number: number;
  readonly epoch: number;
  readonly ends: PartitionEnds;
  /** Aborted when it is over. */
  readonly over: AbortSignal;
}

export class LeasedPartition {
  readonly number: number;
  readonly epoch: number;
  readonly #context: EngineContext;
  readonly #assigned: PartitionEnds;
  readonly #lease: PartitionLease<PartitionDocument, DeliveryPartition>;
  /** Owned, or being taken over. */
  #partition: DeliveryPartition | null = null;
  /** The last partition that was taken over. */
  #before: DeliveryPartition | null = null;

  constructor(context: EngineContext, { number, epoch, ends, over }: PartitionAssignment) {
    const { time, logger, rules, partitionStore } = context;
    this.#context = context;
    this.#assigned = ends;
    this.number = number;
    this.epoch = epoch;
    this.#lease = new PartitionLease({
      service: rules.service,
      partition: number,
      store: partitionStore,
      time,
      logger,
      assignmentOver: over,
      heartbeatAgeMs: () => context.heartbeatAgeMs(),
      isStopping: () => context.isStopping(),
      watch: context.watch,
      takeOver: (document, hasGoneBack) => this.#takeOver(document, hasGoneBack),
      isWitnessMissing: () => this.#isWitnessMissing(),
      granted: (partition) => this.#start(partition),
      lost: (ownerEpoch) => logger.error("partition.fenced", { partition: number, epoch, ownerEpoch }),
      drop: (partition, reason) => this.#release(partition, reason),
      unconfirmed: () =>
        logger.warn("partition.retake-failed", {
          partition: number,
          reason: `partition ${number}: the group has not confirmed the assignment`,
        }),
    });
  }

  /** Resolves with the offset to read from. Rejects as the store does; a later call tries again. */
  async open(): Promise<bigint> {
    return (await this.#lease.take()).position;
  }

  /** Rejects with a retryable Fault while the partition is not owned. */
  current(): DeliveryPartition {
    const { owned } = this.#lease;
    if (owned === null) throw partitionClosed(this.number, "not owned by this process");
    return owned;
  }

  /** Set from the beginning of the take-over, so that suspensions and releases of endpoints reach it. */
  get partition(): DeliveryPartition | null {
    return this.#partition;
  }

  get running(): readonly Promise<void>[] {
    return [...(this.#lease.owned?.running ?? [])];
  }

  get trouble(): string | null {
    const { owned } = this.#lease;
    return owned === null ? "another owner came between" : owned.lease.trouble;
  }

  /** #1, #5 */
  async writePosition(nextOffset: bigint): Promise<void> {
    const partition = this.current();
    if (nextOffset >= partition.repeatsBelow) markCaughtUp(this.#context, partition);
    await partition.lease.waitUntilConfirmed();
    await sendReceipts(partition);
    partition.lease.requireOpen();
    const isStateNews = !partition.isStateWritten;
    partition.isStateWritten = true;
    const state = isStateNews ? { ...partition.days.state(), ...partition.pauses.state(), ...partition.takeOvers.state() } : undefined;
    try {
      if (await this.#lease.write(partition.ownerEpoch, nextOffset, state)) partition.position = nextOffset;
      else partition.lease.requireOpen();
    } catch (error) {
      if (isStateNews) partition.isStateWritten = false;
      throw error;
    }
  }

  async #isWitnessMissing(): Promise<boolean> {
    return this.#partition !== null && (await this.#context.parkedCalls.isWitnessMissing(this.#partition));
  }

  /** Cancels the timers of its work. */
  disarm(): void {
    if (this.#partition !== null) disarm(this.#partition);
  }

  close(reason: string): void {
    this.#lease.close(reason);
  }

  /** #2, #3 */
  async #takeOver(document: PartitionDocument, hasGoneBack: boolean): Promise<DeliveryPartition> {
    if (hasGoneBack) {
      const gone = new Fault("delivery.store-gone-back", `partition ${this.number}: the store was restored to an older point`, {
        isRetryable: false,
      });
      this.#context.fail(gone);
      throw gone;
    }
    await this.#checkLog(document);
    const log = this.#before === null ? this.#assigned : await this.#context.partitionEnds(this.number);
    const partition = createDeliveryPartition(this.#context, this.number, this.epoch, this.#before);
    partition.lookAtStore = () => this.#lookAtStore(document.epoch);
    this.#partition = partition;
    try {
      await takeOver(this.#context, partition, document, log);
    } catch (error) {
      this.#release(partition, "its take-over failed");
      throw error;
    }
    this.#before = partition;
    return partition;
  }

  /** Also during the take-over: what is read then may be another owner's already. */
  async #lookAtStore(ownerEpoch: number): Promise<void> {
    await this.#lease.look();
    if (this.#lease.epoch !== ownerEpoch) throw partitionClosed(this.number, "the store no longer names this owner");
  }

  /** #6 */
  async #checkLog({ epoch, log }: PartitionDocument): Promise<void> {
    const { partitionStore, rules } = this.#context;
    const found = await this.#context.logIdentity();
    requireSameLog(log, found, `the topic of ${rules.service}`);
    if (log === null) await partitionStore.noteLog(rules.service, this.number, epoch, found);
  }

  /** #4 */
  #start(partition: DeliveryPartition): void {
    partition.loseLease = () => this.#lease.lose(partition.ownerEpoch);
    for (const { page } of partition.queues.values()) page.rearm();
    awaitMaintenanceEnds(this.#context, partition);
    removeStopped(this.#context, partition);
    removeUntried(this.#context, partition);
    const { time, bounds } = this.#context;
    if (partition.position >= partition.repeatsBelow) return markCaughtUp(this.#context, partition);
    partition.catchUpTimer = time.after(bounds.catchUpWaitMaxMs, () => markCaughtUp(this.#context, partition));
  }

  #release(partition: DeliveryPartition, reason: string): void {
    if (this.#partition === partition) this.#partition = null;
    release(this.#context, partition, reason);
  }
}

/** #5. Whatever the send failed with, the position is tried again. */
async function sendReceipts({ receipts, number }: DeliveryPartition): Promise<void> {
  if (receipts.count === 0) return;
  try {
    await receipts.send();
  } catch (error) {
    const reason = `partition ${number}: its receipts are not appended: ${formatReason(error)}`;
    throw new Fault("delivery.receipts-not-appended", reason, { isRetryable: true, cause: error });
  }
}

function release(context: EngineContext, partition: DeliveryPartition, reason: string): void {
  if (!partition.lease.isOpen) return;
  disarm(partition);
  partition.lease.close(reason);
  for (const receiverId of partition.pauses.pausedReceivers())
    context.metrics.paused.set(0, { receiver: receiverId, partition: String(partition.number) });
  for (const queue of partition.queues.values()) {
    context.metrics.waiting.set(0, { receiver: queue.receiverId, partition: String(partition.number) });
    if (queue.isSpilling) for (const { slots } of context.endpoints.forReceiver(queue.receiverId)) slots.changeSpilling(-1);
  }
}

function markCaughtUp(context: EngineContext, partition: DeliveryPartition): void {
  partition.catchUpTimer?.[Symbol.dispose]();
  partition.catchUpTimer = null;
  if (partition.isCaughtUp) return;
  partition.isCaughtUp = true;
  drainPartition(context, partition);
}

function disarm(partition: DeliveryPartition): void {
  clearMaintenanceTimer(partition);
  partition.stoppedTimer?.[Symbol.dispose]();
  partition.stoppedTimer = null;
  partition.catchUpTimer?.[Symbol.dispose]();
  partition.catchUpTimer = null;
  partition.scan.timer?.[Symbol.dispose]();
  partition.scan.timer = null;
  for (const queue of partition.queues.values()) {
    queue.timer?.[Symbol.dispose]();
    queue.timer = null;
  }
}
