// Canonical JSON, by which contents are compared: members sorted by UTF-16 code units, no white space, numbers by decimal
// value (1250.50 is 1250.5). Not RFC 8785, which goes through doubles.

import { createHash } from "node:crypto";
import { isJsonObject, numberText } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";

export function canonicalJson(value: Json): string {
  if (typeof value === "symbol") return canonicalNumber(numberText(value));
  if (typeof value === "string") return JSON.stringify(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (!isJsonObject(value)) return `[${value.map(canonicalJson).join(",")}]`;
  return `{${membersOf(value).join(",")}}`;
}

export interface MessageHashes {
  /** SHA-256, hex, of the whole message. */
  readonly contentHash: string;
  /** SHA-256, hex, of the message without `messageIdentifiers`: equal for the same message under another identification. */
  readonly substanceHash: string;
}

/** Both hashes of a message; its members are written once. */
export function hashesOf(message: JsonObject): MessageHashes {
  const members = membersOf(message);
  const substance = members.filter((member) => !member.startsWith('"messageIdentifiers":'));
  return { contentHash: sha256Hex(`{${members.join(",")}}`), substanceHash: sha256Hex(`{${substance.join(",")}}`) };
}

export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function membersOf(value: JsonObject): readonly string[] {
  return Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`);
}

function canonicalNumber(text: string): string {
  const short = text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
  return short === "-0" ? "0" : short;
}
