// CreditTransfer from HTTP (interface 2.4), every member of it. Required are the members that decisions section 5 names.

import * as z from "zod";
import type { Reading } from "./api.ts";
import type { CreditPaymentScheme, CreditTransfer, CreditorAgentInstruction, Tax } from "./generated/records.ts";
import { maybe, members, ofScheme, oneOf, text } from "./message-fields.ts";
import {
  amount,
  amounts,
  code,
  creditParty,
  extras,
  institution,
  institutions,
  messageIdentifiers,
  paymentAccount,
  paymentTypeInformation,
  remittanceInformation,
  transactionIdentifiers,
} from "./message-parts.ts";
import { readMessage } from "./read-message.ts";

export const creditSchemes = ["ZA_EFT", "ZA_RTC", "ZA_RPP"] as const;

const paymentScheme: z.ZodType<CreditPaymentScheme> = ofScheme(
  creditSchemes,
  members({
    schema: oneOf(creditSchemes),
    schemeData: maybe(
      members({
        userReference: maybe(text(140)),
        originatorEchoData: maybe(text(140)),
        businessReference: maybe(text(140)),
      }),
    ),
  }).meta({ id: "CreditTransferPaymentScheme", description: "The scheme and what it adds to a credit. Another: 422." }),
);

const creditorAgentInstruction: z.ZodType<CreditorAgentInstruction> = members({
  code: maybe(text(35)),
  information: maybe(text(140)),
}).meta({ id: "CreditorAgentInstruction", description: "An instruction for the creditor's agent." });

const tax: z.ZodType<Tax> = members({ totalAmount: maybe(amount) }).meta({ id: "Tax", description: "Tax of the payment." });

export const creditTransfer: z.ZodType<CreditTransfer> = members({
  schema: z.literal("CreditTransfer"),
  messageIdentifiers,
  supplementaryData: extras,
  paymentScheme,
  transactionIdentifiers,
  amounts,
  paymentTypeInformation: maybe(paymentTypeInformation),
  creditor: maybe(creditParty),
  debtor: maybe(creditParty),
  creditorAccount: paymentAccount,
  debtorAccount: maybe(paymentAccount),
  creditorAgent: institution,
  debtorAgent: institution,
  instructingAgent: maybe(institution),
  instructedAgent: maybe(institution),
  instructionForCreditorAgent: maybe(z.array(creditorAgentInstruction)),
  intermediaryAgents: maybe(institutions),
  previousInstructingAgents: maybe(institutions),
  purpose: maybe(code),
  remittanceInformation: maybe(remittanceInformation),
  tax: maybe(tax),
})
  .transform(({ schema: _constant, ...credit }) => credit)
  .meta({ id: "CreditTransfer", description: "A credit of a scheme connector, and the same as it is sent to the creditor's bank." });

export function readCreditTransfer(bytes: Uint8Array): Reading<CreditTransfer> {
  return readMessage(bytes, creditTransfer);
}
