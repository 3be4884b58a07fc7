// Examples of what Sluice sends, made by the very functions that make the messages, of the samples in data/messages.

import {
  eventRecords,
  readCreditTransfer,
  readDirectDebit,
  readStatusReport,
  renderDispatchBody,
  type MessageSources,
  type Reading,
  type Records,
} from "@sluice/contracts";
import type { DispatchOutput, EventOutput } from "@sluice/domain";
import type { DeliveryName } from "./deliveries.ts";
import { exactJson } from "./exact-json.ts";
import type { Example } from "./examples.ts";
import { bankReports, sampleText } from "./samples.ts";

type Sources = Readonly<Record<"onUs" | "offUs" | "credit", MessageSources>>;
type Render = (sources: MessageSources) => string;

export function sentExamples(): Readonly<Record<DeliveryName, readonly Example[]>> {
  const { onUs, offUs, credit } = sampleSources();
  const refused = withVerdict(onUs, "REFUSED");
  const unpaid = { ...onUs, finalReport: report(bankReports.notMade) };
  const made = { ...onUs, finalReport: report(bankReports.made) };
  return {
    outboundDirectDebitResponse: [
      shown("accepted", "Checked and queued", delivery({ form: "report-accepted", mark: "A", state: "ACCEPTED" })(onUs)),
      shown("rejected", "Refused by a check", delivery({ form: "report-rejected", mark: "R", state: "REJECTED" })(refused)),
      shown("duplicateRefused", "Another message has this UETR", delivery({ form: "duplicate-refused", mark: "X", state: "ACCEPTED" })(onUs)),
      shown("onUsOutcome", "The outcome, where the bank asks for it", delivery({ form: "on-us-outcome", mark: "S", state: "UNPAID" })(unpaid)),
    ],
    inboundDirectDebit: [shown("debit", "A debit to be made", delivery({ form: "inbound-debit", mark: "D", state: "RELEASED" })(onUs))],
    inboundCreditTransferAuthorization: [
      shown("credit", "A credit to be booked", delivery({ form: "inbound-credit", mark: "C", state: "CREDIT_AUTH_DELIVERY_PENDING" })(credit)),
    ],
    events: [
      shown("held", "A debit waits for its window", event({ state: "HELD", payload: "debit-received", stageVersion: 4, direction: "OUTBOUND" })(onUs)),
      shown("completed", "The payer's bank made the debit", event({ state: "COMPLETED", payload: "final-report", stageVersion: 7, httpStatusCode: 202 })(made)),
      shown("unpaid", "The payer's bank did not make it", event({ state: "UNPAID", payload: "final-report", stageVersion: 7, httpStatusCode: 202 })(unpaid)),
      shown("creditReceived", "A credit was received", event({ state: "CREDIT_AUTH_RECEIVED", payload: "credit-received", stageVersion: 1, flow: "credit", httpStatusCode: 202 })(credit)),
      shown("sampleShape", "The same with eventShape: sample, eventPayload: none", event({ state: "HELD", payload: "debit-received", stageVersion: 4, direction: "OUTBOUND", isSmall: true })(onUs)),
      shown("esmState", "Of class ESM_STATE, with accounts masked", event({ state: "HELD", payload: "debit-received", stageVersion: 4, direction: "OUTBOUND", isEsm: true })(onUs)),
    ],
    schemeInboundDirectDebitResponse: [
      shown("made", "The debit was made", delivery({ form: "outcome-report", mark: "O1", state: "COMPLETED" })({ ...offUs, finalReport: report(bankReports.made) })),
      shown("notMade", "The debit was not made", delivery({ form: "outcome-report", mark: "O1", state: "UNPAID" })({ ...offUs, finalReport: report(bankReports.notMade) })),
      shown("rejected", "A check failed", delivery({ form: "outcome-report", mark: "O1", state: "REJECTED" })(withVerdict(offUs, "REFUSED"))),
    ],
    schemeInboundCreditTransferAuthorizationResponse: [
      shown("booked", "The credit was booked", delivery({ form: "outcome-report", mark: "O1", state: "CREDIT_AUTH_RESPONSE_ACCEPTED" })({ ...credit, finalReport: report(bankReports.made) })),
      shown("unknown", "The outcome is unknown", delivery({ form: "outcome-report", mark: "O1", state: "CREDIT_AUTH_RECONCILIATION" })(credit)),
    ],
  };
}

