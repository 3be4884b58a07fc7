// Answers of the control API about one bank or connector, and about what it refused.

import * as z from "zod";
import {
  amountTextSchema,
  asOfSchema,
  countSchema,
  countedAtSchema,
  currencyTextSchema,
  daySchema,
  nullableTextSchema,
  nullableTimeSchema,
  secondsSchema,
  textSchema,
  timeSchema,
  uetrSchema,
  totalsCountedAtSchema,
} from "./answer-parts.ts";
import { ownAnswers } from "./own-answers.ts";
import { bankStatusSchema, failingMessageSchema, checkedAddressSchema } from "./receiver-answers.ts";

export const heldSchema = z
  .strictObject({
    bank: textSchema,
    day: daySchema,
    currency: currencyTextSchema,
    count: countSchema,
    sum: amountTextSchema,
    oldestReceivedAt: timeSchema,
    oldestAgeSeconds: secondsSchema,
    waitsFor: z.enum(["day-not-planned", "day-over", "no-window-ahead", "bank-paused", "window", "gate", "turn"]),
    opens: nullableTimeSchema,
    secondsToOpening: secondsSchema,
    closes: nullableTimeSchema,
    secondsToClose: secondsSchema,
    reconciliation: nullableTimeSchema,
    secondsToReconciliation: secondsSchema,
    why: textSchema,
  })
  .meta({ id: "HeldDebits" });

const configured = z
  .strictObject({
    name: textSchema,
    addresses: z.array(
      z.strictObject({
        operation: textSchema.meta({ description: "What is sent there; `all` where no other address is named." }),
        url: textSchema,
      }),
    ),
    connections: countSchema,
    concurrency: z.enum(["learnt", "fixed"]),
    requestsPerSecond: countSchema.meta({ description: "Those that it may send." }),
    answerTimeoutSeconds: z.number(),
    signingKeys: countSchema.meta({ description: "Keys that sign each message to it." }),
    hasClientCertificate: z.boolean(),
    isBlocked: z.boolean().nullable().meta({ description: "Every payment to it is refused; null: a connector." }),
  })
  .meta({ id: "ConfiguredReceiver", description: "No token, no key and no name of a file." });

const bankGate = z
  .strictObject({
    day: daySchema,
    window: z
      .strictObject({
        number: z.int().min(1),
        state: z.enum(["planned", "open", "closed", "missed"]),
        opens: timeSchema,
        closes: timeSchema,
      })
      .meta({ description: "The open window, else the next one, else the last." }),
    isOpen: z.boolean(),
    openedAt: nullableTimeSchema,
    reason: nullableTextSchema.meta({ description: "Why it is closed; null: it is open." }),
    credits: z.array(uetrSchema).meta({ description: "Credits that keep it closed; the first 20." }),
    creditsCount: countSchema,
    isMoreCredits: z.boolean().meta({ description: "There are more than were counted." }),
  })
  .meta({ id: "BankGate" });

const openCredits = z
  .strictObject({
    state: textSchema,
    currency: currencyTextSchema,
    count: countSchema,
    sum: amountTextSchema,
    oldestReceivedAt: timeSchema,
  })
  .meta({ id: "OpenCredits" });

const refusedWhole = z.boolean().meta({ description: "false: it has more; the oldest are listed." });
const sums = z.array(z.strictObject({ currency: currencyTextSchema, count: countSchema, sum: amountTextSchema }));

const checkRequested = z.strictObject({
  schema: z.literal("CheckRequested"),
  action: textSchema.meta({ description: "Each endpoint of the bank names it in `check` when it was called." }),
  bank: textSchema,
  requestedAt: timeSchema,
});

export const bankAnswers = {
  ...ownAnswers,
  showBank: z.strictObject({
    schema: z.literal("Bank"),
    asOf: asOfSchema,
    countedAt: countedAtSchema,
    totalsCountedAt: totalsCountedAtSchema,
    status: bankStatusSchema,
    configured: configured.nullable().meta({ description: "null: the configuration does not have it any more." }),
    checks: z
      .array(z.strictObject({ action: textSchema, operator: textSchema, at: timeSchema, addresses: z.array(checkedAddressSchema) }))
      .meta({ description: "The last ten checks of its addresses, the newest first." }),
    gates: z.array(bankGate).meta({ description: "On the first three days of each scheme that are not reconciled; none for a connector." }),
    openCredits: z.array(openCredits).meta({ description: "Credits to it that are not resolved, by state." }),
    held: z.array(heldSchema),
    failing: z.array(failingMessageSchema).meta({ description: "At most 20 that were attempted three times or more." }),
    refused: z.array(failingMessageSchema).meta({ description: "The 20 that it refused last." }),
    refusedCount: countSchema,
    isRefusedWhole: refusedWhole,
  }),
  listRefused: z.strictObject({
    schema: z.literal("RefusedMessages"),
    asOf: asOfSchema,
    count: countSchema,
    sums: sums.meta({ description: "Of their transactions, each counted once." }),
    rows: z.array(failingMessageSchema),
    isWhole: refusedWhole,
  }),
  checkBank: checkRequested,
  checkOwnBank: checkRequested,
  redriveBank: z.strictObject({
    schema: z.literal("Redrives"),
    action: textSchema,
    isDryRun: z.boolean(),
    count: countSchema.meta({ description: "Those that are redriven, or would be." }),
    sums,
    rows: z.array(
      z.strictObject({
        messageIdentification: textSchema,
        uetr: uetrSchema.nullable().meta({ description: "null: no message that waits has this identification." }),
        outcome: z.enum(["redriven", "would-be-redriven", "refused"]),
        action: textSchema.meta({ description: "The id of this one's decision; its key is the UETR." }),
        why: nullableTextSchema,
      }),
    ),
  }),
} as const satisfies Readonly<Record<string, z.ZodType>>;
