// Schemas of the members that several answers of the control API share.

import { reconciliationReasons } from "@sluice/domain";
import * as z from "zod";

export const timeSchema = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ id: "Time", format: "date-time" });
export const nullableTimeSchema = timeSchema.nullable().meta({ id: "TimeOrNull" });
export const amountTextSchema = z
  .string()
  .regex(/^\d+(\.\d{1,4})?$/)
  .meta({ id: "DecimalText", description: "Decimal, with the digits of its currency." });
export const currencyTextSchema = z.string().regex(/^[A-Z]{3}$/);
export const daySchema = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]*:\d{4}-\d\d-\d\d$/)
  .meta({ id: "BusinessDay", description: "Business day, scheme:date." });
export const dateTextSchema = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .meta({ id: "Date" });
export const bigNumberSchema = z.string().regex(/^\d+$/).meta({ id: "NumberText", description: "A whole number as text." });
export const countSchema = z.int().min(0);
export const secondsSchema = z
  .int()
  .nullable()
  .meta({ id: "SecondsFromNow", description: "From the answer's time on; negative: so long ago." });
export const textSchema = z.string();
export const nullableTextSchema = textSchema.nullable();
export const uetrSchema = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  .meta({ id: "Uetr" });
export const accountEndSchema = z
  .string()
  .max(4)
  .nullable()
  .meta({ id: "AccountEnd", description: "Last four characters of the account; null: there is none, or it is sealed." });
export const flowSchema = z.enum(["on-us", "off-us", "credit"]).nullable();
export const nextPageSchema = textSchema.nullable().meta({ description: "Give it as `after`; null: the list ends here." });
export const asOfSchema = nullableTimeSchema.meta({
  id: "AsOf",
  description: "Time of the log that ages and times to go are counted from.",
});

export const countedAtSchema = nullableTimeSchema.meta({
  description: "When what waits was counted: a moment ago, or earlier where there is very much.",
});

export const totalsCountedAtSchema = nullableTimeSchema.meta({
  description: "When the totals of running days were counted: earlier where there is very much. null: not yet.",
});

const causeLines = Object.entries(reconciliationReasons).map(([code, { text }]) => `- \`${code}\`: ${text}`);
export const causeSchema = z
  .enum(Object.keys(reconciliationReasons))
  .nullable()
  .meta({ description: `Why it became an item; null: the row says all.\n\n${causeLines.join("\n")}` });

export const traceSchema = z
  .strictObject({
    id: textSchema.meta({ description: "Trace id of its message, 32 hex digits." }),
    isTraced: z.boolean().meta({ description: "false: no span of it was sent." }),
    url: nullableTextSchema.meta({ description: "Its page; null: none is configured (SLUICE_TRACES_PAGE), or it is not traced." }),
  })
  .nullable()
  .meta({ description: "null: not known." });

export const actionMembers = {
  id: textSchema,
  operator: textSchema,
  person: textSchema.meta({ description: "The person behind the operator's token." }),
  reason: textSchema,
  requestedAt: timeSchema,
};

/** Of a decision: its action, with both persons if it needed two. */
export const decidedMembers = {
  ...actionMembers,
  confirmedBy: nullableTextSchema.meta({ description: "The second person, who confirmed the proposal; null: it needed none." }),
};

export const decisionSchema = z
  .strictObject({
    kind: textSchema,
    result: z.enum(["applied", "ignored", "refused"]),
    why: nullableTextSchema,
    at: timeSchema,
    offset: bigNumberSchema,
    ...decidedMembers,
  })
  .meta({ id: "Decision" });
