// The events of a bank that were made in a time, and how each posting stands.
//
// #1 Positions are read before what is parked: an event behind a position is done, or parked by then.
// #2 What waits nowhere is done: the bank acknowledged it, or had no address for events when it came. Receipts tell the
//    two apart, one transaction at a time.

import type { Configuration } from "@sluice/config";
import type { Store } from "@sluice/store";
import { formatInstant } from "../../http/bank-answer.ts";
import { refuseWith } from "../../decisions/decision.ts";
import { createRequestSlots, type RequestSlots } from "../../http/request-slots.ts";
import type { ControlAnswer } from "../../http/control-handler.ts";
import {
  eventsSpanMaxMs,
  type EventsSpan,
  parseEventsPlace,
  type WalkedEvent,
  walkEvents,
  type WalkEventsPorts,
} from "../../own-transactions/walk-events.ts";
import { invalidRequest, parseInstant } from "../../views/control-values.ts";
import { givenUpStatus } from "../../views/parked-message.ts";

export interface OwnEventsPorts extends WalkEventsPorts {
  readonly store: WalkEventsPorts["store"] & Pick<Store, "postings" | "partitions">;
  readonly configuration: Pick<Configuration, "banks">;
  readonly brokerNowMs: () => number | null;
}

/** How the posting of an event stands. */
type PostingStatus = "done" | "under-way" | "waiting" | "refused" | "stopped" | "expired" | "not-posted";

/** Postings of which the store is asked at once. */
const loadedMax = 1_000;

/** Reads which time of which bank is asked about, or refuses. */
export function parseEventsSpan(
  { banks }: Pick<Configuration, "banks">,
  bank: string,
  query: URLSearchParams,
): { readonly span: EventsSpan; readonly isPosted: boolean } | ControlAnswer {
  const known = banks.find(({ id }) => id === bank);
  if (known === undefined) return refuseWith(404, "Not known", "No bank has this id. A connector has no events.");
  const [fromMs, toMs] = [parseInstant(query.get("from")), parseInstant(query.get("to"))];
  if (fromMs === null || toMs === null || toMs < fromMs || toMs - fromMs > eventsSpanMaxMs) {
    return invalidRequest("from, to: instants with their offsets, at most 31 days apart.");
  }
  const after = parseEventsPlace(query.get("after") ?? "0:");
  if (after === null) return invalidRequest("after: give `next` of the page before.");
  return { span: { bank, fromMs, toMs, after }, isPosted: known.eventsUrl !== null };
}

/** One page of them, each as `show` shows it, and the place of the next page; null: there are no more. */
export async function loadOwnEvents<Row>(
  ports: OwnEventsPorts,
  { span, isPosted }: { readonly span: EventsSpan; readonly isPosted: boolean },
  bounds: Parameters<typeof walkEvents>[2],
  show: (event: WalkedEvent, status: PostingStatus) => Row,
): Promise<{ readonly rows: readonly Row[]; readonly next: EventsSpan["after"] | null }> {
  const { events, next } = await walkEvents(ports, span, bounds);
  const statuses = await findStatuses(ports, events, isPosted);
  return { rows: events.map((event, index) => show(event, statuses[index] ?? "done")), next };
}

export type OwnEvent = ReturnType<typeof showOwnEvent>;

export function showOwnEvent({ id, uetr, stageVersion, atMs, body }: WalkedEvent, status: PostingStatus) {
  return { webhookId: id, uetr, stageVersion, at: formatInstant(atMs), status, bytes: Buffer.byteLength(body) };
}

/** Answers of this kind hold bodies in memory: some at a time, and one for each operator. */
export function createEventsSlots(): RequestSlots {
  return createRequestSlots({ slotsMax: 4, slotsPerCallerMax: 1 });
}

export const eventsBusy: ControlAnswer = { kind: "unavailable", detail: "Another count of events is under way. Ask again." };

async function findStatuses(
  { store, brokerNowMs }: OwnEventsPorts,
  events: readonly WalkedEvent[],
  isPosted: boolean,
): Promise<readonly PostingStatus[]> {
  // #1
  const documents = await store.partitions.list("event-publisher");
  const positions = new Map(documents.map(({ partition, position }) => [partition, position]));
  const nowMs = brokerNowMs();
  const statuses: PostingStatus[] = [];
  for (let from = 0; from < events.length; from += loadedMax) {
    const some = events.slice(from, from + loadedMax);
    const parked = await store.postings.load(some.map(({ id }) => id));
    for (const event of some) {
      const row = parked.get(event.id);
      if (row !== undefined) statuses.push(row.ended === null ? "waiting" : givenUpStatus("posting", row, nowMs));
      else if (!isPosted) statuses.push("not-posted");
      else statuses.push(isBehind(positions.get(event.partition) ?? null, event.offset) ? "done" : "under-way");
    }
  }
  return statuses;
}

/** An event that is in the topic no longer is older than what may still be posted. */
function isBehind(position: bigint | null, offset: bigint | null): boolean {
  return offset === null || (position !== null && offset < position);
}
