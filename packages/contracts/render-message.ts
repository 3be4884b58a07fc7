// Finished messages, as a pure function of journal records and an output: the same arguments give the same bytes.
//
// 1. What a bank or a connector sent goes out as it came, digits and letters; what Sluice changes is named here and nowhere else.
// 2. The inbound debit is the accepted one with Sluice's `messageIdentifiers`, and `settlementDate` = business date; the inbound
//    credit is the accepted one with Sluice's `messageIdentifiers`.
// 3. Times are those of the journal, UTC, milliseconds.

import type { DispatchOutput, EventOutput, MessageForm } from "@sluice/domain";
import { assert, unreachable } from "@sluice/runtime";
import type * as wire from "./generated/records.ts";
import { creditTransferText, directDebitText, statusReportText } from "./message-writers.ts";
import { flowOf, isCredit } from "./received-message.ts";
import type { Received } from "./received-message.ts";
import {
  acceptedStatus,
  duplicateStatus,
  onUsOutcomeStatus,
  outcomeStatus,
  recordedReport,
  rejectedStatus,
  reportOn,
  resolutionStatus,
} from "./render-report.ts";

export interface MessageSources {
  readonly received: Received;
  /** null before it came. */
  readonly verdict: wire.AccountVerified | null;
  /** null before it came. */
  readonly finalReport: wire.StatusReportReceived | null;
  /** The message that a `duplicate-refused` or a `report-again` answers; null for every other form. */
  readonly answered: Received | null;
}

/** A message that leaves, or that an event shows, not yet as text. */
export type OutgoingMessage =
  | { readonly kind: "DirectDebit"; readonly message: wire.DirectDebit }
  | { readonly kind: "CreditTransfer"; readonly message: wire.CreditTransfer }
  | { readonly kind: "PaymentStatusReport"; readonly message: wire.PaymentStatusReport };

/** The message in the form asked for. */
export function outgoingMessage(form: MessageForm, sources: MessageSources, output: DispatchOutput | EventOutput): OutgoingMessage {
  const { received } = sources;
  switch (form) {
    case "debit-received":
      return { kind: "DirectDebit", message: debitOf(received) };
    case "inbound-debit": {
      const changes = { messageIdentifiers: stampOf(output), settlementDate: output.businessDate };
      return { kind: "DirectDebit", message: { ...debitOf(received), ...changes } };
    }
    case "credit-received":
      return { kind: "CreditTransfer", message: creditOf(received) };
    case "inbound-credit":
      return { kind: "CreditTransfer", message: { ...creditOf(received), messageIdentifiers: stampOf(output) } };
    case "report-accepted":
      return report(reportOn(received, stampOf(output), acceptedStatus));
    case "report-rejected":
      return report(reportOn(received, stampOf(output), rejectedStatus(sources)));
    case "final-report":
      return report(recordedReport(sources));
    case "outcome-report":
      return report(reportOn(received, stampOf(output), outcomeStatus(output.state, sources)));
    case "on-us-outcome":
      return report(reportOn(received, stampOf(output), onUsOutcomeStatus(sources)));
    case "resolution-outcome":
      return report(reportOn(received, stampOf(output), resolutionStatus(output)));
    case "duplicate-refused":
      return report(reportOn(answeredOf(sources), stampOf(output), duplicateStatus));
    case "report-again":
      return report(reportOn(answeredOf(sources), stampOf(output), statusAgain(sources, output)));
    default:
      return unreachable(form);
  }
}

export function messageText(outgoing: OutgoingMessage): string {
  switch (outgoing.kind) {
    case "DirectDebit":
      return directDebitText(outgoing.message);
    case "CreditTransfer":
      return creditTransferText(outgoing.message);
    case "PaymentStatusReport":
      return statusReportText(outgoing.message);
    default:
      return unreachable(outgoing);
  }
}

export function renderDispatchBody(output: DispatchOutput, sources: MessageSources): Uint8Array {
  return new TextEncoder().encode(messageText(outgoingMessage(output.form, sources, output)));
}

/** 2026-11-20T05:12:03.410Z of epoch milliseconds. */
export function utcText(epochMs: number): string {
  return Temporal.Instant.fromEpochMilliseconds(epochMs).toString({ smallestUnit: "millisecond" });
}

/** What the transaction's own report says: to a bank the verdict, to a connector the outcome told last: what people found, where they did. */
function statusAgain(sources: MessageSources, output: DispatchOutput | EventOutput): wire.Status {
  if (output.kind === "dispatch" && output.resolution !== null) return resolutionStatus(output);
  if (flowOf(sources.received) !== "on-us") return outcomeStatus(output.state, sources);
  assert(sources.verdict !== null, "a report is sent again after a verdict");
  return sources.verdict.verdict === "REFUSED" ? rejectedStatus(sources) : acceptedStatus;
}

function debitOf(received: Received): wire.DirectDebit {
  assert(!isCredit(received), "a credit has no debit");
  return received.debit;
}

function creditOf(received: Received): wire.CreditTransfer {
  assert(isCredit(received), "a debit has no credit");
  return received.credit;
}

function answeredOf({ answered }: MessageSources): Received {
  assert(answered !== null, "an answer to one message needs that message");
  return answered;
}

function report(message: wire.PaymentStatusReport): OutgoingMessage {
  return { kind: "PaymentStatusReport", message };
}

function stampOf(output: DispatchOutput | EventOutput): wire.MessageIdentifiers {
  const madeAtMs = output.kind === "event" ? output.messageMadeAtMs : output.madeAtMs;
  return { messageIdentification: output.messageIdentification, creationDateTime: utcText(madeAtMs) };
}
