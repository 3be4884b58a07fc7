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
  type Asides,
  type KeyedLane,
  type Lanes,
  type LogEnds,
  type Messaging,
  type PutAside,
  type ReceivedRecord,
} from "@sluice/messaging";
import { assert, Fault, type Random, type Readiness, type Running, type Time } from "@sluice/runtime";
import type { AddressStore, LaneStore, ParkedStore } from "@sluice/store";
import type { Log, Metrics } from "@sluice/telemetry";
import type { Party } from "@sluice/config";
import { deliveryBounds, type DeliveryBounds } from "./bounds.ts";
import type { DeliveryRules, RecordPlace } from "./delivery.ts";
import { createDeliveryEngine, type LaneDeliveries } from "./engine.ts";
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
  /** Answers why the record does not belong here; null where it does, and is done. */
  handle(decoded: AnyDecoded, record: ReceivedRecord, lane: LaneDeliveries): Promise<string | null>;
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
  const asides = createAsides({ messaging, serde: options.serde, service: rules.service });

  async function handle(record: ReceivedRecord, { partition, epoch }: KeyedLane): Promise<void> {
    agreed.saw(record.appendedAtMs);
    const refusal = await refusalOf(options, { reader, asides }, record, engine.lane(partition, epoch));
    if (refusal === null) return;
    log.error("record.put-aside", {
      topic,
      partition,
      offset: record.offset,
      reason: refusal.by === undefined ? refusal.reason : "by hand",
    });
    await producer.send([deadLetterOf({ record, service: rules.service, ...refusal }, options.serde)]);
  }

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
    keyOf: (record) => reader.keyOf(record),
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

/** #2 Why a record is put aside; null: it is done. */
async function refusalOf(
  { handle }: Pick<DeliveryLanesOptions, "handle">,
  { reader, asides }: { readonly reader: Reader; readonly asides: Asides },
  record: ReceivedRecord,
  lane: LaneDeliveries,
): Promise<Pick<PutAside, "reason" | "by"> | null> {
  try {
    const decoded = await reader.read(record);
    const reason = typeof decoded === "string" ? decoded : await handle(decoded, record, lane);
    return reason === null ? null : { reason };
  } catch (error) {
    const by = isStoppedByRecord(error) ? await asides.askedFor(record) : null;
    if (by === null) throw error;
    return { reason: by.reason, by: { ...by, stage: "done" } };
  }
}

interface Reader {
  keyOf(record: ReceivedRecord): string;
  /** The record, or why it cannot be read: short and stable. Rejects with a retryable Fault where its schema cannot be had. */
  read(record: ReceivedRecord): Promise<AnyDecoded | string>;
}

/** Decodes each record once: for its key when it comes, for its handler when its turn comes. */
function createReader({ serde, keyOf }: Pick<DeliveryLanesOptions, "serde" | "keyOf">): Reader {
  const decodings = new WeakMap<ReceivedRecord, AnyDecoded>();

  function decode(record: ReceivedRecord): AnyDecoded {
    const known = decodings.get(record);
    if (known !== undefined) return known;
    if (record.value === null) throw new Fault("contracts.unreadable", "no value", { isRetryable: false });
    const decoded = serde.decode(record.value);
    decodings.set(record, decoded);
    return decoded;
  }

  return {
    keyOf(record) {
      try {
        const own = keyOf(decode(record));
        if (own !== null) return own;
      } catch {
        // #1: what is wrong with it is found, and said, when its turn comes.
      }
      return keyInLog(record);
    },
    async read(record) {
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
