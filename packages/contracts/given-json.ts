// For tests: messages as parsed JSON (`json.ts`), the samples with changes, and exact JSON text of them.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, numberText, parseJson } from "./json.ts";
import type { Json, JsonObject, PathPart } from "./json.ts";

/** A file of data/messages, as its bytes. */
export function sampleBytes(file: string): Uint8Array {
  return readFileSync(join(import.meta.dirname, "..", "..", "data", "messages", file));
}

export function parsed(bytes: Uint8Array | string): Json {
  const result = parseJson(typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes);
  if (!result.ok) throw new Error(`${result.path.join("/")}: ${result.reason}`);
  return result.value;
}

export function sample(file: string): JsonObject {
  const value = parsed(sampleBytes(file));
  if (!isJsonObject(value)) throw new Error(`${file} holds no object`);
  return value;
}

export function jsonNumber(text: string): Json {
  return Symbol(text);
}

/** The same with one member set, or left out when `value` is undefined. */
export function changed(json: Json, path: readonly PathPart[], value: Json | undefined): Json {
  const [first, ...rest] = path;
  if (first === undefined) return value ?? null;
  if (Array.isArray(json)) return Object.assign([...json], { [first]: changed(json[Number(first)] ?? null, rest, value) });
  const members: Record<string, Json> = isJsonObject(json) ? { ...json } : {};
  if (rest.length === 0 && value === undefined) delete members[first];
  else members[first] = changed(members[first] ?? null, rest, value);
  return members;
}

/** JSON text with members sorted and every number as it is written: equal for equal messages, digits included. */
export function exactText(json: Json): string {
  if (typeof json === "symbol") return numberText(json);
  if (Array.isArray(json)) return `[${json.map(exactText).join(",")}]`;
  if (!isJsonObject(json)) return JSON.stringify(json);
  const members = Object.keys(json).toSorted();
  return `{${members.map((name) => `${JSON.stringify(name)}:${exactText(json[name] ?? null)}`).join(",")}}`;
}

export function bytesOf(json: Json): Uint8Array {
  return new TextEncoder().encode(exactText(json));
}

export const isObject = isJsonObject;

/** What stands at a path of member names; undefined where nothing does. */
export function memberAt(json: Json, ...path: readonly string[]): Json | undefined {
  let found: Json | undefined = json;
  for (const name of path) found = isJsonObject(found) ? found[name] : undefined;
  return found;
}
