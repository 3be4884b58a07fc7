// Walks over the events of a bank that were made in a time, from a place on, until a bound.
//
// #1 Partition by partition, each from the first event of that time on. So those of one UETR are in order; between two
//    of them there is none.
// #2 A page is bounded in events, bytes, records and time. It may be empty and have a `next` all the same: the place
//    from which to go on.
// #3 An event that a replay has made again is there again, under the same id. What cannot be read is skipped.
// #4 What the events topic no longer has is rendered again, in the form that the bank has chosen now. Which events
//    those are, the entries for analysts say, which are kept for longer. Around the begin of the events topic an event
//    may come twice: from both.

import { type AnyDecodedRecord, topics } from "@sluice/contracts";
import type { Messaging, PartitionEnds, ReceivedRecord, TopicPartition } from "@sluice/messaging";
import { Fault, type Time } from "@sluice/kernel";
import { findOffsetSince, readAround } from "@sluice/timeline";
import type { Store, TransactionDocument } from "@sluice/store";
import { decodeReadable } from "./decode-readable.ts";
import { type NumberedEvent, type PastEventsPorts, renderPastEvents } from "./past-events.ts";
import { readTopicBegin, brokerSkewMaxMs } from "./topic-begin.ts";

export interface EventsPlace {
  readonly partition: number;
  /** Null: the first one of the time that is asked for. */
  readonly offset: bigint | null;
  /** #4. The offset is one of the entries. */
  readonly isPast: boolean;
}

export interface EventsSpan {
  readonly bank: string;
  /** Append times of the events, epoch milliseconds; the first is included, the second is not. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly after: EventsPlace;
}

export interface WalkedEvent extends NumberedEvent {
  readonly uetr: string;
  /** Append time of its record. */
  readonly atMs: number;
  readonly partition: number;
  /** In the events topic; null: it was rendered again. */
  readonly offset: bigint | null;
}

/** #2 */
export interface WalkBounds {
  readonly eventsMax: number;
  readonly bytesMax: number;
}

export interface WalkedEvents {
  readonly events: readonly WalkedEvent[];
  /** Null: there are no more. */
  readonly next: EventsPlace | null;
}

export interface WalkEventsPorts extends PastEventsPorts {
  readonly time: Time;
  readonly messaging: Messaging;
  readonly store: Pick<Store, "transactions">;
  /** Number of partitions of the topics. */
  readonly partitionCount: number;
}

/** Longest time between two instants of a question. */
export const eventsSpanMaxMs = 31 * 86_400_000;

/** Entries of erased messages give no event, so a page may walk over more transactions than it has events. */
const documentsMax = 200;
const walkedRecordsMax = 50_000;
const searchMaxMs = 4_000;
const withinRecords = 1_000n;

interface Page {
  readonly events: WalkedEvent[];
  bytes: number;
  walkedRecords: number;
  next: EventsPlace | null;
  /** What was loaded for this page, of the newest ones at most `documentsMax`. */
  readonly documents: Map<string, TransactionDocument>;
  isOver(): boolean;
}

export async function walkEvents(ports: WalkEventsPorts, span: EventsSpan, { eventsMax, bytesMax }: WalkBounds): Promise<WalkedEvents> {
  const untilMs = ports.time.monotonicMs() + searchMaxMs;
  const page: Page = {
    events: [],
    bytes: 0,
    walkedRecords: 0,
    next: span.after,
    documents: new Map(),
    isOver: () =>
      page.events.length >= eventsMax ||
      page.bytes >= bytesMax ||
      page.walkedRecords >= walkedRecordsMax ||
      ports.time.monotonicMs() >= untilMs,
  };
  while (page.next !== null && !page.isOver()) await walkPartition(ports, span, page, page.next);
  return page;
}

export function formatEventsPlace({ partition, offset, isPast }: EventsPlace): string {
  return `${partition}:${isPast ? "p" : ""}${offset ?? ""}`;
}

/** Null: the text is no place that a page ends with. */
export function parseEventsPlace(text: string): EventsPlace | null {
  const [, partition, past, offset] = /^(\d{1,4}):(p?)(\d{0,19})$/.exec(text) ?? [];
  if (partition === undefined || offset === undefined) return null;
  return { partition: Number(partition), offset: offset === "" ? null : BigInt(offset), isPast: past === "p" };
}

