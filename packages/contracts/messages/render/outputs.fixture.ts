// Test fixture: message sources made from the samples in data/messages, and outputs as the domain makes them.

import type { DispatchOutput, EventOutput } from "@sluice/domain";
import type * as wire from "../../generated/records.ts";
import { encodeJson, changeMember, readSample } from "../json/json.fixture.ts";
import type { Json } from "../json/json.ts";
import { isCreditRecord, messageFromRecord, type PaymentReceived, uetrFromRecord } from "../../wire/payment-received.ts";
import { readCreditTransfer } from "../read/read-credit-transfer.ts";
import { readDirectDebit } from "../read/read-direct-debit.ts";
import { readStatusReport } from "../read/read-status-report.ts";
import type { MessageSources } from "./message-sources.ts";
import { utcText } from "./render-message.ts";

export const messageUetr = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";
const hex = messageUetr.replaceAll("-", "");

export function parseTimeMs(text: string): number {
  return Temporal.Instant.from(text).epochMilliseconds;
}

/** The sample debit as received, with changes. */
export function receivedOnUs(change: (debit: Json) => Json = (debit) => debit): wire.DirectDebitReceived {
  const reading = readDirectDebit(encodeJson(change(readSample("outbound-direct-debit.json"))));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: debit, ...hashes } = reading.read;
  const receivedAtMs = parseTimeMs("2026-11-20T05:12:03.200Z");
  const close = { reconciliationDay: "ZA_EFT:2026-11-20", closesAtMs: receivedAtMs + 3_600_000 };
  return { sender: "first", ...hashes, receivedAtMs, ...close, debit, flow: "ON_US", bank: null };
}

export function accountVerified(verdict: wire.Verdict, reasons: readonly wire.Reason[] = []): wire.AccountVerified {
  return {
    sender: "first",
    messageIdentification: "ACME-20261120-000001",
    contentHash: "c",
    verdict,
    reasons,
    decisions: [],
    bank: "first",
    businessDate: "2026-11-20",
    reconciliationDay: "ZA_EFT:2026-11-20",
    subService: "SAME_DAY",
    calendarVersion: "1",
    deadlineMs: null,
    carryOversMax: 0,
    onUsOutcomeReport: false,
  };
}

/** The sample report as received, with another status. */
export function receivedReport(status: Json = { code: "ACSC" }): wire.StatusReportReceived {
  const reading = readStatusReport(encodeJson(changeMember(readSample("status-report-from-bank.json"), ["status"], status)));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: report, ...hashes } = reading.read;
  return {
    sender: "first",
    ...hashes,
    receivedAtMs: parseTimeMs("2026-11-20T06:00:04.100Z"),
    report,
    operation: "inboundDirectDebitResponse",
  };
}

/** The sample debit of a scheme connector as received. */
export function receivedOffUs(change: (debit: Json) => Json = (debit) => debit): wire.DirectDebitReceived {
  const reading = readDirectDebit(encodeJson(change(readSample("scheme-inbound-direct-debit.json"))));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: debit, ...hashes } = reading.read;
  return { ...receivedOnUs(), sender: "clearing", ...hashes, debit, flow: "OFF_US", bank: "first" };
}

/** The sample credit of a scheme connector as received. */
export function receivedCredit(change: (credit: Json) => Json = (credit) => credit): wire.CreditTransferReceived {
  const reading = readCreditTransfer(encodeJson(change(readSample("scheme-inbound-credit-transfer.json"))));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: credit, ...hashes } = reading.read;
  const receivedAtMs = parseTimeMs("2026-11-20T04:45:10.200Z");
  const deadlineMs = receivedAtMs + 7_200_000;
  return { sender: "clearing", ...hashes, receivedAtMs, bank: "first", businessDate: "2026-11-20", deadlineMs, credit };
}

/** A bank's report on the message that Sluice sent it for another transaction. */
export function receivedReportOn(original: PaymentReceived, status: Json): wire.StatusReportReceived {
  const letter = isCreditRecord(original) ? "C" : "D";
  const { transactionIdentifiers, paymentScheme } = messageFromRecord(original);
  const { report, ...rest } = receivedReport(status);
  const originalMessageIdentifiers = {
    messageIdentification: `${uetrFromRecord(original).replaceAll("-", "")}${letter}`,
    creationDateTime: "2026-11-20T06:00:01.000Z",
  };
  const about = { transactionIdentifiers, originalMessageIdentifiers, paymentScheme: { schema: paymentScheme.schema, schemeData: null } };
  return { ...rest, report: { ...report, ...about } };
}

export function buildMessageSources(given: Partial<MessageSources> = {}): MessageSources {
  return { received: receivedOnUs(), verdict: null, finalReport: null, answered: null, ...given };
}

export const heldEventOutput: EventOutput = {
  kind: "event",
  flow: "on-us",
  id: "0123456789abcdef0123456789abcdef",
  stageVersion: 4,
  state: "HELD",
  enteredAtMs: parseTimeMs("2026-11-20T05:12:03.702Z"),
  businessDate: "2026-11-20",
  payload: "debit-received",
  messageIdentification: "ACME-20261120-000001",
  messageMadeAtMs: parseTimeMs("2026-11-20T05:12:03.702Z"),
  httpStatusCode: null,
  direction: "OUTBOUND",
  causedByOffset: 17n,
  wasHeld: false,
  carryOvers: 0,
};

export function buildDispatchOutput(letter: "A" | "R" | "D", madeAt: string): DispatchOutput {
  return {
    kind: "dispatch",
    operation: letter === "D" ? "inboundDirectDebit" : "outboundDirectDebitResponse",
    state: ({ A: "ACCEPTED", R: "REJECTED", D: "RELEASED" } as const)[letter],
    form: ({ A: "report-accepted", R: "report-rejected", D: "inbound-debit" } as const)[letter],
    messageIdentification: `${hex}${letter}`,
    deliveryKey: messageUetr,
    receiver: "first",
    businessDate: "2026-11-20",
    reconciliationDay: "ZA_EFT:2026-11-20",
    deadlineMs: null,
    stopsAtMs: null,
    madeAtMs: parseTimeMs(madeAt),
    causedByOffset: 18n,
    about: null,
    resolution: null,
  };
}

export function buildAnswerOutput(form: "duplicate-refused" | "report-again"): DispatchOutput {
  const messageIdentification = `${form === "report-again" ? "Y" : "X"}${"0".repeat(34)}`;
  const base = buildDispatchOutput("R", utcText(heldEventOutput.enteredAtMs));
  return {
    ...base,
    form,
    messageIdentification,
    deliveryKey: messageIdentification,
    reconciliationDay: null,
    deadlineMs: 1,
    about: "ACME-2",
  };
}
