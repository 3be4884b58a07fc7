// Reads every member of a CreditTransfer from HTTP (docs/spec/interface.md 2.4). The required members are those of
// docs/spec/decisions.md D5.38.

import * as z from "zod";
import type { ReadResult } from "../../api.ts";
import type { CreditTransfer, CreditorAgentInstruction, Tax } from "../../generated/records.ts";
import { boundedList, optional, object, string } from "./message-fields.ts";
import {
  amountSchema,
  amountsSchema,
  codeSchema,
  creditPartySchema,
  supplementaryDataSchema,
  institutionSchema,
  institutionsSchema,
  messageIdentifiersSchema,
  paymentAccountSchema,
  paymentTypeInformationSchema,
  remittanceInformationSchema,
  transactionIdentifiersSchema,
} from "./message-parts.ts";
import { parseMessage } from "./parse-message.ts";
import { creditPaymentScheme } from "./payment-scheme.ts";

const creditorAgentInstruction: z.ZodType<CreditorAgentInstruction> = object({
  code: optional(string(35)),
  information: optional(string(140)),
}).meta({ id: "CreditorAgentInstruction", description: "An instruction for the creditor's agent." });

const tax: z.ZodType<Tax> = object({ totalAmount: optional(amountSchema) }).meta({ id: "Tax", description: "Tax of the payment." });

export const creditTransferSchema: z.ZodType<CreditTransfer> = object({
  schema: z.literal("CreditTransfer"),
  messageIdentifiers: messageIdentifiersSchema,
  supplementaryData: supplementaryDataSchema,
  paymentScheme: creditPaymentScheme,
  transactionIdentifiers: transactionIdentifiersSchema,
  amounts: amountsSchema,
  paymentTypeInformation: optional(paymentTypeInformationSchema),
  creditor: optional(creditPartySchema),
  debtor: optional(creditPartySchema),
  creditorAccount: paymentAccountSchema,
  debtorAccount: optional(paymentAccountSchema),
  creditorAgent: institutionSchema,
  debtorAgent: institutionSchema,
  instructingAgent: optional(institutionSchema),
  instructedAgent: optional(institutionSchema),
  instructionForCreditorAgent: optional(boundedList(creditorAgentInstruction, 10)),
  intermediaryAgents: optional(institutionsSchema),
  previousInstructingAgents: optional(institutionsSchema),
  purpose: optional(codeSchema),
  remittanceInformation: optional(remittanceInformationSchema),
  tax: optional(tax),
})
  .transform(({ schema: _constant, ...credit }) => credit)
  .meta({ id: "CreditTransfer", description: "A credit of a scheme connector, and the same as it is sent to the creditor's bank." });

export function readCreditTransfer(bytes: Uint8Array): ReadResult<CreditTransfer> {
  return parseMessage(bytes, creditTransferSchema);
}
