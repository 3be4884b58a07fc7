// Finished messages, as a pure function of journal records and an output: the same arguments give the same bytes.
//
// 1. What a bank sent goes out as it came, digits and letters; what Sluice changes is named here and nowhere else.
// 2. The inbound debit is the accepted one with Sluice's `messageIdentifiers`, and `settlementDate` = business date.
// 3. A report that Sluice makes names the message it is about and the key elements of it: amount and account debited,
//    without names. Both agents are always there.
// 4. A bank's negative report without a reason is recorded as MS03.
// 5. Times are those of the journal, UTC, milliseconds.

import type { DispatchOutput, EventOutput, MessageForm } from "@sluice/domain";
import { assert, unreachable } from "@sluice/runtime";
import type * as wire from "./generated/records.ts";
import { directDebitText, statusReportText } from "./message-writers.ts";
import { outcomeOf } from "./read-status-report.ts";

export interface MessageSources {
  readonly received: wire.DirectDebitReceived;
  /** null before it came. */
  readonly verdict: wire.AccountVerified | null;
  /** null before it came. */
  readonly finalReport: wire.StatusReportReceived | null;
  /** The message that a `duplicate-refused` or a `report-again` answers; null for every other form. */
  readonly answered: wire.DirectDebitReceived | null;
}

export interface RenderedMessage {
  readonly identifiers: wire.MessageIdentifiers;
  /** JSON text. */
  readonly text: string;
}

/** The message in the form asked for. */
export function renderMessage(form: MessageForm, sources: MessageSources, output: DispatchOutput | EventOutput): RenderedMessage {
  switch (form) {
    case "debit-received":
      return ofDebit(sources.received.debit);
    case "inbound-debit":
      return ofDebit({ ...sources.received.debit, messageIdentifiers: stampOf(output), settlementDate: output.businessDate });
    case "report-accepted":
      return ofReport(reportOn(sources.received, stampOf(output), accepted));
    case "report-rejected":
      return ofReport(reportOn(sources.received, stampOf(output), rejectedFor(sources)));
    case "final-report":
      return ofReport(recorded(sources));
    case "duplicate-refused":
      return ofReport(reportOn(answeredOf(sources), stampOf(output), duplicate));
    case "report-again":
      return ofReport(reportOn(answeredOf(sources), stampOf(output), againFor(sources)));
    default:
      return unreachable(form);
  }
}

export function renderDispatchBody(output: DispatchOutput, sources: MessageSources): Uint8Array {
  return new TextEncoder().encode(renderMessage(output.form, sources, output).text);
}

/** 2026-11-20T05:12:03.410Z of epoch milliseconds. */
export function utcText(epochMs: number): string {
  return Temporal.Instant.fromEpochMilliseconds(epochMs).toString({ smallestUnit: "millisecond" });
}

const accepted: wire.Status = { code: "ACCP", outcome: "APPROVED", reasonInfo: null };
const duplicate: wire.Status = rejectedWith([{ code: "AM05", text: "another message has this UETR" }]);

function rejectedWith(reasons: readonly wire.Reason[]): wire.Status {
  const reasonInfo = reasons.map(({ code, text }) => ({ reason: { schema: "CODE", value: code }, additionalInformation: text }));
  return { code: "RJCT", outcome: "REJECTED", reasonInfo };
}

function rejectedFor({ verdict }: MessageSources): wire.Status {
  assert(verdict !== null && verdict.verdict === "REFUSED", "a rejection has a verdict that refused");
  return rejectedWith(verdict.reasons);
}

function againFor(sources: MessageSources): wire.Status {
  assert(sources.verdict !== null, "a report is sent again after a verdict");
  return sources.verdict.verdict === "REFUSED" ? rejectedFor(sources) : accepted;
}

function answeredOf({ answered }: MessageSources): wire.DirectDebitReceived {
  assert(answered !== null, "an answer to one message needs that message");
  return answered;
}

function reportOn(
  received: wire.DirectDebitReceived,
  messageIdentifiers: wire.MessageIdentifiers,
  status: wire.Status,
): wire.PaymentStatusReport {
  const { debit } = received;
  return {
    messageIdentifiers,
    supplementaryData: null,
    originalMessageIdentifiers: debit.messageIdentifiers,
    transactionIdentifiers: debit.transactionIdentifiers,
    instructingAgent: agentKey(debit.instructingAgent ?? debit.creditorAgent),
    instructedAgent: agentKey(debit.instructedAgent ?? debit.debtorAgent),
    originalTransactionData: keyElements(debit),
    paymentScheme: { schema: debit.paymentScheme.schema, schemeData: null },
    status,
  };
}

function keyElements(debit: wire.DirectDebit): wire.OriginalTransactionData {
  const { identification, proxy } = debit.debtorAccount;
  return {
    paymentMethod: "DirectDebit",
    amounts: { bankSettlementAmount: debit.amounts.bankSettlementAmount, instructedAmount: null },
    creditor: null,
    creditorAccount: null,
    creditorAgent: null,
    debtor: null,
    debtorAccount: { identification, proxy, currency: null, name: null, type: null },
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

function recorded({ finalReport }: MessageSources): wire.PaymentStatusReport {
  assert(finalReport !== null, "an end by report has that report");
  const { report } = finalReport;
  const reasons = report.status.reasonInfo ?? [];
  if (outcomeOf(report) !== "not-made" || reasons.some(({ reason }) => reason !== null)) return report;
  const [first, ...rest] = reasons;
  const unspecified = { reason: { schema: "CODE", value: "MS03" }, additionalInformation: first?.additionalInformation ?? null };
  return { ...report, status: { ...report.status, reasonInfo: [unspecified, ...rest] } };
}

function stampOf(output: DispatchOutput | EventOutput): wire.MessageIdentifiers {
  const madeAtMs = output.kind === "event" ? output.messageMadeAtMs : output.madeAtMs;
  return { messageIdentification: output.messageIdentification, creationDateTime: utcText(madeAtMs) };
}

function ofDebit(debit: wire.DirectDebit): RenderedMessage {
  return { identifiers: debit.messageIdentifiers, text: directDebitText(debit) };
}

function ofReport(report: wire.PaymentStatusReport): RenderedMessage {
  return { identifiers: report.messageIdentifiers, text: statusReportText(report) };
}
