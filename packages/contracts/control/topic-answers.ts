// Answers of the control API about the topics and the schemas of their records.

import * as z from "zod";
import { countSchema, textSchema } from "./answer-parts.ts";

const use = {
  record: textSchema,
  text: textSchema.meta({ description: "What the record says." }),
  key: textSchema.meta({ description: "What its key is." }),
  writtenBy: z.array(textSchema),
  readBy: z.array(textSchema),
  versions: countSchema.meta({ description: "Versions of its schema; a reader with any of them reads what any wrote." }),
};
const topic = {
  topic: textSchema,
  text: textSchema,
  partitions: countSchema,
  retentionDays: z.number().nullable().meta({ description: "As configured; null: its records are kept for good." }),
  isCompacted: z.boolean().meta({ description: "Only the newest record of a key is kept." }),
};
const field = z.strictObject({
  path: textSchema.meta({ description: "The fields that it lies in, with points; `[]` is an item of a list, `{}` a value of a map." }),
  type: textSchema,
  text: textSchema,
  isOptional: z.boolean(),
  isPersonal: z.boolean().meta({ description: "It names a person or an account: sealed where the configuration says so." }),
  since: countSchema.meta({ description: "The first version that has it." }),
});

export const topicAnswers = {
  listTopics: z.strictObject({
    schema: z.literal("Topics"),
    rows: z.array(z.strictObject({ ...topic, records: z.array(z.strictObject(use)) })),
  }),
  showTopic: z.strictObject({
    schema: z.literal("Topic"),
    ...topic,
    records: z.array(z.strictObject({ ...use, fields: z.array(field) })),
  }),
} as const satisfies Readonly<Record<string, z.ZodType>>;
