// Runs a delivery service around the engine: one consumer, its partitions, and the path of a record from its bytes to
// the service's handler.
//
// #1 The handler gets the records of one delivery key in order. A record whose schema is not known yet uses the key it
//    has in the topic, which all messages of its UETR share, except the few with keys of their own.
// #2 A record that cannot be read for an outside reason (its schema cannot be fetched) waits, is logged, and goes on by
//    itself. A record that is unreadable in itself, or that an operator skipped while it waited, is dead-lettered: it
//    is appended to the dead letters, that is acknowledged, and only then is the record passed.
// #3 No partition is taken before the broker clock is known.
// #4 A stop ends the retries, finishes what runs, writes the positions, and then leaves the consumer group.

import { headers as headerNames, type AnyDecodedRecord } from "@sluice/contracts";
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
  readOrLearn,
  type ReceivedRecord,
  skipStoppedRecord,
  type UnreadableReason,
} from "@sluice/messaging";
import type { ServicePorts } from "@sluice/process";
import { assert, Fault, type Readiness, type Running } from "@sluice/kernel";
import type { EndpointHealthStore, PartitionStore, ParkedStore } from "@sluice/store";
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
  onFailure(reason: unknown): void;
  readonly bounds?: Partial<DeliveryBounds>;
}

/** Milliseconds that running work may take, within the ten seconds that a process has to stop. */
const graceMs = 8_000;

export interface RunningDelivery extends Running {
  /** Takes other receivers over; only those that were added, removed or changed are touched. */
  replaceReceivers(next: readonly ConfiguredParty[]): void;
}

export async function startDelivery(options: DeliveryOptions): Promise<RunningDelivery> {
  const { time, random, logger, messaging, rules, group, topic } = options;
  const bounds = { ...deliveryBounds, ...options.bounds };
  const producer = await messaging.producer(rules.service);
  const brokerClock = startBrokerClock({ time, logger, metrics: options.metrics, probe: createProbe(producer) });
  const nowMs = (): number => brokerClock.nowMs() ?? time.nowMs();
  let consumer: PartitionConsumer | null = null;
  const heartbeatAgeMs = (): number => consumer?.heartbeatAgeMs() ?? Number.POSITIVE_INFINITY;
  const logEnds = async (partition: number): Promise<PartitionEnds> => {
    const [ends] = await messaging.ends([{ topic, partition }]);
    assert(ends !== undefined, "the broker answers for the partition asked");
    return ends;
  };
  const engine = createDeliveryEngine(
    {
      ...options,
      producer,
      partitionStore: options.partitionStore,
      brokerClock: { nowMs, observe: (appendedAtMs) => brokerClock.observe(appendedAtMs) },
      heartbeatAgeMs,
      partitionEnds: logEnds,
    },
    options.metrics,
    bounds,
  );
  const handle = createHandler(options, { producer, engine, observe: (appendedAtMs) => brokerClock.observe(appendedAtMs) });

  consumer = await createKeyedConsumer({
    messaging,
    group,
    topic,
    runningMax: bounds.runningPerPartitionMax,
    bufferedRecordsMax: bounds.bufferedRecordsMax,
    time,
    random,
    logger,
    failed: (reason) => options.onFailure(reason),
    async startAt(partition, epoch, assigned) {
      // #3
      if (brokerClock.nowMs() === null)
        throw new Fault("delivery.time-unknown", "the broker clock is not known yet", { isRetryable: true });
      return engine.open(partition, epoch, assigned);
    },
    closed: (partition, epoch) => engine.close(partition, epoch),
    read: (record) => readContent(record, options),
    handle,
    writePosition: (partition, epoch, nextOffset) => engine.writePosition(partition, epoch, nextOffset),
  });
  const partitionConsumer = consumer;
  let stopped: Promise<void> | null = null;

  async function stop(): Promise<void> {
    // #4
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
    readiness(): Readiness {
      const reasons = [...partitionConsumer.readiness().reasons, ...engine.troubles().map((trouble) => `${group}: ${trouble}`)];
      return { isReady: reasons.length === 0, reasons };
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** The gateway is first: an attempt that begins now goes to the new address. */
function replaceReceivers({ gateway }: DeliveryOptions, engine: DeliveryEngine, next: readonly ConfiguredParty[]): void {
  gateway.replaceReceivers?.(next);
  engine.replaceReceivers(next);
}

interface HandlerPorts {
  readonly producer: Pick<Producer, "send">;
  readonly engine: Pick<DeliveryEngine, "worker">;
  readonly observe: (appendedAtMs: number) => void;
}

type Handler = (record: ReceivedRecord, worker: PartitionEpoch, decoded: AnyDecodedRecord | null) => Promise<void>;

function createHandler(options: DeliveryOptions, { producer, engine, observe }: HandlerPorts): Handler {
  const { messaging, serde, topic } = options;
  const { service } = options.rules;
  const operatorSkips = createOperatorSkips({ messaging, serde, service });

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
    const working = typeof read === "string" ? read : options.handle(read, record, engine.worker(partition, epoch));
    if (typeof working === "string") return sendToDeadLetters(record, { unreadable: working });
    return working ?? alreadyDone;
  }

  return (record, worker, decoded) => {
    observe(record.appendedAtMs);
    try {
      const working =
        decoded === null ? readOrLearn(record, serde).then((read) => work(record, worker, read)) : work(record, worker, decoded);
      return working.catch((error: unknown) => handleFailure(record, error));
    } catch (error) {
      return handleFailure(record, error);
    }
  };
}

const alreadyDone = Promise.resolve();

/**
 * Decodes each record once, when it arrives, for its key and its handler; `content` is null where it cannot be read.
 */
function readContent(
  record: ReceivedRecord,
  { serde, readKey }: Pick<DeliveryOptions, "serde" | "readKey">,
): KeyedContent<AnyDecodedRecord | null> {
  try {
    const decoded = serde.decode(record.value ?? noBytes);
    return { key: readKey(decoded) ?? recordKey(record), content: decoded };
  } catch {
    // #1: the handler's turn finds out, and reports, what is wrong with the record.
    return { key: recordKey(record), content: null };
  }
}

const noBytes = new Uint8Array();

function recordKey({ key, partition, offset }: ReceivedRecord): string {
  return key === null ? `${partition}@${offset}` : new TextDecoder().decode(key);
}

export function readDeliverySource({ offset, value, headers }: ReceivedRecord): DeliverySource {
  return { sequence: offset, record: value ?? noBytes, traceparent: headers[headerNames.traceparent] ?? null };
}
