// Answers of the control API about reconciliation items: each item as lists and transactions show it, and its file of
// evidence.

import * as z from "zod";
import {
  accountEndSchema,
  amountTextSchema,
  bigNumberSchema,
  causeSchema,
  countSchema,
  currencyTextSchema,
  dateTextSchema,
  daySchema,
  decidedMembers,
  decisionSchema,
  flowSchema,
  nullableTextSchema,
  nullableTimeSchema,
  textSchema,
  timeSchema,
  uetrSchema,
} from "./answer-parts.ts";

export const identifications = {
  messageIdentification: nullableTextSchema,
  endToEndIdentification: nullableTextSchema,
  transactionIdentification: nullableTextSchema,
  instructionIdentification: nullableTextSchema,
  debtorAccountEnd: accountEndSchema,
  creditorAccountEnd: accountEndSchema,
};

const evidence = z
  .strictObject({
    attempts: countSchema,
    anyAnswer: z.boolean(),
    mayHaveBeenTaken: z.boolean(),
    httpStatusCode: z.int().nullable(),
    isBreakerOpen: z.boolean(),
    isReceiverPaused: z.boolean(),
  })
  .meta({ id: "Evidence" });

const resolution = z
  .strictObject({
    kind: z.enum(["MADE", "NOT_MADE", "REPLACED"]),
    replacedBy: uetrSchema.nullable(),
    isFinal: z.boolean().meta({ description: "false: a second person has to confirm it, by `offset` and `contentSha256`." }),
    expiresAt: timeSchema.nullable().meta({
      description: "From then on nobody can confirm it, and it has to be asked for again. null: it is final, or waits without an end.",
    }),
    offset: bigNumberSchema.meta({ description: "Offset of the request in the journal." }),
    contentSha256: textSchema.meta({ description: "SHA-256, hex, of what the request decides and why." }),
    at: timeSchema,
    action: z.strictObject(decidedMembers),
    confirmed: z.strictObject({ at: timeSchema, action: z.strictObject(decidedMembers) }).nullable(),
  })
  .meta({ id: "Resolution" });

export const itemSchema = z.strictObject({
  day: daySchema,
  row: z
    .int()
    .min(0)
    .max(10)
    .nullable()
    .meta({ id: "ReconciliationRowNumber", description: "Row of section 7 of docs/spec/interface.md; 0: ours; null: not known yet." }),
  cause: causeSchema,
  state: textSchema.meta({ description: "State in which the close, the withdrawal or the refusal met it." }),
  isOpen: z.boolean(),
  madeAt: timeSchema,
  settledAt: nullableTimeSchema,
  evidence: evidence.nullable(),
  lateAnswers: z.array(z.strictObject({ at: timeSchema, text: textSchema })),
  resolution: resolution.nullable(),
  note: z
    .strictObject({
      at: timeSchema,
      offset: bigNumberSchema,
      assignee: nullableTextSchema.meta({ description: "Configured id of who sees to the item; null: nobody." }),
      action: z.strictObject(decidedMembers),
    })
    .nullable()
    .meta({ id: "ItemNote", description: "The newest note: its text is the reason. Earlier ones are decisions of the transaction." }),
});

export const reconciliationRowSchema = z
  .strictObject({
    uetr: uetrSchema,
    transactionState: textSchema,
    flow: flowSchema,
    scheme: textSchema,
    bank: nullableTextSchema,
    sender: nullableTextSchema,
    businessDate: dateTextSchema.nullable(),
    amount: amountTextSchema.nullable().meta({ description: "null, as flow and currency: its message lies in the dead letters." }),
    currency: currencyTextSchema.nullable(),
    receivedAt: timeSchema,
    ...identifications,
    isParked: z.boolean(),
    ...itemSchema.shape,
  })
  .meta({ id: "ReconciliationRow" });

export const evidenceAnswers = {
  exportItemEvidence: z.strictObject({
    schema: z.literal("ItemEvidence"),
    contentSha256: textSchema.meta({
      description: "SHA-256, hex, of `content` as it lies in the file. It shows a change of the file, and is no signature.",
    }),
    content: z.strictObject({
      asOf: timeSchema,
      item: reconciliationRowSchema,
      journal: z
        .strictObject({ topic: textSchema, partition: countSchema })
        .meta({ description: "Where every offset in the file lies, unless it says another topic." }),
      decisions: z.array(decisionSchema).meta({ description: "The last ten decisions about the transaction, with their offsets." }),
      timeline: z
        .looseObject({ uetr: uetrSchema, state: nullableTextSchema })
        .meta({ description: "All that happened to the transaction, in order, with offsets, attempts and answers." }),
    }),
  }),
} as const satisfies Readonly<Record<string, z.ZodType>>;
