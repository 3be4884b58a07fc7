// Renders finished messages as a pure function of journal records and an output: the same arguments give the same
// bytes.
//
// #1 The members that a bank or a connector sent leave with the same digits and letters. Every change that Sluice makes
//    is named here and nowhere else.
// #2 The inbound debit is the accepted one with Sluice's `messageIdentifiers` and `settlementDate` = business date. The
//    inbound credit is the accepted one with Sluice's `messageIdentifiers`.
// #3 Times are those of the journal, in UTC with milliseconds.

import type { DispatchOutput, EventOutput, MessageForm } from "@sluice/domain";
import { assert, unreachable } from "@sluice/kernel";
import type * as wire from "../../generated/records.ts";
import { creditTransferText, directDebitText, statusReportText } from "./message-writers.ts";
import { encodeTexts } from "../json/encode-texts.ts";
import type { MessageSources } from "./message-sources.ts";
import { flowFromRecord, isCreditRecord, type PaymentReceived } from "../../wire/payment-received.ts";
import {
  acceptedStatus,
  duplicateStatus,
  onUsOutcomeStatus,
  outcomeStatus,
  recordedReport,
  rejectedStatus,
  buildReportOn,
  resolutionStatus,
  unresolvedStatus,
} from "./render-report.ts";

/**
 * A message that leaves, or that an event shows, before it is written as text. `base` is the received message that it
 * is made from; null where there is none.
 */
export type OutgoingMessage =
  | { readonly kind: "DirectDebit"; readonly message: wire.DirectDebit; readonly base: wire.DirectDebit | null }
  | { readonly kind: "CreditTransfer"; readonly message: wire.CreditTransfer; readonly base: wire.CreditTransfer | null }
  | { readonly kind: "PaymentStatusReport"; readonly message: wire.PaymentStatusReport };

/** Builds the message in the requested form. */
function buildOutgoingMessage(form: MessageForm, sources: MessageSources, output: DispatchOutput | EventOutput): OutgoingMessage {
  const { received } = sources;
  switch (form) {
    case "debit-received": {
      const base = requireDebit(received);
      return { kind: "DirectDebit", message: base, base };
    }
    case "inbound-debit": {
      const base = requireDebit(received);
      const changes = { messageIdentifiers: buildIdentifiers(output), settlementDate: output.businessDate };
      return { kind: "DirectDebit", message: { ...base, ...changes }, base };
    }
    case "credit-received": {
      const base = requireCredit(received);
      return { kind: "CreditTransfer", message: base, base };
    }
    case "inbound-credit": {
      const base = requireCredit(received);
      return { kind: "CreditTransfer", message: { ...base, messageIdentifiers: buildIdentifiers(output) }, base };
    }
    case "report-accepted":
      return report(buildReportOn(received, buildIdentifiers(output), acceptedStatus));
    case "report-rejected":
      return report(buildReportOn(received, buildIdentifiers(output), rejectedStatus(sources)));
    case "final-report":
      return report(recordedReport(sources));
    case "outcome-report":
      return report(buildReportOn(received, buildIdentifiers(output), outcomeStatus(output.state, sources)));
    case "on-us-outcome":
      return report(buildReportOn(received, buildIdentifiers(output), onUsOutcomeStatus(sources)));
    case "resolution-outcome":
      return report(buildReportOn(received, buildIdentifiers(output), resolutionStatus(output)));
    case "duplicate-refused":
      return report(buildReportOn(requireAnswered(sources), buildIdentifiers(output), duplicateStatus));
    case "report-again":
      return report(buildReportOn(requireAnswered(sources), buildIdentifiers(output), statusAgain(sources, output)));
    default:
      return unreachable(form);
  }
}

/** A message that leaves, or that an event shows, with its text once somebody has asked for it. */
export class ShownMessage {
  readonly outgoing: OutgoingMessage;
  #text: string | null = null;

  constructor(outgoing: OutgoingMessage) {
    this.outgoing = outgoing;
  }

