// Reads every member of a DirectDebit from HTTP. Direct debits are accepted for ZA_EFT only: another scheme is a 422,
// whatever its scheme data contains.

import * as z from "zod";
import type { ReadResult } from "../../api.ts";
import type { DirectDebit, Mandate, PaymentScheme } from "../../generated/records.ts";
import { isoDate, identifierString, optional, object, requireScheme, choice, matching, string, stringOrNumber } from "./message-fields.ts";
import {
  amountsSchema,
  codeSchema,
  supplementaryDataSchema,
  institutionSchema,
  institutionsSchema,
  messageIdentifiersSchema,
  partySchema,
  paymentAccountSchema,
  paymentTypeInformationSchema,
  remittanceInformationSchema,
  transactionIdentifiersSchema,
} from "./message-parts.ts";
import { parseMessage } from "./parse-message.ts";

/** The one scheme of direct debits; any other cannot be processed. */
export const debitSchemes = ["ZA_EFT"] as const;

const shortenedAccount = matching(/^[0-9]{11}$/, "11 digits").meta({
  description: "11 digits. Carried through, not checked against the account.",
});

const paymentScheme: z.ZodType<PaymentScheme> = requireScheme(
  debitSchemes,
  object({
    schema: choice(debitSchemes),
    schemeData: object({
      userReference: matching(/^[ -~]{1,30}$/, "1 to 30 printable ASCII characters").meta({
        description:
          "What the payer reads on the statement, 1 to 30 printable ASCII characters. How it is laid out is the scheme's matter, and is not checked.",
      }),
      shortenedDebtorAccountNumber: optional(shortenedAccount),
      shortenedCreditorAccountNumber: optional(shortenedAccount),
    }),
  }).meta({ id: "DirectDebitPaymentScheme", description: "The scheme and what it asks of a debit. A scheme but ZA_EFT: 422." }),
);

const mandate: z.ZodType<Mandate> = object({
  mandateIdentification: optional(identifierString(35)),
  dateOfSignature: optional(isoDate),
  firstCollectionDate: optional(isoDate),
  finalCollectionDate: optional(isoDate),
  electronicSignature: optional(string(1025)),
  frequency: optional(string(35)),
  reason: optional(codeSchema),
  trackingDays: optional(stringOrNumber(35)),
}).meta({
  id: "MandateInformation",
  description: "The mandate between creditor and debtor: not used by ZA_EFT, carried through. It may change in a minor version.",
});

export const directDebitSchema: z.ZodType<DirectDebit> = object({
  schema: z.literal("DirectDebit"),
  messageIdentifiers: messageIdentifiersSchema,
  supplementaryData: supplementaryDataSchema,
  transactionIdentifiers: transactionIdentifiersSchema,
  amounts: amountsSchema,
  creditor: partySchema,
  creditorAccount: optional(paymentAccountSchema),
  creditorAgent: institutionSchema,
  debtor: partySchema,
  debtorAccount: paymentAccountSchema,
  debtorAgent: institutionSchema,
  instructedAgent: optional(institutionSchema),
  instructingAgent: optional(institutionSchema),
  intermediaryAgents: optional(institutionsSchema),
  mandateInformation: optional(mandate),
  paymentScheme,
  paymentTypeInformation: optional(paymentTypeInformationSchema),
  purpose: optional(codeSchema),
  remittanceInformation: optional(remittanceInformationSchema),
  requestedCollectionDate: optional(isoDate),
  sequenceType: optional(choice(["FRST", "RCUR", "FNAL", "OOFF", "RPRE"])),
  settlementDate: optional(isoDate),
})
  .transform(({ schema: _constant, ...debit }) => debit)
  .meta({ id: "DirectDebit", description: "A direct debit: sent by a creditor's bank, held, and sent to the debtor's bank." });

export function readDirectDebit(bytes: Uint8Array): ReadResult<DirectDebit> {
  return parseMessage(bytes, directDebitSchema);
}
