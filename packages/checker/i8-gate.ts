// I8, the gate: it opens for a bank only when every credit of the scheme to that bank which a lane received before the declaration is
// resolved. Told from the journal alone: the declaration's markers, one in each lane, the credits below them, and what ended those.
//
// 1. A credit counts if it lies below the declaration's marker in its own lane and its business date is not after the day.
// 2. An operator may open it over credits that the request names; over no other.
// 3. It is resolved by the record that caused its terminal state. Between lanes append times are compared: the opening is not before it.

import type { Evidence, Journey, PlacedRecord } from "./evidence.ts";
import type { Violation } from "./history.ts";
import { terminalStates } from "./states.ts";
import { textAt, textsAt } from "./value.ts";

interface Credit {
  readonly journey: Journey;
  readonly request: PlacedRecord;
  readonly bank: string;
  readonly scheme: string;
  readonly businessDate: string;
  /** Append time of the record that ended it; null while it is unresolved. */
  readonly endedAtMs: number | null;
}

export function openedTooEarly(evidence: Evidence): readonly Violation[] {
  const credits = evidence.journeys.flatMap((journey) => creditOf(journey));
  if (credits.length === 0) return [];
  const days = new Set(credits.map(({ scheme }) => scheme));
  return daysOf(evidence, days).flatMap((day) => judgeDay(evidence, day, credits));
}

function creditOf(journey: Journey): readonly Credit[] {
  const { request, verdict, flow } = journey;
  if (request === null || flow !== "credit") return [];
  const end = journey.events.find((event) => terminalStates.has(event.state));
  const ended = end === undefined ? undefined : journey.journal.find((record) => record.at === end.causedBy);
  return [
    {
      journey,
      request,
      bank: textAt(verdict?.value ?? request.value, "bank"),
      scheme: textAt(request.value, "credit", "paymentScheme", "schema"),
      businessDate: textAt(verdict?.value ?? request.value, "businessDate"),
      endedAtMs: ended?.appendedAtMs ?? null,
    },
  ];
}

interface Day {
  readonly scheme: string;
  readonly businessDate: string;
}

function daysOf(evidence: Evidence, schemes: ReadonlySet<string>): readonly Day[] {
  const days = evidence.gates.map(({ value }) => ({ scheme: textAt(value, "scheme"), businessDate: textAt(value, "businessDate") }));
  const once = new Map(days.map((day) => [`${day.scheme}:${day.businessDate}`, day]));
  return [...once.values()].filter(({ scheme }) => schemes.has(scheme));
}

function judgeDay(evidence: Evidence, day: Day, credits: readonly Credit[]): readonly Violation[] {
  const key = `${day.scheme}:${day.businessDate}`;
  const banks = new Set(credits.map(({ bank }) => bank));
  return [...banks].flatMap((bank) => {
    const opened = firstOpening(evidence, key, bank);
    if (opened === null) return [];
    return credits.flatMap((credit): Violation[] => {
      if (credit.bank !== bank || credit.scheme !== day.scheme || credit.businessDate > day.businessDate) return [];
      const declared = evidence.markers(credit.request.partition, key).find((marker) => isDeclarationFor(marker, bank));
      if (declared === undefined || declared.at < credit.request.at) return [];
      if (credit.endedAtMs !== null && credit.endedAtMs <= opened.appendedAtMs) return [];
      if (isTakenOnByOperator(evidence, key, bank, credit, opened)) return [];
      const text = `the gate of ${bank} on ${key} opened (offset ${opened.at}) before this credit, received before the declaration, was resolved`;
      return [{ promise: "I8", uetr: credit.journey.uetr, text }];
    });
  });
}

/** An operator was shown this credit and opened the gate over it. */
function isTakenOnByOperator(evidence: Evidence, day: string, bank: string, { journey }: Credit, opened: PlacedRecord): boolean {
  return evidence.dayActions.some(
    (record) =>
      record.type === "GateOpeningRequested" &&
      record.key === day &&
      textAt(record.value, "bank") === bank &&
      record.appendedAtMs <= opened.appendedAtMs &&
      textsAt(record.value, "credits")?.includes(journey.uetr) === true,
  );
}

/** Of all copies the one appended first. */
function firstOpening(evidence: Evidence, day: string, bank: string): PlacedRecord | null {
  const copies = evidence.partitions.flatMap((partition) => evidence.markers(partition, day).filter((marker) => isGateOf(marker, bank)));
  return copies.reduce<PlacedRecord | null>(
    (first, copy) => (first === null || copy.appendedAtMs < first.appendedAtMs ? copy : first),
    null,
  );
}

export function isGateOf(marker: PlacedRecord, bank: string): boolean {
  if (marker.type !== "GateOpened") return false;
  const banks = textsAt(marker.value, "banks");
  return banks === null ? textsAt(marker.value, "except")?.includes(bank) !== true : banks.includes(bank);
}

function isDeclarationFor(marker: PlacedRecord, bank: string): boolean {
  if (marker.type !== "CreditsDeclared") return false;
  const scope = textAt(marker.value, "bank");
  return scope === "" || scope === bank;
}
