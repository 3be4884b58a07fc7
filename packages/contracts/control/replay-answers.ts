// The answer of the control API to the replay of several dead letters and transactions.

import * as z from "zod";
import { countSchema, nullableTextSchema, textSchema } from "./answer-parts.ts";

export const replaysSchema = z.strictObject({
  schema: z.literal("DeadLettersReplays"),
  action: textSchema,
  isDryRun: z.boolean(),
  records: countSchema.meta({ description: "Of all together." }),
  rows: z.array(
    z.strictObject({
      of: textSchema.meta({ description: "The dead letter or the UETR." }),
      outcome: z.enum(["replayed", "would-be-replayed", "refused"]),
      records: countSchema.nullable().meta({ description: "null: it was replayed under this id before." }),
      why: nullableTextSchema,
    }),
  ),
});
