// Reads every member of a PaymentStatusReport from HTTP. `report-outcome.ts` says what it means.

import * as z from "zod";
import type { ReadResult } from "../../api.ts";
import type { OriginalTransactionData, PaymentStatusReport, Status, StatusReason } from "../../generated/records.ts";
import { cannotProcess, isoDate, boundedList, optional, object, choice, string } from "./message-fields.ts";
import {
  amountsSchema,
  codeSchema,
  supplementaryDataSchema,
  institutionSchema,
  messageIdentifiersSchema,
  creditPartySchema,
  paymentAccountSchema,
  remittanceInformationSchema,
  transactionIdentifiersSchema,
} from "./message-parts.ts";
import { parseMessage } from "./parse-message.ts";
import { reportPaymentScheme } from "./payment-scheme.ts";
import { outcomeByCode, outcomes } from "./report-outcome.ts";

const statusReason: z.ZodType<StatusReason> = object({ reason: optional(codeSchema), additionalInformation: optional(string(500)) }).meta({
  id: "StatusReason",
  description: "Why the status is what it is. A negative report without a reason is recorded as MS03.",
});

const statusCode = string(35, 1).meta({
  enum: [...outcomeByCode.keys()],
  description: "ISO 20022 status. From a bank ACCP, ACSP, ACSC and ACCC say that it was made, RJCT and CANC that it was not. Another: 422.",
});

const status: z.ZodType<Status> = object({
  code: optional(statusCode),
  outcome: optional(choice(outcomes)),
  reasonInfo: optional(boundedList(statusReason, 10)),
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

const originalTransactionData: z.ZodType<OriginalTransactionData> = object({
  amounts: optional(amountsSchema),
  creditor: optional(creditPartySchema),
  creditorAccount: optional(paymentAccountSchema),
  creditorAgent: optional(institutionSchema),
  debtor: optional(creditPartySchema),
  debtorAccount: optional(paymentAccountSchema),
  debtorAgent: optional(institutionSchema),
  paymentMethod: optional(string(35, 1)),
  settlementDate: optional(isoDate),
  requestedCollectionDate: optional(isoDate),
  remittanceInformation: optional(remittanceInformationSchema),
}).meta({ id: "OriginalTransactionData", description: "Key elements of the transaction that the report is about." });

export const paymentStatusReportSchema: z.ZodType<PaymentStatusReport> = object({
  schema: z.literal("PaymentStatusReport"),
  messageIdentifiers: messageIdentifiersSchema,
  supplementaryData: supplementaryDataSchema,
  originalMessageIdentifiers: messageIdentifiersSchema,
  transactionIdentifiers: transactionIdentifiersSchema,
  instructedAgent: optional(institutionSchema),
  instructingAgent: optional(institutionSchema),
  originalTransactionData: optional(originalTransactionData),
  paymentScheme: reportPaymentScheme,
  status,
})
  .transform(({ schema: _constant, ...report }) => report)
  .meta({ id: "PaymentStatusReport", description: "What became of a debit or a credit." });

export function readStatusReport(bytes: Uint8Array): ReadResult<PaymentStatusReport> {
  return parseMessage(bytes, paymentStatusReportSchema);
}
