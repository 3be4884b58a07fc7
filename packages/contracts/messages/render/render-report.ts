// Reports that Sluice makes: to an initiating bank, and to a scheme connector.
//
// #1 A report names the message that it is about and that message's key elements: the amount and the account checked,
//    without names. Both agents are always there.
// #2 An outcome that a bank reported is passed on as ACSC, RJCT or CANC with its reasons: from Sluice ACCP means that a
//    debit is queued, not collected. Another code of the bank is named in words. A negative report without a reason is
//    MS03.
// #3 The content follows from the state that was entered, so that a replay and a repeated report are the same.

import type { DispatchOutput, EventOutput, State } from "@sluice/domain";
import { assert } from "@sluice/kernel";
import type * as wire from "../../generated/records.ts";
import { isCreditRecord, type PaymentReceived } from "../../wire/payment-received.ts";
import type { MessageSources } from "./message-sources.ts";
import { outcomeByCode, readReportOutcome } from "../read/report-outcome.ts";

export const acceptedStatus: wire.Status = { code: "ACCP", outcome: "APPROVED", reasonInfo: null };
export const duplicateStatus: wire.Status = rejectedWith([{ code: "AM05", text: "another message has this UETR" }]);
/** Of a debit that was withdrawn, or is unresolved after its close. */
export const unresolvedStatus: wire.Status = {
  code: "PDNG",
  outcome: "PENDING",
  reasonInfo: [{ reason: { schema: "CODE", value: "NARR" }, additionalInformation: "people find out how the debit ended" }],
};
const pendingStatus: wire.Status = { code: "PDNG", outcome: "PENDING", reasonInfo: null };
const undeliveredStatus: wire.Status = rejectedWith([{ code: "MS03", text: "the bank refused the message" }]);

/** Builds a report on a message, under Sluice's own identification. */
export function buildReportOn(
  received: PaymentReceived,
  messageIdentifiers: wire.MessageIdentifiers,
  status: wire.Status,
): wire.PaymentStatusReport {
  const message = isCreditRecord(received) ? received.credit : received.debit;
  const [from, to] = isCreditRecord(received)
    ? [received.credit.debtorAgent, received.credit.creditorAgent]
    : [received.debit.creditorAgent, received.debit.debtorAgent];
  return {
    messageIdentifiers,
    supplementaryData: null,
    originalMessageIdentifiers: message.messageIdentifiers,
    transactionIdentifiers: message.transactionIdentifiers,
    instructingAgent: agentKey(message.instructingAgent ?? from),
    instructedAgent: agentKey(message.instructedAgent ?? to),
    originalTransactionData: keyElements(received),
    paymentScheme: { schema: message.paymentScheme.schema, schemeData: null },
    status,
  };
}

export function rejectedStatus({ verdict }: MessageSources): wire.Status {
  assert(verdict !== null && verdict.verdict === "REFUSED", "a rejection has a verdict that refused");
  return rejectedWith(verdict.reasons);
}

/** The status that a connector gets for the state that its debit or credit entered. */
export function outcomeStatus(state: State, sources: MessageSources): wire.Status {
  if (endsByReport.has(state)) return passedOn(sources);
  if (endsByVerdict.has(state)) return rejectedStatus(sources);
  if (state === "CREDIT_AUTH_DELIVERY_FAILURE") return undeliveredStatus;
  assert(state === "CREDIT_AUTH_RECONCILIATION", `no outcome is reported in ${state}`);
  return pendingStatus;
}

const endsByReport: ReadonlySet<State> = new Set<State>(["COMPLETED", "UNPAID", "CREDIT_AUTH_RESPONSE_ACCEPTED"]);
/**
 * An off-us debit in RECONCILIATION whose outcome was reported is a rejection that was not acknowledged before the
 * close.
 */
const endsByVerdict: ReadonlySet<State> = new Set<State>(["REJECTED", "REJECTION_REPORTED", "RECONCILIATION", "CREDIT_AUTH_REJECTED"]);

