// Debits and credits as ingress appends them, for the tests of this service.

import { type CreditTransfer, type DecodedRecord, type DirectDebit, readDirectDebit } from "@sluice/contracts";
import { buildDirectDebit, type DirectDebitOptions, encodeBody } from "@sluice/testkit";

export interface PaymentInput {
  readonly options?: Partial<DirectDebitOptions>;
  readonly receivedAtMs: number;
}

export function receivedOnUsDebit({ options = {}, receivedAtMs }: PaymentInput): DecodedRecord<"DirectDebitReceived"> {
  const reading = readDirectDebit(encodeBody(buildDirectDebit(options)));
  if (!reading.ok) throw new Error(JSON.stringify(reading.error));
  const { message: debit, contentHash, substanceHash } = reading.read;
  const closes = { reconciliationDay: "ZA_EFT:2026-11-20", closesAtMs: 0 };
  const value = { sender: "first", contentHash, substanceHash, receivedAtMs, ...closes, debit, flow: "ON_US", bank: null };
  return { name: "DirectDebitReceived", value };
}

/** A debit from the connector `clearing` to the bank `first`, unless another bank is given. */
export function receivedOffUsDebit(given: PaymentInput & { readonly bank?: string }): DecodedRecord<"DirectDebitReceived"> {
  const { value } = receivedOnUsDebit(given);
  return { name: "DirectDebitReceived", value: { ...value, sender: "clearing", flow: "OFF_US", bank: given.bank ?? "first" } };
}

/** A credit with the same parties as the off-us debit of the options. */
export function receivedCredit(
  given: PaymentInput & { readonly bank?: string; readonly scheme?: string },
): DecodedRecord<"CreditTransferReceived"> {
  const { contentHash, substanceHash, receivedAtMs, sender, debit } = receivedOffUsDebit(given).value;
  const provisional = { businessDate: "2026-11-20", deadlineMs: receivedAtMs };
  const value = {
    sender,
    contentHash,
    substanceHash,
    receivedAtMs,
    bank: given.bank ?? "first",
    ...provisional,
    credit: toCredit(debit, given.scheme ?? "ZA_EFT"),
  };
  return { name: "CreditTransferReceived", value };
}

function toCredit(debit: DirectDebit, scheme: string): CreditTransfer {
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
