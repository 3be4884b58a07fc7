// Every body that goes over HTTP, as one map of schemas: the source of the OpenAPI documents and of the JSON Schemas.
// `z.toJSONSchema(messageSchemas.DirectDebit, { io: "input" })` is the JSON Schema of a body; shapes with an `id` are
// placed in `$defs` under it.
//
// #1 What Sluice receives is read by these very schemas. What it sends is made by the writers and tested against these.
// #2 JSON Schema cannot express that an amount's fraction fits its currency, that a code and an outcome agree (both
//    422), that an amount has at most 18 digits, that no member is given twice, that a body has at most 32 levels,
//    4,096 values, 100 members of an object and 256 KiB, and which numbers and texts `json.ts` refuses (exponents, half
//    surrogate pairs).
// #3 Receivers must ignore members that they do not know: the schemas of messages that only Sluice sends allow
//    additional members.

import { listServiceCodes, schemeIds } from "@sluice/domain/schemes";
import * as z from "zod";
import { isoDate, isoDateTime, identifierString, integerToken, string, uuid } from "./message-fields.ts";
import { creditTransferSchema } from "./read-credit-transfer.ts";
import { creditsFinalSchema } from "./read-credits-final.ts";
import { directDebitSchema } from "./read-direct-debit.ts";
import { paymentStatusReportSchema } from "./read-status-report.ts";
import { eventTypes, stateNames } from "../render/state-table.ts";

const eventFields = {
  apiVersion: z
    .string()
    .regex(/^[0-9]+\.[0-9]+\.[0-9]+$/)
    .meta({ description: "Version of the event document, for example 1.0.0." }),
  actionDate: isoDate.meta({ description: "Business date." }),
  creationDateTime: isoDateTime.meta({ description: "When the state was entered, UTC." }),
};

const state = z
  .looseObject({
    financialTransactionState: z
      .enum(["IN_PROGRESS", "ACTIONED", "UNPAID", "ERROR", "UNMATCHED"])
      .meta({ description: "What became of the money." }),
    transactionState: z
      .enum(["RECEIVE_PENDING", "RECEIVED", "RECEIVE_ERROR", "SEND_PENDING", "SENT", "SEND_ERROR", "ON_HOLD"])
      .meta({ description: "What became of the message." }),
  })
  .meta({ id: "EventState", description: "The state in the words of the ESM." });

const identifiers = z
  .looseObject({
    endToEndIdentification: identifierString(35).meta({ description: "As in the message." }),
    transactionIdentification: identifierString(35).optional().meta({ description: "As in the message." }),
    uetr: uuid,
    matchingKey: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .meta({
        description:
          "Of ESM_STATE: SHA-256, hex, over homing branch, homing account, amount in minor units, action date and user reference, joined by |.",
      }),
  })
  .meta({ id: "EventIdentifiers", description: "Identifiers of the transaction." });

const transactionInfo = z
  .looseObject({
    direction: z
      .enum(["ON_US", "INBOUND"])
      .meta({ description: "ON_US: both accounts are at the bank. INBOUND: it came from a connector." }),
    paymentType: z.enum(["CREDIT", "DEBIT"]).meta({ description: "Credit or debit." }),
    recordType: z.enum(["PAYMENT"]).meta({ description: "Always PAYMENT." }),
    returnType: z.enum(["UNPAID"]).optional().meta({ description: "Only where a debit ended unpaid." }),
    subService: z
      .enum(["SAME_DAY", "ONE_DAY", "TWO_DAY"])
      .optional()
      .meta({ description: "Working days from receipt to business date, two or more as TWO_DAY; absent before the checks." }),
  })
  .meta({ id: "EventTransactionInfo", description: "Kind of transaction." });

const tranInfo = z
  .looseObject({
    tranUetr: uuid,
    direction: z
      .enum(["INBOUND", "OUTBOUND"])
      .meta({ description: "OUTBOUND: on the way from the initiating bank. INBOUND: on the way to the bank that acts on it." }),
    paymentScheme: z.enum(schemeIds).meta({ description: "Scheme code." }),
    service: z.enum(listServiceCodes()).meta({ description: "Service code." }),
  })
  .meta({ id: "EventTranInfo", description: "The transaction." });

const messageInfo = z
  .looseObject({
    messageIdentification: identifierString(35).meta({ description: "As in the message." }),
    creationDateTime: isoDateTime,
    httpStatusCode: integerToken(100, "Only where an HTTP exchange caused the state.").optional(),
  })
  .meta({ id: "EventMessageInfo", description: "The message that the payload is, or would be." });

