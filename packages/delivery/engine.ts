// The engine: ordered delivery for the partitions that this process owns. Each part is a file of its own:
//
//   1 attempt/fast-path.ts     tries a new message at once
//   2 backlog/spill.ts         parks in the store what was not acknowledged
//   3 partition/take-over.ts   starts a partition with all that it has parked (backlog/scan.ts)
//   4 backlog/drain.ts         retries what is parked when it is due (backlog/backlog-page.ts, attempt/retry-law.ts)
//   5 attempt/stop.ts          ends a delivery by a change, and answers the journal
//   6 attempt/end.ts           ends a delivery that is acknowledged, refused, stopped or expired
//
// Markers are applied by partition/apply-day-markers.ts and partition/apply-pause-markers.ts, redrives by
// attempt/redrive.ts, stops of operators by attempt/give-up.ts. endpoint/endpoint.ts decides whether an endpoint may be
// called and how often at once, endpoint/endpoint-suspension.ts applies that to the backlogs.
//
// #1 A partition works from its take-over to the end of its epoch (leased-partition.ts). A call for another epoch, or
//    for a partition that this process does not own, rejects with a retryable Fault.

import type { ConfiguredParty } from "@sluice/config";
import type { BankPaused, BankResumed, DayReconciled, DayTimes, EndpointCheckRequested } from "@sluice/contracts";
import type { AssignedOffsets } from "@sluice/messaging";
import { type Metrics, sleep } from "@sluice/kernel";
import { deliveryBounds, type DeliveryBounds } from "./bounds.ts";
import { createEngineContext, type EngineContext, type EnginePorts } from "./context.ts";
import { applyDayTimes, applyDayReconciled } from "./partition/apply-day-markers.ts";
import { createDeliveryMetrics } from "./metrics.ts";
import type { Delivery } from "./rules.ts";
import { deliver } from "./attempt/fast-path.ts";
import { checkEndpoints } from "./endpoint/check-endpoints.ts";
import type { Operation } from "./port.ts";
import { createEndpointSuspension } from "./endpoint/endpoint-suspension.ts";
import type { MarkerPosition } from "./partition/partition-pauses.ts";
import type { AttemptsUnderWay } from "./partition/attempts-under-way.ts";
import type { DeliveryPartition } from "./partition/delivery-partition.ts";
import { LeasedPartition } from "./partition/leased-partition.ts";
import { partitionClosed } from "./partition/delivery-lease.ts";
import { replaceEndpoints } from "./partition/replace-endpoints.ts";
import { applyPause, applyResume } from "./partition/apply-pause-markers.ts";
import { applyGiveUp, type DeliveryGiveUp } from "./attempt/give-up.ts";
import { applyRedrive, type DeliveryRedrive } from "./attempt/redrive.ts";
import { applyStop, type DeliveryStop } from "./attempt/stop.ts";

/** What a service's handlers may ask of one partition. */
export interface DeliveryWorker {
  deliver(delivery: Delivery): Promise<void>;
  stop(stop: DeliveryStop): Promise<void>;
  planDay(marker: DayTimes): void;
  reconcileDay(marker: DayReconciled, place: Pick<MarkerPosition, "offset">): void;
  redrive(redrive: DeliveryRedrive): Promise<void>;
  giveUp(giveUp: DeliveryGiveUp): Promise<void>;
  pauseReceiver(marker: BankPaused, place: MarkerPosition): void;
  resumeReceiver(marker: BankResumed, place: MarkerPosition): void;
  /** Calls the addresses of these operations without a message. */
  checkReceiver(request: EndpointCheckRequested, place: MarkerPosition, operations: readonly Operation[]): void;
}

export interface DeliveryEngine {
  /** Takes the partition over and resolves with the offset to read from. */
  open(partition: number, epoch: number, log: AssignedOffsets, assignmentOver: AbortSignal): Promise<bigint>;
  close(partition: number, epoch: number): void;
  /** The attempts of a partition, which end before it is handed over; null where this process does not own it. */
  attemptsOf(partition: number, epoch: number): AttemptsUnderWay | null;
  worker(partition: number, epoch: number): DeliveryWorker;
  writePosition(partition: number, epoch: number, nextOffset: bigint): Promise<void>;
  /** The partition's memory is full, or no longer: what is in it delays what has not been read. */
  markFull(partition: number, epoch: number, isFull: boolean): void;
  /** Takes other receivers over; only those that were added, removed or changed are touched. */
  replaceReceivers(next: readonly ConfiguredParty[]): void;
  /** Configured connections to each endpoint of a receiver; 0 where it is not configured. */
  connectionsOf(receiverId: string): number;
  /** Why a partition makes no progress, in a short text; null: it does. */
  troubleOf(partition: number): string | null;
  /** Why the store did not answer the last look; null: it did. */
  storeTrouble(): string | null;
  /** Stops all retries of parked messages. */
  quiesce(): void;
  /** Resolves when no work runs any more. */
  waitUntilIdle(): Promise<void>;
  /** Cancels the work that still runs and leaves it to the next owner. */
  abandon(): void;
}

