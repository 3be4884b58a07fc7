// Test fixture: messages as parsed JSON, the samples with changes, and exact JSON text.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type Json, type JsonObject, numberText, parseJson, type PathPart } from "./json.ts";

/** Reads a file of data/messages as bytes. */
export function readSampleBytes(file: string): Uint8Array {
  return readFileSync(join(import.meta.dirname, "..", "..", "..", "..", "data", "messages", file));
}

export function parseSample(bytes: Uint8Array | string): Json {
  const result = parseJson(typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes);
  if (!result.ok) throw new Error(`${result.path.join("/")}: ${result.reason}`);
  return result.value;
}

export function readSample(file: string): JsonObject {
  const value = parseSample(readSampleBytes(file));
  if (!isJsonObject(value)) throw new Error(`${file} holds no object`);
  return value;
}

export function jsonNumber(text: string): Json {
  return Symbol(text);
}

/** Returns the message with one member set, or left out where `value` is undefined. */
export function changeMember(json: Json, path: readonly PathPart[], value: Json | undefined): Json {
  const [first, ...rest] = path;
  if (first === undefined) return value ?? null;
  if (Array.isArray(json)) return Object.assign([...json], { [first]: changeMember(json[Number(first)] ?? null, rest, value) });
  const members: Record<string, Json> = isJsonObject(json) ? { ...json } : {};
  if (rest.length === 0 && value === undefined) delete members[first];
  else members[first] = changeMember(members[first] ?? null, rest, value);
  return members;
}

/** Writes JSON with sorted members and the digits of every number: equal messages give equal text. */
export function sortedJsonText(json: Json): string {
  if (typeof json === "symbol") return numberText(json);
  if (Array.isArray(json)) return `[${json.map(sortedJsonText).join(",")}]`;
  if (!isJsonObject(json)) return JSON.stringify(json);
  const members = Object.keys(json).toSorted();
  return `{${members.map((name) => `${JSON.stringify(name)}:${sortedJsonText(json[name] ?? null)}`).join(",")}}`;
}

export function encodeJson(json: Json): Uint8Array {
  return new TextEncoder().encode(sortedJsonText(json));
}

export const isObject = isJsonObject;

/** Returns the value at a path of member names; undefined where there is none. */
export function jsonAt(json: Json, ...path: readonly string[]): Json | undefined {
  let found: Json | undefined = json;
  for (const name of path) found = isJsonObject(found) ? found[name] : undefined;
  return found;
}
