// What was to be delivered to whom, how it was tried and how it ended: dispatches and events alike, from the topics, from what receivers
// recorded, and from the receipts. Of attempts a receipt knows the last ten one by one, and the span of those before.

import { groupBy } from "./evidence.ts";
import type { Evidence, PlacedRecord } from "./evidence.ts";
import type { ReceivedEntry } from "./history.ts";
import { memberAt, numberAt, textAt } from "./value.ts";

export interface Tried {
  readonly atMs: number;
  readonly tookMs: number;
  readonly status: number | null;
  /** ACKNOWLEDGED, TRANSIENT, ADDRESS, REFUSED, UNKNOWN. */
  readonly class: string;
}

export interface DeliveryReceipt {
  readonly outcome: string;
  readonly atMs: number;
  /** In the order in which they were made. */
  readonly attempts: readonly Tried[];
  /** Of those before; null: there were none. */
  readonly earlier: { readonly firstAtMs: number; readonly lastAtMs: number } | null;
}

export interface KnownDelivery {
  readonly id: string;
  readonly uetr: string;
  readonly bank: string;
  /** Messages of one key leave in sequence. */
  readonly key: string;
  readonly isEvent: boolean;
  readonly record: PlacedRecord;
  /** Attempts may be over from here on, by anything that was planned; Infinity: at no time that is known. */
  readonly overAtMs: number;
  readonly receipts: readonly DeliveryReceipt[];
  readonly received: readonly ReceivedEntry[];
  readonly isRedriven: boolean;
}

export function deliveriesOf(evidence: Evidence): readonly KnownDelivery[] {
  const receipts = groupBy(evidence.receipts, ({ value }) => `${textAt(value, "bank")} ${textAt(value, "webhookId")}`);
  const received = Map.groupBy(evidence.received, ({ bank, webhookId }) => `${bank} ${webhookId}`);
  const redriven = new Set(
    evidence.actions.filter(({ type }) => type === "RedriveRequested").map(({ value }) => textAt(value, "messageIdentification")),
  );
  const closes = closesByDay(evidence);
  const known = new Set<string>();
  return [...evidence.dispatch, ...evidence.events].flatMap((record): KnownDelivery[] => {
    const { value, type } = record;
    const isEvent = type === "TransactionStateEvent" || type === "EsmStateEvent";
    if (!isEvent && type !== "Dispatch") return [];
    const id = textAt(value, isEvent ? "id" : "messageIdentification");
    const bank = textAt(value, "bank");
    const place = `${bank} ${id}`;
    // A replay appends the same once more.
    if (known.has(place)) return [];
    known.add(place);
    const uetr = textAt(value, "uetr");
    const key = `${isEvent ? "events" : "messages"} ${bank} ${isEvent ? uetr : textAt(value, "deliveryKey")}`;
    return [
      {
        id,
        uetr,
        bank,
        key,
        isEvent,
        record,
        overAtMs: overAtMs(record, closes),
        receipts: (receipts.get(place) ?? []).map(receiptOf).toSorted((a, b) => a.atMs - b.atMs),
        received: received.get(place) ?? [],
        isRedriven: redriven.has(id),
      },
    ];
  });
}

function receiptOf({ value, appendedAtMs }: PlacedRecord): DeliveryReceipt {
  const attempts = memberAt(value, "recentAttempts");
  const firstAtMs = numberAt(value, "earlier", "firstAtMs");
  return {
    outcome: textAt(value, "outcome"),
    atMs: appendedAtMs,
    attempts: (Array.isArray(attempts) ? attempts : []).map(triedOf),
    earlier: Number.isNaN(firstAtMs) ? null : { firstAtMs, lastAtMs: numberAt(value, "earlier", "lastAtMs") },
  };
}

function triedOf(attempt: unknown): Tried {
  const status = numberAt(attempt, "httpStatusCode");
  return {
    atMs: numberAt(attempt, "atMs"),
    tookMs: numberAt(attempt, "tookMs"),
    status: Number.isNaN(status) ? null : status,
    class: textAt(attempt, "class"),
  };
}

/** The earliest time at which each day was planned to close, or did. */
function closesByDay({ dispatch }: Evidence): ReadonlyMap<string, number> {
  const closes = new Map<string, number>();
  for (const { type, value, appendedAtMs } of dispatch) {
    if (type !== "DayTimes" && type !== "DayReconciled") continue;
    const day = `${textAt(value, "scheme")}:${textAt(value, "businessDate")}`;
    const atMs = type === "DayTimes" ? numberAt(value, "reconciliationAtMs") : appendedAtMs;
    closes.set(day, Math.min(closes.get(day) ?? Number.POSITIVE_INFINITY, atMs));
  }
  return closes;
}

function overAtMs({ value }: PlacedRecord, closes: ReadonlyMap<string, number>): number {
  const ends = [numberAt(value, "stopsAtMs"), numberAt(value, "deadlineMs"), closes.get(textAt(value, "closesWith")) ?? Number.NaN];
  return Math.min(Number.POSITIVE_INFINITY, ...ends.filter((ms) => !Number.isNaN(ms)));
}

/** First end that a receipt tells of; Infinity: none does. */
export function endedAtMs({ receipts }: KnownDelivery): number {
  return receipts[0]?.atMs ?? Number.POSITIVE_INFINITY;
}

/** Whether operators had the receiver paused at some time from `fromMs` to `toMs`; a maintenance counts until its end or its resume. */
export function wasPaused(evidence: Evidence, bank: string, fromMs: number, toMs: number): boolean {
  return evidence.partitions.some((partition) => {
    const markers = evidence.bankMarkers(partition, bank);
    return markers.some((marker, index) => {
      if (marker.type !== "BankPaused" || marker.appendedAtMs > toMs) return false;
      const resumedAtMs = markers.slice(index + 1).find(({ type }) => type === "BankResumed")?.appendedAtMs ?? Number.POSITIVE_INFINITY;
      const untilMs = numberAt(marker.value, "untilMs");
      return Math.min(resumedAtMs, Number.isNaN(untilMs) ? Number.POSITIVE_INFINITY : untilMs) >= fromMs;
    });
  });
}
