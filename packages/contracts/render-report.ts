// Reports that Sluice makes: to an initiating bank, and to a scheme connector.
//
// 1. A report names the message it is about and the key elements of that message: the amount and the account checked, without
//    names. Both agents are always there.
// 2. An outcome that a bank reported is passed on with its code, outcome and reasons; of code and outcome the one that the bank
//    left out is filled in. A negative report without a reason is MS03.
// 3. What is said follows from the state that was entered, so a replay and a report sent once more say the same.

import type { DispatchOutput, EventOutput, State } from "@sluice/domain";
import { assert } from "@sluice/runtime";
import type * as wire from "./generated/records.ts";
import { isCredit } from "./received-message.ts";
import type { Received } from "./received-message.ts";
import type { MessageSources } from "./render-message.ts";
import { outcomeByCode, outcomeOf } from "./status-meaning.ts";

export const acceptedStatus: wire.Status = { code: "ACCP", outcome: "APPROVED", reasonInfo: null };
export const duplicateStatus: wire.Status = rejectedWith([{ code: "AM05", text: "another message has this UETR" }]);
const pendingStatus: wire.Status = { code: "PDNG", outcome: "PENDING", reasonInfo: null };
const undeliveredStatus: wire.Status = rejectedWith([{ code: "MS03", text: "the bank refused the message" }]);

/** A report on a message, under Sluice's own identification. */
export function reportOn(received: Received, messageIdentifiers: wire.MessageIdentifiers, status: wire.Status): wire.PaymentStatusReport {
  const message = isCredit(received) ? received.credit : received.debit;
  const [from, to] = isCredit(received)
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

/** What a connector is told of the state that its debit or credit entered. */
export function outcomeStatus(state: State, sources: MessageSources): wire.Status {
  if (endsByReport.has(state)) return passedOn(sources);
  if (endsByVerdict.has(state)) return rejectedStatus(sources);
  if (state === "CREDIT_AUTH_DELIVERY_FAILURE") return undeliveredStatus;
  assert(state === "CREDIT_AUTH_RECONCILIATION", `no outcome is told in ${state}`);
  return pendingStatus;
}

const endsByReport: ReadonlySet<State> = new Set<State>(["COMPLETED", "UNPAID", "CREDIT_AUTH_RESPONSE_ACCEPTED"]);
/** An off-us debit in RECONCILIATION whose outcome was told is a rejection that was not acknowledged before the close. */
const endsByVerdict: ReadonlySet<State> = new Set<State>(["REJECTED", "REJECTION_REPORTED", "RECONCILIATION", "CREDIT_AUTH_REJECTED"]);

/** What the initiating side of an on-us debit is told at its end. */
export function onUsOutcomeStatus(sources: MessageSources): wire.Status {
  const { status } = recordedReport(sources);
  if (outcomeOf(recordedReport(sources)) === "made") return { code: "ACSC", outcome: "APPROVED", reasonInfo: null };
  return { code: "RJCT", outcome: "REJECTED", reasonInfo: status.reasonInfo };
}

/** What people found out about an item: made, or not. A replaced one was not made: the other transaction was. */
export function resolutionStatus(output: DispatchOutput | EventOutput): wire.Status {
  assert(output.kind === "dispatch" && output.resolution !== null, "a resolution is told once it is final");
  if (output.resolution === "made") return { code: "ACSC", outcome: "APPROVED", reasonInfo: null };
  return rejectedWith([
    { code: "NARR", text: output.resolution === "replaced" ? "replaced by another transaction" : "found not to be made" },
  ]);
}

/** The bank's final report as it is kept and shown: a negative one without a reason has MS03. */
export function recordedReport({ finalReport }: MessageSources): wire.PaymentStatusReport {
  assert(finalReport !== null, "an end by report has that report");
  const { report } = finalReport;
  const reasons = report.status.reasonInfo ?? [];
  if (outcomeOf(report) !== "not-made" || reasons.some(({ reason }) => reason !== null)) return report;
  const [first, ...rest] = reasons;
  const unspecified = { reason: { schema: "CODE", value: "MS03" }, additionalInformation: first?.additionalInformation ?? null };
  return { ...report, status: { ...report.status, reasonInfo: [unspecified, ...rest] } };
}

function passedOn(sources: MessageSources): wire.Status {
  const { code, outcome, reasonInfo } = recordedReport(sources).status;
  const codeByOutcome: Readonly<Record<string, string>> = { APPROVED: "ACSC", REJECTED: "RJCT", CANCELLED: "CANC" };
  return { code: code ?? codeByOutcome[outcome ?? ""] ?? null, outcome: outcome ?? outcomeByCode.get(code ?? "") ?? null, reasonInfo };
}

function rejectedWith(reasons: readonly wire.Reason[]): wire.Status {
  const reasonInfo = reasons.map(({ code, text }) => ({ reason: { schema: "CODE", value: code }, additionalInformation: text }));
  return { code: "RJCT", outcome: "REJECTED", reasonInfo };
}

function keyElements(received: Received): wire.OriginalTransactionData {
  const account = isCredit(received) ? received.credit.creditorAccount : received.debit.debtorAccount;
  const checked = { identification: account.identification, proxy: account.proxy, currency: null, name: null, type: null };
  const { bankSettlementAmount } = (isCredit(received) ? received.credit : received.debit).amounts;
  return {
    paymentMethod: isCredit(received) ? "CreditTransfer" : "DirectDebit",
    amounts: { bankSettlementAmount, instructedAmount: null },
    creditor: null,
    creditorAccount: isCredit(received) ? checked : null,
    creditorAgent: null,
    debtor: null,
    debtorAccount: isCredit(received) ? null : checked,
    debtorAgent: null,
    settlementDate: null,
    requestedCollectionDate: null,
    remittanceInformation: null,
  };
}

/** The agent by its shortest key; as given where it has neither. */
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
