// Debits and credits as ingress appends them, for tests.

import { readDirectDebit } from "@sluice/contracts";
import type { CreditTransfer, Decoded, DirectDebit } from "@sluice/contracts";
import { bodyOf, directDebit } from "@sluice/testkit";
import type { DirectDebitOptions } from "@sluice/testkit";

export interface GivenPayment {
  readonly options?: Partial<DirectDebitOptions>;
  readonly receivedAtMs: number;
}

export function onUsDebit({ options = {}, receivedAtMs }: GivenPayment): Decoded<"DirectDebitReceived"> {
  const reading = readDirectDebit(bodyOf(directDebit(options)));
  if (!reading.ok) throw new Error(JSON.stringify(reading.error));
  const { message: debit, contentHash, substanceHash } = reading.read;
  const closes = { closesWith: "ZA_EFT:2026-11-20", closesAtMs: 0 };
  const value = { sender: "first", contentHash, substanceHash, receivedAtMs, ...closes, debit, flow: "ON_US", bank: "" };
  return { name: "DirectDebitReceived", value };
}

/** From the connector `clearing`, to the bank `first` unless another is named. */
export function offUsDebit(given: GivenPayment & { readonly bank?: string }): Decoded<"DirectDebitReceived"> {
  const { value } = onUsDebit(given);
  return { name: "DirectDebitReceived", value: { ...value, sender: "clearing", flow: "OFF_US", bank: given.bank ?? "first" } };
}

/** As an off-us debit, with both sides as the options name them. */
export function credit(given: GivenPayment & { readonly bank?: string; readonly scheme?: string }): Decoded<"CreditTransferReceived"> {
  const { contentHash, substanceHash, receivedAtMs, bank, sender, debit } = offUsDebit(given).value;
  const provisional = { businessDate: "2026-11-20", deadlineMs: receivedAtMs };
  const value = {
    sender,
    contentHash,
    substanceHash,
    receivedAtMs,
    bank,
    ...provisional,
    credit: creditOf(debit, given.scheme ?? "ZA_EFT"),
  };
  return { name: "CreditTransferReceived", value };
}

function creditOf(debit: DirectDebit, scheme: string): CreditTransfer {
  const { creditorAccount } = debit;
  if (creditorAccount === null) throw new Error("a credit names the creditor's account");
  return {
    messageIdentifiers: debit.messageIdentifiers,
    paymentScheme: { schema: scheme, schemeData: null },
    transactionIdentifiers: debit.transactionIdentifiers,
    amounts: debit.amounts,
    paymentTypeInformation: null,
    creditor: null,
    debtor: null,
    creditorAccount,
    debtorAccount: debit.debtorAccount,
    creditorAgent: debit.creditorAgent,
    debtorAgent: debit.debtorAgent,
    instructingAgent: null,
    instructedAgent: null,
    instructionForCreditorAgent: null,
    intermediaryAgents: null,
    previousInstructingAgents: null,
    purpose: null,
    remittanceInformation: null,
    tax: null,
    supplementaryData: null,
  };
}
