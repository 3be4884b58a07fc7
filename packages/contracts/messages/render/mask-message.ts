// Masks the payload for a bank that wants its event postings without personal data (`eventPayload: masked`). The result
// still has the shape of its message.
//
// #1 An account shows its last four characters, a party only its country. Institutions are not persons.
// #2 Free text may contain names: remittance information, references, supplementary data and additional information are
//    left out, and a required text becomes `***`.

import { unreachable } from "@sluice/kernel";
import type * as wire from "../../generated/records.ts";
import type { OutgoingMessage } from "./render-message.ts";

const hidden = "***";
const shownCharacters = 4;

export function maskMessage(outgoing: OutgoingMessage): OutgoingMessage {
  switch (outgoing.kind) {
    case "DirectDebit":
      return { kind: outgoing.kind, message: maskedDebit(outgoing.message), base: null };
    case "CreditTransfer":
      return { kind: outgoing.kind, message: maskedCredit(outgoing.message), base: null };
    case "PaymentStatusReport":
      return { kind: outgoing.kind, message: maskedReport(outgoing.message) };
    default:
      return unreachable(outgoing);
  }
}

/** 62005551230 becomes *******1230; a number of eight characters or fewer shows at most half of them. */
export function maskAccountNumber(value: string): string {
  const shown = Math.min(shownCharacters, Math.floor(value.length / 2));
  return "*".repeat(value.length - shown) + value.slice(value.length - shown);
}

/** GB33BUKB20201555555555 becomes XX00XXXXXXXXXXXXXX5555, which still has the form of an IBAN. */
function maskedIban(value: string): string {
  const shown = maskAccountNumber(value.slice(4)).replaceAll("*", "X");
  return `XX00${shown}`;
}

function maskedDebit(debit: wire.DirectDebit): wire.DirectDebit {
  const { mandateInformation: mandate, paymentScheme } = debit;
  return {
    ...debit,
    supplementaryData: null,
    creditor: maskedParty(debit.creditor),
    creditorAccount: maskedAccount(debit.creditorAccount),
    debtor: maskedParty(debit.debtor),
    debtorAccount: accountWithoutOwner(debit.debtorAccount),
    mandateInformation: mandate === null ? null : { ...mandate, electronicSignature: null },
    paymentScheme: {
      schema: paymentScheme.schema,
      schemeData: { userReference: hidden, shortenedDebtorAccountNumber: null, shortenedCreditorAccountNumber: null },
    },
    remittanceInformation: null,
  };
}

function maskedCredit(credit: wire.CreditTransfer): wire.CreditTransfer {
  const instructions = credit.instructionForCreditorAgent;
  return {
    ...credit,
    supplementaryData: null,
    creditor: credit.creditor === null ? null : maskedCreditParty(credit.creditor),
    creditorAccount: accountWithoutOwner(credit.creditorAccount),
    debtor: credit.debtor === null ? null : maskedCreditParty(credit.debtor),
    debtorAccount: maskedAccount(credit.debtorAccount),
    instructionForCreditorAgent: instructions === null ? null : instructions.map(({ code }) => ({ code, information: null })),
    paymentScheme: { schema: credit.paymentScheme.schema, schemeData: null },
    remittanceInformation: null,
  };
}

function maskedReport(report: wire.PaymentStatusReport): wire.PaymentStatusReport {
  const { originalTransactionData: original, status } = report;
  const reasonInfo = status.reasonInfo?.map(({ reason }) => ({ reason, additionalInformation: null })) ?? null;
  return {
    ...report,
    supplementaryData: null,
    originalTransactionData: original === null ? null : maskedOriginal(original),
    status: { ...status, reasonInfo },
  };
}

function maskedOriginal(original: wire.OriginalTransactionData): wire.OriginalTransactionData {
  return {
    ...original,
    creditor: original.creditor === null ? null : maskedCreditParty(original.creditor),
    creditorAccount: maskedAccount(original.creditorAccount),
    debtor: original.debtor === null ? null : maskedCreditParty(original.debtor),
    debtorAccount: maskedAccount(original.debtorAccount),
    remittanceInformation: null,
  };
}

function maskedParty(party: wire.Party): wire.Party {
  return { ...maskedCreditParty(party), legalName: hidden };
}

function maskedCreditParty({ countryOfResidence, legalName }: wire.Party | wire.CreditParty): wire.CreditParty {
  const shownName = legalName === null ? null : hidden;
  return { address: null, contactDetails: null, countryOfResidence, identification: null, knownAsName: null, legalName: shownName };
}

function maskedAccount(account: wire.PaymentAccount | null): wire.PaymentAccount | null {
  return account === null ? null : accountWithoutOwner(account);
}

function accountWithoutOwner({ identification, proxy, currency, type }: wire.PaymentAccount): wire.PaymentAccount {
  const shownNumber = identification?.schema === "IBAN" ? maskedIban : maskAccountNumber;
  return {
    identification: identification === null ? null : { ...identification, value: shownNumber(identification.value) },
    proxy: proxy === null ? null : { ...proxy, value: hidden },
    currency,
    name: null,
    type,
  };
}
