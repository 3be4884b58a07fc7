// A service around the engine: one consumer, its lanes, and the way of a record from its bytes to the service's handler.
//
// #1 Records of one delivery key come to the handler in order. A record whose schema is not known yet goes under the key it
//    has in the log, which is that of all of its UETR's messages but the few with own keys.
// #2 A record that cannot be read for a reason outside it (its schema is not to be had) waits, loudly, and goes on by itself.
//    One that is unreadable in itself, or that an operator put aside by hand while it waited, is put aside: appended to the dead letters,
//    acknowledged, then passed.
// #3 No lane is taken before agreed time is known.
// #4 Stopping: nothing parked is tried any more, what runs is finished, positions are written, then the group is left.

import { headers as headerNames, type AnyDecoded, type Serde } from "@sluice/contracts";
import {
  createAgreedTime,
  createAsides,
  createKeyedLanes,
  createProbe,
  deadLetterOf,
  isStoppedByRecord,
  type Keyed,
  type KeyedLane,
  type Lanes,
  type LogEnds,
  type Messaging,
  type Producer,
  type PutAside,
  type ReceivedRecord,
} from "@sluice/messaging";
import { assert, Fault, type Random, type Readiness, type Running, type Time } from "@sluice/runtime";
import type { AddressStore, LaneStore, ParkedStore } from "@sluice/store";
import type { Log, Metrics } from "@sluice/telemetry";
import type { Party } from "@sluice/config";
import { deliveryBounds, type DeliveryBounds } from "./bounds.ts";
import type { DeliveryRules, RecordPlace } from "./delivery.ts";
import { createDeliveryEngine, type DeliveryEngine, type LaneDeliveries } from "./engine.ts";
import type { BankGateway } from "./port.ts";

export interface DeliveryLanesOptions {
  readonly time: Time;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly messaging: Messaging;
  readonly serde: Serde;
  readonly gateway: BankGateway;
  /** Banks and scheme connectors. */
  readonly receivers: readonly Party[];
  readonly parked: ParkedStore;
  readonly laneStore: LaneStore;
  readonly addresses: AddressStore;
  readonly rules: DeliveryRules;
  readonly group: string;
  readonly topic: string;
  /** Partitions of the topic. */
  readonly lanes: number;
  /** Key of a record that has one of its own; null: the key it has in the log. */
  keyOf(decoded: AnyDecoded): string | null;
  /** The work; null where it is done at once; or why the record does not belong here. */
  handle(decoded: AnyDecoded, record: ReceivedRecord, lane: LaneDeliveries): Promise<void> | string | null;
  failed(reason: unknown): void;
  readonly bounds?: Partial<DeliveryBounds>;
}

/** What runs may take to settle, within the ten seconds that a process has to stop. */
const graceMs = 8_000;

