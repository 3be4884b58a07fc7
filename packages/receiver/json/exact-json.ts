// JSON whose numbers keep their digits: an amount of 1250.50 stays 1250.50 and never becomes a double.
//
// #1 A number is an ExactNumber with the text that was sent; `JSON.stringify` writes that text again.
// #2 Bytes that are not JSON in UTF-8, or that have more than 64 levels, are refused without a throw.

export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  toJSON(): unknown {
    return rawJson(this.text);
  }
}

export type ExactJson = string | boolean | null | ExactNumber | readonly ExactJson[] | ExactObject;
export interface ExactObject {
  readonly [name: string]: ExactJson;
}

export type ExactRead = { readonly ok: true; readonly value: ExactJson } | { readonly ok: false; readonly reason: string };

const levelsMax = 64;
// It is accessed by name, because TypeScript's library does not know it yet.
const rawJson: (text: string) => unknown = Reflect.get(JSON, "rawJSON");

export function parseExact(bytes: Uint8Array): ExactRead {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (isTooDeep(text)) return { ok: false, reason: `more than ${levelsMax} levels` };
    const value: ExactJson = JSON.parse(text, (_name, member: ExactJson | number, context: { readonly source?: string } = {}) =>
      typeof member === "number" ? new ExactNumber(requireSource(context)) : member,
    );
    return { ok: true, value };
  } catch (error) {
    if (error instanceof OldRuntime) throw error;
    return { ok: false, reason: "not JSON in UTF-8" };
  }
}

/** Converts to minor units: 125050n for 1250.50 with 2 digits. Null where the result is not a whole number. */
export function minorUnits({ text }: ExactNumber, digits: number): bigint | null {
  const found = /^(-?[0-9]+)(?:\.([0-9]+))?$/.exec(text);
  if (found === null) return null;
  const [, whole = "", fraction = ""] = found;
  const kept = fraction.slice(0, digits).padEnd(digits, "0");
  return /^0*$/.test(fraction.slice(digits)) ? BigInt(`${whole}${kept}`) : null;
}

export function isExactObject(value: ExactJson | undefined): value is ExactObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);
}

/**
 * Throws where the runtime's JSON cannot keep digits, so that this shows at the start and not with the first amount.
 */
export function demandExactJson(): void {
  parseExact(new TextEncoder().encode("1"));
  if (rawJson === undefined) throw new OldRuntime();
}

class OldRuntime extends Error {
  constructor() {
    super("this runtime's JSON does not give the text of numbers (Node 22, Deno 1.40, Bun 1.2 and later do)");
  }
}

function requireSource({ source }: { readonly source?: string }): string {
  if (source === undefined) throw new OldRuntime();
  return source;
}

/** Checked before parsing, because the code that reads the values recurses once per level. */
function isTooDeep(text: string): boolean {
  let levels = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isInText) {
      if (character === "\\") at += 1;
      else if (character === '"') isInText = false;
    } else if (character === '"') isInText = true;
    else if (character === "{" || character === "[") {
      levels += 1;
      if (levels > levelsMax) return true;
    } else if (character === "}" || character === "]") levels -= 1;
  }
  return false;
}
