// Finds postings in the events topic without an index: for each state, from the time at which it was entered.
//
// #1 Of what a replay produced again the first is taken. An event of class ESM_STATE lies right after that of its state.
// #2 Bounded in events, bytes, records and time. Where a bound is met, the page ends and says where to go on; null: with nothing found.
// #3 A state whose event is not yet in the log ends the page, too: events are never given out of order.
// #4 What cannot be read is passed by.

import { headers, partitionOf, topics, type AnyDecoded, type Serde } from "@sluice/contracts";
import type { Transition } from "@sluice/domain";
import type { Messaging, ReceivedRecord, TopicPartition } from "@sluice/messaging";
import { Fault, type Time } from "@sluice/runtime";
import { offsetSince } from "@sluice/timeline";

export interface FindEventsPorts {
  readonly time: Time;
  readonly messaging: Messaging;
  readonly serde: Serde;
  /** Partitions of the topic. */
  readonly laneCount: number;
}

export interface WantedEvents {
  readonly uetr: string;
  readonly receiver: string;
  /** In order of stageVersion. */
  readonly wanted: readonly Pick<Transition, "stageVersion" | "atMs">[];
}

export interface FoundEvent {
  /** `webhook-id` of its posting. */
  readonly id: string;
  /** JSON text. */
  readonly body: string;
}

export interface EventsPage {
  readonly events: readonly FoundEvent[];
  readonly next: number | null;
}

const eventsMax = 20;
const bodyBytesMax = 1024 * 1024;
const walkedRecordsMax = 50_000;
const searchMaxMs = 4_000;
/** So many records are walked over before the log is halved again. */
const walkOnRecords = 1_000n;
/** What the clocks of two brokers may differ by: an event may seem to be older than what caused it. */
const skewMaxMs = 10_000;

interface Walk {
  readonly events: FoundEvent[];
  bytes: number;
  /** Of `wanted`: the next one to find. */
  index: number;
  offset: bigint;
  walkedRecords: number;
  /** The state event just found and given: an ESM_STATE event of it may follow at once. */
  given: { readonly causedByOffset: bigint; readonly state: string } | null;
}

export async function findEvents(search: WantedEvents, ports: FindEventsPorts): Promise<EventsPage | null> {
  const { messaging, time } = ports;
  const partition = { topic: topics.events, partition: partitionOf(search.uetr, ports.laneCount) };
  const [ends] = await messaging.ends([partition]);
  if (ends === undefined) return null;
  const untilMs = time.monotonicMs() + searchMaxMs;
  const walk: Walk = { events: [], bytes: 0, index: 0, offset: ends.logStart, walkedRecords: 0, given: null };
  const isOver = (): boolean => isFull(walk) || walk.walkedRecords >= walkedRecordsMax || time.monotonicMs() >= untilMs;
  while (walk.index < search.wanted.length && walk.offset < ends.logEnd && !isOver()) {
    const sinceMs = sinceOf(search, walk) ?? 0;
    walk.offset = await offsetSince(messaging, partition, { from: walk.offset, to: ends.logEnd, sinceMs, withinRecords: walkOnRecords });
    await walkOn(walk, search, ports, { partition, to: ends.logEnd, isOver });
  }
  const next = search.wanted[walk.index]?.stageVersion ?? null;
  const isNothingFound = next !== null && walk.events.length === 0 && walk.index === 0 && walk.offset < ends.logEnd;
  return isNothingFound ? null : { events: walk.events, next };
}

interface Stretch {
  readonly partition: TopicPartition;
  readonly to: bigint;
  isOver(): boolean;
}

/** Walks until a bound is met, or the next event to find was entered so much later that halving again is quicker. */
async function walkOn(walk: Walk, search: WantedEvents, ports: FindEventsPorts, stretch: Stretch): Promise<void> {
  const key = new TextEncoder().encode(search.uetr);
  const farOffset = walk.offset + walkOnRecords;
  for await (const record of ports.messaging.read(stretch.partition, walk.offset, stretch.to)) {
    if (stretch.isOver() && !isEsm(record)) return;
    walk.offset = record.offset + 1n;
    walk.walkedRecords += 1;
    const isOurs = record.key !== null && areEqual(record.key, key);
    if (isOurs) take(walk, search, await decodedIn(record, ports.serde));
    else walk.given = null;
    if (walk.given !== null) continue;
    const sinceMs = sinceOf(search, walk);
    if (sinceMs === null || (sinceMs > record.appendedAtMs && record.offset >= farOffset)) return;
  }
  walk.offset = stretch.to > walk.offset ? stretch.to : walk.offset;
}

/** Nothing of the next event to find was appended before; null: all are found. */
function sinceOf({ wanted }: WantedEvents, { index }: Walk): number | null {
  const next = wanted[index];
  return next === undefined ? null : next.atMs - skewMaxMs;
}

function take(walk: Walk, { wanted, receiver }: WantedEvents, decoded: AnyDecoded | null): void {
  if (decoded?.name === "TransactionStateEvent") {
    const { stageVersion, bank, causedByOffset, state } = decoded.value;
    if (stageVersion !== wanted[walk.index]?.stageVersion) return;
    walk.index += 1;
    if (bank === receiver) give(walk, decoded.value);
    walk.given = { causedByOffset, state };
    return;
  }
  const { given } = walk;
  walk.given = null;
  if (decoded?.name !== "EsmStateEvent" || given === null) return;
  const { causedByOffset, state, bank } = decoded.value;
  if (bank === receiver && causedByOffset === given.causedByOffset && state === given.state) give(walk, decoded.value);
}

function give(walk: Walk, { id, body }: { readonly id: string; readonly body: Uint8Array }): void {
  walk.events.push({ id, body: new TextDecoder().decode(body) });
  walk.bytes += body.byteLength;
}

function isFull({ events, bytes }: Walk): boolean {
  return events.length >= eventsMax || bytes >= bodyBytesMax;
}

function isEsm({ headers: given }: ReceivedRecord): boolean {
  return given[headers.type] === "EsmStateEvent";
}

/** #4 */
async function decodedIn({ value }: ReceivedRecord, serde: Serde): Promise<AnyDecoded | null> {
  if (value === null) return null;
  try {
    return serde.decode(value);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (!error.isRetryable) return null;
  }
  await serde.learn(value);
  return serde.decode(value);
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
