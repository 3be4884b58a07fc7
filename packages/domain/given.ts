// Given, when, then for the tests of this package: one lane, one day with two windows, one debit or credit, facts in offset order.

import { decideDay } from "./decide-day.ts";
import type { DayOutcome } from "./decide-day.ts";
import { decide } from "./decide.ts";
import type { Day } from "./day.ts";
import type * as facts from "./fact.ts";
import type { BankMarker, DayFact, DeliveryEvidence, Marker, MessageIdentity, Place, TransactionFact } from "./fact.ts";
import { laneView } from "./lane.ts";
import type { LaneView, PassedBankMarker, PassedMarker } from "./lane.ts";
import type { Outcome } from "./outcome.ts";
import type { Output } from "./output.ts";
import type { Transaction } from "./transaction.ts";

export const uetr = "7d5fb0b2-61a5-4c2e-9d3c-0d6c5a1b2c3d";
export const hex = uetr.replaceAll("-", "");
export const scheme = "ZA_EFT";
export const date = "2026-11-20";
export const nextDate = "2026-11-23";
export const today = `${scheme}:${date}`;
export const tomorrow = `${scheme}:${nextDate}`;
/** Sends the on-us debit and receives it; receives the off-us debit and the credit. */
export const bank = "bank-a";
/** Sends the off-us debit and the credit. */
export const connector = "pch";
/** The credit's own deadline, by its verdict. Nothing but DeadlinePassed is judged by it. */
export const deadlineMs = 3_000;

/** Stands in for SHA-256: 64 hex digits that differ where texts do (eight runs of FNV-1a), for nothing here is imported, not even from Node. */
export function digest(text: string): string {
  const runs = Array.from({ length: 8 }, (_, seed) => {
    let hash = 0x811c9dc5 ^ (seed * 0x9e3779b1);
    for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    return (hash >>> 0).toString(16).padStart(8, "0");
  });
  return runs.join("");
}

export function identity(messageIdentification: string, content = "c1", sender = bank, substance = content): MessageIdentity {
  return { sender, messageIdentification, contentHash: `${content}/${messageIdentification}`, substanceHash: substance };
}

export function debit(changes: Partial<facts.DirectDebitReceived> = {}): facts.DirectDebitReceived {
  return {
    kind: "DirectDebitReceived",
    flow: "on-us",
    uetr,
    message: identity("M1"),
    bank: null,
    receivedAtMs: 1_000,
    closesWith: today,
    closesAtMs: 900_000,
    scheme,
    amountTenThousandths: 12_505_000n,
    currency: "ZAR",
    ...changes,
  };
}

/** Of a scheme connector, to the bank. */
export function offUsDebit(changes: Partial<facts.DirectDebitReceived> = {}): facts.DirectDebitReceived {
  return debit({ flow: "off-us", message: identity("M1", "c1", connector), bank, ...changes });
}

export function credit(changes: Partial<facts.CreditTransferReceived> = {}): facts.CreditTransferReceived {
  return {
    kind: "CreditTransferReceived",
    uetr,
    message: identity("M1", "c1", connector),
    receivedAtMs: 1_000,
    bank,
    businessDate: date,
    deadlineMs: deadlineMs - 1_000,
    scheme,
    amountTenThousandths: 12_505_000n,
    currency: "ZAR",
    ...changes,
  };
}

export function verdict(changes: Partial<facts.AccountVerified> = {}): facts.AccountVerified {
  const { sender, messageIdentification, contentHash } = identity("M1");
  return {
    kind: "AccountVerified",
    judged: { sender, messageIdentification, contentHash },
    verdict: "accepted",
    bank,
    businessDate: date,
    closesWith: today,
    deadlineMs: null,
    wantsOutcomeReport: false,
    rollsMax: 0,
    ...changes,
  };
}

/** On the message of the connector. */
export function offUsVerdict(changes: Partial<facts.AccountVerified> = {}): facts.AccountVerified {
  return verdict({ judged: { ...verdict().judged, sender: connector }, ...changes });
}

export function creditVerdict(changes: Partial<facts.AccountVerified> = {}): facts.AccountVerified {
  return offUsVerdict({ closesWith: "", deadlineMs, ...changes });
}

export function release(changes: Partial<facts.Release> = {}): facts.Release {
  return { kind: "Release", scheme, businessDate: date, windowNumber: 1, bank, ...changes };
}

