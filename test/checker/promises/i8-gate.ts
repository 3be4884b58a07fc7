// I8, the gate: it opens for a bank only when every credit of the scheme to that bank that was received before the
// declaration is resolved. The check uses the journal alone: the declaration's markers (one in each partition), the
// credits at lower offsets, and the records that ended those credits.
//
// #1 A credit counts if its offset is below the declaration's marker in its partition and its business date is not
//    after the day.
// #2 An operator may open the gate over the credits that the request names, and over no others.
// #3 The record that caused a credit's terminal state resolves it. Append times are compared across partitions: the
//    gate must not open before that record was appended, by clocks that differ by `brokerClocksApartMs` at most.
// #4 A credit that first lay in the dead letters unread is resolved as well by the reconciliation at which it became an
//    item of row 4 (D9.78); a replay that reads it later does not close the gate again.

import type { Evidence, Journey, PlacedRecord } from "../evidence/evidence.ts";
import type { Violation } from "../history.ts";
import { specifiedTerminalStates } from "../evidence/states.ts";
import { readRecordText, readRecordTexts } from "../evidence/record-members.ts";

interface Credit {
  readonly journey: Journey;
  readonly request: PlacedRecord;
  readonly bank: string;
  readonly scheme: string;
  readonly businessDate: string;
  /** Append time of the record that ended the credit; null while it is unresolved. */
  readonly endedAtMs: number | null;
}

export function findEarlyGates(evidence: Evidence): readonly Violation[] {
  const credits = evidence.journeys.flatMap((journey) => toCredit(journey));
  if (credits.length === 0) return [];
  const schemes = new Set(credits.map(({ scheme }) => scheme));
  return daysWithGates(evidence, schemes).flatMap((day) => checkDay(evidence, day, credits));
}

function toCredit(journey: Journey): readonly Credit[] {
  const { request, verdict, flow } = journey;
  if (request === null || flow !== "credit") return [];
  const end = journey.events.find((event) => specifiedTerminalStates.has(event.state));
  const ended = end === undefined ? undefined : journey.journal.find((record) => record.position === end.causedBy);
  return [
    {
      journey,
      request,
      bank: readRecordText(verdict?.value ?? request.value, "bank"),
      scheme: readRecordText(request.value, "credit", "paymentScheme", "schema"),
      businessDate: readRecordText(verdict?.value ?? request.value, "businessDate"),
      endedAtMs: ended?.appendedAtMs ?? null,
    },
  ];
}

interface Day {
  readonly scheme: string;
  readonly businessDate: string;
}

function daysWithGates(evidence: Evidence, schemes: ReadonlySet<string>): readonly Day[] {
  const days = evidence.gates.map(({ value }) => ({
    scheme: readRecordText(value, "scheme"),
    businessDate: readRecordText(value, "businessDate"),
  }));
  const once = new Map(days.map((day) => [`${day.scheme}:${day.businessDate}`, day]));
  return [...once.values()].filter(({ scheme }) => schemes.has(scheme));
}

function checkDay(evidence: Evidence, day: Day, credits: readonly Credit[]): readonly Violation[] {
  const key = `${day.scheme}:${day.businessDate}`;
  const banks = new Set(credits.map(({ bank }) => bank));
  return [...banks].flatMap((bank) => {
    const opened = firstOpening(evidence, key, bank);
    if (opened === null) return [];
    return credits.flatMap((credit): Violation[] => {
      if (credit.bank !== bank || credit.scheme !== day.scheme || credit.businessDate > day.businessDate) return [];
      const declared = evidence.markers(credit.request.partition, key).find((marker) => isDeclarationFor(marker, bank));
      if (declared === undefined || declared.position < credit.request.position) return [];
      if (credit.endedAtMs !== null && credit.endedAtMs <= opened.appendedAtMs + evidence.brokerClocksApartMs) return [];
      if (isNamedByOperator(evidence, key, bank, credit, opened) || wasItemUnread(evidence, credit, opened)) return [];
      const text = `the gate of ${bank} on ${key} opened (offset ${opened.position}) before this credit, received before the declaration, was resolved`;
      return [{ promise: "I8", uetr: credit.journey.uetr, text }];
    });
  });
}

/** True if an operator's request to open the gate names this credit. */
function isNamedByOperator(evidence: Evidence, day: string, bank: string, { journey }: Credit, opened: PlacedRecord): boolean {
  return evidence.dayActions.some(
    (record) =>
      record.type === "GateOpeningRequested" &&
      record.key === day &&
      readRecordText(record.value, "bank") === bank &&
      record.appendedAtMs <= opened.appendedAtMs + evidence.brokerClocksApartMs &&
      readRecordTexts(record.value, "credits")?.includes(journey.uetr) === true,
  );
}

/** #4 */
function wasItemUnread(evidence: Evidence, { journey: { snapshot }, request }: Credit, opened: PlacedRecord): boolean {
  const readAt = BigInt(snapshot?.transitions[0]?.offset ?? request.position);
  if (readAt <= request.position) return false;
  return (snapshot?.items ?? []).some(({ day, row }) => {
    const made = evidence.markers(request.partition, day).find(({ type }) => type === "DayReconciled");
    if (row !== 4 || made === undefined || made.position >= readAt) return false;
    return made.appendedAtMs <= opened.appendedAtMs + evidence.brokerClocksApartMs;
  });
}

/** The copy of the bank's GateOpened that was appended first, over all partitions. */
function firstOpening(evidence: Evidence, day: string, bank: string): PlacedRecord | null {
  const copies = evidence.partitions.flatMap((partition) =>
    evidence.markers(partition, day).filter((marker) => opensGateFor(marker, bank)),
  );
  return copies.reduce<PlacedRecord | null>(
    (first, copy) => (first === null || copy.appendedAtMs < first.appendedAtMs ? copy : first),
    null,
  );
}

export function opensGateFor(marker: PlacedRecord, bank: string): boolean {
  if (marker.type !== "GateOpened") return false;
  const banks = readRecordTexts(marker.value, "banks");
  return banks === null ? readRecordTexts(marker.value, "except")?.includes(bank) !== true : banks.includes(bank);
}

function isDeclarationFor(marker: PlacedRecord, bank: string): boolean {
  if (marker.type !== "CreditsDeclared") return false;
  const scope = readRecordText(marker.value, "bank");
  return scope === "" || scope === bank;
}
