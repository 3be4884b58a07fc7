// Single values of messages, as zod schemas over parsed JSON (`json.ts`). Lengths count code points. What is read here is
// what Avro keeps: an absent member is null, a number its text.
//
// 1. A shape that does not fit is a 400; a value that is well-formed and cannot be processed (currency, digits, scheme,
//    contradicting status) is marked by `cannotProcess` and becomes a 422.
// 2. No text made here repeats a value but an amount, a code of a public list, or a length.

import * as z from "zod";
import { isCountry } from "./iso-3166.ts";
import { minorUnitsOf } from "./iso-4217.ts";
import { numberText } from "./json.ts";
import type { JsonNumber } from "./json.ts";

/** The part of zod's contexts that an issue is added to. */
interface Issues {
  addIssue(issue: { readonly code: "custom"; readonly message: string; readonly path?: PropertyKey[]; readonly params?: object }): void;
}

/** Marks a value as well-formed and not processable: 422. */
export function cannotProcess(context: Issues, message: string, path: PropertyKey[] = []): void {
  context.addIssue({ code: "custom", message, path, params: { status: 422 } });
}

/** A member that may be absent; it is read as null. An explicit null is refused. */
export function maybe<T extends z.ZodType>(schema: T): z.ZodOptional<T> {
  return schema.optional();
}

type Filled<T> = { [K in keyof T]-?: undefined extends T[K] ? Exclude<T[K], undefined> | null : T[K] };

/** Members of an object; unknown ones are refused, absent optional ones are null. */
export function members<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape);
  return z.strictObject(shape).transform((read): Filled<typeof read> => {
    const filled: Record<string, unknown> = {};
    const found: Readonly<Record<string, unknown>> = read;
    for (const name of names) filled[name] = found[name] ?? null;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every name of the shape was just set
    return filled as Filled<typeof read>;
  });
}

export function text(max: number, min = 0) {
  const range = min === 0 ? `at most ${max}` : `${min} to ${max}`;
  return z.string().refine((value) => isWithin(value, min, max), `must have ${range} characters`);
}

/** Printable ASCII without a leading or trailing blank. */
export function identifier(max: number) {
  return z.string().refine((value) => value.length <= max && identifierPattern.test(value), {
    message: `must be 1 to ${max} printable ASCII characters, without a leading or trailing blank`,
  });
}

export function pattern(expression: RegExp, what: string) {
  return z.string().refine((value) => expression.test(value), `must be ${what}`);
}

export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values);
}

export const date = z.string().refine(isDate, "must be a date, YYYY-MM-DD");
export const dateTime = z.string().refine(isDateTime, "must be a date and time of RFC 3339");
export const uuid = pattern(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, "a UUID");
export const country = z.string().refine(isCountry, "must be a country code of ISO 3166, two capital letters");

export const currency = pattern(/^[A-Z]{3}$/, "a currency code of ISO 4217, three capital letters").superRefine((code, context) => {
  if (/^[A-Z]{3}$/.test(code) && minorUnitsOf(code) === null) cannotProcess(context, `${code} is not an active currency`);
});

export const jsonNumber = z.custom<JsonNumber>((value) => typeof value === "symbol", "must be a number");

/** A string or a number; kept as its JSON token, so that it goes out as it came. */
export function textOrNumber(max: number) {
  const message = `must be a string or a number of 1 to ${max} characters`;
  return z
    .custom<string | JsonNumber>((value) => {
      if (typeof value === "symbol") return numberText(value).length <= max;
      return typeof value === "string" && isWithin(value, 1, max);
    }, message)
    .transform((value) => (typeof value === "symbol" ? numberText(value) : JSON.stringify(value)));
}

/** At most 50 pairs. */
export const supplementaryData = z
  .record(text(70, 1), text(1000))
  .refine((map) => Object.keys(map).length <= 50, "must have at most 50 entries");

function isWithin(value: string, min: number, max: number): boolean {
  if (value.length < min) return false;
  // Code points are never more than code units.
  return value.length <= max || (value.length <= 2 * max && Array.from(value).length <= max);
}

const identifierPattern = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const datePattern = /^(\d{4})-(\d\d)-(\d\d)$/;
const timePattern = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

function isDate(value: string): boolean {
  const found = datePattern.exec(value);
  if (found === null) return false;
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  return year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function isDateTime(value: string): boolean {
  return isDate(value.slice(0, 10)) && /^[Tt]$/.test(value.charAt(10)) && timePattern.test(value.slice(11));
}
