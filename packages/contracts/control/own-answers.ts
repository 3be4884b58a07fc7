// Answers of the control API about what a bank may see of itself. No member names another bank, an operator, or an
// operator's words.

import * as z from "zod";
import {
  amountTextSchema,
  asOfSchema,
  countSchema,
  countedAtSchema,
  currencyTextSchema,
  dateTextSchema,
  daySchema,
  nextPageSchema,
  nullableTextSchema,
  nullableTimeSchema,
  textSchema,
  timeSchema,
  uetrSchema,
} from "./answer-parts.ts";
import { checkedAddressSchema, endpointSchema, receiverStateSchema, undeliveredMessageSchema, waitingTotals } from "./receiver-answers.ts";

const ownCount = z
  .strictObject({
    scheme: textSchema,
    businessDate: dateTextSchema,
    state: textSchema,
    currency: currencyTextSchema,
    count: countSchema,
    sum: amountTextSchema,
  })
  .meta({ id: "OwnCount" });

const ownDay = z
  .strictObject({
    day: daySchema,
    isVoided: z.boolean(),
    cutOff: nullableTimeSchema,
    windows: z.array(
      z.strictObject({
        number: z.int().min(1),
        state: z.enum(["planned", "open", "closed", "missed"]),
        opens: timeSchema,
        closes: timeSchema,
      }),
    ),
    reconciliation: nullableTimeSchema,
    isGateOpen: z
      .boolean()
      .nullable()
      .meta({ description: "Whether debits to the bank may leave as far as credits go; null: it has no gate." }),
  })
  .meta({ id: "OwnDay" });

const ownTransaction = {
  uetr: uetrSchema,
  sides: z
    .array(z.enum(["sent", "received"]))
    .meta({ description: "Whether the bank sent it, or it was or will be sent to the bank, or both." }),
  state: textSchema,
  stageVersion: countSchema,
  scheme: textSchema,
  flow: z.enum(["on-us", "off-us", "credit"]),
  businessDate: dateTextSchema.nullable(),
  amount: amountTextSchema,
  currency: currencyTextSchema,
  messageIdentification: nullableTextSchema,
  endToEndIdentification: nullableTextSchema,
  receivedAt: timeSchema,
  updatedAt: timeSchema,
};

const ownKey = z
  .strictObject({
    kind: z.enum(["token", "certificate", "client", "message-key"]),
    id: textSchema.meta({ description: "What names it in logs and in the configuration. It is no secret." }),
    ends: nullableTimeSchema.meta({ description: "Null: it has no end here. A certificate says its own." }),
    hasEnded: z.boolean(),
  })
  .meta({ id: "OwnKey" });

const ownCheck = z
  .strictObject({ at: timeSchema, tookMs: countSchema, httpStatusCode: z.int().nullable(), reason: nullableTextSchema })
  .meta({
    id: "OwnCheck",
    description: "The newest check that somebody asked for. Any status code says that it was reached; else `reason` says why not.",
  });

export const ownAnswers = {
  showOwnBank: z.strictObject({
    schema: z.literal("OwnBank"),
    asOf: asOfSchema,
    bank: textSchema,
    name: textSchema,
    state: receiverStateSchema,
    until: nullableTimeSchema.meta({ description: "End of the maintenance." }),
    endpoints: z.array(endpointSchema.omit({ check: true }).extend({ check: ownCheck.nullable() })),
    checks: z
      .array(
        z.strictObject({
          operator: nullableTextSchema.meta({
            description: "The bank's own person; null: an operator of Sluice, or a person whom the configuration no longer has.",
          }),
          at: timeSchema,
          addresses: z.array(checkedAddressSchema),
        }),
      )
      .meta({ description: "The last ten checks of its addresses, the newest first." }),
    waiting: z
      .strictObject({ deliveries: waitingTotals, postings: waitingTotals, countedAt: countedAtSchema })
      .nullable()
      .meta({ description: "What the bank has not taken; null: not counted yet." }),
    days: z.array(ownDay).meta({ description: "The first three days of each scheme that are not reconciled." }),
    received: z.array(ownCount).meta({ description: "What was or will be sent to the bank on running days, by state." }),
    receivedCountedAt: countedAtSchema,
    sent: z.array(ownCount).meta({ description: "What the bank sent for running days, by state." }),
    sentCountedAt: countedAtSchema,
    keys: z.array(ownKey).meta({ description: "What the bank may come with: tokens, certificates, clients, keys of messages." }),
  }),
  listOwnTransactions: z.strictObject({
    schema: z.literal("OwnTransactions"),
    bank: textSchema,
    side: z.enum(["sent", "received"]),
    rows: z.array(z.strictObject(ownTransaction)),
    next: nextPageSchema,
  }),
  showOwnTransaction: z.strictObject({
    schema: z.literal("OwnTransaction"),
    bank: textSchema,
    ...ownTransaction,
    states: z.array(z.strictObject({ state: textSchema, stageVersion: countSchema, at: timeSchema })),
  }),
  listOwnDeliveries: z.strictObject({
    schema: z.literal("OwnDeliveries"),
    asOf: asOfSchema,
    bank: textSchema,
    rows: z.array(
      undeliveredMessageSchema.pick({
        kind: true,
        messageIdentification: true,
        uetr: true,
        status: true,
        attempts: true,
        nextAttempt: true,
        day: true,
        windowCloses: true,
        closes: true,
        recentAttempts: true,
      }),
    ),
    next: nextPageSchema,
  }),
  listOwnEvents: z.strictObject({
    schema: z.literal("OwnEvents"),
    asOf: asOfSchema,
    bank: textSchema,
    from: timeSchema,
    to: timeSchema,
    isPosted: z.boolean().meta({ description: "False: the bank has no address for events now." }),
    count: countSchema.meta({ description: "Events of this page: at most 10,000, and 8 MiB of bodies." }),
    transactions: countSchema,
    bytes: countSchema.meta({ description: "Length of their bodies." }),
    counts: z
      .strictObject({
        done: countSchema,
        underWay: countSchema,
        waiting: countSchema,
        refused: countSchema,
        stopped: countSchema,
        expired: countSchema,
        notPosted: countSchema,
      })
      .meta({ description: "How their postings stand. Done: acknowledged, or the bank had no address for events when it came." }),
    rows: z
      .array(
        z.strictObject({
          webhookId: textSchema,
          uetr: uetrSchema,
          stageVersion: countSchema.nullable().meta({ description: "Null: of class ESM_STATE." }),
          at: timeSchema,
          status: z.enum(["done", "under-way", "waiting", "refused", "stopped", "expired", "not-posted"]),
        }),
      )
      .meta({ description: "The first hundred whose postings are not done." }),
    rowsCount: countSchema.meta({ description: "How many there are." }),
    next: nextPageSchema,
  }),
} as const satisfies Readonly<Record<string, z.ZodType>>;
