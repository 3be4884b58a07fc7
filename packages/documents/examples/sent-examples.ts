// Examples of the messages that Sluice sends, rendered by the production functions from the samples in data/messages.

import {
  eventRecords,
  readCreditTransfer,
  readDirectDebit,
  readStatusReport,
  renderDispatchBody,
  type MessageSources,
  type ReadResult,
  type Records,
} from "@sluice/contracts";
import type { DispatchOutput, EventOutput, MessageForm } from "@sluice/domain";
import type { DeliveryName } from "../openapi/deliveries.ts";
import { parseDocumentJson } from "../exact-json.ts";
import type { Example } from "./examples.ts";
import { bankReports, creditReports, readSampleText } from "./samples.ts";

type Sources = Readonly<Record<"onUs" | "offUs" | "credit", MessageSources>>;

export function buildSentExamples(): Readonly<Record<DeliveryName, readonly Example[]>> {
  const { onUs, offUs, credit } = sampleSources();
  const refused = withVerdict(onUs, "REFUSED");
  const unpaid = withReport(onUs, bankReports.notMade);
  return {
    outboundDirectDebitResponse: [
      shown("accepted", "Checked and queued", delivery("report-accepted", "A", "ACCEPTED", onUs)),
      shown("rejected", "Refused by a check", delivery("report-rejected", "R", "REJECTED", refused)),
      shown("duplicateRefused", "Another message has this UETR", delivery("duplicate-refused", "X", "ACCEPTED", onUs)),
      shown("again", "The first report once more, for a debit sent again", delivery("report-again", "Y", "ACCEPTED", onUs)),
      shown("onUsOutcome", "The outcome, where the bank asks for it", delivery("on-us-outcome", "S", "UNPAID", unpaid)),
    ],
    inboundDirectDebit: [shown("debit", "A debit to be made", delivery("inbound-debit", "D", "RELEASED", onUs))],
    inboundCreditTransferAuthorization: [
      shown("credit", "A credit to be booked", delivery("inbound-credit", "C", "CREDIT_AUTH_DELIVERY_PENDING", credit)),
    ],
    events: eventExamples(onUs, credit),
    schemeInboundDirectDebitResponse: [
      shown("made", "The debit was made", delivery("outcome-report", "O1", "COMPLETED", withReport(offUs, bankReports.made))),
      shown("notMade", "It was not made", delivery("outcome-report", "O1", "UNPAID", withReport(offUs, bankReports.notMade))),
      shown("cancelled", "The bank cancelled it", delivery("outcome-report", "O1", "UNPAID", withReport(offUs, bankReports.outcomeAlone))),
      shown("rejected", "A check failed", delivery("outcome-report", "O1", "REJECTED", withVerdict(offUs, "REFUSED"))),
      shown("resolved", "People found out how it ended", delivery("resolution-outcome", "O1", "RECONCILIATION", offUs, "made")),
    ],
    schemeInboundCreditTransferAuthorizationResponse: [
      shown(
        "booked",
        "Booked",
        delivery("outcome-report", "O1", "CREDIT_AUTH_RESPONSE_ACCEPTED", withReport(credit, creditReports.booked)),
      ),
      shown("unknown", "The outcome is unknown", delivery("outcome-report", "O1", "CREDIT_AUTH_RECONCILIATION", credit)),
      shown(
        "resolved",
        "After that, people found out how it ended",
        delivery("resolution-outcome", "O2", "CREDIT_AUTH_RECONCILIATION", credit, "not-made"),
      ),
    ],
  };
}

function eventExamples(onUs: MessageSources, credit: MessageSources): readonly Example[] {
  const held = { state: "HELD", payload: "debit-received", stageVersion: 4, direction: "OUTBOUND" } as const;
  const ended = { payload: "final-report", stageVersion: 7, httpStatusCode: 202 } as const;
  const received = { payload: "credit-received", stageVersion: 1, httpStatusCode: 202, flow: "credit" } as const;
  return [
    shown("held", "A debit waits for its window", event(held, onUs)),
    shown("completed", "The payer's bank made it", event({ ...ended, state: "COMPLETED" }, withReport(onUs, bankReports.made))),
    shown("unpaid", "The payer's bank did not make it", event({ ...ended, state: "UNPAID" }, withReport(onUs, bankReports.notMade))),
    shown("creditReceived", "A credit was received", event({ ...received, state: "CREDIT_AUTH_RECEIVED" }, credit)),
    shown("sampleShape", "The first with eventShape: sample and eventPayload: none", event(held, onUs, "small")),
    shown("esmState", "Beside the first, of class ESM_STATE, with accounts masked", event(held, onUs, "esm")),
  ];
}

