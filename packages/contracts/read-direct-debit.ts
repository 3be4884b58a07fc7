// DirectDebit from HTTP, every member of it. Direct debits are accepted for ZA_EFT only: another scheme is a 422, whatever
// its scheme data looks like.

import * as z from "zod";
import type { Reading } from "./api.ts";
import type { DirectDebit, Mandate, PaymentScheme } from "./generated/records.ts";
import { date, identifier, maybe, members, ofScheme, oneOf, pattern, text, textOrNumber } from "./message-fields.ts";
import {
  amounts,
  code,
  extras,
  institution,
  institutions,
  messageIdentifiers,
  party,
  paymentAccount,
  paymentTypeInformation,
  remittanceInformation,
  transactionIdentifiers,
} from "./message-parts.ts";
import { readMessage } from "./read-message.ts";

/** The one scheme of direct debits; anything else cannot be processed. */
export const debitSchemes = ["ZA_EFT"] as const;

const shortenedAccount = pattern(/^[0-9]{11}$/, "11 digits").meta({
  description: "11 digits. Carried through, not checked against the account.",
});

const paymentScheme: z.ZodType<PaymentScheme> = ofScheme(
  debitSchemes,
  members({
    schema: oneOf(debitSchemes),
    schemeData: members({
      userReference: pattern(/^[ -~]{1,30}$/, "1 to 30 printable ASCII characters").meta({
        description:
          "What the payer reads on the statement, 1 to 30 printable ASCII characters. How it is laid out is the scheme's matter, and is not checked.",
      }),
      shortenedDebtorAccountNumber: maybe(shortenedAccount),
      shortenedCreditorAccountNumber: maybe(shortenedAccount),
    }),
  }).meta({ id: "DirectDebitPaymentScheme", description: "The scheme and what it asks of a debit. A scheme but ZA_EFT: 422." }),
);

const mandate: z.ZodType<Mandate> = members({
  mandateIdentification: maybe(identifier(35)),
  dateOfSignature: maybe(date),
  firstCollectionDate: maybe(date),
  finalCollectionDate: maybe(date),
  electronicSignature: maybe(text(1025)),
  frequency: maybe(text(35)),
  reason: maybe(code),
  trackingDays: maybe(textOrNumber(35)),
}).meta({
  id: "MandateInformation",
  description: "The mandate between creditor and debtor: not used by ZA_EFT, carried through. It may change in a minor version.",
});

export const directDebit: z.ZodType<DirectDebit> = members({
  schema: z.literal("DirectDebit"),
  messageIdentifiers,
  supplementaryData: extras,
  transactionIdentifiers,
  amounts,
  creditor: party,
  creditorAccount: maybe(paymentAccount),
  creditorAgent: institution,
  debtor: party,
  debtorAccount: paymentAccount,
  debtorAgent: institution,
  instructedAgent: maybe(institution),
  instructingAgent: maybe(institution),
  intermediaryAgents: maybe(institutions),
  mandateInformation: maybe(mandate),
  paymentScheme,
  paymentTypeInformation: maybe(paymentTypeInformation),
  purpose: maybe(code),
  remittanceInformation: maybe(remittanceInformation),
  requestedCollectionDate: maybe(date),
  sequenceType: maybe(oneOf(["FRST", "RCUR", "FNAL", "OOFF", "RPRE"])),
  settlementDate: maybe(date),
})
  .transform(({ schema: _constant, ...debit }) => debit)
  .meta({ id: "DirectDebit", description: "A direct debit: sent by a creditor's bank, held, and sent to the debtor's bank." });

export function readDirectDebit(bytes: Uint8Array): Reading<DirectDebit> {
  return readMessage(bytes, directDebit);
}
