// Runs a delivery service around the engine: one consumer, its partitions, and the path of a record from its bytes to
// the service's handler.
//
// #1 The handler gets the records of one delivery key in order. A record whose schema is not known yet uses the key it
//    has in the topic, which all messages of its UETR share, except the few with keys of their own.
// #2 A record that cannot be read for an outside reason (its schema cannot be fetched) waits, is logged, and goes on by
//    itself. A record that is unreadable in itself, or that an operator skipped while it waited, is dead-lettered: it
//    is appended to the dead letters, that is acknowledged, and only then is the record passed.
// #3 No partition is taken before the broker clock is known.
// #4 The receiver of a record is read from a header, so that the records of one receiver pass those of another that
//    waits (I14). Markers have no receiver, and pass all.
// #5 A stop ends the retries, finishes what runs, writes the positions, and then leaves the consumer group.

import { findReceiver, headers as headerNames, readTrace, type AnyDecodedRecord } from "@sluice/contracts";
import {
  startBrokerClock,
  createOperatorSkips,
  createKeyedConsumer,
  createProbe,
  buildDeadLetter,
  type KeyedContent,
  type PartitionEpoch,
  type PartitionConsumer,
  type PartitionEnds,
  type Producer,
  deadLetterReason,
  type ReachedBound,
  reachedBounds,
  readOrLearn,
  type ReceivedRecord,
  type ReceiverSharing,
  SharedLimits,
  type OperatorSkips,
  skippedBatchRecord,
  skipStoppedRecord,
  type UnreadableReason,
} from "@sluice/messaging";
import type { ServicePorts } from "@sluice/process";
import { assert, Fault, type Readiness, type Running } from "@sluice/kernel";
import { type EndpointHealthStore, type PartitionStore, type ParkedStore, sharePositionWrites } from "@sluice/store";
import type { ConfiguredParty } from "@sluice/config";
import { deliveryBounds, type DeliveryBounds } from "./bounds.ts";
import type { DeliveryRules, DeliverySource } from "./rules.ts";
import { createDeliveryEngine, type DeliveryEngine, type DeliveryWorker } from "./engine.ts";
import type { ReceiverGateway } from "./port.ts";

export interface DeliveryOptions extends ServicePorts {
  readonly gateway: ReceiverGateway;
  /** Banks and scheme connectors. */
  readonly receivers: readonly ConfiguredParty[];
  readonly parked: ParkedStore;
  readonly partitionStore: PartitionStore;
  readonly endpointHealth: EndpointHealthStore;
  readonly rules: DeliveryRules;
  readonly group: string;
  readonly topic: string;
  /** Reads the key of a record that has one of its own; null means the key that it has in the topic. */
  readKey(decoded: AnyDecodedRecord): string | null;
  /** Starts the work and returns it; null where it is done at once; a text says why the record does not belong here. */
  handle(decoded: AnyDecodedRecord, record: ReceivedRecord, worker: DeliveryWorker): Promise<void> | string | null;
  /** Tells whether an operator's record counts, and reports it if not. */
  countsForOperator(record: ReceivedRecord, kind: string): boolean;
  fail(reason: unknown): void;
  readonly bounds?: Partial<DeliveryBounds>;
}

/** Milliseconds that running work may take, within the ten seconds that a process has to stop. */
const graceMs = 8_000;

export interface RunningDelivery extends Running {
  /** Takes other receivers over; only those that were added, removed or changed are touched. */
  replaceReceivers(next: readonly ConfiguredParty[]): void;
}

