// bankEvents: every event that was or will be posted to the caller and that was made in a time, exactly as posted, so
// that a bank which has lost a day of them can have them again.
//
// #1 Partition by partition, each from the first event of that time on. So those of one UETR are in order; between two
//    of them there is none.
// #2 A page is bounded in events, bytes, records and time. It may be empty and have a `next` all the same: the place
//    from which to go on.
// #3 An event that a replay has made again is there again, under the same id. What cannot be read is skipped.

import { topics, type AnyDecodedRecord, type Serde } from "@sluice/contracts";
import type { Messaging, PartitionEnds, ReceivedRecord } from "@sluice/messaging";
import type { Time } from "@sluice/kernel";
import { findOffsetSince, readAround } from "@sluice/timeline";
import type { Caller } from "@sluice/service";
import type { TransactionAnswer } from "../http/bank-answer.ts";
import { decodeReadable } from "./decode-readable.ts";

interface EventsPlace {
  readonly partition: number;
  /** Null: the first one of the time that is asked for. */
  readonly offset: bigint | null;
}

interface EventsQuestion {
  readonly caller: Caller;
  /** Append times of the events, epoch milliseconds; the first is included, the second is not. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly after: EventsPlace;
}

export type EventsQueryHandler = (question: EventsQuestion) => Promise<TransactionAnswer>;

interface ListEventsPorts {
  readonly time: Time;
  readonly messaging: Messaging;
  readonly serde: Serde;
  /** Number of partitions of the topic. */
  readonly partitionCount: number;
}

const eventsMax = 100;
const bodyBytesMax = 1024 * 1024;
const walkedRecordsMax = 50_000;
const searchMaxMs = 4_000;
const withinRecords = 1_000n;

interface Page {
  readonly events: { readonly id: string; readonly body: string }[];
  bytes: number;
  walkedRecords: number;
  next: EventsPlace | null;
}

export function bankEvents(ports: ListEventsPorts): EventsQueryHandler {
  return async (question) => {
    const page: Page = { events: [], bytes: 0, walkedRecords: 0, next: question.after };
    const untilMs = ports.time.monotonicMs() + searchMaxMs;
    const isOver = (): boolean => isFull(page) || page.walkedRecords >= walkedRecordsMax || ports.time.monotonicMs() >= untilMs;
    while (page.next !== null && !isOver()) await walkPartition(ports, question, page, isOver);
    const { events, next } = page;
    const cursor = next === null ? null : formatEventsPlace(next);
    const webhookIds = JSON.stringify(events.map(({ id }) => id));
    // The bodies are inserted as text, so that an amount keeps its digits.
    const bodies = events.map(({ body }) => body).join(",");
    return {
      kind: "found",
      body: `{"schema":"BankEvents","events":[${bodies}],"webhookIds":${webhookIds},"next":${JSON.stringify(cursor)}}`,
    };
  };
}

function formatEventsPlace({ partition, offset }: EventsPlace): string {
  return `${partition}:${offset ?? ""}`;
}

/** Null: the text is no place that a page ends with. */
export function parseEventsPlace(text: string): EventsPlace | null {
  const [, partition, offset] = /^(\d{1,4}):(\d{0,19})$/.exec(text) ?? [];
  if (partition === undefined || offset === undefined) return null;
  return { partition: Number(partition), offset: offset === "" ? null : BigInt(offset) };
}

/** Goes on in one partition until a bound, the end of the time, or the end of the log. */
async function walkPartition(ports: ListEventsPorts, question: EventsQuestion, page: Page, isOver: () => boolean): Promise<void> {
  const place = page.next ?? { partition: 0, offset: null };
  const partition = { topic: topics.events, partition: place.partition };
  const following = place.partition + 1 < ports.partitionCount ? { partition: place.partition + 1, offset: null } : null;
  const [ends] = place.partition < ports.partitionCount ? await ports.messaging.ends([partition]) : [];
  page.next = following;
  if (ends === undefined) return;
  const from = await findStart(ports, question, place, ends);
  for await (const record of readAround(ports.messaging, partition, { from, to: ends.logEnd })) {
    if (record.appendedAtMs >= question.toMs) return;
    page.walkedRecords += 1;
    if (record.appendedAtMs >= question.fromMs) await take(ports.serde, question, page, record);
    if (isOver()) {
      page.next = { partition: place.partition, offset: record.offset + 1n };
      return;
    }
  }
}

async function findStart(
  { messaging }: ListEventsPorts,
  { fromMs }: EventsQuestion,
  { partition, offset }: EventsPlace,
  { logStart, logEnd }: PartitionEnds,
): Promise<bigint> {
  if (offset !== null) return offset > logStart ? offset : logStart;
  const search = { from: logStart, to: logEnd, sinceMs: fromMs, withinRecords };
  return await findOffsetSince(messaging, { topic: topics.events, partition }, search);
}

async function take(serde: Serde, { caller }: EventsQuestion, page: Page, record: ReceivedRecord): Promise<void> {
  const decoded: AnyDecodedRecord | null = await decodeReadable(record, serde);
  if (decoded?.name !== "TransactionStateEvent" && decoded?.name !== "EsmStateEvent") return;
  const { bank, id, body } = decoded.value;
  if (bank !== caller.id) return;
  page.events.push({ id, body: new TextDecoder().decode(body) });
  page.bytes += body.byteLength;
}

function isFull({ events, bytes }: Page): boolean {
  return events.length >= eventsMax || bytes >= bodyBytesMax;
}
