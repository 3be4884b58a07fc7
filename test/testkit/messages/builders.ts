// Builds valid messages that a test changes on purpose, so that a test names only what it is about. Messages are plain
// JSON values, and `encodeBody` makes the bytes. Amounts keep their digits (1250.50 stays 1250.50).

import type { Random } from "@sluice/kernel";
import { sampleBranch } from "../sample-configuration.ts";

export type MessageJson = string | number | boolean | null | readonly MessageJson[] | MessageObject;
export interface MessageObject {
  readonly [member: string]: MessageJson | undefined;
}

export interface DirectDebitOptions {
  readonly uetr: string;
  readonly messageIdentification: string;
  /** Decimal text, written unchanged. */
  readonly amount: string;
  readonly currency: string;
  readonly debtorAccount: string;
  readonly creditorAccount: string;
  readonly debtorBranch: string;
  readonly creditorBranch: string;
  readonly requestedCollectionDate: string | null;
  readonly creationDateTime: string;
  /** Members that replace the built ones; `undefined` removes a member. */
  readonly members: MessageObject;
}

/** A branch of a bank that is not configured. */
export const otherBankBranch = "198765";
const otherAccount = "1234567890";
export const sampleUetr = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";

export function buildDirectDebit(options: Partial<DirectDebitOptions> = {}): MessageObject {
  const debtorBranch = options.debtorBranch ?? sampleBranch;
  const creditorBranch = options.creditorBranch ?? options.debtorBranch ?? sampleBranch;
  const amount: MessageObject = { value: rawNumber(options.amount ?? "1250.50"), currency: options.currency ?? "ZAR" };
  return {
    schema: "DirectDebit",
    messageIdentifiers: {
      messageIdentification: options.messageIdentification ?? "ACME-20261120-000001",
      creationDateTime: options.creationDateTime ?? "2026-11-20T07:12:03.120+02:00",
    },
    transactionIdentifiers: { endToEndIdentification: "INV-88123", uetr: options.uetr ?? sampleUetr },
    amounts: { bankSettlementAmount: amount, instructedAmount: amount },
    creditor: { legalName: "Karoo Insurance Ltd", countryOfResidence: "ZA" },
    creditorAccount: account(options.creditorAccount ?? "62001872440"),
    creditorAgent: agent(creditorBranch),
    debtor: { legalName: "T Mokoena", countryOfResidence: "ZA" },
    debtorAccount: account(options.debtorAccount ?? validAccount(1)),
    debtorAgent: agent(debtorBranch),
    paymentScheme: { schema: "ZA_EFT", schemeData: { userReference: "KAROOINS  POLICY 88123" } },
    ...(options.requestedCollectionDate === undefined || options.requestedCollectionDate === null
      ? {}
      : { requestedCollectionDate: options.requestedCollectionDate }),
    sequenceType: "RCUR",
    ...options.members,
  };
}

/** Builds a debit from a scheme connector, whose creditor is at another bank. */
export function buildOffUsDebit(options: Partial<DirectDebitOptions> = {}): MessageObject {
  return buildDirectDebit({
    messageIdentification: "CLEARING-20261120-000001",
    creditorBranch: otherBankBranch,
    creditorAccount: otherAccount,
    ...options,
  });
}

export interface CreditTransferOptions {
  readonly uetr: string;
  readonly messageIdentification: string;
  readonly scheme: string;
  /** Decimal text, written unchanged. */
  readonly amount: string;
  readonly currency: string;
  readonly creditorAccount: string;
  readonly debtorAccount: string;
  readonly creditorBranch: string;
  readonly debtorBranch: string;
  readonly creationDateTime: string;
  /** Members that replace the built ones; `undefined` removes a member. */
  readonly members: MessageObject;
}

/** Builds a credit from a scheme connector, whose debtor is at another bank. */
export function buildCreditTransfer(options: Partial<CreditTransferOptions> = {}): MessageObject {
  const amount: MessageObject = { value: rawNumber(options.amount ?? "1250.50"), currency: options.currency ?? "ZAR" };
  return {
    schema: "CreditTransfer",
    messageIdentifiers: {
      messageIdentification: options.messageIdentification ?? "CLEARING-20261120-900001",
      creationDateTime: options.creationDateTime ?? "2026-11-20T07:12:03.120+02:00",
    },
    transactionIdentifiers: { endToEndIdentification: "SAL-2026-11", uetr: options.uetr ?? sampleUetr },
    amounts: { bankSettlementAmount: amount, instructedAmount: amount },
    creditor: { legalName: "T Mokoena", countryOfResidence: "ZA" },
    creditorAccount: account(options.creditorAccount ?? validAccount(1)),
    creditorAgent: agent(options.creditorBranch ?? sampleBranch),
    debtor: { legalName: "Baobab Mining Ltd", countryOfResidence: "ZA" },
    debtorAccount: account(options.debtorAccount ?? otherAccount),
    debtorAgent: agent(options.debtorBranch ?? otherBankBranch),
    paymentScheme: { schema: options.scheme ?? "ZA_EFT", schemeData: { userReference: "SALARY NOVEMBER" } },
    ...options.members,
  };
}

