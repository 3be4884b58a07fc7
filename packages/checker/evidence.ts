// A history, put in order once for all checks: requests as they were recorded, records by partition and offset, and one journey
// for each UETR that anything is known of.
//
// 1. A record read twice (same topic, partition and offset) counts once.
// 2. Requests keep the order of the history: each recorder writes in the order in which things happened to it.
// 3. The journey's request (debit or credit) is the first of its UETR in the journal; its verdict the first after it that names it.

import type { HistoryEntry, ReceivedEntry, RecordEntry, RenewedEntry, SentEntry, SnapshotEntry } from "./history.ts";
import type { PlannedDay } from "./i9-window-once.ts";
import { numberAt, offsetAt, textAt } from "./value.ts";

export interface CheckOptions {
  /** The history was taken after everything had come to rest (default). If not, what may still happen is not asked for. */
  readonly isDrained?: boolean;
  /** A debit held for less than this before another's release need not come first: the release may have been on its way. Default 2,000. */
  readonly queueToleranceMs?: number;
  /** By how much a simulated bank's clock may be behind the log's. Default 0. */
  readonly clockToleranceMs?: number;
  /** How soon a message to a receiver that takes all that comes is first tried, milliseconds; not given: it is not asked for. */
  readonly firstAttemptWithinMs?: number;
  /** What the windows were to be, by whoever made the configuration; not given: by the journal's own plans. */
  readonly plannedDays?: readonly PlannedDay[];
  readonly topics?: { readonly journal: string; readonly dispatch: string; readonly events: string; readonly receipts: string };
}

export interface PlacedRecord extends RecordEntry {
  readonly at: bigint;
}

export interface StateEvent {
  readonly id: string;
  readonly uetr: string;
  readonly stageVersion: number;
  readonly state: string;
  readonly bank: string;
  readonly causedBy: bigint;
  readonly enteredAtMs: number;
  readonly businessDate: string;
  readonly record: PlacedRecord;
}

/** on-us and off-us debits, credits; null: nothing but reports are known. */
export type Flow = "on-us" | "off-us" | "credit" | null;

export interface EsmEvent {
  readonly id: string;
  readonly state: string;
  readonly bank: string;
  readonly record: PlacedRecord;
}

export interface Journey {
  readonly uetr: string;
  readonly flow: Flow;
  /** All of its records in the journal, by partition and offset. */
  readonly journal: readonly PlacedRecord[];
  readonly request: PlacedRecord | null;
  readonly verdict: PlacedRecord | null;
  /** Of class TRANSACTION_STATE; repeats by id removed, in order of first appearance. */
  readonly events: readonly StateEvent[];
  /** Of class ESM_STATE, likewise. */
  readonly esmEvents: readonly EsmEvent[];
  readonly snapshot: SnapshotEntry | null;
}

export interface Evidence {
  readonly isDrained: boolean;
  readonly queueToleranceMs: number;
  readonly clockToleranceMs: number;
  readonly firstAttemptWithinMs: number | null;
  readonly plannedDays: readonly PlannedDay[] | null;
  readonly sent: readonly SentEntry[];
  readonly received: readonly ReceivedEntry[];
  readonly renewals: readonly RenewedEntry[];
  readonly dispatch: readonly PlacedRecord[];
  readonly events: readonly PlacedRecord[];
  readonly receipts: readonly PlacedRecord[];
  readonly journeys: readonly Journey[];
  /** Requests to declare credits final. */
  readonly declarations: readonly PlacedRecord[];
  readonly partitions: readonly number[];
  /** Every DayPlanned. */
  readonly plans: readonly PlacedRecord[];
  /** Everything that operators asked for. */
  readonly actions: readonly PlacedRecord[];
  /** What operators asked of days. */
  readonly dayActions: readonly PlacedRecord[];
  /** Every copy of GateOpened. */
  readonly gates: readonly PlacedRecord[];
  /** Markers in a partition of the journal for a day (`scheme:date`), in order. */
  markers(partition: number, day: string): readonly PlacedRecord[];
  /** BankPaused and BankResumed in a partition of the journal, in order. */
  bankMarkers(partition: number, bank: string): readonly PlacedRecord[];
}

