// For tests: sources made of the samples in data/messages, and outputs as the domain makes them.

import type { DispatchOutput, EventOutput } from "@sluice/domain";
import type * as wire from "./generated/records.ts";
import { bytesOf, changed, sample } from "./given-json.ts";
import type { Json } from "./json.ts";
import { isCredit, messageIn, uetrOf } from "./received-message.ts";
import type { Received } from "./received-message.ts";
import { readCreditTransfer } from "./read-credit-transfer.ts";
import { readDirectDebit } from "./read-direct-debit.ts";
import { readStatusReport } from "./read-status-report.ts";
import type { MessageSources } from "./render-message.ts";
import { utcText } from "./render-message.ts";

export const uetr = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";
const hex = uetr.replaceAll("-", "");

export function atMs(text: string): number {
  return Temporal.Instant.from(text).epochMilliseconds;
}

/** The sample debit as received, with changes. */
export function received(change: (debit: Json) => Json = (debit) => debit): wire.DirectDebitReceived {
  const reading = readDirectDebit(bytesOf(change(sample("outbound-direct-debit.json"))));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: debit, ...hashes } = reading.read;
  const receivedAtMs = atMs("2026-11-20T05:12:03.200Z");
  const close = { closesWith: "ZA_EFT:2026-11-20", closesAtMs: receivedAtMs + 3_600_000 };
  return { sender: "first", ...hashes, receivedAtMs, ...close, debit, flow: "ON_US", bank: "" };
}

export function verified(verdict: wire.Verdict, reasons: readonly wire.Reason[] = []): wire.AccountVerified {
  return {
    sender: "first",
    messageIdentification: "ACME-20261120-000001",
    contentHash: "c",
    verdict,
    reasons,
    decisions: [],
    bank: "first",
    businessDate: "2026-11-20",
    closesWith: "ZA_EFT:2026-11-20",
    subService: "SAME_DAY",
    calendarVersion: "1",
    deadlineMs: null,
    rollsMax: 0,
    onUsOutcomeReport: false,
  };
}

/** The sample report as received, with another status. */
export function reported(status: Json = { code: "ACSC" }): wire.StatusReportReceived {
  const reading = readStatusReport(bytesOf(changed(sample("status-report-from-bank.json"), ["status"], status)));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: report, ...hashes } = reading.read;
  return { sender: "first", ...hashes, receivedAtMs: atMs("2026-11-20T06:00:04.100Z"), report, operation: "inboundDirectDebitResponse" };
}

/** The sample debit of a scheme connector as received. */
export function receivedOffUs(change: (debit: Json) => Json = (debit) => debit): wire.DirectDebitReceived {
  const reading = readDirectDebit(bytesOf(change(sample("scheme-inbound-direct-debit.json"))));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: debit, ...hashes } = reading.read;
  return { ...received(), sender: "clearing", ...hashes, debit, flow: "OFF_US", bank: "first" };
}

/** The sample credit of a scheme connector as received. */
export function receivedCredit(change: (credit: Json) => Json = (credit) => credit): wire.CreditTransferReceived {
  const reading = readCreditTransfer(bytesOf(change(sample("scheme-inbound-credit-transfer.json"))));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: credit, ...hashes } = reading.read;
  const receivedAtMs = atMs("2026-11-20T04:45:10.200Z");
  const deadlineMs = receivedAtMs + 7_200_000;
  return { sender: "clearing", ...hashes, receivedAtMs, bank: "first", businessDate: "2026-11-20", deadlineMs, credit };
}

/** The bank's report on the message that Sluice sent it of another. */
export function reportedOn(original: Received, status: Json): wire.StatusReportReceived {
  const letter = isCredit(original) ? "C" : "D";
  const { transactionIdentifiers, paymentScheme } = messageIn(original);
  const { report, ...rest } = reported(status);
  const originalMessageIdentifiers = {
    messageIdentification: `${uetrOf(original).replaceAll("-", "")}${letter}`,
    creationDateTime: "2026-11-20T06:00:01.000Z",
  };
  const about = { transactionIdentifiers, originalMessageIdentifiers, paymentScheme: { schema: paymentScheme.schema, schemeData: null } };
  return { ...rest, report: { ...report, ...about } };
}

export function sources(given: Partial<MessageSources> = {}): MessageSources {
  return { received: received(), verdict: null, finalReport: null, answered: null, ...given };
}

export const heldEvent: EventOutput = {
  kind: "event",
  flow: "on-us",
  id: "0123456789abcdef0123456789abcdef",
  stageVersion: 4,
  state: "HELD",
  enteredAtMs: atMs("2026-11-20T05:12:03.702Z"),
  businessDate: "2026-11-20",
  payload: "debit-received",
  messageIdentification: "ACME-20261120-000001",
  messageMadeAtMs: atMs("2026-11-20T05:12:03.702Z"),
  httpStatusCode: null,
  direction: "OUTBOUND",
  causedByOffset: 17n,
  wasHeld: false,
  rolls: 0,
};

export function dispatch(letter: "A" | "R" | "D", madeAt: string): DispatchOutput {
  return {
    kind: "dispatch",
    operation: letter === "D" ? "inboundDirectDebit" : "outboundDirectDebitResponse",
    state: ({ A: "ACCEPTED", R: "REJECTED", D: "RELEASED" } as const)[letter],
    form: ({ A: "report-accepted", R: "report-rejected", D: "inbound-debit" } as const)[letter],
    messageIdentification: `${hex}${letter}`,
    deliveryKey: uetr,
    receiver: "first",
    businessDate: "2026-11-20",
    closesWith: "ZA_EFT:2026-11-20",
    deadlineMs: null,
    stopsAtMs: null,
    madeAtMs: atMs(madeAt),
    causedByOffset: 18n,
    about: null,
    resolution: null,
  };
}

export function answer(form: "duplicate-refused" | "report-again"): DispatchOutput {
  const messageIdentification = `${form === "report-again" ? "Y" : "X"}${"0".repeat(34)}`;
  const base = dispatch("R", utcText(heldEvent.enteredAtMs));
  return { ...base, form, messageIdentification, deliveryKey: messageIdentification, closesWith: null, deadlineMs: 1, about: "ACME-2" };
}
