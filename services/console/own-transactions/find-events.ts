// Finds postings in the events topic without an index: for each state, the search starts at the time at which the state
// was entered.
//
// #1 If a replay produced an event again, the first one is used. An event of class ESM_STATE follows directly on the
//    event of its state.
// #2 A search is bounded in events, bytes, records and time. At a bound the page ends and names the next stageVersion;
//    the result is null if nothing was found before a bound.
// #3 A state whose event is not in the topic yet ends the page too: events are never returned out of order.
// #4 A record or a batch that cannot be read is skipped.
// #5 An event that is in the topic no longer is rendered again: one from before the topic begins, and one behind which
//    a later event of the transaction is found first.
// #6 An erased event has a place and no body: it is passed over, so that the list of an erased transaction ends.

import { headers, partitionFor, topics, type AnyDecodedRecord, type Serde } from "@sluice/contracts";
import type { Transition } from "@sluice/domain";
import type { Messaging, ReceivedRecord, TopicPartition } from "@sluice/messaging";
import type { Time } from "@sluice/kernel";
import { findOffsetSince, readAround } from "@sluice/timeline";
import { decodeWithErased } from "./decode-readable.ts";
import type { PostedEvent } from "./past-events.ts";
import { readTopicBegin, brokerSkewMaxMs } from "./topic-begin.ts";

export interface FindEventsPorts {
  readonly time: Time;
  readonly messaging: Messaging;
  readonly serde: Serde;
  /** Number of partitions of the topic. */
  readonly partitionCount: number;
}

export interface EventSearch {
  readonly uetr: string;
  readonly receiver: string;
  /** Entries into states, in order of stageVersion. */
  readonly wanted: readonly Pick<Transition, "stageVersion" | "atMs">[];
  /** #5 */
  render(stageVersion: number): Promise<readonly PostedEvent[]>;
}

export interface EventsPage {
  readonly events: readonly PostedEvent[];
  readonly next: number | null;
}

const eventsMax = 20;
const bodyBytesMax = 1024 * 1024;
const walkedRecordsMax = 50_000;
const searchMaxMs = 4_000;
/** Records that are read one by one before the binary search by time is used again. */
const walkOnRecords = 1_000n;

/** Progress of one search. */
interface Walk {
  readonly events: PostedEvent[];
  bytes: number;
  /** Index in `wanted` of the next event to find. */
  index: number;
  offset: bigint;
  walkedRecords: number;
  /** The state event that was found last: its ESM_STATE event may follow at once. */
  given: { readonly causedByOffset: bigint; readonly state: string } | null;
}

export async function findEvents(search: EventSearch, ports: FindEventsPorts): Promise<EventsPage | null> {
  const { messaging, time } = ports;
  const partition = { topic: topics.events, partition: partitionFor(search.uetr, ports.partitionCount) };
  const [ends] = await messaging.ends([partition]);
  if (ends === undefined) return null;
  const untilMs = time.monotonicMs() + searchMaxMs;
  const walk: Walk = { events: [], bytes: 0, index: 0, offset: ends.logStart, walkedRecords: 0, given: null };
  const beganMs = await readTopicBegin(ports, partition, ends);
  const isOver = (): boolean => isFull(walk) || walk.walkedRecords >= walkedRecordsMax || time.monotonicMs() >= untilMs;
  await renderBefore(walk, search, beganMs === null ? Number.NEGATIVE_INFINITY : beganMs - brokerSkewMaxMs);
  while (walk.index < search.wanted.length && walk.offset < ends.logEnd && !isOver()) {
    const sinceMs = earliestAppendMs(search, walk) ?? 0;
    walk.offset = await findOffsetSince(messaging, partition, {
      from: walk.offset,
      to: ends.logEnd,
      sinceMs,
      withinRecords: walkOnRecords,
    });
    await walkOn(walk, search, ports, { partition, to: ends.logEnd, isOver });
  }
  // What the topic lost at its begin may have been entered after its oldest record was appended, by another clock.
  if (beganMs !== null && walk.offset >= ends.logEnd) await renderBefore(walk, search, beganMs + brokerSkewMaxMs);
  const next = search.wanted[walk.index]?.stageVersion ?? null;
  const isNothingFound = next !== null && walk.events.length === 0 && walk.index === 0 && walk.offset < ends.logEnd;
  return isNothingFound ? null : { events: walk.events, next };
}