function sampleSources(): Sources {
  const debit = { ...read(readDirectDebit(bytesOf("outbound-direct-debit.json"))), flow: "ON_US" as const };
  const handed = { ...read(readDirectDebit(bytesOf("scheme-inbound-direct-debit.json"))), flow: "OFF_US" as const };
  const credit = read(readCreditTransfer(bytesOf("scheme-inbound-credit-transfer.json")));
  const closes = { closesWith: `ZA_EFT:${businessDate}`, closesAtMs: receivedAtMs };
  const { message: onUs, flow: _onUs, ...onUsHashes } = debit;
  const { message: offUs, flow: _offUs, ...offUsHashes } = handed;
  const { message: credited, ...creditHashes } = credit;
  const base = { finalReport: null, answered: null };
  const ours = { sender: "first", receivedAtMs, ...onUsHashes, ...closes, debit: onUs, flow: "ON_US", bank: "" } as const;
  const theirs = { sender: "connector", receivedAtMs, ...offUsHashes, ...closes, debit: offUs, flow: "OFF_US", bank: "first" } as const;
  const paid = { sender: "connector", receivedAtMs, ...creditHashes, bank: "first", businessDate, deadlineMs: receivedAtMs, credit: credited };
  return {
    onUs: withVerdict({ ...base, received: ours, verdict: null, answered: ours }, "ACCEPTED"),
    offUs: withVerdict({ ...base, received: theirs, verdict: null }, "ACCEPTED"),
    credit: withVerdict({ ...base, received: paid, verdict: null }, "ACCEPTED"),
  };
}

const businessDate = "2026-11-20";
const receivedAtMs = Date.UTC(2026, 10, 20, 5, 12, 3, 200);
const madeAtMs = Date.UTC(2026, 10, 20, 6, 0, 1);

function bytesOf(file: string): Uint8Array {
  return new TextEncoder().encode(sampleText(file));
}

function read<T>(reading: Reading<T>) {
  if (!reading.ok) throw new Error(reading.error.detail);
  return reading.read;
}

function withVerdict(sources: MessageSources, verdict: Records["AccountVerified"]["verdict"]): MessageSources {
  const accountVerified: Records["AccountVerified"] = {
    sender: sources.received.sender,
    messageIdentification: "",
    contentHash: sources.received.contentHash,
    verdict,
    reasons: verdict === "REFUSED" ? [{ code: "AC02", text: "za-cdv/1 check-digit" }] : [],
    decisions: [],
    bank: "first",
    businessDate,
    closesWith: `ZA_EFT:${businessDate}`,
    subService: "SAME_DAY",
    calendarVersion: "1",
    deadlineMs: null,
    onUsOutcomeReport: false,
  };
  return { ...sources, verdict: accountVerified };
}

function report(text: string): Records["StatusReportReceived"] {
  const { message, ...hashes } = read(readStatusReport(new TextEncoder().encode(text)));
  return { sender: "first", ...hashes, receivedAtMs: madeAtMs, report: message, operation: "inboundDirectDebitResponse" };
}

function uetrOf({ received }: MessageSources): string {
  return ("credit" in received ? received.credit : received.debit).transactionIdentifiers.uetr;
}

function delivery({ form, mark, state }: Pick<DispatchOutput, "form" | "state"> & { readonly mark: string }): Render {
  return (sources) => {
    const hex = uetrOf(sources).replaceAll("-", "");
    const output: DispatchOutput = {
      kind: "dispatch",
      operation: "outboundDirectDebitResponse",
      form,
      state,
      messageIdentification: mark === "X" ? `X${hex}0c` : `${hex}${mark}`,
      deliveryKey: uetrOf(sources),
      receiver: "first",
      businessDate,
      closesWith: null,
      deadlineMs: null,
      stopsAtMs: null,
      madeAtMs,
      causedByOffset: 0n,
      about: null,
    };
    return new TextDecoder().decode(renderDispatchBody(output, sources));
  };
}

type EventGiven = Pick<EventOutput, "state" | "payload" | "stageVersion"> &
  Partial<Pick<EventOutput, "direction" | "httpStatusCode" | "flow">> & { readonly isEsm?: boolean; readonly isSmall?: boolean };

function event({ isEsm = false, isSmall = false, ...given }: EventGiven): Render {
  return (sources) => {
    const output: EventOutput = {
      kind: "event",
      flow: "on-us",
      id: "",
      enteredAtMs: madeAtMs,
      businessDate,
      messageIdentification: "",
      messageMadeAtMs: madeAtMs,
      httpStatusCode: null,
      direction: "INBOUND",
      causedByOffset: 0n,
      wasHeld: false,
      ...given,
    };
    const [stateEvent, esmEvent] = eventRecords(output, sources, {
      bank: "first",
      eventDeadlineMs: 0,
      eventClasses: ["TRANSACTION_STATE", "ESM_STATE"],
      eventShape: isSmall ? "sample" : "full",
      eventPayload: isEsm ? "masked" : isSmall ? "none" : "full",
    });
    return new TextDecoder().decode((isEsm ? esmEvent : stateEvent)?.value.body);
  };
}

function shown(name: string, summary: string, text: string): Example {
  return { name, summary, value: exactJson(text) };
}