export function ended(
  letter: "A" | "R" | "D" | "C" | "O" | "S",
  outcome: facts.DeliveryEnded["outcome"] = "acknowledged",
  evidence: Partial<DeliveryEvidence> = {},
): facts.DeliveryEnded {
  const codes = { acknowledged: 202, refused: 400, stopped: null };
  const full: DeliveryEvidence = {
    attempts: 1,
    anyAnswer: outcome !== "stopped",
    mayHaveBeenTaken: outcome !== "refused",
    httpStatusCode: codes[outcome],
    isBreakerOpen: false,
    isBankPaused: false,
  };
  const messageIdentification = `${hex}${letter}${letter === "O" ? 1 : ""}`;
  return { kind: "DeliveryEnded", messageIdentification, outcome, evidence: { ...full, ...evidence } };
}

export function report(
  outcome: facts.StatusReportReceived["outcome"] = "made",
  changes: Partial<facts.StatusReportReceived> = {},
): facts.StatusReportReceived {
  return {
    kind: "StatusReportReceived",
    about: "debit",
    message: identity(`R-${outcome}`),
    receivedAtMs: 2_000,
    outcome,
    originalMessageIdentification: `${hex}D`,
    ...changes,
  };
}

/** The bank's report on the credit. */
export function creditReport(
  outcome: facts.StatusReportReceived["outcome"] = "made",
  changes: Partial<facts.StatusReportReceived> = {},
): facts.StatusReportReceived {
  return report(outcome, { about: "credit", originalMessageIdentification: `${hex}C`, ...changes });
}

export function deadlinePassed(atMs = deadlineMs): facts.DeadlinePassed {
  return { kind: "DeadlinePassed", deadlineMs: atMs };
}

export function dayClosed(day = today): facts.DayClosed {
  return { kind: "DayClosed", day };
}

function based(kind: Marker["kind"], number: number, businessDate: string): { id: string; scheme: string; businessDate: string } {
  return { id: `${scheme}:${businessDate}:${kind}:${number}`, scheme, businessDate };
}
export function windowOpened(number = 1, businessDate = date): Marker {
  return { ...based("WindowOpened", number, businessDate), kind: "WindowOpened", number };
}
export function windowClosed(number = 1, businessDate = date): Marker {
  return { ...based("WindowClosed", number, businessDate), kind: "WindowClosed", number, isLast: number === 2, nextBusinessDate: nextDate };
}
export function gateOpened(changes: { banks?: readonly string[] | null; except?: readonly string[]; number?: number } = {}): Marker {
  const number = changes.number ?? 1;
  return { ...based("GateOpened", number, date), kind: "GateOpened", number, banks: changes.banks ?? null, except: changes.except ?? [] };
}
export function dayTimes(number: number, reconciliationAtMs: number, businessDate = date): Marker {
  return { ...based("DayTimes", number, businessDate), kind: "DayTimes", number, reconciliationAtMs, calendarVersion: `v${number}` };
}
export function dayReconciled(businessDate = date): Marker {
  return { ...based("DayReconciled", 1, businessDate), kind: "DayReconciled", number: 1 };
}

export type Step = TransactionFact | Marker | BankMarker;

/** Of a day. */
export function isMarker(step: Step): step is Marker {
  return "businessDate" in step && "id" in step;
}

export function isBankMarker(step: Step): step is BankMarker {
  return step.kind === "BankPaused" || step.kind === "BankResumed";
}

export interface Told {
  readonly transaction: Transaction | null;
  /** One for each fact, in order. */
  readonly outcomes: readonly (Outcome & { readonly fact: TransactionFact; readonly place: Place })[];
  readonly markers: readonly PassedMarker[];
  /** What the lane has passed in the end. */
  readonly lane: LaneView;
}

/** The n-th record of the lane, from 1, lies at offset 10 n and was appended at 1,000 n ms. */
export function placeOf(index: number): Place {
  return { offset: BigInt((index + 1) * 10), appendedAtMs: (index + 1) * 1_000 };
}

/** Tells a transaction these records in order, with all the markers that the lane ever passes known from the start, as after a take-over. */
export function tellAll(steps: readonly Step[], start: Transaction | null = null): Told {
  const markers = steps.flatMap((step, index) => (isMarker(step) ? [{ marker: step, place: placeOf(index) }] : []));
  const ofBanks: PassedBankMarker[] = steps.flatMap((step, index) => (isBankMarker(step) ? [{ marker: step, place: placeOf(index) }] : []));
  const lane = laneView(3, markers, ofBanks);
  let transaction = start;
  const outcomes: (Outcome & { fact: TransactionFact; place: Place })[] = [];
  for (const [index, step] of steps.entries()) {
    if (isMarker(step) || isBankMarker(step)) continue;
    const outcome = decide(uetr, transaction, step, placeOf(index), lane, digest);
    transaction = outcome.transaction;
    outcomes.push({ ...outcome, fact: step, place: placeOf(index) });
  }
  return { transaction, outcomes, markers, lane };
}

