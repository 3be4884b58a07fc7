// Single values of messages, as zod schemas over parsed JSON (`json.ts`). Lengths count code points. The result is what
// Avro keeps: null for an absent member, the text of a number.
//
// #1 A shape that does not fit is a 400. A well-formed value that cannot be processed (currency, digits, scheme,
//    contradicting status) is marked by `cannotProcess` and becomes a 422.
// #2 No text made here repeats a value, except an amount, a code of a public boundedList, or a length.
// #3 Each schema carries as metadata what its JSON Schema must contain (`message-schemas.ts`): bounds, patterns,
//    formats. A value refused with 422 is described there too where JSON Schema can express it.

import * as z from "zod";
import { countryCodes, isCountry } from "./iso-3166.ts";
import { currencyCodes, minorUnitDigits } from "./iso-4217.ts";
import { type JsonNumber, numberText } from "../json/json.ts";

const identifierPattern = /^[!-~](?:[ -~]*[!-~])?$/;
const withoutControls = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$";

/** The part of zod's contexts that adds an issue. */
interface Issues {
  addIssue(issue: { readonly code: "custom"; readonly message: string; readonly path?: PropertyKey[]; readonly params?: object }): void;
}

/** Marks a value as well-formed but not processable, which becomes a 422. */
export function cannotProcess(context: Issues, message: string, path: PropertyKey[] = []): void {
  context.addIssue({ code: "custom", message, path, params: { status: 422 } });
}

/** A member that may be absent and is then read as null. An explicit null is refused. */
export function optional<T extends z.ZodType>(schema: T): z.ZodOptional<T> {
  return schema.optional();
}

type Filled<T> = { [K in keyof T]-?: undefined extends T[K] ? Exclude<T[K], undefined> | null : T[K] };

/** An object whose unknown members are refused and whose absent optional members are read as null. */
export function object<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape);
  const strict = z.strictObject(shape);
  const fill = (read: z.output<typeof strict>): Filled<typeof read> => {
    const filled: Record<string, unknown> = {};
    const found: Readonly<Record<string, unknown>> = read;
    for (const name of names) filled[name] = found[name] ?? null;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every name of the shape was just set
    return filled as Filled<typeof read>;
  };
  fills.add(fill);
  return strict.transform(fill);
}

const fills = new WeakSet<object>();

/** Tells whether a transform only reads absent members as null, as `object` does. */
export function isFill(transform: object): boolean {
  return fills.has(transform);
}

/** Free text. `json.ts` already refuses control characters. */
export function string(max: number, min = 0) {
  const range = min === 0 ? `at most ${max}` : `${min} to ${max}`;
  return z
    .string()
    .refine((value) => isWithin(value, min, max), `must have ${range} characters`)
    .meta({ ...(min === 0 ? {} : { minLength: min }), maxLength: max, pattern: withoutControls });
}

/** Printable ASCII without a leading or trailing blank. */
export function identifierString(max: number) {
  return z
    .string()
    .refine((value) => value.length <= max && identifierPattern.test(value), {
      message: `must be 1 to ${max} printable ASCII characters, without a leading or trailing blank`,
    })
    .meta({ minLength: 1, maxLength: max, pattern: identifierPattern.source });
}

export function matching(expression: RegExp, what: string) {
  return z
    .string()
    .refine((value) => expression.test(value), `must be ${what}`)
    .meta({ pattern: expression.source, description: `${what.charAt(0).toUpperCase()}${what.slice(1)}.` });
}

export function choice<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values);
}

export const isoDate = z.string().refine(isDate, "must be a date, YYYY-MM-DD").meta({ format: "date" });
export const isoDateTime = z
  .string()
  .refine(isDateTime, "must be a date and time of RFC 3339")
  .meta({ format: "date-time", description: "Date and time of RFC 3339, with its offset and at most nine digits of a second." });
export const uuid = matching(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/, "a UUID").meta({
  format: "uuid",
  description: "UUID in any case; compared in lower case and passed on as written.",
});
export const countryCode = z
  .string()
  .refine(isCountry, "must be a country code of ISO 3166, two capital letters")
  .meta({ id: "CountryCode", enum: countryCodes(), description: "Country code of ISO 3166 alpha-2." });

