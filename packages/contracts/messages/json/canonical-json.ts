// Canonical JSON, by which contents are compared: members sorted by UTF-16 code units, no white space, numbers by
// decimal value (1250.50 equals 1250.5). It is not RFC 8785, because that goes through doubles.

import { hash } from "node:crypto";
import { isJsonObject, type Json, type JsonObject, numberText } from "./json.ts";

export function canonicalJson(value: Json): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "symbol") return canonicalNumber(numberText(value));
  if (value === null || typeof value === "boolean") return String(value);
  return isJsonObject(value) ? `{${writeMembers(value, sortNames(Object.keys(value)))}}` : writeList(value);
}

export interface MessageHashes {
  /** SHA-256 of the whole message, in hex. */
  readonly contentHash: string;
  /**
   * SHA-256 of the message without `messageIdentifiers`, in hex: equal for the same message under another
   * identification.
   */
  readonly substanceHash: string;
}

/**
 * Computes both hashes of a message and serializes its members only once. The letters of its UETR count in lower case
 * (docs/spec/decisions.md D5.11): programs differ in how they print a UUID.
 */
export function hashMessage(message: JsonObject): MessageHashes {
  const folded = withLowerCaseUetr(message);
  const names = sortNames(Object.keys(folded));
  const at = names.indexOf(identifiersName);
  if (at < 0) {
    const contentHash = sha256Hex(`{${writeMembers(folded, names)}}`);
    return { contentHash, substanceHash: contentHash };
  }
  const before = writeMembers(folded, names.slice(0, at));
  const own = writeMembers(folded, [identifiersName]);
  const behind = writeMembers(folded, names.slice(at + 1));
  const head = `{${before}`;
  return hashParts(head, `${before === "" ? "" : ","}${own}`, behind === "" ? "}" : `,${behind}}`);
}

const identifiersName = "messageIdentifiers";

/** Bytes of the largest message that is written without memory of its own. */
const roomBytes = 64 * 1024;
const room = Buffer.allocUnsafeSlow(roomBytes);
/** The most bytes that UTF-8 needs for a code unit. */
const unitBytesMax = 3;

/** Writes the bytes of a message once: without the middle part they are those of its substance. */
function hashParts(head: string, middle: string, tail: string): MessageHashes {
  const bytesMax = (head.length + middle.length + tail.length) * unitBytesMax;
  const bytes = bytesMax <= roomBytes ? room : Buffer.allocUnsafeSlow(bytesMax);
  const headEnd = bytes.write(head);
  const tailStart = headEnd + bytes.write(middle, headEnd);
  const end = tailStart + bytes.write(tail, tailStart);
  const contentHash = hash("sha256", bytes.subarray(0, end));
  // Without members before it, the tail begins with a comma that is nobody's.
  const from = headEnd === 1 && end - tailStart > 1 ? tailStart + 1 : tailStart;
  bytes.copyWithin(headEnd, from, end);
  return { contentHash, substanceHash: hash("sha256", bytes.subarray(0, headEnd + end - from)) };
}

export function sha256Hex(text: string): string {
  return hash("sha256", text);
}

function withLowerCaseUetr(message: JsonObject): JsonObject {
  const identifiers = message["transactionIdentifiers"];
  if (identifiers === undefined || !isJsonObject(identifiers) || typeof identifiers["uetr"] !== "string") return message;
  const uetr = identifiers["uetr"].toLowerCase();
  return uetr === identifiers["uetr"] ? message : { ...message, transactionIdentifiers: { ...identifiers, uetr } };
}

/** Writes members in this order, without the braces. One text that grows costs less than a list that is joined. */
function writeMembers(value: JsonObject, names: readonly string[]): string {
  let text = "";
  for (const name of names) text += `${text === "" ? "" : ","}${quote(name)}:${canonicalJson(value[name] ?? null)}`;
  return text;
}

function writeList(value: readonly Json[]): string {
  let text = "";
  for (const one of value) text += `${text === "" ? "" : ","}${canonicalJson(one)}`;
  return `[${text}]`;
}

/** What JSON writes otherwise than it is. A parsed text has no lone surrogate. */
// oxlint-disable-next-line no-control-regex -- this pattern finds control characters on purpose
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

/** Most texts need no escape, and to see that costs less than JSON's own function. */
function quote(text: string): string {
  return escaped.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Above this many names an insertion into a sorted list costs more than JavaScript's own sort. */
const insertedNamesMax = 24;

/** Sorts in place by UTF-16 code units. */
function sortNames(names: string[]): readonly string[] {
  if (names.length > insertedNamesMax) return names.sort();
  for (let at = 1; at < names.length; at += 1) {
    const name = names[at] ?? "";
    let place = at;
    while (place > 0 && (names[place - 1] ?? "") > name) {
      names[place] = names[place - 1] ?? "";
      place -= 1;
    }
    names[place] = name;
  }
  return names;
}

function canonicalNumber(text: string): string {
  const short = text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
  return short === "-0" ? "0" : short;
}
