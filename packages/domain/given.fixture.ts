// Builders for the tests of this package: one partition, one day with two windows, one debit or credit, and facts in
// the order of their offsets.

import type { DecideDayResult } from "./day/day-result.ts";
import { decideDay } from "./day/decide-day.ts";
import { decide } from "./debit-and-credit/decide.ts";
import type { Day } from "./day/day.ts";
import type * as facts from "./fact.ts";
import type { BankMarker, DayFact, DeliveryEvidence, Marker, MessageIdentity, RecordPosition, TransactionFact } from "./fact.ts";
import { type AppliedBankMarker, type AppliedMarker, createPartitionView, type PartitionView } from "./partition-view.ts";
import type { DecideResult } from "./debit-and-credit/result.ts";
import type { Output } from "./debit-and-credit/output.ts";
import type { Transaction } from "./debit-and-credit/transaction.ts";

export const uetr = "7d5fb0b2-61a5-4c2e-9d3c-0d6c5a1b2c3d";
export const hex = uetr.replaceAll("-", "");
export const scheme = "ZA_EFT";
export const date = "2026-11-20";
export const nextDate = "2026-11-23";
export const today = `${scheme}:${date}`;
export const tomorrow = `${scheme}:${nextDate}`;
/** The bank that sends and receives the on-us debit, and receives the off-us debit and the credit. */
export const bank = "bank-a";
/** The connector that sends the off-us debit and the credit. */
export const connector = "pch";
/** The credit's deadline, by its verdict. Only DeadlinePassed depends on it. */
export const deadlineMs = 3_000;

/** Replaces SHA-256, because the domain imports nothing, not even from Node: 64 hex digits by eight runs of FNV-1a. */
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

type DebitChanges = Partial<Omit<facts.DirectDebitReceived, "flow" | "bank">>;

export function debit(changes: DebitChanges = {}): facts.DirectDebitReceived {
  return { ...receivedDebit(), flow: "on-us", bank: null, ...changes };
}

/** A debit from the connector to the bank. */
export function offUsDebit(changes: DebitChanges & { readonly bank?: string } = {}): facts.DirectDebitReceived {
  return { ...receivedDebit(), flow: "off-us", message: identity("M1", "c1", connector), bank, ...changes };
}

function receivedDebit() {
  return {
    kind: "DirectDebitReceived",
    uetr,
    message: identity("M1"),
    receivedAtMs: 1_000,
    reconciliationDay: today,
    closesAtMs: 900_000,
    scheme,
    amountTenThousandths: 12_505_000n,
    currency: "ZAR",
  } as const;
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
    validatedMessage: { sender, messageIdentification, contentHash },
    verdict: "accepted",
    bank,
    businessDate: date,
    reconciliationDay: today,
    deadlineMs: null,
    wantsOutcomeReport: false,
    carryOversMax: 0,
    ...changes,
  };
}

/** The verdict on the connector's message. */
export function offUsVerdict(changes: Partial<facts.AccountVerified> = {}): facts.AccountVerified {
  return verdict({ validatedMessage: { ...verdict().validatedMessage, sender: connector }, ...changes });
}

