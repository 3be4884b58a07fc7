// Records of the journal as ingress, validator, dispatcher and banks append them, for the tests of this service.

import { type DecodedRecord, readCreditTransfer, readDirectDebit, type ReadResult, readStatusReport } from "@sluice/contracts";
import { encodeBody, buildCreditTransfer, buildDirectDebit, buildOffUsDebit, buildStatusReport } from "@sluice/testkit";

export const schedulerBusinessDate = "2026-11-20";
export const schedulerDay = `ZA_EFT:${schedulerBusinessDate}`;
export const schedulerBank = "first";
export const schedulerConnector = "clearing";

export interface DebitRecordOptions {
  readonly uetr: string;
  readonly receivedAtMs: number;
  readonly closesAtMs: number;
  readonly messageIdentification?: string;
  /** The sender of an on-us debit; the debtor's bank of an off-us debit. */
  readonly bank?: string;
}

export function onUsDebitRecord(options: DebitRecordOptions): DecodedRecord<"DirectDebitReceived"> {
  const { uetr, messageIdentification = `M-${uetr.slice(0, 8)}`, bank: sender = schedulerBank } = options;
  return debitRecord(options, sender, "ON_US", null, encodeBody(buildDirectDebit({ uetr, messageIdentification })));
}

export function offUsDebitRecord(options: DebitRecordOptions): DecodedRecord<"DirectDebitReceived"> {
  const { uetr, messageIdentification = `M-${uetr.slice(0, 8)}`, bank: to = schedulerBank } = options;
  return debitRecord(options, schedulerConnector, "OFF_US", to, encodeBody(buildOffUsDebit({ uetr, messageIdentification })));
}

function debitRecord(
  { receivedAtMs, closesAtMs }: DebitRecordOptions,
  sender: string,
  flow: "ON_US" | "OFF_US",
  to: string | null,
  body: Uint8Array,
): DecodedRecord<"DirectDebitReceived"> {
  const { message: debit, contentHash, substanceHash } = requireRead(readDirectDebit(body));
  const closes = { reconciliationDay: schedulerDay, closesAtMs };
  return { name: "DirectDebitReceived", value: { sender, contentHash, substanceHash, receivedAtMs, ...closes, flow, bank: to, debit } };
}

export interface CreditRecordOptions {
  readonly uetr: string;
  readonly receivedAtMs: number;
  readonly deadlineMs: number;
  /** The creditor's bank. */
  readonly bank?: string;
  readonly scheme?: string;
  readonly businessDate?: string;
}

export function creditRecord(options: CreditRecordOptions): DecodedRecord<"CreditTransferReceived"> {
  const {
    uetr,
    receivedAtMs,
    deadlineMs,
    bank: to = schedulerBank,
    scheme = "ZA_EFT",
    businessDate: date = schedulerBusinessDate,
  } = options;
  const body = encodeBody(buildCreditTransfer({ uetr, scheme, messageIdentification: `C-${uetr.slice(0, 8)}` }));
  const { message: credit, contentHash, substanceHash } = requireRead(readCreditTransfer(body));
  const value = { sender: schedulerConnector, contentHash, substanceHash, receivedAtMs, bank: to, businessDate: date, deadlineMs, credit };
  return { name: "CreditTransferReceived", value };
}

export function verdictRecord(
  { value }: DecodedRecord<"DirectDebitReceived"> | DecodedRecord<"CreditTransferReceived">,
  verdict: "ACCEPTED" | "REFUSED" = "ACCEPTED",
  carryOversMax = 0,
): DecodedRecord<"AccountVerified"> {
  const { sender, contentHash } = value;
  const { messageIdentification } = ("credit" in value ? value.credit : value.debit).messageIdentifiers;
  const subject = { sender, messageIdentification, contentHash };
  const reasons = verdict === "REFUSED" ? [{ code: "AC02", text: "za-cdv/1 check-digit" }] : [];
  const dated =
    "credit" in value
      ? { bank: value.bank, businessDate: value.businessDate, reconciliationDay: null, deadlineMs: value.deadlineMs }
      : {
          bank: value.bank ?? sender,
          businessDate: schedulerBusinessDate,
          reconciliationDay: schedulerDay,
          deadlineMs: null,
        };
  const rest = { decisions: [], subService: "SAME_DAY" as const, calendarVersion: "test-1", onUsOutcomeReport: false, carryOversMax };
  return { name: "AccountVerified", value: { ...subject, verdict, reasons, ...dated, ...rest } };
}

/** The letter at the end of a delivery's identification. */
export type SentLetter = "A" | "R" | "D" | "C" | "O1";
export type EndedOutcome = "ACKNOWLEDGED" | "REFUSED" | "STOPPED";

const operations = {
  A: "outboundDirectDebitResponse",
  R: "outboundDirectDebitResponse",
  D: "inboundDirectDebit",
  C: "inboundCreditTransferAuthorization",
  O1: "inboundCreditTransferAuthorizationResponse",
} as const;

export function endedRecord(uetr: string, sent: SentLetter, outcome: EndedOutcome = "ACKNOWLEDGED"): DecodedRecord<"DeliveryEnded"> {
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
      isBreakerOpen: false,
      isReceiverPaused: false,
      stopOffset: null,
    },
  };
}

export interface ReportRecordOptions {
  readonly uetr: string;
  readonly outcome: "made" | "not-made";
  readonly receivedAtMs: number;
  readonly about?: "debit" | "credit";
  readonly bank?: string;
}

export function statusReportRecord({
  uetr,
  outcome,
  receivedAtMs,
  about = "debit",
  bank: sender = schedulerBank,
}: ReportRecordOptions): DecodedRecord<"StatusReportReceived"> {
  const body = encodeBody(buildStatusReport({ uetr, outcome, messageIdentification: `R-${uetr.slice(0, 8)}` }));
  const { message: report, contentHash, substanceHash } = requireRead(readStatusReport(body));
  const operation = about === "debit" ? "inboundDirectDebitResponse" : "inboundCreditTransferAuthorizationResponse";
  return { name: "StatusReportReceived", value: { sender, contentHash, substanceHash, receivedAtMs, report, operation } };
}

/** Builds a declaration for one bank, or for all banks if `of` is null. */
export function creditsFinalRecord(of: string | null, receivedAtMs: number): DecodedRecord<"CreditsFinalRequested"> {
  const value = {
    scheme: "ZA_EFT",
    businessDate: schedulerBusinessDate,
    requestedBy: of ?? schedulerConnector,
    bank: of,
    receivedAtMs,
    action: null,
  };
  return { name: "CreditsFinalRequested", value };
}

function requireRead<T>(reading: ReadResult<T>) {
  if (!reading.ok) throw new Error(reading.error.detail);
  return reading.read;
}
