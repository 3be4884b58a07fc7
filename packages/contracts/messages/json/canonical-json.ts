// Canonical JSON, by which contents are compared: members sorted by UTF-16 code units, no white space, numbers by
// decimal value (1250.50 equals 1250.5). It is not RFC 8785, because that goes through doubles.

import { hash } from "node:crypto";
import { isJsonObject, type Json, type JsonObject, numberText } from "./json.ts";

export function canonicalJson(value: Json): string {
  if (typeof value === "symbol") return canonicalNumber(numberText(value));
  if (typeof value === "string") return JSON.stringify(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (!isJsonObject(value)) return `[${value.map(canonicalJson).join(",")}]`;
  return `{${writeMembers(value).join(",")}}`;
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
  const members = writeMembers(withLowerCaseUetr(message));
  const substance = members.filter((member) => !member.startsWith('"messageIdentifiers":'));
  return { contentHash: sha256Hex(`{${members.join(",")}}`), substanceHash: sha256Hex(`{${substance.join(",")}}`) };
}

export function sha256Hex(text: string): string {
  return hash("sha256", text);
}

function withLowerCaseUetr(message: JsonObject): JsonObject {
  const identifiers = message["transactionIdentifiers"];
  if (identifiers === undefined || !isJsonObject(identifiers) || typeof identifiers["uetr"] !== "string") return message;
  return { ...message, transactionIdentifiers: { ...identifiers, uetr: identifiers["uetr"].toLowerCase() } };
}

function writeMembers(value: JsonObject): readonly string[] {
  return Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`);
}

function canonicalNumber(text: string): string {
  const short = text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
  return short === "-0" ? "0" : short;
}