export async function startDeliveryLanes(options: DeliveryLanesOptions): Promise<Running> {
  const { time, random, log, messaging, rules, group, topic } = options;
  const bounds = { ...deliveryBounds, ...options.bounds };
  const producer = await messaging.producer(rules.service);
  const agreed = createAgreedTime({ time, log, metrics: options.metrics, probe: createProbe(producer) });
  const nowMs = (): number => agreed.nowMs() ?? time.nowMs();
  const ports = { ...options, producer, lanes: options.laneStore, agreed: { nowMs, observe: (atMs: number) => agreed.saw(atMs) } };
  let consumer: Lanes | null = null;
  const heartbeatAgeMs = (): number => consumer?.heartbeatAgeMs() ?? Number.POSITIVE_INFINITY;
  const logEnds = async (partition: number): Promise<LogEnds> => {
    const [ends] = await messaging.ends([{ topic, partition }]);
    assert(ends !== undefined, "the log answers for the partition asked");
    return ends;
  };
  const engine = createDeliveryEngine({ ...ports, heartbeatAgeMs, logEnds }, options.metrics, bounds);
  const reader = createReader(options);
  const handle = handlerOf(options, { reader, producer, engine, saw: (appendedAtMs) => agreed.saw(appendedAtMs) });

  consumer = await createKeyedLanes({
    messaging,
    group,
    topic,
    runningMax: bounds.runningPerLaneMax,
    bufferedRecordsMax: bounds.bufferedRecordsMax,
    time,
    random,
    log,
    failed: (reason) => options.failed(reason),
    async startAt(partition, epoch, assigned) {
      // #3
      if (agreed.nowMs() === null) throw new Fault("delivery.time-unknown", "agreed time is not known yet", { isRetryable: true });
      return engine.open(partition, epoch, assigned);
    },
    closed: (partition, epoch) => engine.closed(partition, epoch),
    read: (record) => reader.read(record),
    handle,
    position: (partition, epoch, nextOffset) => engine.position(partition, epoch, nextOffset),
  });
  const lanes = consumer;
  let stopped: Promise<void> | null = null;

  async function stop(): Promise<void> {
    // #4
    using _grace = time.after(graceMs, () => engine.abandon());
    engine.quiesce();
    await lanes.drain();
    await engine.settled();
    await lanes.stop();
    agreed.stop();
    await producer.close();
  }

  return {
    readiness(): Readiness {
      const reasons = [...lanes.readiness().reasons, ...engine.troubles().map((trouble) => `${group}: ${trouble}`)];
      return { isReady: reasons.length === 0, reasons };
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

interface HandlerPorts {
  readonly reader: Reader;
  readonly producer: Pick<Producer, "send">;
  readonly engine: Pick<DeliveryEngine, "lane">;
  readonly saw: (appendedAtMs: number) => void;
}

type Handler = (record: ReceivedRecord, lane: KeyedLane, decoded: AnyDecoded | null) => Promise<void>;

function handlerOf(options: DeliveryLanesOptions, { reader, producer, engine, saw }: HandlerPorts): Handler {
  const { messaging, serde, topic } = options;
  const { service } = options.rules;
  const asides = createAsides({ messaging, serde, service });

  /** #2 */
  async function putAside(record: ReceivedRecord, refusal: Pick<PutAside, "reason" | "by">): Promise<void> {
    const reason = refusal.by === undefined ? refusal.reason : "by hand";
    options.log.error("record.put-aside", { topic, partition: record.partition, offset: record.offset, reason });
    await producer.send([deadLetterOf({ record, service, ...refusal }, serde)]);
  }

  /** #2: what stopped the work was the record itself. */
  async function stopped(record: ReceivedRecord, error: unknown): Promise<void> {
    const by = isStoppedByRecord(error) ? await asides.askedFor(record) : null;
    if (by === null) throw error;
    await putAside(record, { reason: by.reason, by: { ...by, stage: "done" } });
  }

  function work(record: ReceivedRecord, { partition, epoch }: KeyedLane, read: AnyDecoded | string): Promise<void> {
    const working = typeof read === "string" ? read : options.handle(read, record, engine.lane(partition, epoch));
    if (typeof working === "string") return putAside(record, { reason: working });
    return working ?? nothingToDo;
  }

  return (record, lane, decoded) => {
    saw(record.appendedAtMs);
    try {
      const working = decoded === null ? reader.readAgain(record).then((read) => work(record, lane, read)) : work(record, lane, decoded);
      return working.catch((error: unknown) => stopped(record, error));
    } catch (error) {
      return stopped(record, error);
    }
  };
}

const nothingToDo = Promise.resolve();

interface Reader {
  /** Null: it could not be read. */
  read(record: ReceivedRecord): Keyed<AnyDecoded | null>;
  /** The record, or why it cannot be read: short and stable. Rejects with a retryable Fault where its schema cannot be had. */
  readAgain(record: ReceivedRecord): Promise<AnyDecoded | string>;
}

/** Decodes each record once: when it comes, for its key and its handler. */
function createReader({ serde, keyOf }: Pick<DeliveryLanesOptions, "serde" | "keyOf">): Reader {
  function decode({ value }: ReceivedRecord): AnyDecoded {
    if (value === null) throw new Fault("contracts.unreadable", "no value", { isRetryable: false });
    return serde.decode(value);
  }

  return {
    read(record) {
      try {
        const decoded = decode(record);
        return { key: keyOf(decoded) ?? keyInLog(record), content: decoded };
      } catch {
        // #1: what is wrong with it is found, and said, when its turn comes.
        return { key: keyInLog(record), content: null };
      }
    },
    async readAgain(record) {
      try {
        return decode(record);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        if (error.code !== "contracts.unknown-schema" || record.value === null) return error.message;
        await serde.learn(record.value);
        return decode(record);
      }
    },
  };
}

function keyInLog({ key, partition, offset }: ReceivedRecord): string {
  return key === null ? `${partition}@${offset}` : new TextDecoder().decode(key);
}

export function placeOf({ offset, value, headers }: ReceivedRecord): RecordPlace {
  return { sequence: offset, record: value ?? new Uint8Array(), traceparent: headers[headerNames.traceparent] ?? null };
}
