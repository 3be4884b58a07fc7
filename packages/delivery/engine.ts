// The engine: ordered delivery for the lanes that this process owns. Each part is a file of its own:
//
//   1 fast-path.ts   a new message is tried at once
//   2 spill.ts       what was not acknowledged goes to the store
//   3 take-over.ts   a lane starts with all that it has parked (scan.ts)
//   4 drain.ts       what is parked is tried again when due (parked-page.ts, retry-law.ts)
//   5 stop.ts        a change ends a delivery, and the journal is answered
//   6 end.ts         acknowledged, refused, stopped, expired
//
// Beside them: days.ts and pauses.ts (markers), redrive.ts (what was given up is tried again), destination.ts and held.ts (breaker, gate, how
// many at once).
//
// #1 A lane lives from its take-over to the end of its epoch (owned-lane.ts). What the engine is asked for another epoch, or
//    while the lane is not ours, rejects with a retryable Fault.

import type { BankPaused, BankResumed, DayReconciled, DayTimes } from "@sluice/contracts";
import type { AssignedLog } from "@sluice/messaging";
import { sleep } from "@sluice/runtime";
import type { Metrics } from "@sluice/telemetry";
import { deliveryBounds, type DeliveryBounds } from "./bounds.ts";
import { createContext, type EngineContext, type EnginePorts } from "./context.ts";
import { dayPlanned, dayReconciled } from "./days.ts";
import { deliveryMetrics } from "./delivery-metrics.ts";
import type { Delivery } from "./delivery.ts";
import { deliver } from "./fast-path.ts";
import { laneEvents } from "./held.ts";
import type { MarkerPlace } from "./lane-pauses.ts";
import type { DeliveryLane } from "./lane.ts";
import { OwnedLane } from "./owned-lane.ts";
import { laneClosed } from "./ownership.ts";
import { bankPaused, bankResumed } from "./pauses.ts";
import { redriveDelivery, type DeliveryRedrive } from "./redrive.ts";
import { stopDelivery, type DeliveryStop } from "./stop.ts";

/** What a service's handlers may do with a lane. */
export interface LaneDeliveries {
  deliver(delivery: Delivery): Promise<void>;
  stop(stop: DeliveryStop): Promise<void>;
  dayPlanned(marker: DayTimes): void;
  dayReconciled(marker: DayReconciled): void;
  redrive(redrive: DeliveryRedrive): Promise<void>;
  bankPaused(marker: BankPaused, place: MarkerPlace): void;
  bankResumed(marker: BankResumed, place: MarkerPlace): void;
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

const keepWaitMaxMs = 2_000;

export function createDeliveryEngine(ports: EnginePorts, metrics: Metrics, bounds: Partial<DeliveryBounds> = {}): DeliveryEngine {
  const lanes = new Map<number, OwnedLane>();
  const deliveries = new WeakMap<DeliveryLane, LaneDeliveries>();
  let isStopping = false;
  const events = laneEvents(
    () => context,
    () => [...lanes.values()].flatMap(({ lane }) => lane ?? []),
  );
  const context = createContext(ports, { ...deliveryBounds, ...bounds }, deliveryMetrics(metrics), () => isStopping, events);

  ports.gateway.onRenewed?.((bank) => {
    for (const destination of context.destinations.ofBank(bank)) destination.renewed();
  });

  function laneOf(partition: number, epoch: number): OwnedLane {
    const lane = lanes.get(partition);
    if (lane?.epoch === epoch) return lane;
    throw laneClosed(partition, `epoch ${epoch} is over`);
  }

  return {
    async open(partition, epoch, log) {
      await context.destinations.load();
      const lane = new OwnedLane(context, partition, epoch);
      // Before it is taken: what becomes of an address meanwhile is not overlooked.
      lanes.set(partition, lane);
      try {
        return await lane.open(log);
      } catch (error) {
        if (lanes.get(partition) === lane) lanes.delete(partition);
        throw error;
      }
    },
    closed(partition, epoch) {
      const lane = lanes.get(partition);
      if (lane?.epoch !== epoch) return;
      lanes.delete(partition);
      lane.close("its epoch is over");
    },
    lane(partition, epoch) {
      const lane = laneOf(partition, epoch).current();
      const known = deliveries.get(lane);
      if (known !== undefined) return known;
      const made = deliveriesOf(context, lane);
      deliveries.set(lane, made);
      return made;
    },
    position: async (partition, epoch, nextOffset) => laneOf(partition, epoch).writePosition(nextOffset),
    troubles() {
      return [...lanes.values()].flatMap(({ partition, trouble }) => (trouble === null ? [] : [`lane ${partition}: ${trouble}`]));
    },
    quiesce() {
      isStopping = true;
      for (const lane of lanes.values()) lane.disarm();
      context.destinations.stop();
    },
    async settled() {
      await Promise.all([...lanes.values()].flatMap(({ running }) => running));
      // Advice: a store that hangs does not keep the process from leaving its group.
      const kept = new AbortController();
      const keeping = context.destinations.keep().finally(() => kept.abort());
      await Promise.race([keeping, sleep(context.time, keepWaitMaxMs, kept.signal)]);
    },
    abandon() {
      for (const lane of lanes.values()) lane.close("given up");
    },
  };
}

function deliveriesOf(context: EngineContext, lane: DeliveryLane): LaneDeliveries {
  return {
    deliver: (delivery) => deliver(context, lane, delivery),
    stop: (stop) => stopDelivery(context, lane, stop),
    dayPlanned: (marker) => dayPlanned(context, lane, marker),
    dayReconciled: (marker) => dayReconciled(context, lane, marker),
    redrive: (redrive) => redriveDelivery(context, lane, redrive),
    bankPaused: (marker, place) => bankPaused(context, lane, marker, place),
    bankResumed: (marker, place) => bankResumed(context, lane, marker, place),
  };
}
