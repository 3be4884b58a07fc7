// Records of the journal as ingress, validator, dispatcher and banks append them, for the tests of this service.

import { readCreditTransfer, readDirectDebit, readStatusReport } from "@sluice/contracts";
import type { Decoded, Reading } from "@sluice/contracts";
import { bodyOf, creditTransfer, directDebit, offUsDebit, statusReport } from "@sluice/testkit";

export const businessDate = "2026-11-20";
export const day = `ZA_EFT:${businessDate}`;
export const bank = "first";
export const connector = "clearing";

export interface DebitOptions {
  readonly uetr: string;
  readonly receivedAtMs: number;
  readonly closesAtMs: number;
  readonly messageIdentification?: string;
  /** On-us: its sender; off-us: the debtor's bank. */
  readonly bank?: string;
}

export function onUsDebitRecord(options: DebitOptions): Decoded<"DirectDebitReceived"> {
  const { uetr, messageIdentification = `M-${uetr.slice(0, 8)}`, bank: sender = bank } = options;
  return debitRecord(options, sender, "ON_US", "", bodyOf(directDebit({ uetr, messageIdentification })));
}

export function offUsDebitRecord(options: DebitOptions): Decoded<"DirectDebitReceived"> {
  const { uetr, messageIdentification = `M-${uetr.slice(0, 8)}`, bank: to = bank } = options;
  return debitRecord(options, connector, "OFF_US", to, bodyOf(offUsDebit({ uetr, messageIdentification })));
}

function debitRecord(
  { receivedAtMs, closesAtMs }: DebitOptions,
  sender: string,
  flow: "ON_US" | "OFF_US",
  to: string,
  body: Uint8Array,
): Decoded<"DirectDebitReceived"> {
  const { message: debit, contentHash, substanceHash } = readGood(readDirectDebit(body));
  const closes = { closesWith: day, closesAtMs };
  return { name: "DirectDebitReceived", value: { sender, contentHash, substanceHash, receivedAtMs, ...closes, flow, bank: to, debit } };
}

export interface CreditOptions {
  readonly uetr: string;
  readonly receivedAtMs: number;
  readonly deadlineMs: number;
  /** The creditor's. */
  readonly bank?: string;
  readonly scheme?: string;
  readonly businessDate?: string;
}

export function creditRecord(options: CreditOptions): Decoded<"CreditTransferReceived"> {
  const { uetr, receivedAtMs, deadlineMs, bank: to = bank, scheme = "ZA_EFT", businessDate: date = businessDate } = options;
  const body = bodyOf(creditTransfer({ uetr, scheme, messageIdentification: `C-${uetr.slice(0, 8)}` }));
  const { message: credit, contentHash, substanceHash } = readGood(readCreditTransfer(body));
  const value = { sender: connector, contentHash, substanceHash, receivedAtMs, bank: to, businessDate: date, deadlineMs, credit };
  return { name: "CreditTransferReceived", value };
}

export function verdictOn(
  { value }: Decoded<"DirectDebitReceived"> | Decoded<"CreditTransferReceived">,
  verdict: "ACCEPTED" | "REFUSED" = "ACCEPTED",
  rollsMax = 0,
): Decoded<"AccountVerified"> {
  const { sender, contentHash } = value;
  const { messageIdentification } = ("credit" in value ? value.credit : value.debit).messageIdentifiers;
  const judged = { sender, messageIdentification, contentHash };
  const reasons = verdict === "REFUSED" ? [{ code: "AC02", text: "za-cdv/1 check-digit" }] : [];
  const dated =
    "credit" in value
      ? { bank: value.bank, businessDate: value.businessDate, closesWith: "", deadlineMs: value.deadlineMs }
      : { bank: value.bank === "" ? sender : value.bank, businessDate, closesWith: day, deadlineMs: null };
  const rest = { decisions: [], subService: "SAME_DAY" as const, calendarVersion: "test-1", onUsOutcomeReport: false, rollsMax };
  return { name: "AccountVerified", value: { ...judged, verdict, reasons, ...dated, ...rest } };
}

/** The letter of a delivery's identification. */
export type Sent = "A" | "R" | "D" | "C" | "O1";
export type Ended = "ACKNOWLEDGED" | "REFUSED" | "STOPPED";

const operations = {
  A: "outboundDirectDebitResponse",
  R: "outboundDirectDebitResponse",
  D: "inboundDirectDebit",
  C: "inboundCreditTransferAuthorization",
  O1: "inboundCreditTransferAuthorizationResponse",
} as const;

export function endedRecord(uetr: string, sent: Sent, outcome: Ended = "ACKNOWLEDGED"): Decoded<"DeliveryEnded"> {
  const httpStatusCode = { ACKNOWLEDGED: 202, REFUSED: 422, STOPPED: null }[outcome];
  return {
    name: "DeliveryEnded",
    value: {
      messageIdentification: `${uetr.replaceAll("-", "")}${sent}`,
      operation: operations[sent],
      outcome,
      httpStatusCode,
      attempts: 1,
      anyAnswer: httpStatusCode !== null,
      mayHaveBeenTaken: outcome === "STOPPED",
      recentAttempts: [],
      breakerOpen: false,
      bankPaused: false,
      stopOffset: null,
    },
  };
}

export interface ReportOptions {
  readonly uetr: string;
  readonly outcome: "made" | "not-made";
  readonly receivedAtMs: number;
  readonly about?: "debit" | "credit";
  readonly bank?: string;
}

export function reportRecord({
  uetr,
  outcome,
  receivedAtMs,
  about = "debit",
  bank: sender = bank,
}: ReportOptions): Decoded<"StatusReportReceived"> {
  const body = bodyOf(statusReport({ uetr, outcome, messageIdentification: `R-${uetr.slice(0, 8)}` }));
  const { message: report, contentHash, substanceHash } = readGood(readStatusReport(body));
  const operation = about === "debit" ? "inboundDirectDebitResponse" : "inboundCreditTransferAuthorizationResponse";
  return { name: "StatusReportReceived", value: { sender, contentHash, substanceHash, receivedAtMs, report, operation } };
}

/** `of`: the one bank that it is declared for; null: all. */
export function creditsFinalRecord(of: string | null, receivedAtMs: number): Decoded<"CreditsFinalRequested"> {
  const value = { scheme: "ZA_EFT", businessDate, requestedBy: of ?? connector, bank: of, receivedAtMs, action: null };
  return { name: "CreditsFinalRequested", value };
}

function readGood<T>(reading: Reading<T>) {
  if (!reading.ok) throw new Error(reading.error.detail);
  return reading.read;
}
