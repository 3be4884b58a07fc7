// Answers of the control API about the services and their processes.

import * as z from "zod";
import { alarmAnswers } from "./alarm-answers.ts";
import { requestAnswers } from "./request-answers.ts";
import { topicAnswers } from "./topic-answers.ts";
import {
  asOfSchema,
  bigNumberSchema,
  countSchema,
  nullableTextSchema,
  nullableTimeSchema,
  textSchema,
  timeSchema,
} from "./answer-parts.ts";

const lag = bigNumberSchema
  .nullable()
  .meta({ description: "Records between positions and ends; null: not known, or it has no partitions." });

const service = z
  .strictObject({
    service: textSchema,
    processes: countSchema,
    ready: countSchema.meta({ description: "Processes of it that are ready." }),
    partitions: countSchema.nullable().meta({ description: "null: it reads no partitions." }),
    notOwned: countSchema.nullable().meta({ description: "Partitions that none of the processes owns; null: not known." }),
    lag,
  })
  .meta({ id: "ServiceState" });

const blocked = z.strictObject({
  topic: textSchema,
  partition: countSchema,
  offset: bigNumberSchema,
  key: textSchema,
  receiver: nullableTextSchema,
  since: nullableTimeSchema,
  why: textSchema,
});

const process = z
  .strictObject({
    service: nullableTextSchema.meta({ description: "null: it does not answer, so that nobody knows." }),
    address: textSchema.meta({ description: "Of its operations port." }),
    failure: nullableTextSchema.meta({ description: "Why it does not answer; null: it does." }),
    isReady: z.boolean(),
    reasons: z.array(textSchema).meta({ description: "Why it is not ready, or which part of it does not work." }),
    since: nullableTimeSchema.meta({ description: "Since when it is ready, or not ready for these reasons." }),
    startedAt: nullableTimeSchema,
    release: nullableTextSchema,
    node: nullableTextSchema.meta({ description: "Version of Node." }),
    configuration: z
      .strictObject({ version: textSchema, hash: textSchema, since: nullableTimeSchema })
      .nullable()
      .meta({ description: "The configuration that it runs with: its version, and the first digits of the SHA-256 of its file." }),
    isConfigurationRefused: z.boolean().meta({ description: "A newer file is refused, and a former one is in force." }),
    skewMs: z.int().nullable().meta({ description: "By how much its clock is ahead of the broker clock." }),
    partitions: z.array(z.strictObject({ topic: textSchema, partition: countSchema, position: bigNumberSchema, lag })),
    lag,
    rules: z.array(z.strictObject({ rule: textSchema, version: textSchema, from: nullableTextSchema, to: nullableTextSchema })).meta({
      description:
        "The rules by which it decides: `decisions` of a scheduler; account rules of a validator, with the first date on which that version is in force and the first on which it no longer is.",
    }),
    appends: z
      .strictObject({
        batches: countSchema,
        p99Ms: countSchema.nullable().meta({ description: "null: longer than what is measured." }),
      })
      .nullable()
      .meta({
        description:
          "Batches that the log has acknowledged since the process started, and within how long 99 of 100 were: the bound of a bucket. null: it says nothing, or has appended nothing.",
      }),
    blocked: z
      .array(blocked)
      .meta({ description: "What has held the position of a partition back for 10 s or more. Empty for an operator of some schemes." }),
  })
  .meta({ id: "ServiceProcess" });

export const serviceAnswers = {
  ...alarmAnswers,
  ...requestAnswers,
  ...topicAnswers,
  listServices: z.strictObject({
    schema: z.literal("Services"),
    asOf: asOfSchema,
    areProcessesKnown: z.boolean().meta({ description: "false: the console does not know where they are (SLUICE_OPERATIONS_ADDRESSES)." }),
    services: z.array(service),
    rows: z.array(process),
    topics: z
      .array(
        z.strictObject({
          topic: textSchema,
          partitions: countSchema,
          records: bigNumberSchema.meta({ description: "Offsets between begin and end, of all partitions." }),
          largest: bigNumberSchema.meta({ description: "Of the partition that has most." }),
        }),
      )
      .meta({ description: "The topics that the console may ask for, with how much each keeps." }),
    topicsCompared: countSchema.meta({
      description: "Processes that have compared the topics that they write with the configuration; 0: nobody knows.",
    }),
    topicDifferences: z
      .array(
        z.strictObject({
          topic: textSchema,
          what: textSchema.meta({ description: "partitions, replication, or the broker's name of a setting." }),
          wanted: textSchema,
          found: textSchema,
          isDangerous: z.boolean().meta({ description: "It would break order or lose records." }),
          sentence: textSchema,
          mend: textSchema.meta({ description: "The command that mends it, or a sentence where none does." }),
        }),
      )
      .meta({ description: "How topics at the brokers differ from the configuration, the dangerous first." }),
    certificates: z
      .array(z.strictObject({ receiver: textSchema, endsAt: timeSchema }))
      .meta({ description: "When client certificates end, the first to end first, as far as processes show them." }),
    differences: z
      .array(textSchema)
      .meta({ description: "What processes should have in common and have not, and services without a process." }),
  }),
} as const satisfies Readonly<Record<string, z.ZodType>>;
