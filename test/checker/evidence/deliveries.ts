// Collects every delivery with its attempts and its end, for dispatches and events alike. The sources are the topics,
// the requests that receivers recorded, and the receipts. A receipt lists the last ten attempts one by one and sums up
// earlier ones.

import { type Evidence, groupByText, type PlacedRecord } from "./evidence.ts";
import type { ReceivedEntry } from "../history.ts";
import { readRecordMember, readRecordNumber, readRecordText } from "./record-members.ts";

export interface ReceiptAttempt {
  readonly atMs: number;
  readonly tookMs: number;
  readonly status: number | null;
  /** One of ACKNOWLEDGED, TRANSIENT, ADDRESS, REFUSED, UNKNOWN. */
  readonly class: string;
}

export interface DeliveryReceipt {
  readonly outcome: string;
  /** True if an operator had it tried no more. */
  readonly isByOperator: boolean;
  readonly atMs: number;
  /** The last ten attempts, oldest first. */
  readonly attempts: readonly ReceiptAttempt[];
  /** The span of the attempts before the last ten; null if there were none. */
  readonly earlier: { readonly firstAtMs: number; readonly lastAtMs: number } | null;
}

export interface KnownDelivery {
  readonly id: string;
  readonly uetr: string;
  readonly bank: string;
  /** The ordering key: messages with the same key are delivered one after the other. */
  readonly key: string;
  readonly isEvent: boolean;
  readonly record: PlacedRecord;
  /**
   * The earliest time at which a planned close, a stop time or a deadline may end the attempts; Infinity if none is
   * known.
   */
  readonly attemptsEndAtMs: number;
  readonly receipts: readonly DeliveryReceipt[];
  readonly received: readonly ReceivedEntry[];
  readonly isRedriven: boolean;
}

export function collectDeliveries(evidence: Evidence): readonly KnownDelivery[] {
  const receipts = groupByText(evidence.receipts, ({ value }) => `${readRecordText(value, "bank")} ${readRecordText(value, "webhookId")}`);
  const received = Map.groupBy(evidence.received, ({ bank, webhookId }) => `${bank} ${webhookId}`);
  const redriven = new Set(
    evidence.actions.filter(({ type }) => type === "RedriveRequested").map(({ value }) => readRecordText(value, "messageIdentification")),
  );
  const closes = closesByDay(evidence);
  const known = new Set<string>();
  return [...evidence.dispatch, ...evidence.events].flatMap((record): KnownDelivery[] => {
    const { value, type } = record;
    const isEvent = type === "TransactionStateEvent" || type === "EsmStateEvent";
    if (!isEvent && type !== "Dispatch") return [];
    const id = readRecordText(value, isEvent ? "id" : "messageIdentification");
    const bank = readRecordText(value, "bank");
    const place = `${bank} ${id}`;
    // A replay appends the same record again.
    if (known.has(place)) return [];
    known.add(place);
    const uetr = readRecordText(value, "uetr");
    const key = `${isEvent ? "events" : "messages"} ${bank} ${isEvent ? uetr : readRecordText(value, "deliveryKey")}`;
    return [
      {
        id,
        uetr,
        bank,
        key,
        isEvent,
        record,
        attemptsEndAtMs: earliestEndMs(record, closes),
        receipts: (receipts.get(place) ?? []).map(parseReceipt).toSorted((a, b) => a.atMs - b.atMs),
        received: received.get(place) ?? [],
        isRedriven: redriven.has(id),
      },
    ];
  });
}

function parseReceipt({ value, appendedAtMs }: PlacedRecord): DeliveryReceipt {
  const attempts = readRecordMember(value, "recentAttempts");
  const firstAtMs = readRecordNumber(value, "earlier", "firstAtMs");
  return {
    outcome: readRecordText(value, "outcome"),
    isByOperator: typeof readRecordMember(value, "stoppedBy") === "string",
    atMs: appendedAtMs,
    attempts: (Array.isArray(attempts) ? attempts : []).map(parseAttempt),
    earlier: Number.isNaN(firstAtMs) ? null : { firstAtMs, lastAtMs: readRecordNumber(value, "earlier", "lastAtMs") },
  };
}

function parseAttempt(attempt: unknown): ReceiptAttempt {
  const status = readRecordNumber(attempt, "httpStatusCode");
  return {
    atMs: readRecordNumber(attempt, "atMs"),
    tookMs: readRecordNumber(attempt, "tookMs"),
    status: Number.isNaN(status) ? null : status,
    class: readRecordText(attempt, "class"),
  };
}

/** Maps each day to the earliest time at which it was planned to close or did close. */
function closesByDay({ dispatch }: Evidence): ReadonlyMap<string, number> {
  const closes = new Map<string, number>();
  for (const { type, value, appendedAtMs } of dispatch) {
    if (type !== "DayTimes" && type !== "DayReconciled") continue;
    const day = `${readRecordText(value, "scheme")}:${readRecordText(value, "businessDate")}`;
    const atMs = type === "DayTimes" ? readRecordNumber(value, "reconciliationAtMs") : appendedAtMs;
    closes.set(day, Math.min(closes.get(day) ?? Number.POSITIVE_INFINITY, atMs));
  }
  return closes;
}

function earliestEndMs({ value }: PlacedRecord, closes: ReadonlyMap<string, number>): number {
  const ends = [
    readRecordNumber(value, "stopsAtMs"),
    readRecordNumber(value, "deadlineMs"),
    closes.get(readRecordText(value, "reconciliationDay")) ?? Number.NaN,
  ];
  return Math.min(Number.POSITIVE_INFINITY, ...ends.filter((ms) => !Number.isNaN(ms)));
}

/** The time of the first receipt; Infinity if there is none. */
export function firstEndAtMs({ receipts }: KnownDelivery): number {
  return receipts[0]?.atMs ?? Number.POSITIVE_INFINITY;
}

/**
 * True if operators had the receiver paused at any time from `fromMs` to `toMs`. A maintenance ends at its end time or
 * when it is resumed.
 */
export function wasReceiverPaused(evidence: Evidence, bank: string, fromMs: number, toMs: number): boolean {
  return evidence.partitions.some((partition) => {
    const markers = evidence.bankMarkers(partition, bank);
    return markers.some((marker, index) => {
      if (marker.type !== "BankPaused" || marker.appendedAtMs > toMs) return false;
      const resumedAtMs = markers.slice(index + 1).find(({ type }) => type === "BankResumed")?.appendedAtMs ?? Number.POSITIVE_INFINITY;
      const untilMs = readRecordNumber(marker.value, "untilMs");
      return Math.min(resumedAtMs, Number.isNaN(untilMs) ? Number.POSITIVE_INFINITY : untilMs) >= fromMs;
    });
  });
}
