// The answer to a decision about several transactions, banks or connectors: what came of each.

import * as z from "zod";
import { amountTextSchema, countSchema, currencyTextSchema, nullableTextSchema, textSchema } from "./answer-parts.ts";

const several = z
  .strictObject({
    schema: z.literal("SeveralDecisions"),
    action: textSchema.meta({ description: "The id of the decision." }),
    isDryRun: z.boolean(),
    count: countSchema.meta({ description: "Those that are requested, or would be." }),
    sums: z
      .array(z.strictObject({ currency: currencyTextSchema, count: countSchema, sum: amountTextSchema }))
      .meta({ description: "Of their transactions; of banks and connectors none." }),
    rows: z.array(
      z.strictObject({
        key: textSchema.meta({ description: "What it is about: a UETR, or bank: and a bank's id." }),
        outcome: z.enum(["requested", "would-be-requested", "refused"]),
        action: textSchema.meta({ description: "The id of this one's decision: what became of it is asked by it and the key." }),
        why: nullableTextSchema,
      }),
    ),
  })
  .meta({ id: "SeveralDecisions" });

export const severalAnswers = {
  withdrawDebits: several,
  resolveItems: several,
  confirmResolutions: several,
  rejectResolutions: several,
  pauseBanks: several,
  resumeBanks: several,
} as const satisfies Readonly<Record<string, z.ZodType>>;
