// The kinds of values that environment variables have. A problem's text never repeats a value, because it may be a
// secret.

import { z } from "zod";

export const text = z.string("is not set");

/** Port 0 takes any free port. */
export const port = text
  .refine((value) => /^\d{1,15}$/.test(value) && Number(value) <= 65_535, "must be a whole number from 0 to 65535")
  .transform(Number);

export const onOrOff = z.enum(["on", "off"], "must be on or off").transform((value) => value === "on");

/** An instant in ISO 8601 with its offset; read as epoch milliseconds. */
export const instant = text
  .refine((value) => /T.*(Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value)), "must be an instant with its offset")
  .transform((value) => Date.parse(value));

/** A variable that may be left out; null then. */
export function optionalSetting<S extends z.ZodType>(setting: S) {
  return setting.nullable().default(null);
}

/** Entries separated by commas; blanks around them are dropped. */
export const listOfText = text
  .transform((value) =>
    value
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ""),
  )
  .refine((entries) => entries.length > 0, "must name at least one, separated by commas");

/** An address with one of these schemes; a trailing slash is dropped. */
export function address(...schemes: readonly string[]) {
  const starts = schemes.map((scheme) => `${scheme}://`);
  return text
    .refine(
      (value) => starts.some((start) => value.startsWith(start)) && URL.canParse(value),
      `must be an address that starts with ${starts.join(" or ")}`,
    )
    .transform((value) => value.replace(/\/+$/, ""));
}
