// The engine: ordered delivery for the lanes that this process owns. Each part is a file of its own:
//
//   1 fast-path.ts   a new message is tried at once
//   2 spill.ts       what was not acknowledged goes to the store
//   3 take-over.ts   a lane starts with all that it has parked (scan.ts)
//   4 drain.ts       what is parked is tried again when due (parked-page.ts, retry-law.ts)
//   5 stop.ts        a change ends a delivery, and the journal is answered
//   6 end.ts         acknowledged, refused, stopped, expired
//
// #1 A lane lives from its take-over to the end of its epoch. What the engine is asked for another epoch rejects.
// #2 The position is written with the owner epoch and the days read so far; a write that another owner's epoch refuses closes
//    the lane here.

import type { DayReconciled, DayTimes } from "@sluice/contracts";
import type { AssignedLog } from "@sluice/messaging";
import { Fault } from "@sluice/runtime";
import type { Metrics } from "@sluice/telemetry";
import { deliveryBounds, type DeliveryBounds } from "./bounds.ts";
import { createContext, type EngineContext, type EnginePorts } from "./context.ts";
import { dayPlanned, dayReconciled } from "./days.ts";
import { deliveryMetrics } from "./delivery-metrics.ts";
import type { Delivery } from "./delivery.ts";
import { drainLane } from "./drain.ts";
import { deliver } from "./fast-path.ts";
import { newLane, type DeliveryLane } from "./lane.ts";
import { stopDelivery, type DeliveryStop } from "./stop.ts";
import { takeOver } from "./take-over.ts";

/** What a service's handlers may do with a lane. */
export interface LaneDeliveries {
  deliver(delivery: Delivery): Promise<void>;
  stop(stop: DeliveryStop): Promise<void>;
  dayPlanned(marker: DayTimes): void;
  dayReconciled(marker: DayReconciled): void;
}

export interface DeliveryEngine {
  /** Answers where to start. */
  open(partition: number, epoch: number, log: AssignedLog): Promise<bigint>;
  closed(partition: number, epoch: number): void;
  lane(partition: number, epoch: number): LaneDeliveries;
  position(partition: number, epoch: number, nextOffset: bigint): Promise<void>;
  /** Why lanes make no progress, one short text each. */
  troubles(): readonly string[];
  /** From now on nothing parked is tried any more. */
  quiesce(): void;
  /** Resolves when nothing runs any more. */
  settled(): Promise<void>;
  /** What still runs is given up: its work is left to the next owner. */
  abandon(): void;
}

export function createDeliveryEngine(ports: EnginePorts, metrics: Metrics, bounds: Partial<DeliveryBounds> = {}): DeliveryEngine {
  const lanes = new Map<number, DeliveryLane>();
  let isStopping = false;
  const context = createContext(ports, { ...deliveryBounds, ...bounds }, deliveryMetrics(metrics), () => isStopping);

  function laneOf(partition: number, epoch: number): DeliveryLane {
    const lane = lanes.get(partition);
    if (lane?.epoch === epoch) return lane;
    throw new Fault("delivery.lane-closed", `lane ${partition}: epoch ${epoch} is over`, { isRetryable: true });
  }

  return {
    async open(partition, epoch, log) {
      const lane = newLane(context, partition, epoch);
      const position = await takeOver(context, lane, log).catch((error: unknown) => {
        close(context, lane, "not taken");
        throw error;
      });
      lanes.set(partition, lane);
      drainLane(context, lane);
      return position;
    },
    closed(partition, epoch) {
      const lane = lanes.get(partition);
      if (lane?.epoch !== epoch) return;
      lanes.delete(partition);
      close(context, lane, "its epoch is over");
    },
    lane(partition, epoch) {
      const lane = laneOf(partition, epoch);
      return {
        deliver: (delivery) => deliver(context, lane, delivery),
        stop: (stop) => stopDelivery(context, lane, stop),
        dayPlanned: (marker) => dayPlanned(context, lane, marker),
        dayReconciled: (marker) => dayReconciled(context, lane, marker),
      };
    },
    position: (partition, epoch, nextOffset) => writePosition(context, laneOf(partition, epoch), nextOffset),
    troubles() {
      return [...lanes.values()].flatMap(({ partition, ownership }) =>
        ownership.trouble === null ? [] : [`lane ${partition}: ${ownership.trouble}`],
      );
    },
    quiesce() {
      isStopping = true;
      for (const lane of lanes.values()) disarm(lane);
    },
    async settled() {
      await Promise.all([...lanes.values()].flatMap((lane) => [...lane.running]));
    },
    abandon() {
      for (const lane of lanes.values()) close(context, lane, "given up");
    },
  };
}

/** #2 */
async function writePosition(context: EngineContext, lane: DeliveryLane, nextOffset: bigint): Promise<void> {
  await lane.ownership.mayAct();
  const areDaysNews = !lane.areDaysWritten;
  lane.areDaysWritten = true;
  const state = areDaysNews ? lane.days.state() : undefined;
  try {
    const { service } = context.rules;
    if (await context.lanes.write(service, lane.partition, lane.ownerEpoch, nextOffset, state)) return;
  } catch (error) {
    if (areDaysNews) lane.areDaysWritten = false;
    throw error;
  }
  context.log.error("lane.fenced", { partition: lane.partition, epoch: lane.epoch, ownerEpoch: lane.ownerEpoch });
  close(context, lane, "another owner took it over");
  lane.ownership.requireOpen();
}

function close(context: EngineContext, lane: DeliveryLane, reason: string): void {
  if (!lane.ownership.isOpen) return;
  disarm(lane);
  lane.ownership.close(reason);
  for (const queue of lane.banks.values()) if (queue.isSpilling) context.slots(queue.bank).spilling(-1);
}

function disarm(lane: DeliveryLane): void {
  lane.scanTimer?.[Symbol.dispose]();
  lane.scanTimer = null;
  for (const queue of lane.banks.values()) {
    queue.timer?.[Symbol.dispose]();
    queue.timer = null;
  }
}
