// DirectDebit from HTTP, every member of it. Direct debits are accepted for ZA_EFT only: another scheme is a 422, whatever
// its scheme data looks like.

import * as z from "zod";
import type { Reading } from "./api.ts";
import type { DirectDebit, Mandate, PaymentScheme, PaymentTypeInformation } from "./generated/records.ts";
import { cannotProcess, date, identifier, maybe, members, oneOf, pattern, text, textOrNumber } from "./message-fields.ts";
import {
  amounts,
  code,
  extras,
  institution,
  messageIdentifiers,
  party,
  paymentAccount,
  remittanceInformation,
  transactionIdentifiers,
} from "./message-parts.ts";
import { readMessage } from "./read-message.ts";

/** The one scheme of direct debits; anything else cannot be processed. */
export const zaEft = z.looseObject({ schema: text(35, 1) }).superRefine((scheme, context) => {
  if (scheme.schema !== "ZA_EFT") cannotProcess(context, "only ZA_EFT is accepted here", ["schema"]);
});

const shortenedAccount = pattern(/^[0-9]{11}$/, "11 digits");

const paymentScheme: z.ZodType<PaymentScheme> = zaEft.pipe(
  members({
    schema: z.literal("ZA_EFT"),
    schemeData: members({
      userReference: pattern(/^[\x20-\x7e]{1,30}$/, "1 to 30 printable ASCII characters"),
      shortenedDebtorAccountNumber: maybe(shortenedAccount),
      shortenedCreditorAccountNumber: maybe(shortenedAccount),
    }),
  }),
);

const paymentTypeInformation: z.ZodType<PaymentTypeInformation> = members({
  categoryPurpose: maybe(code),
  localInstrument: maybe(code),
  serviceLevel: maybe(z.array(code)),
});

const mandate: z.ZodType<Mandate> = members({
  mandateIdentification: maybe(identifier(35)),
  dateOfSignature: maybe(date),
  firstCollectionDate: maybe(date),
  finalCollectionDate: maybe(date),
  electronicSignature: maybe(text(1025)),
  frequency: maybe(text(35)),
  reason: maybe(code),
  trackingDays: maybe(textOrNumber(35)),
});

const directDebit: z.ZodType<DirectDebit> = members({
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
  intermediaryAgents: maybe(z.array(institution).max(3, "must have at most 3 entries")),
  mandateInformation: maybe(mandate),
  paymentScheme,
  paymentTypeInformation: maybe(paymentTypeInformation),
  purpose: maybe(code),
  remittanceInformation: maybe(remittanceInformation),
  requestedCollectionDate: maybe(date),
  sequenceType: maybe(oneOf(["FRST", "RCUR", "FNAL", "OOFF", "RPRE"])),
  settlementDate: maybe(date),
}).transform(({ schema: _constant, ...debit }) => debit);

export function readDirectDebit(bytes: Uint8Array): Reading<DirectDebit> {
  return readMessage(bytes, directDebit);
}