/** Goes on in one partition until a bound, the end of the time, or the end of the log. */
async function walkPartition(ports: WalkEventsPorts, span: EventsSpan, page: Page, place: EventsPlace): Promise<void> {
  const following = place.partition + 1 < ports.partitionCount ? { partition: place.partition + 1, offset: null, isPast: false } : null;
  const events = { topic: topics.events, partition: place.partition };
  const [ends] = place.partition < ports.partitionCount ? await ports.messaging.ends([events]) : [];
  page.next = following;
  if (ends === undefined) return;
  const beganMs = await readTopicBegin(ports, events, ends);
  // A place that retention has passed since: the page begins again with what is rendered.
  const isLost = !place.isPast && (place.offset ?? 0n) < ends.logStart;
  if (beganMs !== null && (place.isPast || isLost)) {
    const entries = { topic: topics.stateEvents, partition: place.partition };
    const isWalked = await walkPast(ports, span, page, { entries, from: isLost ? null : place.offset, beganMs });
    if (!isWalked) return;
  }
  const offset = place.isPast || isLost ? null : place.offset;
  await walkTopic(ports, span, page, { events, ends, offset });
}

/** #4. Returns false if a bound ended the page before all entries were read. */
async function walkPast(
  ports: WalkEventsPorts,
  span: EventsSpan,
  page: Page,
  past: { readonly entries: TopicPartition; readonly from: bigint | null; readonly beganMs: number },
): Promise<boolean> {
  const { entries, beganMs } = past;
  const [ends] = await ports.messaging.ends([entries]);
  if (ends === undefined || span.fromMs >= beganMs + brokerSkewMaxMs) return true;
  const from = await findStart(ports, span, entries, ends, past.from);
  for await (const record of readAround(ports.messaging, entries, { from, to: ends.logEnd })) {
    if (record.appendedAtMs >= Math.min(span.toMs, beganMs + brokerSkewMaxMs)) return true;
    page.walkedRecords += 1;
    if (record.appendedAtMs >= span.fromMs) await takeEntry(ports, span, page, record);
    if (page.isOver()) {
      page.next = { partition: entries.partition, offset: record.offset + 1n, isPast: true };
      return false;
    }
  }
  return true;
}

interface EventsWalk {
  readonly events: TopicPartition;
  readonly ends: PartitionEnds;
  readonly offset: bigint | null;
}

async function walkTopic(ports: WalkEventsPorts, span: EventsSpan, page: Page, { events, ends, offset }: EventsWalk): Promise<void> {
  const from = await findStart(ports, span, events, ends, offset);
  for await (const record of readAround(ports.messaging, events, { from, to: ends.logEnd })) {
    if (record.appendedAtMs >= span.toMs) return;
    page.walkedRecords += 1;
    if (record.appendedAtMs >= span.fromMs) await takeEvent(ports, span, page, record);
    if (page.isOver()) {
      page.next = { partition: events.partition, offset: record.offset + 1n, isPast: false };
      return;
    }
  }
}

async function findStart(
  { messaging }: WalkEventsPorts,
  { fromMs }: EventsSpan,
  partition: TopicPartition,
  { logStart, logEnd }: PartitionEnds,
  offset: bigint | null,
): Promise<bigint> {
  if (offset !== null) return offset > logStart ? offset : logStart;
  return await findOffsetSince(messaging, partition, { from: logStart, to: logEnd, sinceMs: fromMs, withinRecords });
}

async function takeEvent({ serde }: WalkEventsPorts, { bank: receiver }: EventsSpan, page: Page, record: ReceivedRecord): Promise<void> {
  const decoded: AnyDecodedRecord | null = await decodeReadable(record, serde);
  if (decoded?.name !== "TransactionStateEvent" && decoded?.name !== "EsmStateEvent") return;
  const { bank, id, uetr, body } = decoded.value;
  if (bank !== receiver) return;
  const { partition, offset, appendedAtMs: atMs } = record;
  const stageVersion = decoded.name === "TransactionStateEvent" ? decoded.value.stageVersion : null;
  give(page, { id, body: new TextDecoder().decode(body), stageVersion, uetr, atMs, partition, offset });
}

async function takeEntry(ports: WalkEventsPorts, { bank: receiver }: EventsSpan, page: Page, record: ReceivedRecord): Promise<void> {
  const decoded = await decodeReadable(record, ports.serde);
  if (decoded?.name !== "StateEntered" || decoded.value.bank !== receiver) return;
  const { uetr, stageVersion } = decoded.value;
  const document = page.documents.get(uetr) ?? (await ports.store.transactions.load([uetr])).get(uetr);
  if (document === undefined) throw new Fault("console.no-snapshot", `the store does not have ${uetr} now`, { isRetryable: true });
  keepDocument(page.documents, uetr, document);
  const { partition, appendedAtMs: atMs } = record;
  for (const event of await renderPastEvents(document, stageVersion, receiver, ports))
    give(page, { ...event, uetr, atMs, partition, offset: null });
}

function keepDocument(documents: Page["documents"], uetr: string, document: TransactionDocument): void {
  const [oldest] = documents.size >= documentsMax && !documents.has(uetr) ? documents.keys() : [];
  if (oldest !== undefined) documents.delete(oldest);
  documents.set(uetr, document);
}

function give(page: Page, event: WalkedEvent): void {
  page.events.push(event);
  page.bytes += Buffer.byteLength(event.body);
}