export function creditVerdict(changes: Partial<facts.AccountVerified> = {}): facts.AccountVerified {
  return offUsVerdict({ reconciliationDay: null, deadlineMs, ...changes });
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
    isReceiverPaused: false,
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

export type SequenceStep = TransactionFact | Marker | BankMarker;

/** True for a marker of a day. */
export function isMarker(step: SequenceStep): step is Marker {
  return "businessDate" in step && "id" in step;
}

export function isBankMarker(step: SequenceStep): step is BankMarker {
  return step.kind === "BankPaused" || step.kind === "BankResumed";
}

export interface SequenceResult {
  readonly transaction: Transaction | null;
  /** One result for each fact, in order. */
  readonly outcomes: readonly (DecideResult & { readonly fact: TransactionFact; readonly position: RecordPosition })[];
  readonly markers: readonly AppliedMarker[];
  /** All markers of the partition at the end. */
  readonly partition: PartitionView;
}

/** The n-th record of the partition, from 1, is at offset 10 n and was appended at 1,000 n ms. */
export function stepPosition(index: number): RecordPosition {
  return { offset: BigInt((index + 1) * 10), appendedAtMs: (index + 1) * 1_000 };
}

/** Stands for the offset of a proposal that is confirmed or rejected: `runSteps` fills in where it was proposed. */
export const offsetOfProposal = -1n;

function nameProposal(fact: TransactionFact, transaction: Transaction | null): TransactionFact {
  const isNaming = fact.kind === "ItemResolutionConfirmed" || fact.kind === "ItemResolutionRejected";
  if (!isNaming || fact.proposal?.offset !== offsetOfProposal) return fact;
  const { contentSha256 } = fact.proposal;
  const proposed = transaction?.items.find(({ resolution }) => resolution?.action.contentSha256 === contentSha256)?.resolution;
  return { ...fact, proposal: { contentSha256, offset: proposed?.offset ?? offsetOfProposal } };
}

/**
 * Applies the steps to a transaction in order. All markers are known from the start, as after another process took the
 * partition over.
 */
export function runSteps(steps: readonly SequenceStep[], start: Transaction | null = null): SequenceResult {
  const markers = steps.flatMap((step, index) => (isMarker(step) ? [{ marker: step, position: stepPosition(index) }] : []));
  const ofBanks: AppliedBankMarker[] = steps.flatMap((step, index) =>
    isBankMarker(step) ? [{ marker: step, position: stepPosition(index) }] : [],
  );
  const partition = createPartitionView(3, markers, ofBanks);
  let transaction = start;
  const outcomes: (DecideResult & { fact: TransactionFact; position: RecordPosition })[] = [];
  for (const [index, step] of steps.entries()) {
    if (isMarker(step) || isBankMarker(step)) continue;
    const fact = nameProposal(step, transaction);
    const outcome = decide(uetr, transaction, fact, stepPosition(index), partition, digest);
    transaction = outcome.transaction;
    outcomes.push({ ...outcome, fact, position: stepPosition(index) });
  }
  return { transaction, outcomes, markers, partition };
}

/** The transaction after these steps; it must exist. */
export function stateAfter(...steps: readonly SequenceStep[]): { transaction: Transaction; last: DecideResult; states: readonly string[] } {
  const { transaction, outcomes } = runSteps(steps);
  const last = outcomes.at(-1);
  if (transaction === null || last === undefined) throw new Error("no transaction");
  return { transaction, last, states: transaction.transitions.map((entry) => entry.state) };
}

/** The short name of an output: `HELD`, `send:D`, `stop:D`, `redrive:D`, `send:O1`, `send:X`. */
export function shortName(output: Output): string {
  if (output.kind === "event") return output.state;
  const own = output.messageIdentification.startsWith(hex)
    ? output.messageIdentification.slice(hex.length)
    : output.messageIdentification.slice(0, 1);
  return `${output.kind === "dispatch" ? "send" : output.kind}:${own}`;
}

export const acceptedSteps: readonly SequenceStep[] = [debit(), verdict()];
export const rejectedSteps: readonly SequenceStep[] = [debit(), verdict({ verdict: "refused" })];
export const heldSteps: readonly SequenceStep[] = [...acceptedSteps, ended("A")];
export const openDay: readonly SequenceStep[] = [windowOpened(), gateOpened()];
export const releasedSteps: readonly SequenceStep[] = [...heldSteps, ...openDay, release()];
export const deliveredSteps: readonly SequenceStep[] = [...releasedSteps, ended("D")];
export const completedSteps: readonly SequenceStep[] = [...deliveredSteps, report()];

export const offUsHeld: readonly SequenceStep[] = [offUsDebit(), offUsVerdict()];
export const offUsRejected: readonly SequenceStep[] = [offUsDebit(), offUsVerdict({ verdict: "refused" })];
export const offUsReleased: readonly SequenceStep[] = [...offUsHeld, ...openDay, release()];
export const offUsDelivered: readonly SequenceStep[] = [...offUsReleased, ended("D")];
export const offUsCompleted: readonly SequenceStep[] = [...offUsDelivered, report()];

export const creditPending: readonly SequenceStep[] = [credit(), creditVerdict()];
export const creditRejected: readonly SequenceStep[] = [credit(), creditVerdict({ verdict: "refused" })];
export const creditDelivered: readonly SequenceStep[] = [...creditPending, ended("C")];
export const creditFinal: readonly SequenceStep[] = [...creditDelivered, creditReport()];
export const creditFailed: readonly SequenceStep[] = [...creditPending, ended("C", "refused")];

// ---- business days

export function dayPlanned(changes: Partial<facts.DayPlanned> = {}): facts.DayPlanned {
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
    partitionCount: 3,
    ...changes,
  };
}

export function dayTimeReached(time: facts.DayTimeReached["time"], number = 0): facts.DayTimeReached {
  return { kind: "DayTimeReached", scheme, businessDate: date, time, number };
}

export function partitionCredits(partition: number, banksUnresolved: readonly string[] = [], declaration = 1): facts.PartitionCredits {
  const id = `${today}:CreditsDeclared:${declaration}`;
  return { kind: "PartitionCredits", scheme, businessDate: date, partition, declaration: id, banksUnresolved };
}

export function partitionBankClear(partition: number, cleared: string, declaration = 1): facts.PartitionBankClear {
  const id = `${today}:CreditsDeclared:${declaration}`;
  return { kind: "PartitionBankClear", scheme, businessDate: date, partition, declaration: id, bank: cleared };
}

/** A declaration by the bank for itself; null: by the connector, for all banks. */
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

/** Applies these facts to a day, each appended at its time. */
export function dayAfter(...steps: readonly (readonly [number, DayFact])[]): { day: Day | null; outcomes: readonly DecideDayResult[] } {
  let day: Day | null = null;
  const outcomes: DecideDayResult[] = [];
  for (const [index, [appendedAtMs, fact]] of steps.entries()) {
    const outcome = decideDay(today, day, fact, { offset: BigInt(index), appendedAtMs });
    day = outcome.day;
    outcomes.push(outcome);
  }
  return { day, outcomes };
}

export function markerIds(outcome: DecideDayResult | undefined): readonly string[] {
  return (outcome?.outputs ?? []).map(({ marker }) => marker.id.slice(today.length + 1));
}
