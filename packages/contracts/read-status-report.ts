// PaymentStatusReport from HTTP, every member of it. What it means: `status-meaning.ts`.

import * as z from "zod";
import type { Reading } from "./api.ts";
import type { OriginalTransactionData, PaymentScheme, PaymentStatusReport, Status, StatusReason } from "./generated/records.ts";
import { cannotProcess, date, maybe, members, oneOf, text } from "./message-fields.ts";
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
import { zaEft } from "./read-direct-debit.ts";
import { readMessage } from "./read-message.ts";
import { outcomeByCode, outcomes } from "./status-meaning.ts";

const statusReason: z.ZodType<StatusReason> = members({ reason: maybe(code), additionalInformation: maybe(text(500)) });

const status: z.ZodType<Status> = members({
  code: maybe(text(35, 1)),
  outcome: maybe(oneOf(outcomes)),
  reasonInfo: maybe(z.array(statusReason)),
}).superRefine(({ code: statusCode, outcome }, context) => {
  if (statusCode === null && outcome === null) {
    context.addIssue({ code: "custom", message: "must have a code, an outcome, or both" });
    return;
  }
  if (statusCode === null) return;
  const said = outcomeByCode.get(statusCode);
  if (said === undefined) cannotProcess(context, `must be one of ${[...outcomeByCode.keys()].join(", ")}`, ["code"]);
  else if (outcome !== null && outcome !== said) cannotProcess(context, `${statusCode} and ${outcome} contradict each other`, ["outcome"]);
});

const originalTransactionData: z.ZodType<OriginalTransactionData> = members({
  amounts: maybe(amounts),
  creditor: maybe(party),
  creditorAccount: maybe(paymentAccount),
  creditorAgent: maybe(institution),
  debtor: maybe(party),
  debtorAccount: maybe(paymentAccount),
  debtorAgent: maybe(institution),
  paymentMethod: maybe(text(35, 1)),
  settlementDate: maybe(date),
  requestedCollectionDate: maybe(date),
  remittanceInformation: maybe(remittanceInformation),
});

const paymentScheme: z.ZodType<PaymentScheme> = zaEft
  .pipe(members({ schema: z.literal("ZA_EFT") }))
  .transform(({ schema }) => ({ schema, schemeData: null }));

const paymentStatusReport: z.ZodType<PaymentStatusReport> = members({
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
}).transform(({ schema: _constant, ...report }) => report);

export function readStatusReport(bytes: Uint8Array): Reading<PaymentStatusReport> {
  return readMessage(bytes, paymentStatusReport);
}
