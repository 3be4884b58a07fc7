// Typed writers of JSON text, one for each wire type. Members are written in the given order, and null members are left
// out.

import { amountText } from "./amount.ts";
import type { Amount } from "../../generated/records.ts";

export type JsonWriter<T> = (value: T) => string;

/** The writer of a member; the member's type follows from the schema or the type that names it. */
type MemberWriter = JsonWriter<never>;

/** Writes an object; the type ensures that no member is forgotten. */
export function writeObject<T extends object>(members: { readonly [K in keyof T]-?: JsonWriter<NonNullable<T[K]>> }): JsonWriter<T> {
  return writeMembers(Object.entries(members));
}

/** Writes an object whose members a schema names, in its order. */
export function writeMembers(members: readonly (readonly [string, MemberWriter])[]): JsonWriter<object> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each writer is given the member that it was made for
  const writers = members as readonly (readonly [string, JsonWriter<unknown>])[];
  return (value) => {
    let text = "";
    for (const [name, write] of writers) {
      const member: unknown = Reflect.get(value, name);
      if (member === null || member === undefined) continue;
      text += `${text === "" ? "" : ","}"${name}":${write(member)}`;
    }
    return `{${text}}`;
  };
}

/** Writes an object that starts with `schema`, the constant that names the message. */
export function writeMessage<T extends object>(schema: string, write: JsonWriter<T>): JsonWriter<T> {
  return (value) => `{"schema":"${schema}",${write(value).slice(1)}`;
}

export function writeArray<T>(write: JsonWriter<T>): JsonWriter<readonly T[]> {
  return (items) => `[${items.map(write).join(",")}]`;
}

export const writeText: JsonWriter<string> = (value) => JSON.stringify(value);
/** Writes a member that is kept as its JSON token. */
export const writeToken: JsonWriter<string> = (value) => value;
export const writeNumber: JsonWriter<number> = (value) => String(value);
export const writePairs: JsonWriter<Readonly<Record<string, string>>> = (map) =>
  `{${Object.entries(map)
    .map(([name, value]) => `${writeText(name)}:${writeText(value)}`)
    .join(",")}}`;
export const writeAmount: JsonWriter<Amount> = (value) => `{"value":${amountText(value)},"currency":${writeText(value.currency)}}`;