const flushWaitMaxMs = 2_000;

export function createDeliveryEngine(ports: EnginePorts, metrics: Metrics, bounds: Partial<DeliveryBounds> = {}): DeliveryEngine {
  const leasedPartitions = new Map<number, LeasedPartition>();
  const workers = new WeakMap<DeliveryPartition, DeliveryWorker>();
  const partitions = (): readonly DeliveryPartition[] => [...leasedPartitions.values()].flatMap(({ partition }) => partition ?? []);
  let isStopping = false;
  const endpointSuspension = createEndpointSuspension(() => context, partitions);
  const context = createEngineContext(
    ports,
    { ...deliveryBounds, ...bounds },
    createDeliveryMetrics(metrics, ports.time),
    () => isStopping,
    endpointSuspension,
  );

  ports.gateway.onCredentialsReplaced?.((receiverId) => context.endpoints.tryAll(receiverId));

  function requireLeased(partition: number, epoch: number): LeasedPartition {
    const leased = leasedPartitions.get(partition);
    if (leased?.epoch === epoch) return leased;
    throw partitionClosed(partition, `epoch ${epoch} is over`);
  }

  return {
    async open(partition, epoch, log, assignmentOver) {
      await context.endpoints.load();
      const leased = new LeasedPartition(context, { number: partition, epoch, ends: log, over: assignmentOver });
      // Registered before its take-over, so that it hears of every endpoint that is suspended or released meanwhile.
      leasedPartitions.set(partition, leased);
      try {
        return await leased.open();
      } catch (error) {
        if (leasedPartitions.get(partition) === leased) leasedPartitions.delete(partition);
        throw error;
      }
    },
    close(partition, epoch) {
      const leased = leasedPartitions.get(partition);
      if (leased?.epoch !== epoch) return;
      leasedPartitions.delete(partition);
      leased.close("its epoch is over");
    },
    attemptsOf(partition, epoch) {
      const leased = leasedPartitions.get(partition);
      return leased?.epoch === epoch ? (leased.partition?.attempts ?? null) : null;
    },
    worker(partition, epoch) {
      const current = requireLeased(partition, epoch).current();
      const known = workers.get(current);
      if (known !== undefined) return known;
      const worker = createWorker(context, current);
      workers.set(current, worker);
      return worker;
    },
    writePosition: async (partition, epoch, nextOffset) => requireLeased(partition, epoch).writePosition(nextOffset),
    markFull(partition, epoch, isFull) {
      const leased = leasedPartitions.get(partition);
      if (leased?.epoch === epoch && leased.partition !== null) leased.partition.isFull = isFull;
    },
    replaceReceivers: (next) => replaceReceivers(context, partitions(), next),
    connectionsOf: (receiverId) => context.receiver(receiverId)?.connections ?? 0,
    troubleOf: (partition) => leasedPartitions.get(partition)?.trouble ?? null,
    storeTrouble: () => context.watch.trouble(),
    quiesce() {
      isStopping = true;
      for (const leased of leasedPartitions.values()) leased.disarm();
      context.endpoints.stop();
    },
    waitUntilIdle: () => Promise.all([...leasedPartitions.values()].flatMap(({ running }) => running)).then(() => flushHealth(context)),
    abandon() {
      for (const leased of leasedPartitions.values()) leased.close("abandoned at the stop");
    },
  };
}

/** Endpoint health is advice: a store that hangs must not keep the process in its consumer group. */
async function flushHealth({ endpoints, time }: EngineContext): Promise<void> {
  const flushed = new AbortController();
  const flushing = endpoints.flush().finally(() => flushed.abort());
  await Promise.race([flushing, sleep(time, flushWaitMaxMs, flushed.signal)]);
}

function replaceReceivers(context: EngineContext, partitions: readonly DeliveryPartition[], next: readonly ConfiguredParty[]): void {
  for (const receiverId of context.replaceReceivers(next)) {
    for (const partition of partitions) replaceEndpoints(context, partition, receiverId);
    context.endpoints.tryAll(receiverId);
  }
}

function createWorker(context: EngineContext, partition: DeliveryPartition): DeliveryWorker {
  return {
    deliver: (delivery) => deliver(context, partition, delivery),
    stop: (stop) => applyStop(context, partition, stop),
    planDay: (marker) => applyDayTimes(context, partition, marker),
    reconcileDay: (marker, place) => applyDayReconciled(context, partition, marker, place),
    redrive: (redrive) => applyRedrive(context, partition, redrive),
    giveUp: (giveUp) => applyGiveUp(context, partition, giveUp),
    pauseReceiver: (marker, place) => applyPause(context, partition, marker, place),
    resumeReceiver: (marker, place) => applyResume(context, partition, marker, place),
    // Nobody waits for it: the record is done, and its result is advice.
    checkReceiver: (request, place, operations) => void checkEndpoints(context, request, place.appendedAtMs, operations),
  };
}
