// Members that the console's answers to operators have in common.

import * as z from "zod";

export const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ format: "date-time" });
export const maybeTime = time.nullable();
export const amount = z
  .string()
  .regex(/^\d+(\.\d{1,4})?$/)
  .meta({ description: "Decimal, with the digits of its currency." });
export const currency = z.string().regex(/^[A-Z]{3}$/);
export const day = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]*:\d{4}-\d\d-\d\d$/)
  .meta({ description: "Business day, scheme:date." });
export const date = z.string().regex(/^\d{4}-\d\d-\d\d$/);
export const large = z.string().regex(/^\d+$/).meta({ description: "A whole number as text." });
export const count = z.int().min(0);
export const seconds = z.int().nullable().meta({ description: "From the answer's time on; negative: so long ago." });
export const text = z.string();
export const maybeText = text.nullable();
export const uetr = z.string().regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
export const accountEnd = z.string().max(4).nullable().meta({ description: "Last four characters of the account." });
export const flow = z.enum(["on-us", "off-us", "credit"]).nullable();
export const next = text.nullable().meta({ description: "Give it as `after`; null: the list ends here." });
export const asOf = maybeTime.meta({ description: "Time of the log that ages and times to go are counted from." });

export const countedAt = maybeTime.meta({ description: "When what waits was counted: a moment ago, or earlier where there is very much." });

export const who = { id: text, operator: text, reason: text, requestedAt: time };

export const decision = z.strictObject({
  kind: text,
  result: z.enum(["applied", "ignored", "refused"]),
  why: maybeText,
  at: time,
  offset: large,
  ...who,
});