export async function startDelivery(options: DeliveryOptions): Promise<RunningDelivery> {
  const { time, random, logger, metrics, messaging, rules, group, topic } = options;
  const bounds = { ...deliveryBounds, ...options.bounds };
  const producer = await messaging.producer(rules.service);
  const brokerClock = startBrokerClock({ time, logger, metrics, probe: createProbe(producer) });
  const nowMs = (): number => brokerClock.nowMs() ?? time.nowMs();
  let consumer: PartitionConsumer | null = null;
  const heartbeatAgeMs = (): number => consumer?.heartbeatAgeMs() ?? Number.POSITIVE_INFINITY;
  const engine = createDeliveryEngine(
    {
      ...options,
      producer,
      partitionStore: sharePositionWrites(options.partitionStore, time),
      brokerClock: { nowMs, observe: (appendedAtMs) => brokerClock.observe(appendedAtMs) },
      heartbeatAgeMs,
      logIdentity: () => messaging.identity(topic),
      partitionEnds: (partition) => readEnds(options, partition),
    },
    metrics,
    bounds,
  );
  const isValid = (letter: ReceivedRecord): boolean => options.countsForOperator(letter, "DeadLetter");
  const operatorSkips = createOperatorSkips({ messaging, serde: options.serde, service: rules.service, isValid });
  const handle = createHandler(options, { operatorSkips, producer, engine, observe: (appendedAtMs) => brokerClock.observe(appendedAtMs) });

  consumer = await createKeyedConsumer({
    messaging,
    group,
    topic,
    runningMax: bounds.runningPerPartitionMax,
    bufferedRecordsMax: bounds.bufferedRecordsMax,
    sharing: createSharing(options, bounds, engine),
    time,
    random,
    logger,
    metrics,
    operatorSkips,
    troubleOf: (partition) => engine.troubleOf(partition),
    fail: (reason) => options.fail(reason),
    async startAt(partition, epoch, assigned, assignmentOver) {
      // #3
      if (brokerClock.nowMs() === null)
        throw new Fault("delivery.time-unknown", "the broker clock is not known yet", { isRetryable: true });
      return engine.open(partition, epoch, assigned, assignmentOver);
    },
    draining: (partition, epoch) => engine.attemptsOf(partition, epoch)?.beginHandOver(time.monotonicMs()),
    handOver: async (partition, epoch) => await engine.attemptsOf(partition, epoch)?.handOver(time),
    closed: (partition, epoch) => engine.close(partition, epoch),
    read: (record) => readContent(record, options),
    handle,
    writePosition: (partition, epoch, nextOffset) => engine.writePosition(partition, epoch, nextOffset),
  });
  const partitionConsumer = consumer;
  let stopped: Promise<void> | null = null;

  async function stop(): Promise<void> {
    // #5
    using _grace = time.after(graceMs, () => engine.abandon());
    engine.quiesce();
    await partitionConsumer.drain();
    await engine.waitUntilIdle();
    await partitionConsumer.stop();
    brokerClock.stop();
    await producer.close();
  }

  return {
    replaceReceivers: (next) => replaceReceivers(options, engine, next),
    readiness: () => addStoreTrouble(partitionConsumer.readiness(), engine.storeTrouble()),
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

function addStoreTrouble(readiness: Readiness, trouble: string | null): Readiness {
  return trouble === null ? readiness : { ...readiness, isReady: false, reasons: [`the store: ${trouble}`, ...readiness.reasons] };
}

/** Milliseconds between two log lines about the same bound. */
const boundLogIntervalMs = 60_000;

function createSharing(
  { time, logger, metrics, topic }: Pick<DeliveryOptions, "time" | "logger" | "metrics" | "topic">,
  bounds: DeliveryBounds,
  engine: Pick<DeliveryEngine, "markFull" | "connectionsOf">,
): ReceiverSharing {
  const reachedTotal = metrics.counter("sluice_delivery_bounds_reached_total", "Times that a bound began to hold records up, by bound.", [
    "bound",
  ]);
  for (const bound of reachedBounds) reachedTotal.add({ bound }, 0);
  const loggedAtMs = new Map<ReachedBound, number>();
  return {
    receiverRunningMin: bounds.receiverRunningMin,
    runningMaxOf: (receiver) => Math.max(bounds.runningPerPartitionMax, 2 * (receiver === null ? 0 : engine.connectionsOf(receiver))),
    readAheadFrom: bounds.readAheadFromRecords,
    limits: new SharedLimits(bounds),
    // #4
    receiverOf: ({ headers }) => headers[headerNames.receiver] ?? null,
    reached(bound, place) {
      reachedTotal.add({ bound });
      const nowMs = time.monotonicMs();
      if (nowMs - (loggedAtMs.get(bound) ?? Number.NEGATIVE_INFINITY) < boundLogIntervalMs) return;
      loggedAtMs.set(bound, nowMs);
      logger.warn("delivery.bound-reached", { topic, bound, ...place });
    },
    full: (partition, epoch, isFull) => engine.markFull(partition, epoch, isFull),
  };
}

/** The gateway is first: an attempt that begins now goes to the new address. */
function replaceReceivers({ gateway }: DeliveryOptions, engine: DeliveryEngine, next: readonly ConfiguredParty[]): void {
  gateway.replaceReceivers?.(next);
  engine.replaceReceivers(next);
}

interface HandlerPorts {
  readonly producer: Pick<Producer, "send">;
  readonly operatorSkips: Pick<OperatorSkips, "findRequest">;
  readonly engine: Pick<DeliveryEngine, "worker">;
  readonly observe: (appendedAtMs: number) => void;
}

type Handler = (record: ReceivedRecord, owned: PartitionEpoch, decoded: AnyDecodedRecord | null) => Promise<void>;

function createHandler(options: DeliveryOptions, { producer, operatorSkips, engine, observe }: HandlerPorts): Handler {
  const { serde, topic } = options;
  const { service } = options.rules;

  /** #2 */
  async function sendToDeadLetters(record: ReceivedRecord, reason: UnreadableReason): Promise<void> {
    const { partition, offset } = record;
    options.logger.error("record.dead-lettered", { topic, partition, offset, reason: reason.unreadable });
    await producer.send([buildDeadLetter({ record, service, ...deadLetterReason(reason) }, serde)]);
  }

  /** #2: looks for an operator's skip where the record itself stopped the work. */
  async function handleFailure(record: ReceivedRecord, error: unknown): Promise<void> {
    await sendToDeadLetters(record, await skipStoppedRecord(operatorSkips, record, error));
  }

  function work(record: ReceivedRecord, { partition, epoch }: PartitionEpoch, read: AnyDecodedRecord | string): Promise<void> {
    // Without its body nothing can be sent, and nothing must: the bank would take an empty message.
    if (typeof read !== "string" && read.isErased === true) {
      options.logger.warn("record.erased", { topic, partition: record.partition, offset: record.offset });
      return alreadyDone;
    }
    const working = typeof read === "string" ? read : options.handle(read, record, engine.worker(partition, epoch));
    if (typeof working === "string") return sendToDeadLetters(record, { unreadable: working });
    return working ?? alreadyDone;
  }

  return (record, owned, decoded) => {
    observe(record.appendedAtMs);
    const skipped = skippedBatchRecord(record);
    if (skipped !== null) return sendToDeadLetters(record, skipped);
    try {
      const working =
        decoded === null ? readOrLearn(record, serde).then((read) => work(record, owned, read)) : work(record, owned, decoded);
      return working.catch((error: unknown) => handleFailure(record, error));
    } catch (error) {
      return handleFailure(record, error);
    }
  };
}

const alreadyDone = Promise.resolve();

/**
 * Decodes each record once, for its key and its handler, and for its receiver where no header names it; `content` is
 * null where it cannot be read.
 */
function readContent(
  record: ReceivedRecord,
  { serde, readKey }: Pick<DeliveryOptions, "serde" | "readKey">,
): KeyedContent<AnyDecodedRecord | null> {
  try {
    const decoded = serde.decode(record.value ?? noBytes);
    return { key: readKey(decoded) ?? recordKey(record), content: decoded, receiver: findReceiver(decoded) };
  } catch {
    // #1: the handler's turn finds out, and reports, what is wrong with the record.
    return { key: recordKey(record), content: null };
  }
}

const noBytes = new Uint8Array();
const keyText = new TextDecoder();

function recordKey({ key, partition, offset }: ReceivedRecord): string {
  return key === null ? `${partition}@${offset}` : keyText.decode(key);
}

export function readDeliverySource({ offset, value, headers }: ReceivedRecord): DeliverySource {
  return { sequence: offset, record: value ?? noBytes, traceparent: readTrace(headers) };
}

async function readEnds({ messaging, topic }: DeliveryOptions, partition: number): Promise<PartitionEnds> {
  const [ends] = await messaging.ends([{ topic, partition }]);
  assert(ends !== undefined, "the broker answers for the partition asked");
  return ends;
}
