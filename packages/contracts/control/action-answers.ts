// Answers of the control API that count what a search finds, and that list what operators decided.

import * as z from "zod";
import {
  amountTextSchema,
  bigNumberSchema,
  countSchema,
  currencyTextSchema,
  decidedMembers,
  nullableTextSchema,
  textSchema,
  timeSchema,
} from "./answer-parts.ts";

const decidedRow = z.strictObject({
  key: textSchema.meta({ description: "A UETR, scheme:date, bank: and a bank's id, or proposal: and its id." }),
  kind: textSchema.meta({ description: "The record of the decision." }),
  result: textSchema.meta({ description: "applied, ignored, refused; of a proposal its state." }),
  why: nullableTextSchema,
  at: timeSchema,
  offset: bigNumberSchema,
  ...decidedMembers,
  awaitsConfirmation: z.boolean().meta({
    description: "true: it is the resolution of an item, and a second person has still to confirm it.",
  }),
});

export const countedAnswers = {
  countTransactions: z.strictObject({
    schema: z.literal("TransactionCounts"),
    count: countSchema,
    rows: z.array(
      z.strictObject({
        state: textSchema,
        bank: nullableTextSchema,
        count: countSchema,
        currency: currencyTextSchema.nullable(),
        sum: amountTextSchema.nullable(),
      }),
    ),
  }),
  listActions: z.strictObject({
    schema: z.literal("Actions"),
    from: timeSchema,
    to: timeSchema,
    rows: z.array(decidedRow),
    isWhole: z.boolean().meta({
      description: "false: there are more than 1,000 transactions, or days, with a decision in this time. Give a shorter one.",
    }),
  }),
  exportActions: z.strictObject({ schema: z.literal("ActionsExport"), asOf: timeSchema, rows: z.array(decidedRow) }),
} as const satisfies Readonly<Record<string, z.ZodType>>;
