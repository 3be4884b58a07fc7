// PaymentStatusReport from HTTP, every member of it. What it means: `status-meaning.ts`.

import * as z from "zod";
import type { Reading } from "./api.ts";
import type { OriginalTransactionData, PaymentScheme, PaymentStatusReport, Status, StatusReason } from "./generated/records.ts";
import { cannotProcess, date, maybe, members, ofScheme, oneOf, text } from "./message-fields.ts";
import {
  amounts,
  code,
  extras,
  institution,
  messageIdentifiers,
  originalParty,
  paymentAccount,
  remittanceInformation,
  transactionIdentifiers,
} from "./message-parts.ts";
import { creditSchemes } from "./read-credit-transfer.ts";
import { readMessage } from "./read-message.ts";
import { outcomeByCode, outcomes } from "./status-meaning.ts";

const statusReason: z.ZodType<StatusReason> = members({ reason: maybe(code), additionalInformation: maybe(text(500)) }).meta({
  id: "StatusReason",
  description: "Why the status is what it is. A negative report without a reason is recorded as MS03.",
});

const statusCode = text(35, 1).meta({
  enum: [...outcomeByCode.keys()],
  description: "ISO 20022 status. From a bank ACCP, ACSP, ACSC and ACCC say that it was made, RJCT and CANC that it was not. Another: 422.",
});

const status: z.ZodType<Status> = members({
  code: maybe(statusCode),
  outcome: maybe(oneOf(outcomes)),
  reasonInfo: maybe(z.array(statusReason)),
})
  .superRefine(({ code: given, outcome }, context) => {
    if (given === null && outcome === null) {
      context.addIssue({ code: "custom", message: "must have a code, an outcome, or both" });
      return;
    }
    if (given === null) return;
    const said = outcomeByCode.get(given);
    if (said === undefined) cannotProcess(context, `must be one of ${[...outcomeByCode.keys()].join(", ")}`, ["code"]);
    else if (outcome !== null && outcome !== said) cannotProcess(context, `${given} and ${outcome} contradict each other`, ["outcome"]);
  })
  .meta({
    id: "Status",
    description: "Code, outcome, or both; two that contradict each other: 422.",
    anyOf: [{ required: ["code"] }, { required: ["outcome"] }],
  });

const originalTransactionData: z.ZodType<OriginalTransactionData> = members({
  amounts: maybe(amounts),
  creditor: maybe(originalParty),
  creditorAccount: maybe(paymentAccount),
  creditorAgent: maybe(institution),
  debtor: maybe(originalParty),
  debtorAccount: maybe(paymentAccount),
  debtorAgent: maybe(institution),
  paymentMethod: maybe(text(35, 1)),
  settlementDate: maybe(date),
  requestedCollectionDate: maybe(date),
  remittanceInformation: maybe(remittanceInformation),
}).meta({ id: "OriginalTransactionData", description: "Key elements of the transaction that the report is about." });

const paymentScheme: z.ZodType<PaymentScheme> = ofScheme(
  creditSchemes,
  members({ schema: oneOf(creditSchemes) })
    .transform(({ schema }) => ({ schema, schemeData: null }))
    .meta({ id: "PaymentStatusReportPaymentScheme", description: "The scheme of the debit or credit. Another: 422." }),
);

export const paymentStatusReport: z.ZodType<PaymentStatusReport> = members({
  schema: z.literal("PaymentStatusReport"),
  messageIdentifiers,
  supplementaryData: extras,
  originalMessageIdentifiers: messageIdentifiers,
  transactionIdentifiers,
  instructedAgent: maybe(institution),
  instructingAgent: maybe(institution),
  originalTransactionData: maybe(originalTransactionData),
  paymentScheme,
  status,
})
  .transform(({ schema: _constant, ...report }) => report)
  .meta({ id: "PaymentStatusReport", description: "What became of a debit or a credit." });

export function readStatusReport(bytes: Uint8Array): Reading<PaymentStatusReport> {
  return readMessage(bytes, paymentStatusReport);
}
