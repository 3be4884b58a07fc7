// A partition from its assignment to the end of its epoch. It is taken over, and taken again after a late take-over by
// an earlier owner.
//
// #1 The position is written with the owner epoch and with what was read of days and pauses. If the store refuses the
//    write, another owner has raised the epoch, and nothing more is done in the partition.
// #2 If the group still assigns the partition to this process, that owner was a late one: the partition is taken again,
//    after the coordinator has confirmed the assignment since. Work under way starts again; what is known of days,
//    pauses and attempts is kept.
// #3 Retries begin when the partition has read what was in it at the take-over, because an operator's pause may be
//    among it. They wait for that at most `catchUpWaitMaxMs`.

import type { PartitionEnds } from "@sluice/messaging";
import type { EngineContext } from "../context.ts";
import { drainPartition } from "../backlog/drain.ts";
import { removeStopped } from "../attempt/remove-stopped.ts";
import { removeUntried } from "../attempt/closed-days.ts";
import { createDeliveryPartition, type DeliveryPartition } from "./delivery-partition.ts";
import { partitionClosed } from "./delivery-lease.ts";
import { awaitMaintenanceEnds, clearMaintenanceTimer } from "./apply-pause-markers.ts";
import { takeOver } from "./take-over.ts";

/** Longer than two heartbeats: a heartbeat answered this recently was answered after the epoch was lost. */
const confirmedAfterMs = 3_500;

export class LeasedPartition {
  readonly number: number;
  readonly epoch: number;
  readonly #context: EngineContext;
  #partition: DeliveryPartition | null = null;
  /** Set during a take-over. */
  #opening: DeliveryPartition | null = null;
  #isOver = false;
  #lostAtMs = 0;
  #retaking: Disposable | null = null;

  constructor(context: EngineContext, number: number, epoch: number) {
    this.#context = context;
    this.number = number;
    this.epoch = epoch;
  }

  /** Resolves with the offset to read from. Rejects as the store does; a later call tries again. */
  async open(log: PartitionEnds): Promise<bigint> {
    return this.#take(createDeliveryPartition(this.#context, this.number, this.epoch, null), log);
  }

  /** Rejects with a retryable Fault while the partition is not owned. */
  current(): DeliveryPartition {
    if (this.#partition === null) throw partitionClosed(this.number, "not owned by this process");
    return this.#partition;
  }

  /** Set from the beginning of the take-over, so that suspensions and releases of endpoints reach it. */
  get partition(): DeliveryPartition | null {
    return this.#partition ?? this.#opening;
  }

  get running(): readonly Promise<void>[] {
    return this.#partition === null ? [] : [...this.#partition.running];
  }

  get trouble(): string | null {
    return this.#partition === null ? "another owner came between" : this.#partition.lease.trouble;
  }

  /** #1 */
  async writePosition(nextOffset: bigint): Promise<void> {
    const partition = this.current();
    if (nextOffset >= partition.repeatsBelow) markCaughtUp(this.#context, partition);
    await partition.lease.waitUntilConfirmed();
    const isStateNews = !partition.isStateWritten;
    partition.isStateWritten = true;
    const state = isStateNews ? { ...partition.days.state(), ...partition.pauses.state() } : undefined;
    try {
      const { partitionStore, rules } = this.#context;
      if (await partitionStore.write(rules.service, this.number, partition.ownerEpoch, nextOffset, state)) {
        partition.position = nextOffset;
        return;
      }
    } catch (error) {
      if (isStateNews) partition.isStateWritten = false;
      throw error;
    }
    this.#lost(partition);
    partition.lease.requireOpen();
  }

  /** #3 */
  #catchUp(partition: DeliveryPartition, position: bigint): void {
    const { time, bounds } = this.#context;
    if (position >= partition.repeatsBelow) return markCaughtUp(this.#context, partition);
    partition.catchUpTimer = time.after(bounds.catchUpWaitMaxMs, () => markCaughtUp(this.#context, partition));
  }

  /** Cancels all timers. */
  disarm(): void {
    this.#retaking?.[Symbol.dispose]();
    this.#retaking = null;
    if (this.#partition !== null) disarm(this.#partition);
  }

  close(reason: string): void {
    this.#isOver = true;
    this.disarm();
    this.#giveUp(reason);
  }

  async #take(partition: DeliveryPartition, log: PartitionEnds): Promise<bigint> {
    this.#opening = partition;
    try {
      const position = await takeOver(this.#context, partition, log);
      this.#partition = partition;
      partition.loseLease = () => this.#lost(partition);
      for (const { page } of partition.queues.values()) page.rearm();
      if (this.#isOver) this.#giveUp("its epoch is over");
      else {
        awaitMaintenanceEnds(this.#context, partition);
        removeStopped(this.#context, partition);
        removeUntried(this.#context, partition);
        this.#catchUp(partition, position);
      }
      return position;
    } catch (error) {
      release(this.#context, partition, "its take-over failed");
      throw error;
    } finally {
      this.#opening = null;
    }
  }

  #lost(partition: DeliveryPartition): void {
    if (this.#partition !== partition) return;
    this.#context.logger.error("partition.fenced", { partition: this.number, epoch: this.epoch, ownerEpoch: partition.ownerEpoch });
    this.#giveUp("another owner has taken it over");
    this.#lostAtMs = this.#context.time.monotonicMs();
    this.#retakeLater(partition);
  }

  /** #2. If the partition is not ours, the group closes it. */
  #retakeLater(before: DeliveryPartition): void {
    const { time, logger } = this.#context;
    if (this.#isOver || this.#context.isStopping()) return;
    this.#retaking = time.after(confirmedAfterMs, () => {
      this.#retaking = null;
      const isConfirmed = this.#context.heartbeatAgeMs() < time.monotonicMs() - this.#lostAtMs;
      const retaking = isConfirmed
        ? this.#retake(before)
        : Promise.reject(partitionClosed(this.number, "the group has not confirmed the assignment"));
      retaking.catch((error: unknown) => {
        logger.warn("partition.retake-failed", { partition: this.number, reason: error instanceof Error ? error.message : String(error) });
        this.#retakeLater(before);
      });
    });
  }

  async #retake(before: DeliveryPartition): Promise<void> {
    // The owner that came between may have tried everything that is in the partition by now.
    const log = await this.#context.partitionEnds(this.number);
    if (this.#isOver) return;
    await this.#take(createDeliveryPartition(this.#context, this.number, this.epoch, before), log);
  }

  #giveUp(reason: string): void {
    if (this.#partition === null) return;
    release(this.#context, this.#partition, reason);
    this.#partition = null;
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