const transactionStateEvent = z
  .looseObject({
    name: z.enum(eventTypes.map((type) => `TRANSACTION_STATE_${type}`)).meta({ description: "Class and type, joined by an underscore." }),
    apiVersion: eventFields.apiVersion,
    class: z.literal("TRANSACTION_STATE").meta({ description: "Class of the event." }),
    type: z.enum(eventTypes).meta({ description: "The state that was entered." }),
    stageVersion: integerToken(1, "Counts the states of a UETR from 1 without a gap."),
    actionDate: eventFields.actionDate.optional(),
    creationDateTime: eventFields.creationDateTime.optional(),
    tranInfo,
    messageInfo,
    identifiers: identifiers.optional(),
    state: state.optional(),
    transactionInfo: transactionInfo.optional(),
    payload: z
      .union([directDebitSchema, paymentStatusReportSchema, creditTransferSchema])
      .optional()
      .meta({ description: "The message that the state is about, as it was then; its schema says which." }),
  })
  .meta({
    id: "TransactionStateEvent",
    description:
      "A transaction entered a state. stageVersion counts the states of a UETR from 1 without a gap. With eventShape sample actionDate, creationDateTime, identifiers, state and transactionInfo are absent, with eventPayload none the payload.",
  });

const paymentRecord = z
  .looseObject({
    schema: z.literal("PaymentRecord"),
    recordIdentifier: z.enum(["DEBIT", "CREDIT"]).meta({ description: "Debit or credit." }),
    actionDate: isoDate.meta({ description: "Business date." }),
    amount: integerToken(0, "In minor units of the currency."),
    homingAccount: string(40, 1).optional().meta({ description: "Account debited (of a credit: credited)." }),
    homingAccountName: string(140).optional().meta({ description: "Name of that account, or of its holder." }),
    homingBranch: identifierString(35).optional().meta({ description: "Branch of that account." }),
    homingInstitution: identifierString(35).optional().meta({ description: "memberId of its bank." }),
    userAccount: string(40, 1).optional().meta({ description: "Account of the other side." }),
    userBranch: identifierString(35).optional().meta({ description: "Branch of that account." }),
    userReference: string(140).optional().meta({ description: "userReference of the scheme's data." }),
  })
  .meta({ id: "PaymentRecord", description: "The payment as a record. Members without a source are absent." });

const esmStateEvent = z
  .looseObject({
    ...eventFields,
    class: z.literal("ESM_STATE").meta({ description: "Class of the event." }),
    eftDataRecord: paymentRecord.optional(),
    identifiers,
    state,
    transactionInfo,
  })
  .meta({ id: "EsmStateEvent", description: "The same state as a payment record, for banks that ask for the class ESM_STATE." });

const errorDetail = z
  .looseObject({
    schema: z.literal("ErrorDetail"),
    message: string(500, 1).meta({ description: "What is wrong, in short." }),
    detail: string(2000).meta({ description: "Which field, as a JSON pointer where there is one, and why." }),
    notKnownAsOf: isoDateTime.optional().meta({
      description: "Of a 404 on a UETR: up to this append time it is certain that nothing was received under it.",
    }),
  })
  .meta({ id: "ErrorDetail", description: "Why a request was refused: which field, and why. Never an account number or a name." });

const transactionStatus = z
  .looseObject({
    schema: z.literal("TransactionStatus"),
    uetr: uuid,
    messageIdentification: string(35, 1).meta({
      description: "Of the debit or credit that this state is about. Another message under this UETR was refused (`AM05`), or repeats it.",
    }),
    state: z.enum(stateNames).meta({ description: "The state that was entered last." }),
    stageVersion: integerToken(1, "Counts the states of a UETR from 1 without a gap."),
    businessDate: isoDate.meta({ description: "Business date as it is now." }),
    updatedAt: isoDateTime,
  })
  .meta({ id: "TransactionStatus", description: "State of one of the caller's own transactions." });

export const messageSchemas = {
  DirectDebit: directDebitSchema,
  PaymentStatusReport: paymentStatusReportSchema,
  CreditTransfer: creditTransferSchema,
  CreditsFinal: creditsFinalSchema,
  TransactionStateEvent: transactionStateEvent,
  EsmStateEvent: esmStateEvent,
  ErrorDetail: errorDetail,
  TransactionStatus: transactionStatus,
} as const satisfies Readonly<Record<string, z.ZodType>>;

export type MessageSchemaName = keyof typeof messageSchemas;

/** Builds the self-contained JSON Schema (2020-12) of a body. */
export function messageJsonSchema(name: MessageSchemaName) {
  return z.toJSONSchema(messageSchemas[name], { io: "input" });
}