export interface CreditsFinalOptions {
  readonly scheme?: string;
  readonly businessDate?: string;
}

/** Builds the declaration that the credits of a business day are final. */
export function buildCreditsFinal({ scheme = "ZA_EFT", businessDate = "2026-11-20" }: CreditsFinalOptions = {}): MessageObject {
  return { scheme, businessDate };
}

export interface StatusReportOptions {
  readonly uetr: string;
  readonly messageIdentification: string;
  readonly originalMessageIdentification: string;
  readonly originalCreationDateTime: string;
  readonly endToEndIdentification: string;
  readonly creationDateTime: string;
  readonly scheme: string;
  readonly outcome: "made" | "not-made" | "pending";
  /** A status code that replaces the outcome's own; null keeps that one. */
  readonly code: string | null;
  /** The ISO 20022 reason of a negative report; null leaves it out. */
  readonly reason: string | null;
  readonly members: MessageObject;
}

/** Builds a bank's report on an inbound debit or credit. */
export function buildStatusReport(options: Partial<StatusReportOptions> = {}): MessageObject {
  const uetr = options.uetr ?? sampleUetr;
  const outcome = options.outcome ?? "made";
  const reason = options.reason === undefined ? "AM04" : options.reason;
  return {
    schema: "PaymentStatusReport",
    messageIdentifiers: {
      messageIdentification: options.messageIdentification ?? "FIRST-PSR-000001",
      creationDateTime: options.creationDateTime ?? "2026-11-20T08:00:04.001+02:00",
    },
    originalMessageIdentifiers: {
      messageIdentification: options.originalMessageIdentification ?? `${uetr.toLowerCase().replaceAll("-", "")}D`,
      creationDateTime: options.originalCreationDateTime ?? "2026-11-20T06:00:01.000Z",
    },
    transactionIdentifiers: { endToEndIdentification: options.endToEndIdentification ?? "INV-88123", uetr },
    paymentScheme: { schema: options.scheme ?? "ZA_EFT" },
    status: {
      ...(options.code === "CANC" ? { outcome: "CANCELLED" } : { outcome: statuses[outcome].outcome }),
      code: options.code ?? statuses[outcome].code,
      ...(outcome === "not-made" && reason !== null ? { reasonInfo: [{ reason: { schema: "CODE", value: reason } }] } : {}),
    },
    ...options.members,
  };
}

const statuses = {
  made: { code: "ACSC", outcome: "APPROVED" },
  "not-made": { code: "RJCT", outcome: "REJECTED" },
  pending: { code: "PDNG", outcome: "PENDING" },
} as const;

export function encodeBody(message: MessageJson): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(message));
}

/** Draws a version 4 UETR. */
export function drawUetr(random: Random): string {
  const hex = random.hex(16);
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/**
 * Returns the account with this number, 0 to 99,999,999, that passes the check digit test of branches 200000–299999 for
 * current accounts.
 */
export function validAccount(number: number): string {
  const digits = `62${String(number).padStart(8, "0")}`;
  return `${digits}${(10 - (weightedSum(`${digits}0`, checkDigitWeights) % 10)) % 10}`;
}

/** Like `validAccount`, but the account fails both tests of those branches. */
export function invalidAccount(number: number): string {
  const stem = validAccount(number).slice(0, 10);
  for (let digit = 0; digit < 10; digit += 1) {
    const candidate = `${stem}${digit}`;
    if (weightedSum(candidate, checkDigitWeights) % 10 !== 0 && weightedSum(candidate, secondTestWeights) % 11 !== 0) return candidate;
  }
  throw new Error("two digits at most pass either test");
}

const checkDigitWeights = [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1];
const secondTestWeights = [13, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1];

function weightedSum(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * Number(digits[index]), 0);
}

function account(value: string): MessageObject {
  return { identification: { schema: "GENERIC", value }, currency: "ZAR", type: { schema: "CODE", value: "CACC" } };
}

function agent(branch: string): MessageObject {
  return { memberId: branch, name: "First Bank", branch: { identification: branch } };
}

/** Returns a number that JSON.stringify writes with exactly these digits. */
export function rawNumber(text: string): MessageJson {
  const rawJson: (text: string) => MessageJson = Reflect.get(JSON, "rawJSON");
  return rawJson(text);
}
