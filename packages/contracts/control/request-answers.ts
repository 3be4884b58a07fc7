// Answers of the control API about what Sluice sent.

import * as z from "zod";
import { bigNumberSchema, countSchema, nullableTextSchema, textSchema, uetrSchema } from "./answer-parts.ts";

export const requestAnswers = {
  showSentRequest: z.strictObject({
    schema: z.literal("SentRequest"),
    uetr: uetrSchema,
    id: textSchema.meta({ description: "The webhook-id of every attempt." }),
    receiver: textSchema,
    operation: textSchema,
    of: z.enum(["dispatch", "events"]),
    offset: bigNumberSchema,
    bytes: countSchema.meta({ description: "Of the body as it is sent." }),
    sha256: textSchema.meta({ description: "Of those bytes, hex: a receiver can compare it." }),
    body: nullableTextSchema.meta({
      description: "The body as JSON text, with `…` in place of persons, texts and all but the end of accounts; null: it is no JSON text.",
    }),
  }),
} as const satisfies Readonly<Record<string, z.ZodType>>;