export const markerTypes: ReadonlySet<string> = new Set([
  "DayTimes",
  "DayVoid",
  "WindowOpened",
  "WindowClosed",
  "CreditsDeclared",
  "GateOpened",
  "DayReconciled",
]);
/** Of no transaction. */
const otherFactTypes: ReadonlySet<string> = new Set([
  "DayPlanned",
  "DayTimeReached",
  "LaneCredits",
  "LaneBankClear",
  "CreditsFinalRequested",
  "CloseExtensionRequested",
  "GateOpeningRequested",
  "BankPauseRequested",
  "BankResumeRequested",
  "BankPaused",
  "BankResumed",
  "unreadable",
]);
const bankMarkerTypes: ReadonlySet<string> = new Set(["BankPaused", "BankResumed"]);
const dayActionTypes: ReadonlySet<string> = new Set(["CloseExtensionRequested", "GateOpeningRequested"]);

export function gather(entries: Iterable<HistoryEntry>, options: CheckOptions): Evidence {
  const names = options.topics ?? {
    journal: "sluice.journal.v1",
    dispatch: "sluice.dispatch.v1",
    events: "sluice.events.v1",
    receipts: "sluice.receipts.v1",
  };
  const sent: SentEntry[] = [];
  const received: ReceivedEntry[] = [];
  const renewals: RenewedEntry[] = [];
  const records = new Map<string, PlacedRecord>();
  const snapshots = new Map<string, SnapshotEntry>();
  for (const entry of entries) {
    if (entry.kind === "sent") sent.push({ ...entry, uetr: entry.uetr.toLowerCase() });
    else if (entry.kind === "received") received.push({ ...entry, uetr: entry.uetr.toLowerCase() });
    else if (entry.kind === "snapshot") snapshots.set(entry.uetr.toLowerCase(), entry);
    else if (entry.kind === "renewed") renewals.push(entry);
    else if (entry.kind === "record") addOnce(records, entry);
  }
  const ordered = [...records.values()].toSorted((a, b) => a.partition - b.partition || (a.at < b.at ? -1 : Number(a.at > b.at)));
  const ofTopic = (topic: string): readonly PlacedRecord[] => ordered.filter((record) => record.topic === topic);
  const journal = ofTopic(names.journal);
  const events = ofTopic(names.events);
  const byDay = groupBy(
    journal.filter((record) => markerTypes.has(record.type)),
    (record) => `${record.partition} ${textAt(record.value, "scheme")}:${textAt(record.value, "businessDate")}`,
  );
  const ofBanks = groupBy(
    journal.filter((record) => bankMarkerTypes.has(record.type)),
    (record) => `${record.partition} ${textAt(record.value, "bank")}`,
  );
  return {
    isDrained: options.isDrained ?? true,
    queueToleranceMs: options.queueToleranceMs ?? 2_000,
    clockToleranceMs: options.clockToleranceMs ?? 0,
    firstAttemptWithinMs: options.firstAttemptWithinMs ?? null,
    plannedDays: options.plannedDays ?? null,
    sent,
    received,
    renewals,
    dispatch: ofTopic(names.dispatch),
    events,
    receipts: ofTopic(names.receipts),
    journeys: journeysOf(journal, events, snapshots),
    declarations: journal.filter((record) => record.type === "CreditsFinalRequested"),
    plans: journal.filter((record) => record.type === "DayPlanned"),
    gates: journal.filter((record) => record.type === "GateOpened"),
    partitions: [...new Set(journal.map((record) => record.partition))],
    actions: journal.filter((record) => textAt(record.value, "action", "id") !== ""),
    dayActions: journal.filter((record) => dayActionTypes.has(record.type)),
    markers: (partition, day) => byDay.get(`${partition} ${day}`) ?? [],
    bankMarkers: (partition, bank) => ofBanks.get(`${partition} ${bank}`) ?? [],
  };
}