export const currencyCode = matching(/^[A-Z]{3}$/, "a currency code of ISO 4217, three capital letters")
  .superRefine((code, context) => {
    if (/^[A-Z]{3}$/.test(code) && minorUnitDigits(code) === null) cannotProcess(context, `${code} is not an active currency`);
  })
  .meta({ id: "CurrencyCode", enum: currencyCodes(), description: "Active currency code of ISO 4217. Three other letters: 422." });

/** A JSON number, described to readers of the JSON Schema by `shown`. */
export function numberToken(shown: Readonly<Record<string, unknown>>) {
  return shownAs(
    z.custom<JsonNumber>((value) => typeof value === "symbol", "must be a number"),
    { type: "number", ...shown },
  );
}

/** A whole JSON number from `minimum`, which is not negative, to `maximum` where there is one. */
export function integerToken(minimum: number, description: string, maximum: number | null = null) {
  const isFit = (value: unknown): boolean =>
    typeof value === "symbol" && /^[0-9]+$/.test(numberText(value)) && Number(numberText(value)) <= (maximum ?? Infinity);
  const what = maximum === null ? "must be a whole number" : `must be a whole number up to ${maximum}`;
  const shown = { type: "integer", minimum, ...(maximum === null ? {} : { maximum }), description };
  return shownAs(z.custom<JsonNumber>(isFit, what), shown);
}

/**
 * Requires the object's `schema` to be one of the schemes. Another scheme cannot be processed, whatever the other
 * members contain.
 */
export function requireScheme<T>(schemes: readonly string[], schema: z.ZodType<T>): z.ZodType<T> {
  return z.preprocess((value, context) => {
    const given = typeof value === "object" && value !== null && "schema" in value ? value.schema : undefined;
    const isOther = typeof given === "string" && isWithin(given, 1, 35) && !schemes.includes(given);
    if (isOther) cannotProcess(context, `only ${schemes.join(", ")} ${schemes.length === 1 ? "is" : "are"} accepted here`, ["schema"]);
    return value;
  }, schema);
}

/** A list of at most `max` entries. A longer one is refused before any of its entries is read. */
export function boundedList<T extends z.ZodType>(entry: T, max: number) {
  return z.array(entry).max(max, `must have at most ${max} entries`);
}

/** A string or a number, kept as its JSON token, so that it leaves as it came. */
export function stringOrNumber(max: number) {
  const message = `must be a string or a number of 1 to ${max} characters`;
  const given = z.custom<string | JsonNumber>((value) => {
    if (typeof value === "symbol") return numberText(value).length <= max;
    return typeof value === "string" && isWithin(value, 1, max);
  }, message);
  const shown = { type: ["string", "number"], minLength: 1, maxLength: max, pattern: withoutControls };
  return shownAs(given, shown).transform((value) => (typeof value === "symbol" ? numberText(value) : JSON.stringify(value)));
}

/** At most 50 pairs of text. */
export const supplementaryPairs = z
  .record(string(70, 1), string(1000))
  .refine((map) => Object.keys(map).length <= 50, "must have at most 50 entries")
  .meta({ id: "SupplementaryData", maxProperties: 50, description: "Key-value pairs: the place for extras." });

/** Attaches the JSON Schema of what the type reads, because JSON Schema has no word for the type itself. */
function shownAs<T extends z.ZodType>(schema: T, shown: Readonly<Record<string, unknown>>): T {
  schema._zod.toJSONSchema = () => ({ ...shown });
  return schema;
}

function isWithin(value: string, min: number, max: number): boolean {
  if (value.length < min) return false;
  // There are never more code points than code units.
  return value.length <= max || (value.length <= 2 * max && Array.from(value).length <= max);
}

const datePattern = /^(\d{4})-(\d\d)-(\d\d)$/;
const timePattern = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

function isDate(value: string): boolean {
  const found = datePattern.exec(value);
  if (found === null) return false;
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  return year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function isDateTime(value: string): boolean {
  return isDate(value.slice(0, 10)) && /^[Tt]$/.test(value.charAt(10)) && timePattern.test(value.slice(11));
}
