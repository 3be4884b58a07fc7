// A lane from its assignment to the end of its epoch: taken, and taken anew if a late take-over of an earlier owner came between.
//
// #1 The position is written with the owner epoch and what was read of days and pauses so far. A write that the store refuses means that another
//    owner raised the epoch since: nothing of the lane is done any more.
// #2 If the group still says that the lane is ours, that owner was a late one: the lane is taken anew, after the coordinator has
//    confirmed us since. What is under way starts again; what was read of days and pauses and tried of messages is kept.
// #3 What is parked is tried from when the lane has read what lay in its partition at the take-over: an operator's pause may be among it.
//    It waits `catchUpWaitMaxMs` for that, no longer.

import type { LogEnds } from "@sluice/messaging";
import type { EngineContext } from "./context.ts";
import { drainLane } from "./drain.ts";
import { forgetStopped } from "./forget-stopped.ts";
import { newLane, type DeliveryLane } from "./lane.ts";
import { laneClosed } from "./ownership.ts";
import { awaitEnds, forgetEnds } from "./pauses.ts";
import { takeOver } from "./take-over.ts";

/** Longer than two heartbeats: an answer this young came after the epoch was lost. */
const confirmedAfterMs = 3_500;

export class OwnedLane {
  readonly partition: number;
  readonly epoch: number;
  readonly #context: EngineContext;
  #lane: DeliveryLane | null = null;
  /** While it is being taken. */
  #coming: DeliveryLane | null = null;
  #isOver = false;
  #lostAtMs = 0;
  #retaking: Disposable | null = null;

  constructor(context: EngineContext, partition: number, epoch: number) {
    this.#context = context;
    this.partition = partition;
    this.epoch = epoch;
  }

  /** Answers where to start. Rejects as the store does; then it is to be called again. */
  async open(log: LogEnds): Promise<bigint> {
    return this.#take(newLane(this.#context, this.partition, this.epoch, null), log);
  }

  /** Rejects with a retryable Fault while there is none. */
  current(): DeliveryLane {
    if (this.#lane === null) throw laneClosed(this.partition, "not ours");
    return this.#lane;
  }

  /** While it is ours, and from the beginning of its take-over: what becomes of an address meanwhile reaches it. */
  get lane(): DeliveryLane | null {
    return this.#lane ?? this.#coming;
  }

  get running(): readonly Promise<void>[] {
    return this.#lane === null ? [] : [...this.#lane.running];
  }

  get trouble(): string | null {
    return this.#lane === null ? "another owner came between" : this.#lane.ownership.trouble;
  }

  /** #1 */
  async writePosition(nextOffset: bigint): Promise<void> {
    const lane = this.current();
    if (nextOffset >= lane.repeatsBelow) caughtUp(this.#context, lane);
    await lane.ownership.mayAct();
    const isStateNews = !lane.isStateWritten;
    lane.isStateWritten = true;
    const state = isStateNews ? { ...lane.days.state(), ...lane.pauses.state() } : undefined;
    try {
      const { lanes, rules } = this.#context;
      if (await lanes.write(rules.service, this.partition, lane.ownerEpoch, nextOffset, state)) {
        lane.position = nextOffset;
        return;
      }
    } catch (error) {
      if (isStateNews) lane.isStateWritten = false;
      throw error;
    }
    this.#lost(lane);
    lane.ownership.requireOpen();
  }

  /** #3 */
  #catchUp(lane: DeliveryLane, position: bigint): void {
    const { time, bounds } = this.#context;
    if (position >= lane.repeatsBelow) return caughtUp(this.#context, lane);
    lane.catchUpTimer = time.after(bounds.catchUpWaitMaxMs, () => caughtUp(this.#context, lane));
  }

  /** No timer fires any more. */
  disarm(): void {
    this.#retaking?.[Symbol.dispose]();
    this.#retaking = null;
    if (this.#lane !== null) disarm(this.#lane);
  }

  close(reason: string): void {
    this.#isOver = true;
    this.disarm();
    this.#giveUp(reason);
  }

  async #take(lane: DeliveryLane, log: LogEnds): Promise<bigint> {
    this.#coming = lane;
    try {
      const position = await takeOver(this.#context, lane, log);
      this.#lane = lane;
      for (const { page } of lane.banks.values()) page.rearm();
      if (this.#isOver) this.#giveUp("its epoch is over");
      else {
        awaitEnds(this.#context, lane);
        forgetStopped(this.#context, lane);
        this.#catchUp(lane, position);
      }
      return position;
    } catch (error) {
      release(this.#context, lane, "not taken");
      throw error;
    } finally {
      this.#coming = null;
    }
  }

  #lost(lane: DeliveryLane): void {
    if (this.#lane !== lane) return;
    this.#context.log.error("lane.fenced", { partition: this.partition, epoch: this.epoch, ownerEpoch: lane.ownerEpoch });
    this.#giveUp("another owner took it over");
    this.#lostAtMs = this.#context.time.monotonicMs();
    this.#retakeLater(lane);
  }

  /** #2. If the lane is not ours, the group tells so by closing it. */
  #retakeLater(before: DeliveryLane): void {
    const { time, log } = this.#context;
    if (this.#isOver || this.#context.isStopping()) return;
    this.#retaking = time.after(confirmedAfterMs, () => {
      this.#retaking = null;
      const isConfirmed = this.#context.heartbeatAgeMs() < time.monotonicMs() - this.#lostAtMs;
      const retaking = isConfirmed ? this.#retake(before) : Promise.reject(laneClosed(this.partition, "the group has not confirmed it"));
      retaking.catch((error: unknown) => {
        log.warn("lane.retake-failed", { partition: this.partition, reason: error instanceof Error ? error.message : String(error) });
        this.#retakeLater(before);
      });
    });
  }

  async #retake(before: DeliveryLane): Promise<void> {
    // Whatever lies there by now may have been tried by the owner that came between.
    const log = await this.#context.logEnds(this.partition);
    if (this.#isOver) return;
    await this.#take(newLane(this.#context, this.partition, this.epoch, before), log);
  }

  #giveUp(reason: string): void {
    if (this.#lane === null) return;
    release(this.#context, this.#lane, reason);
    this.#lane = null;
  }
}

function release(context: EngineContext, lane: DeliveryLane, reason: string): void {
  if (!lane.ownership.isOpen) return;
  disarm(lane);
  lane.ownership.close(reason);
  for (const bank of lane.pauses.banks()) context.metrics.paused.set(0, { bank, lane: String(lane.partition) });
  for (const queue of lane.banks.values()) {
    context.metrics.waiting.set(0, { bank: queue.bank, lane: String(lane.partition) });
    if (queue.isSpilling) for (const { slots } of context.destinations.ofBank(queue.bank)) slots.spilling(-1);
  }
}

function caughtUp(context: EngineContext, lane: DeliveryLane): void {
  lane.catchUpTimer?.[Symbol.dispose]();
  lane.catchUpTimer = null;
  if (lane.isCaughtUp) return;
  lane.isCaughtUp = true;
  drainLane(context, lane);
}

function disarm(lane: DeliveryLane): void {
  forgetEnds(lane);
  lane.stoppedTimer?.[Symbol.dispose]();
  lane.stoppedTimer = null;
  lane.catchUpTimer?.[Symbol.dispose]();
  lane.catchUpTimer = null;
  lane.scanTimer?.[Symbol.dispose]();
  lane.scanTimer = null;
  for (const queue of lane.banks.values()) {
    queue.timer?.[Symbol.dispose]();
    queue.timer = null;
  }
}
