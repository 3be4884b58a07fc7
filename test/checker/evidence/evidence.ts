// Sorts a history once for all checks: requests in the order in which they were recorded, records by partition and
// offset, and one journey for each UETR that the history mentions.
//
// #1 A record that was read twice (same topic, partition and offset) counts once.
// #2 Requests keep the order of the history, because each recorder writes in the order in which it saw them.
// #3 A journey's request (debit or credit) is the first of its UETR in the journal. Its verdict is the first after it
//    that names it.

import type { HistoryEntry, ReceivedEntry, RecordEntry, RenewedEntry, SentEntry, SnapshotEntry } from "../history.ts";
import { readRecordNumber, readRecordOffset, readRecordText } from "./record-members.ts";

export interface PlannedDay {
  /** `scheme:date`. */
  readonly day: string;
  readonly windows: readonly { readonly number: number; readonly opensAtMs: number; readonly closesAtMs: number }[];
  readonly reconciliationAtMs: number;
}

interface HistorySpan {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface CheckOptions {
  /**
   * True (the default) if the history was taken after all work had ended. If false, the checks ignore what may still
   * happen.
   */
  readonly isDrained?: boolean;
  /** True if an older release was at work too, which does not know the topics of analysts: they may have gaps. */
  readonly hasOlderRelease?: boolean;
  /**
   * Milliseconds a debit must have been held to have its turn before a release; a shorter time may be the release's own
   * latency. Default 2,000.
   */
  readonly queueToleranceMs?: number;
  /** Milliseconds by which a simulated bank's clock may be behind the broker's. Default 0. */
  readonly clockToleranceMs?: number;
  /** Milliseconds by which the clocks of two brokers may differ. Default 0. */
  readonly brokerClocksApartMs?: number;
  /** Milliseconds within which a message to a healthy receiver must be tried first. Not checked if absent. */
  readonly firstAttemptWithinMs?: number;
  /**
   * What the store forgot because it went back: all from its copy until every process has noticed. Epoch
   * milliseconds; absent if it never went back.
   */
  readonly forgotten?: HistorySpan;
  /** When no process ran, in epoch milliseconds; absent if some always did. */
  readonly stopped?: HistorySpan;
  /** The windows that the configuration planned. If absent, the journal's own plans are used. */
  readonly plannedDays?: readonly PlannedDay[];
  readonly topics?: Readonly<
    Record<"journal" | "dispatch" | "events" | "receipts" | "transactions" | "stateEvents" | "items" | "deadLetters", string>
  >;
}

export interface PlacedRecord extends RecordEntry {
  readonly position: bigint;
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

/** Null if only reports are known of the UETR. */
type JourneyFlow = "on-us" | "off-us" | "credit" | null;

interface EsmEvent {
  readonly id: string;
  readonly state: string;
  readonly bank: string;
  readonly record: PlacedRecord;
}

export interface Journey {
  readonly uetr: string;
  readonly flow: JourneyFlow;
  /** All its records in the journal, ordered by partition and offset. */
  readonly journal: readonly PlacedRecord[];
  readonly request: PlacedRecord | null;
  readonly verdict: PlacedRecord | null;
  /** Events of class TRANSACTION_STATE without repeated ids, in order of first appearance. */
  readonly events: readonly StateEvent[];
  /** Events of class ESM_STATE, selected and ordered in the same way. */
  readonly esmEvents: readonly EsmEvent[];
  readonly snapshot: SnapshotEntry | null;
  /** Its records in the topic of snapshots, ordered by partition and offset. */
  readonly table: readonly PlacedRecord[];
}

export interface Evidence {
  readonly isDrained: boolean;
  readonly hasOlderRelease: boolean;
  readonly queueToleranceMs: number;
  readonly clockToleranceMs: number;
  readonly brokerClocksApartMs: number;
  readonly firstAttemptWithinMs: number | null;
  readonly forgotten: HistorySpan | null;
  readonly stopped: HistorySpan | null;
  readonly plannedDays: readonly PlannedDay[] | null;
  readonly sent: readonly SentEntry[];
  readonly received: readonly ReceivedEntry[];
  readonly renewals: readonly RenewedEntry[];
  readonly dispatch: readonly PlacedRecord[];
  readonly events: readonly PlacedRecord[];
  readonly receipts: readonly PlacedRecord[];
  /** What analysts read: entries into states, and items of reconciliation lists. */
  readonly stateEvents: readonly PlacedRecord[];
  readonly items: readonly PlacedRecord[];
  readonly journeys: readonly Journey[];
  /** Every request to declare credits final. */
  readonly declarations: readonly PlacedRecord[];
  readonly partitions: readonly number[];
  /** Every DayPlanned. */
  readonly plans: readonly PlacedRecord[];
  /** Every request of an operator. */
  readonly actions: readonly PlacedRecord[];
  /** Operators' requests about days: to extend a close or to open a gate. */
  readonly dayActions: readonly PlacedRecord[];
  /** Every copy of GateOpened. */
  readonly gates: readonly PlacedRecord[];
  /** Keys of records in the journal that cannot be read. */
  readonly unreadableKeys: ReadonlySet<string>;
  /** The letters of what the schedulers could not read or decide, which is in the journal. */
  readonly deadLetters: readonly PlacedRecord[];
  /** Markers of a day (`scheme:date`) in one partition of the journal, in order. */
  markers(partition: number, day: string): readonly PlacedRecord[];
  /** BankPaused and BankResumed of a bank in one partition of the journal, in order. */
  bankMarkers(partition: number, bank: string): readonly PlacedRecord[];
  /** The record of the journal at an offset; null: there is none. */
  readonly findInJournal: (partition: number, position: bigint) => PlacedRecord | null;
  /** True for a marker of a day or of a bank. */
  readonly isMarker: (record: PlacedRecord) => boolean;
}

const markerTypes: ReadonlySet<string> = new Set([
  "DayTimes",
  "DayVoid",
  "WindowOpened",
  "WindowClosed",
  "CreditsDeclared",
  "GateOpened",
  "DayReconciled",
]);
/** Journal records that belong to no transaction and are no markers of a day. */
const otherFactTypes: ReadonlySet<string> = new Set([
  "DayPlanned",
  "DayTimeReached",
  "PartitionCredits",
  "PartitionBankClear",
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

export function gatherEvidence(entries: Iterable<HistoryEntry>, options: CheckOptions): Evidence {
  const names = options.topics ?? {
    journal: "sluice.journal.v1",
    dispatch: "sluice.dispatch.v1",
    events: "sluice.events.v1",
    receipts: "sluice.receipts.v1",
    transactions: "sluice.transactions.v1",
    stateEvents: "sluice.state-events.v1",
    items: "sluice.items.v1",
    deadLetters: "sluice.dead-letters.v1.dlq",
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
  const ordered = [...records.values()].toSorted(
    (a, b) => a.partition - b.partition || (a.position < b.position ? -1 : Number(a.position > b.position)),
  );
  const inTopic = (topic: string): readonly PlacedRecord[] => ordered.filter((record) => record.topic === topic);
  const journal = inTopic(names.journal);
  const events = inTopic(names.events);
  const byDay = groupByText(
    journal.filter((record) => markerTypes.has(record.type)),
    (record) => `${record.partition} ${readRecordText(record.value, "scheme")}:${readRecordText(record.value, "businessDate")}`,
  );
  const byBank = groupByText(
    journal.filter((record) => bankMarkerTypes.has(record.type)),
    (record) => `${record.partition} ${readRecordText(record.value, "bank")}`,
  );
  return {
    isDrained: options.isDrained ?? true,
    hasOlderRelease: options.hasOlderRelease ?? false,
    queueToleranceMs: options.queueToleranceMs ?? 2_000,
    clockToleranceMs: options.clockToleranceMs ?? 0,
    brokerClocksApartMs: options.brokerClocksApartMs ?? 0,
    firstAttemptWithinMs: options.firstAttemptWithinMs ?? null,
    forgotten: options.forgotten ?? null,
    stopped: options.stopped ?? null,
    plannedDays: options.plannedDays ?? null,
    sent,
    received,
    renewals,
    dispatch: inTopic(names.dispatch),
    events,
    receipts: inTopic(names.receipts),
    stateEvents: inTopic(names.stateEvents),
    items: inTopic(names.items),
    journeys: buildJourneys(journal, events, inTopic(names.transactions), snapshots),
    declarations: journal.filter((record) => record.type === "CreditsFinalRequested"),
    plans: journal.filter((record) => record.type === "DayPlanned"),
    gates: journal.filter((record) => record.type === "GateOpened"),
    unreadableKeys: new Set(journal.flatMap(({ type, key }) => (type === "unreadable" && key !== null ? [key] : []))),
    deadLetters: inTopic(names.deadLetters).filter(
      ({ type, value }) =>
        type === "DeadLetter" && readRecordText(value, "service") === "scheduler" && readRecordText(value, "topic") === names.journal,
    ),
    partitions: [...new Set(journal.map((record) => record.partition))],
    actions: journal.filter((record) => readRecordText(record.value, "action", "id") !== ""),
    dayActions: journal.filter((record) => dayActionTypes.has(record.type)),
    markers: (partition, day) => byDay.get(`${partition} ${day}`) ?? [],
    bankMarkers: (partition, bank) => byBank.get(`${partition} ${bank}`) ?? [],
    findInJournal: (partition, position) => records.get(`${names.journal} ${partition} ${position}`) ?? null,
    isMarker: ({ type }) => markerTypes.has(type) || bankMarkerTypes.has(type),
  };
}

function addOnce(records: Map<string, PlacedRecord>, entry: RecordEntry): void {
  const place = `${entry.topic} ${entry.partition} ${entry.offset}`;
  if (!records.has(place)) records.set(place, { ...entry, position: BigInt(entry.offset) });
}

function buildJourneys(
  journal: readonly PlacedRecord[],
  events: readonly PlacedRecord[],
  table: readonly PlacedRecord[],
  snapshots: ReadonlyMap<string, SnapshotEntry>,
): readonly Journey[] {
  const isOfTransaction = (record: PlacedRecord): boolean => !markerTypes.has(record.type) && !otherFactTypes.has(record.type);
  const recordsByUetr = groupByText(journal.filter(isOfTransaction), (record) => record.key ?? "");
  const groupEvents = (type: string): ReadonlyMap<string, readonly PlacedRecord[]> =>
    groupByText(
      events.filter((record) => record.type === type),
      (record) => readRecordText(record.value, "uetr"),
    );
  const stateEvents = groupEvents("TransactionStateEvent");
  const esmEvents = groupEvents("EsmStateEvent");
  const rows = groupByText(table, (record) => record.key ?? "");
  const uetrs = [...new Set([...recordsByUetr.keys(), ...stateEvents.keys(), ...snapshots.keys()])].toSorted();
  return uetrs.map((uetr) => {
    const records = recordsByUetr.get(uetr) ?? [];
    const request = records.find(isRequest) ?? null;
    return {
      uetr,
      flow: detectFlow(request),
      journal: records,
      request,
      verdict: request === null ? null : (records.find((record) => isVerdictOn(record, request)) ?? null),
      events: distinctStateEvents(stateEvents.get(uetr) ?? []),
      esmEvents: distinctEsmEvents(esmEvents.get(uetr) ?? []),
      snapshot: snapshots.get(uetr) ?? null,
      table: rows.get(uetr) ?? [],
    };
  });
}

function detectFlow(request: PlacedRecord | null): JourneyFlow {
  if (request === null) return null;
  if (request.type === "CreditTransferReceived") return "credit";
  return readRecordText(request.value, "flow") === "OFF_US" ? "off-us" : "on-us";
}

function isRequest(record: RecordEntry): boolean {
  return record.type === "DirectDebitReceived" || record.type === "CreditTransferReceived";
}

function isVerdictOn(record: PlacedRecord, request: PlacedRecord): boolean {
  return (
    record.type === "AccountVerified" &&
    record.partition === request.partition &&
    record.position > request.position &&
    readRecordText(record.value, "sender") === readRecordText(request.value, "sender") &&
    readRecordText(record.value, "messageIdentification") === carriedIdentification(request) &&
    readRecordText(record.value, "contentHash") === readRecordText(request.value, "contentHash")
  );
}

const messageMembers: Readonly<Record<string, string>> = {
  DirectDebitReceived: "debit",
  CreditTransferReceived: "credit",
  StatusReportReceived: "report",
};

/** The identification of the message that a record carries. */
export function carriedIdentification(record: RecordEntry): string {
  return readRecordText(record.value, messageMembers[record.type] ?? "", "messageIdentifiers", "messageIdentification");
}

export function isMessageRecord(record: RecordEntry): boolean {
  return messageMembers[record.type] !== undefined;
}

function distinctEsmEvents(records: readonly PlacedRecord[]): readonly EsmEvent[] {
  const byId = new Map<string, EsmEvent>();
  for (const record of records) {
    const id = readRecordText(record.value, "id");
    if (!byId.has(id))
      byId.set(id, { id, state: readRecordText(record.value, "state"), bank: readRecordText(record.value, "bank"), record });
  }
  return [...byId.values()];
}

function distinctStateEvents(records: readonly PlacedRecord[]): readonly StateEvent[] {
  const byId = new Map<string, StateEvent>();
  for (const record of records) {
    const id = readRecordText(record.value, "id");
    if (byId.has(id)) continue;
    byId.set(id, {
      id,
      uetr: readRecordText(record.value, "uetr"),
      stageVersion: readRecordNumber(record.value, "stageVersion"),
      state: readRecordText(record.value, "state"),
      bank: readRecordText(record.value, "bank"),
      causedBy: readRecordOffset(record.value, "causedByOffset"),
      enteredAtMs: readRecordNumber(record.value, "enteredAtMs"),
      businessDate: readRecordText(record.value, "businessDate"),
      record,
    });
  }
  return [...byId.values()];
}

export function groupByText<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  return Map.groupBy(items, keyOf);
}
