// Answers of the control API about the alarms that fire.

import * as z from "zod";
import { asOfSchema, nullableTextSchema, nullableTimeSchema, textSchema } from "./answer-parts.ts";

const alarm = z
  .strictObject({
    name: textSchema,
    severity: nullableTextSchema.meta({ description: "critical, warning, info, or what the rule says; null: it says none." }),
    since: nullableTimeSchema,
    isSilenced: z.boolean().meta({ description: "Somebody silenced it: it fires, and nobody is notified." }),
    about: textSchema.meta({ description: "Its other labels, such as the instance or the bank." }),
    summary: nullableTextSchema,
    description: nullableTextSchema,
    runbook: nullableTextSchema.meta({ description: "A page of docs/runbooks, or an address; null: it names none." }),
  })
  .meta({ id: "Alarm" });

export const alarmAnswers = {
  listAlarms: z.strictObject({
    schema: z.literal("Alarms"),
    asOf: asOfSchema,
    source: z.enum(["none", "unasked", "answers", "silent"]).meta({
      description:
        "none: no Alertmanager is configured (SLUICE_ALARMS_URL); unasked: its first answer is still to come; silent: it cannot be asked now, and the rows are what it said last.",
    }),
    answeredAt: nullableTimeSchema.meta({ description: "When it said what the rows say; null: it never answered." }),
    silentSince: nullableTimeSchema,
    why: nullableTextSchema.meta({ description: "Why it cannot be asked." }),
    rows: z.array(alarm).meta({ description: "The most severe first, silenced ones last; at most 200." }),
    isWhole: z.boolean().meta({ description: "false: there are more." }),
  }),
} as const satisfies Readonly<Record<string, z.ZodType>>;