interface SearchedRange {
  readonly partition: TopicPartition;
  readonly to: bigint;
  isOver(): boolean;
}

/**
 * Reads on until a bound is reached, or until the next state was entered so much later that a binary search is faster.
 */
async function walkOn(walk: Walk, search: EventSearch, ports: FindEventsPorts, stretch: SearchedRange): Promise<void> {
  const key = new TextEncoder().encode(search.uetr);
  const farOffset = walk.offset + walkOnRecords;
  for await (const record of readAround(ports.messaging, stretch.partition, { from: walk.offset, to: stretch.to })) {
    if (stretch.isOver() && !isEsm(record)) return;
    walk.offset = record.offset + 1n;
    walk.walkedRecords += 1;
    const isOurs = record.key !== null && areEqual(record.key, key);
    if (isOurs) await take(walk, search, await decodeWithErased(record, ports.serde));
    else walk.given = null;
    if (walk.given !== null) continue;
    const sinceMs = earliestAppendMs(search, walk);
    if (sinceMs === null || (sinceMs > record.appendedAtMs && record.offset >= farOffset)) return;
  }
  walk.offset = stretch.to > walk.offset ? stretch.to : walk.offset;
}

/** Time before which the next event cannot have been appended; null: all events are found. */
function earliestAppendMs({ wanted }: EventSearch, { index }: Walk): number | null {
  const next = wanted[index];
  return next === undefined ? null : next.atMs - brokerSkewMaxMs;
}

async function take(walk: Walk, search: EventSearch, decoded: AnyDecodedRecord | null): Promise<void> {
  const { wanted, receiver } = search;
  if (decoded?.name === "TransactionStateEvent") {
    const { stageVersion, bank, causedByOffset, state } = decoded.value;
    while (stageVersion > (wanted[walk.index]?.stageVersion ?? Infinity) && !isFull(walk)) await renderNext(walk, search);
    if (stageVersion !== wanted[walk.index]?.stageVersion || isFull(walk)) return;
    walk.index += 1;
    if (bank === receiver) give(walk, decoded);
    walk.given = { causedByOffset, state };
    return;
  }
  const { given } = walk;
  walk.given = null;
  if (decoded?.name !== "EsmStateEvent" || given === null) return;
  const { causedByOffset, state, bank } = decoded.value;
  if (bank === receiver && causedByOffset === given.causedByOffset && state === given.state) give(walk, decoded);
}

interface FoundEvent {
  readonly value: { readonly id: string; readonly body: Uint8Array };
  readonly isErased?: boolean;
}

/** #6 */
function give(walk: Walk, { value: { id, body }, isErased }: FoundEvent): void {
  if (isErased === true) return;
  walk.events.push({ id, body: new TextDecoder().decode(body) });
  walk.bytes += body.byteLength;
}

/** Renders the next events that were entered before a time. */
async function renderBefore(walk: Walk, search: EventSearch, beforeMs: number): Promise<void> {
  while ((search.wanted[walk.index]?.atMs ?? Infinity) < beforeMs && !isFull(walk)) await renderNext(walk, search);
}

async function renderNext(walk: Walk, search: EventSearch): Promise<void> {
  const next = search.wanted[walk.index];
  if (next === undefined) return;
  walk.given = null;
  walk.index += 1;
  for (const event of await search.render(next.stageVersion)) {
    walk.events.push(event);
    walk.bytes += Buffer.byteLength(event.body);
  }
}

function isFull({ events, bytes }: Walk): boolean {
  return events.length >= eventsMax || bytes >= bodyBytesMax;
}

function isEsm({ headers: given }: ReceivedRecord): boolean {
  return given[headers.type] === "EsmStateEvent";
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
