// JSON without doubles: a scanner that keeps every number as it is written.
//
// #1 A number is a symbol whose description is its text: no JSON can forge one, and no code can confuse it with text or
//    an object.
// #2 Refused are: bytes that are not UTF-8, numbers with an exponent, duplicate member names, a member `__proto__`,
//    lone surrogates, control characters (escaped ones too), more than 32 levels, more than 100 members of an object,
//    more than 4,096 values, and anything after the value. The scan ends at the first of them, so that a refused body
//    costs no more than what was read up to there.
// #3 A refusal names the place, never the content.

export type JsonNumber = symbol;
export type Json = string | JsonNumber | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

export type PathPart = string | number;
export type ParsedJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly path: readonly PathPart[]; readonly reason: string };

const depthMax = 32;
/** Values in one body: members, entries of lists, and the body itself. The fullest message has about 3,100. */
export const jsonValuesMax = 4_096;

/** Members of one object; the largest of a message has 50. */
const membersMax = 100;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?/y;
const blankPattern = /[ \t\n\r]*/y;
// oxlint-disable-next-line no-control-regex -- this pattern finds control characters on purpose
const unusual = /[\\\u0000-\u001f\u007f-\u009f]/;
// oxlint-disable-next-line no-control-regex -- this pattern finds control characters on purpose
const control = /[\u0000-\u001f\u007f-\u009f]/;

/** Parses a whole JSON text. */
export function parseJson(bytes: Uint8Array): ParsedJson {
  const text = decodeUtf8(bytes);
  if (text === null) return { ok: false, path: [], reason: "not UTF-8" };
  const scan = new Scan(text);
  try {
    return { ok: true, value: scan.whole() };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, path: scan.path, reason: error.message };
    throw error;
  }
}

/** Returns the text of a number as it was written. */
export function numberText(value: JsonNumber): string {
  return value.description ?? "";
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Writes a JSON pointer for people. A name that the sender chose may be an account number or a name, so a part that
 * does not look like a member's name is shown as `*`.
 */
export function pointer(path: readonly PathPart[]): string {
  if (path.length === 0) return "/";
  const isMap = path[0] === "supplementaryData";
  return path.map((part, index) => `/${typeof part === "number" ? part : isMap && index > 0 ? "*" : memberName(part)}`).join("");
}

function memberName(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_-]{0,39}$/.test(name) && !/[0-9]{4}/.test(name) ? name : "*";
}

class Refusal extends Error {}

class Scan {
  /** The current position of the scan; it stays at the place of a refusal. */
  readonly path: PathPart[] = [];
  private readonly text: string;
  private at = 0;
  private values = 0;

  constructor(text: string) {
    this.text = text;
  }

  whole(): Json {
    this.skipBlank();
    const value = this.value();
    if (this.at < this.text.length) throw new Refusal("something follows the JSON value");
    return value;
  }

  private value(): Json {
    this.values += 1;
    if (this.values > jsonValuesMax) throw new Refusal(`more than ${jsonValuesMax} values`);
    const first = this.text[this.at];
    if (first === '"') return this.string();
    if (first === "{") return this.object();
    if (first === "[") return this.array();
    if (first === "t") return this.word("true", true);
    if (first === "f") return this.word("false", false);
    if (first === "n") return this.word("null", null);
    return this.number();
  }

  private object(): JsonObject {
    this.open();
    // A plain object is several times faster than one without a prototype. `__proto__` is refused before it could be
    // set.
    const members: Record<string, Json> = {};
    if (this.take("}")) return members;
    let count = 0;
    do {
      count += 1;
      if (count > membersMax) throw new Refusal(`more than ${membersMax} members`);
      if (this.text[this.at] !== '"') throw this.refusal("a member name was expected");
      const name = this.string();
      this.path.push(name);
      if (name === "__proto__") throw new Refusal("this member name is not allowed");
      if (Object.hasOwn(members, name)) throw new Refusal("this member is given twice");
      this.expect(":");
      members[name] = this.value();
      this.path.pop();
    } while (this.take(","));
    this.expect("}");
    return members;
  }

  private array(): readonly Json[] {
    this.open();
    const items: Json[] = [];
    if (this.take("]")) return items;
    do {
      this.path.push(items.length);
      items.push(this.value());
      this.path.pop();
    } while (this.take(","));
    this.expect("]");
    return items;
  }

  private open(): void {
    // The path has one entry for each enclosing level.
    if (this.path.length >= depthMax) throw new Refusal(`more than ${depthMax} levels`);
    this.at += 1;
    this.skipBlank();
  }

  private string(): string {
    const start = this.at + 1;
    let end = this.text.indexOf('"', start);
    while (end > 0 && this.isEscaped(end)) end = this.text.indexOf('"', end + 1);
    if (end < 0) throw this.refusal("a string does not end");
    const raw = this.text.slice(start, end);
    const value = unusual.test(raw) ? this.unescaped(raw) : raw;
    this.at = end + 1;
    this.skipBlank();
    return value;
  }

  private isEscaped(end: number): boolean {
    let backslashes = 0;
    while (this.text[end - 1 - backslashes] === "\\") backslashes += 1;
    return backslashes % 2 === 1;
  }

  private unescaped(raw: string): string {
    if (control.test(raw)) throw new Refusal("a string holds a control character");
    let value: unknown;
    try {
      value = JSON.parse(`"${raw}"`);
    } catch {
      throw this.refusal("a string holds a wrong escape");
    }
    if (typeof value !== "string" || !value.isWellFormed()) throw new Refusal("a string holds half of a surrogate pair");
    if (control.test(value)) throw new Refusal("a string holds a control character");
    return value;
  }

  private number(): JsonNumber {
    numberPattern.lastIndex = this.at;
    const found = numberPattern.exec(this.text)?.[0];
    if (found === undefined) throw this.refusal("a value was expected");
    this.at += found.length;
    if (/[eE]/.test(this.text[this.at] ?? "")) throw new Refusal("a number has an exponent");
    if (/[0-9.]/.test(this.text[this.at] ?? "")) throw this.refusal("a number is not written as JSON asks");
    this.skipBlank();
    return Symbol(found);
  }

  private word<T extends boolean | null>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) throw this.refusal("a value was expected");
    this.at += word.length;
    this.skipBlank();
    return value;
  }

  private take(token: string): boolean {
    if (this.text[this.at] !== token) return false;
    this.at += 1;
    this.skipBlank();
    return true;
  }

  private expect(token: string): void {
    if (!this.take(token)) throw this.refusal(`'${token}' was expected`);
  }

  private skipBlank(): void {
    if (this.text.charCodeAt(this.at) > 32) return;
    blankPattern.lastIndex = this.at;
    this.at += blankPattern.exec(this.text)?.[0].length ?? 0;
  }

  private refusal(what: string): Refusal {
    return new Refusal(`${what} at character ${this.at + 1}`);
  }
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}