  get text(): string {
    return (this.#text ??= messageText(this.outgoing));
  }
}

/** What a message of these forms is made of, beside the received one. */
interface MadeMessage {
  readonly form: MessageForm;
  readonly messageIdentification: string;
  readonly madeAtMs: number;
  readonly businessDate: string;
  readonly shown: ShownMessage;
}

/** A report on a verdict, or on an outcome, is made of more. */
const keptForms: ReadonlySet<MessageForm> = new Set<MessageForm>(["inbound-debit", "inbound-credit", "report-accepted"]);

/**
 * The newest message that was made of a received one, as long as that is kept: it is sent, and then shown by the events
 * of several states.
 */
const newestMade = new WeakMap<PaymentReceived, MadeMessage>();

/** Builds the message in the requested form, once for all that show the same. */
export function showMessage(form: MessageForm, sources: MessageSources, output: DispatchOutput | EventOutput): ShownMessage {
  if (!keptForms.has(form)) return new ShownMessage(buildOutgoingMessage(form, sources, output));
  const { messageIdentification, businessDate } = output;
  const madeAtMs = readMadeAtMs(output);
  const newest = newestMade.get(sources.received);
  const isSame =
    newest?.form === form &&
    newest.messageIdentification === messageIdentification &&
    newest.madeAtMs === madeAtMs &&
    newest.businessDate === businessDate;
  if (isSame) return newest.shown;
  const shown = new ShownMessage(buildOutgoingMessage(form, sources, output));
  newestMade.set(sources.received, { form, messageIdentification, madeAtMs, businessDate, shown });
  return shown;
}

export function messageText(outgoing: OutgoingMessage): string {
  switch (outgoing.kind) {
    case "DirectDebit":
      return directDebitText(outgoing.message, outgoing.base);
    case "CreditTransfer":
      return creditTransferText(outgoing.message, outgoing.base);
    case "PaymentStatusReport":
      return statusReportText(outgoing.message);
    default:
      return unreachable(outgoing);
  }
}

export function renderDispatchBody(output: DispatchOutput, sources: MessageSources): Uint8Array {
  return encodeTexts(showMessage(output.form, sources, output).text);
}

/** The instant that was written last: what follows from one record has the record's time. */
let newestUtc = { epochMs: 0, text: new Date(0).toISOString() };

/** Formats epoch milliseconds as 2026-11-20T05:12:03.410Z. */
export function utcText(epochMs: number): string {
  if (newestUtc.epochMs !== epochMs) newestUtc = { epochMs, text: new Date(epochMs).toISOString() };
  return newestUtc.text;
}

/**
 * The status of the transaction's own report, sent again: for a bank the verdict, or the end of a debit that has ended;
 * for a connector the newest outcome reported. A resolution by people replaces that outcome.
 */
function statusAgain(sources: MessageSources, output: DispatchOutput | EventOutput): wire.Status {
  if (output.kind === "dispatch" && output.resolution !== null) return resolutionStatus(output);
  if (flowFromRecord(sources.received) !== "on-us") return outcomeStatus(output.state, sources);
  assert(sources.verdict !== null, "a report is only repeated after a verdict");
  if (sources.verdict.verdict === "REFUSED") return rejectedStatus(sources);
  if (output.state === "RECONCILIATION") return unresolvedStatus;
  return output.state === "COMPLETED" || output.state === "UNPAID" ? onUsOutcomeStatus(sources) : acceptedStatus;
}

function requireDebit(received: PaymentReceived): wire.DirectDebit {
  assert(!isCreditRecord(received), "a credit has no debit");
  return received.debit;
}

function requireCredit(received: PaymentReceived): wire.CreditTransfer {
  assert(isCreditRecord(received), "a debit has no credit");
  return received.credit;
}

function requireAnswered({ answered }: MessageSources): PaymentReceived {
  assert(answered !== null, "an answer to one message needs that message");
  return answered;
}

function report(message: wire.PaymentStatusReport): OutgoingMessage {
  return { kind: "PaymentStatusReport", message };
}

function buildIdentifiers(output: DispatchOutput | EventOutput): wire.MessageIdentifiers {
  return { messageIdentification: output.messageIdentification, creationDateTime: utcText(readMadeAtMs(output)) };
}

function readMadeAtMs(output: DispatchOutput | EventOutput): number {
  return output.kind === "event" ? output.messageMadeAtMs : output.madeAtMs;
}