/** The status that the initiating side of an on-us debit gets at its end. */
export function onUsOutcomeStatus(sources: MessageSources): wire.Status {
  const { status } = recordedReport(sources);
  if (readReportOutcome(recordedReport(sources)) === "made") return { code: "ACSC", outcome: "APPROVED", reasonInfo: null };
  return { code: "RJCT", outcome: "REJECTED", reasonInfo: status.reasonInfo };
}

/**
 * The status of an item's resolution: settled or rejected. A replaced transaction counts as rejected, because the other
 * transaction was settled.
 */
export function resolutionStatus(output: DispatchOutput | EventOutput): wire.Status {
  assert(output.kind === "dispatch" && output.resolution !== null, "a resolution is reported once it is final");
  if (output.resolution === "made") return { code: "ACSC", outcome: "APPROVED", reasonInfo: null };
  return rejectedWith([
    { code: "NARR", text: output.resolution === "replaced" ? "replaced by another transaction" : "found not to be made" },
  ]);
}

/** The bank's final report as it is kept and shown: a negative one without a reason gets MS03. */
export function recordedReport({ finalReport }: MessageSources): wire.PaymentStatusReport {
  assert(finalReport !== null, "an end by report has that report");
  const { report } = finalReport;
  const reasons = report.status.reasonInfo ?? [];
  if (readReportOutcome(report) !== "not-made" || reasons.some(({ reason }) => reason !== null)) return report;
  const [first, ...rest] = reasons;
  const unspecified = { reason: { schema: "CODE", value: "MS03" }, additionalInformation: first?.additionalInformation ?? null };
  return { ...report, status: { ...report.status, reasonInfo: [unspecified, ...rest] } };
}

/** #2 */
function passedOn(sources: MessageSources): wire.Status {
  const { code, outcome: given, reasonInfo } = recordedReport(sources).status;
  const codeByOutcome: Readonly<Record<string, string>> = { APPROVED: "ACSC", REJECTED: "RJCT", CANCELLED: "CANC" };
  const outcome = given ?? outcomeByCode.get(code ?? "") ?? null;
  const passed = codeByOutcome[outcome ?? ""] ?? null;
  if (code === null || code === passed) return { code: passed, outcome, reasonInfo };
  const named = { reason: null, additionalInformation: `the bank's code: ${code}` };
  return { code: passed, outcome, reasonInfo: [...(reasonInfo ?? []), named] };
}

function rejectedWith(reasons: readonly wire.Reason[]): wire.Status {
  const reasonInfo = reasons.map(({ code, text }) => ({ reason: { schema: "CODE", value: code }, additionalInformation: text }));
  return { code: "RJCT", outcome: "REJECTED", reasonInfo };
}

function keyElements(received: PaymentReceived): wire.OriginalTransactionData {
  const account = isCreditRecord(received) ? received.credit.creditorAccount : received.debit.debtorAccount;
  const checked = { identification: account.identification, proxy: account.proxy, currency: null, name: null, type: null };
  const { bankSettlementAmount } = (isCreditRecord(received) ? received.credit : received.debit).amounts;
  return {
    paymentMethod: isCreditRecord(received) ? "CreditTransfer" : "DirectDebit",
    amounts: { bankSettlementAmount, instructedAmount: null },
    creditor: null,
    creditorAccount: isCreditRecord(received) ? checked : null,
    creditorAgent: null,
    debtor: null,
    debtorAccount: isCreditRecord(received) ? null : checked,
    debtorAgent: null,
    settlementDate: null,
    requestedCollectionDate: null,
    remittanceInformation: null,
  };
}

/** Names the agent by its shortest key, or as given where it has neither. */
function agentKey(agent: wire.Institution): wire.Institution {
  if (agent.memberId !== null) return { ...noAgent, memberId: agent.memberId };
  if (agent.bicfi !== null) return { ...noAgent, bicfi: agent.bicfi };
  return agent;
}

const noAgent: wire.Institution = {
  bicfi: null,
  memberId: null,
  name: null,
  branch: null,
  lei: null,
  companyRegistration: null,
  additionalIdentifications: null,
};