function sampleSources(): Sources {
  const debit = { ...read(readDirectDebit(readBytes("outbound-direct-debit.json"))), flow: "ON_US" as const };
  const handed = { ...read(readDirectDebit(readBytes("scheme-inbound-direct-debit.json"))), flow: "OFF_US" as const };
  const credit = read(readCreditTransfer(readBytes("scheme-inbound-credit-transfer.json")));
  const closes = { reconciliationDay: `ZA_EFT:${businessDate}`, closesAtMs: receivedAtMs };
  const { message: onUs, flow: _onUs, ...onUsHashes } = debit;
  const { message: offUs, flow: _offUs, ...offUsHashes } = handed;
  const { message: credited, ...creditHashes } = credit;
  const base = { finalReport: null, answered: null };
  const ours = { sender: "first", receivedAtMs, ...onUsHashes, ...closes, debit: onUs, flow: "ON_US", bank: null } as const;
  const theirs = { sender: "connector", receivedAtMs, ...offUsHashes, ...closes, debit: offUs, flow: "OFF_US", bank: "first" } as const;
  const paid = {
    sender: "connector",
    receivedAtMs,
    ...creditHashes,
    bank: "first",
    businessDate,
    deadlineMs: receivedAtMs,
    credit: credited,
  };
  return {
    onUs: withVerdict({ ...base, received: ours, verdict: null, answered: ours }, "ACCEPTED"),
    offUs: withVerdict({ ...base, received: theirs, verdict: null }, "ACCEPTED"),
    credit: withVerdict({ ...base, received: paid, verdict: null }, "ACCEPTED"),
  };
}

const businessDate = "2026-11-20";
const receivedAtMs = Date.UTC(2026, 10, 20, 5, 12, 3, 200);
const madeAtMs = Date.UTC(2026, 10, 20, 6, 0, 1);

function readBytes(file: string): Uint8Array {
  return new TextEncoder().encode(readSampleText(file));
}

function read<T>(reading: ReadResult<T>) {
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
    reconciliationDay: `ZA_EFT:${businessDate}`,
    subService: "SAME_DAY",
    calendarVersion: "1",
    deadlineMs: null,
    carryOversMax: 0,
    onUsOutcomeReport: false,
  };
  return { ...sources, verdict: accountVerified };
}

function withReport(sources: MessageSources, text: string): MessageSources {
  const { message, ...hashes } = read(readStatusReport(new TextEncoder().encode(text)));
  const finalReport = { sender: "first", ...hashes, receivedAtMs: madeAtMs, report: message, operation: "inboundDirectDebitResponse" };
  return { ...sources, finalReport };
}

function readUetr({ received }: MessageSources): string {
  return ("credit" in received ? received.credit : received.debit).transactionIdentifiers.uetr;
}

function delivery(
  form: MessageForm,
  mark: string,
  state: DispatchOutput["state"],
  sources: MessageSources,
  resolution: DispatchOutput["resolution"] = null,
): string {
  const hex = readUetr(sources).replaceAll("-", "");
  const output: DispatchOutput = {
    kind: "dispatch",
    operation: "outboundDirectDebitResponse",
    form,
    state,
    messageIdentification: mark === "X" || mark === "Y" ? `${mark}${hex}0c` : `${hex}${mark}`,
    deliveryKey: readUetr(sources),
    receiver: "first",
    businessDate,
    reconciliationDay: null,
    deadlineMs: null,
    stopsAtMs: null,
    madeAtMs,
    causedByOffset: 0n,
    about: null,
    resolution,
  };
  return new TextDecoder().decode(renderDispatchBody(output, sources));
}

type EventGiven = Pick<EventOutput, "state" | "payload" | "stageVersion"> &
  Partial<Pick<EventOutput, "direction" | "httpStatusCode" | "flow">>;

function event(given: EventGiven, sources: MessageSources, shape: "usual" | "small" | "esm" = "usual"): string {
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
    carryOvers: 0,
    ...given,
  };
  const [stateEvent, esmEvent] = eventRecords(output, sources, {
    bank: "first",
    eventDeadlineMs: 0,
    eventClasses: ["TRANSACTION_STATE", "ESM_STATE"],
    eventShape: shape === "small" ? "sample" : "full",
    eventPayload: ({ usual: "full", small: "none", esm: "masked" } as const)[shape],
  });
  return new TextDecoder().decode((shape === "esm" ? esmEvent : stateEvent)?.value.body);
}

function shown(name: string, summary: string, text: string): Example {
  return { name, summary, value: parseDocumentJson(text) };
}