function addOnce(records: Map<string, PlacedRecord>, entry: RecordEntry): void {
  const place = `${entry.topic} ${entry.partition} ${entry.offset}`;
  if (!records.has(place)) records.set(place, { ...entry, at: BigInt(entry.offset) });
}

function journeysOf(
  journal: readonly PlacedRecord[],
  events: readonly PlacedRecord[],
  snapshots: ReadonlyMap<string, SnapshotEntry>,
): readonly Journey[] {
  const isOfTransaction = (record: PlacedRecord): boolean => !markerTypes.has(record.type) && !otherFactTypes.has(record.type);
  const recordsByUetr = groupBy(journal.filter(isOfTransaction), (record) => record.key ?? "");
  const eventsOf = (type: string): ReadonlyMap<string, readonly PlacedRecord[]> =>
    groupBy(
      events.filter((record) => record.type === type),
      (record) => textAt(record.value, "uetr"),
    );
  const stateEvents = eventsOf("TransactionStateEvent");
  const esmEvents = eventsOf("EsmStateEvent");
  const uetrs = [...new Set([...recordsByUetr.keys(), ...stateEvents.keys(), ...snapshots.keys()])].toSorted();
  return uetrs.map((uetr) => {
    const records = recordsByUetr.get(uetr) ?? [];
    const request = records.find(isRequest) ?? null;
    return {
      uetr,
      flow: flowOf(request),
      journal: records,
      request,
      verdict: request === null ? null : (records.find((record) => isVerdictOn(record, request)) ?? null),
      events: distinct(stateEvents.get(uetr) ?? []),
      esmEvents: distinctEsm(esmEvents.get(uetr) ?? []),
      snapshot: snapshots.get(uetr) ?? null,
    };
  });
}

function flowOf(request: PlacedRecord | null): Flow {
  if (request === null) return null;
  if (request.type === "CreditTransferReceived") return "credit";
  return textAt(request.value, "flow") === "OFF_US" ? "off-us" : "on-us";
}

function isRequest(record: RecordEntry): boolean {
  return record.type === "DirectDebitReceived" || record.type === "CreditTransferReceived";
}

function isVerdictOn(record: PlacedRecord, request: PlacedRecord): boolean {
  return (
    record.type === "AccountVerified" &&
    record.partition === request.partition &&
    record.at > request.at &&
    textAt(record.value, "sender") === textAt(request.value, "sender") &&
    textAt(record.value, "messageIdentification") === messageIdentificationOf(request) &&
    textAt(record.value, "contentHash") === textAt(request.value, "contentHash")
  );
}

const messageMembers: Readonly<Record<string, string>> = {
  DirectDebitReceived: "debit",
  CreditTransferReceived: "credit",
  StatusReportReceived: "report",
};

/** Identification of the message that a record carries. */
export function messageIdentificationOf(record: RecordEntry): string {
  return textAt(record.value, messageMembers[record.type] ?? "", "messageIdentifiers", "messageIdentification");
}

export function isMessage(record: RecordEntry): boolean {
  return messageMembers[record.type] !== undefined;
}

function distinctEsm(records: readonly PlacedRecord[]): readonly EsmEvent[] {
  const byId = new Map<string, EsmEvent>();
  for (const record of records) {
    const id = textAt(record.value, "id");
    if (!byId.has(id)) byId.set(id, { id, state: textAt(record.value, "state"), bank: textAt(record.value, "bank"), record });
  }
  return [...byId.values()];
}

function distinct(records: readonly PlacedRecord[]): readonly StateEvent[] {
  const byId = new Map<string, StateEvent>();
  for (const record of records) {
    const id = textAt(record.value, "id");
    if (byId.has(id)) continue;
    byId.set(id, {
      id,
      uetr: textAt(record.value, "uetr"),
      stageVersion: numberAt(record.value, "stageVersion"),
      state: textAt(record.value, "state"),
      bank: textAt(record.value, "bank"),
      causedBy: offsetAt(record.value, "causedByOffset"),
      enteredAtMs: numberAt(record.value, "enteredAtMs"),
      businessDate: textAt(record.value, "businessDate"),
      record,
    });
  }
  return [...byId.values()];
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  return Map.groupBy(items, keyOf);
}
