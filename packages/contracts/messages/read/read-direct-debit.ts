// Reads every member of a DirectDebit from HTTP.

import * as z from "zod";
import type { ReadResult } from "../../api.ts";
import type { DirectDebit, Mandate } from "../../generated/records.ts";
import { isoDate, identifierString, optional, object, choice, string, stringOrNumber } from "./message-fields.ts";
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
import { debitPaymentScheme } from "./payment-scheme.ts";

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
  paymentScheme: debitPaymentScheme,
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