/** What these records lead to; the transaction must exist. */
export function after(...steps: readonly Step[]): { transaction: Transaction; last: Outcome; states: readonly string[] } {
  const { transaction, outcomes } = tellAll(steps);
  const last = outcomes.at(-1);
  if (transaction === null || last === undefined) throw new Error("no transaction");
  return { transaction, last, states: transaction.transitions.map((entry) => entry.state) };
}

/** An output in a word: `HELD`, `send:D`, `stop:D`, `redrive:D`, `send:O1`, `send:X`. */
export function short(output: Output): string {
  if (output.kind === "event") return output.state;
  const own = output.messageIdentification.startsWith(hex)
    ? output.messageIdentification.slice(hex.length)
    : output.messageIdentification.slice(0, 1);
  return `${output.kind === "dispatch" ? "send" : output.kind}:${own}`;
}

export const accepted: readonly Step[] = [debit(), verdict()];
export const rejected: readonly Step[] = [debit(), verdict({ verdict: "refused" })];
export const held: readonly Step[] = [...accepted, ended("A")];
export const openDay: readonly Step[] = [windowOpened(), gateOpened()];
export const released: readonly Step[] = [...held, ...openDay, release()];
export const delivered: readonly Step[] = [...released, ended("D")];
export const completed: readonly Step[] = [...delivered, report()];

export const offUsHeld: readonly Step[] = [offUsDebit(), offUsVerdict()];
export const offUsRejected: readonly Step[] = [offUsDebit(), offUsVerdict({ verdict: "refused" })];
export const offUsReleased: readonly Step[] = [...offUsHeld, ...openDay, release()];
export const offUsDelivered: readonly Step[] = [...offUsReleased, ended("D")];
export const offUsCompleted: readonly Step[] = [...offUsDelivered, report()];

export const creditPending: readonly Step[] = [credit(), creditVerdict()];
export const creditRejected: readonly Step[] = [credit(), creditVerdict({ verdict: "refused" })];
export const creditDelivered: readonly Step[] = [...creditPending, ended("C")];
export const creditFinal: readonly Step[] = [...creditDelivered, creditReport()];
export const creditFailed: readonly Step[] = [...creditPending, ended("C", "refused")];

// ---- business days

export function planned(changes: Partial<facts.DayPlanned> = {}): facts.DayPlanned {
  return {
    kind: "DayPlanned",
    scheme,
    businessDate: date,
    zone: "Africa/Johannesburg",
    calendarVersion: "v1",
    isWorkingDay: true,
    windows: [
      { number: 1, opensAtMs: 100, closesAtMs: 200 },
      { number: 2, opensAtMs: 300, closesAtMs: 400 },
    ],
    cutOffAtMs: 350,
    reconciliationAtMs: 500,
    nextBusinessDate: nextDate,
    creditsFinal: "clock",
    lanes: 3,
    ...changes,
  };
}

export function reached(time: facts.DayTimeReached["time"], number = 0): facts.DayTimeReached {
  return { kind: "DayTimeReached", scheme, businessDate: date, time, number };
}

export function laneCredits(lane: number, banksUnresolved: readonly string[] = [], declaration = 1): facts.LaneCredits {
  const id = `${today}:CreditsDeclared:${declaration}`;
  return { kind: "LaneCredits", scheme, businessDate: date, lane, declaration: id, banksUnresolved };
}

export function laneBankClear(lane: number, cleared: string, declaration = 1): facts.LaneBankClear {
  const id = `${today}:CreditsDeclared:${declaration}`;
  return { kind: "LaneBankClear", scheme, businessDate: date, lane, declaration: id, bank: cleared };
}

/** null: for all banks, by the connector. */
export function creditsFinal(declaredFor: string | null = null): facts.CreditsFinalRequested {
  return {
    kind: "CreditsFinalRequested",
    scheme,
    businessDate: date,
    requestedBy: declaredFor ?? connector,
    bank: declaredFor,
    action: null,
  };
}

/** A day told these facts, each appended at its time. */
export function dayAfter(...steps: readonly (readonly [number, DayFact])[]): { day: Day | null; outcomes: readonly DayOutcome[] } {
  let day: Day | null = null;
  const outcomes: DayOutcome[] = [];
  for (const [index, [appendedAtMs, fact]] of steps.entries()) {
    const outcome = decideDay(today, day, fact, { offset: BigInt(index), appendedAtMs });
    day = outcome.day;
    outcomes.push(outcome);
  }
  return { day, outcomes };
}

export function ids(outcome: DayOutcome | undefined): readonly string[] {
  return (outcome?.outputs ?? []).map(({ marker }) => marker.id.slice(today.length + 1));
}
