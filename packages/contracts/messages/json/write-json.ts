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
  const written = prepareMembers(members);
  return (value) => {
    let text = "";
    for (const { name, first, next, write } of written) {
      const member: unknown = Reflect.get(value, name);
      if (member === null || member === undefined) continue;
      text += (text === "" ? first : next) + write(member);
    }
    return text === "" ? "{}" : `${text}}`;
  };
}

interface PreparedMember {
  readonly name: string;
  /** What stands before its value, as the first member and as a later one: made once, so that no write joins them. */
  readonly first: string;
  readonly next: string;
  readonly write: JsonWriter<unknown>;
}

function prepareMembers(members: readonly (readonly [string, MemberWriter])[]): readonly PreparedMember[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each writer is given the member that it was made for
  const writers = members as readonly (readonly [string, JsonWriter<unknown>])[];
  return writers.map(([name, write]) => ({ name, first: `{"${name}":`, next: `,"${name}":`, write }));
}

/** Writes an object that starts with `schema`, the constant that names the message. */
export function writeMessage<T extends object>(schema: string, write: JsonWriter<T>): JsonWriter<T> {
  return (value) => `{"schema":"${schema}",${write(value).slice(1)}`;
}

/** Writes a message. Members that it shares with `base`, the message that it was made from, are written only once. */
export type MessageWriter<T> = (message: T, base?: T | null) => string;

/**
 * Writes a message whose members a schema names, after `schema`. Of a base, the texts of its members are kept as long
 * as the base itself: a transaction's message is shown by all of its events, and differs in two members from the one
 * that is sent.
 */
export function writeMessageMembers<T extends object>(
  schema: string,
  members: readonly (readonly [string, MemberWriter])[],
): MessageWriter<T> {
  const written = prepareMembers(members);
  const head = `{"schema":"${schema}"`;
  const textsByBase = new WeakMap<T, Map<string, string>>();

  function textsOf(base: T): Map<string, string> {
    const known = textsByBase.get(base);
    if (known !== undefined) return known;
    const made = new Map<string, string>();
    textsByBase.set(base, made);
    return made;
  }

  return (message, base = null) => {
    const kept = base === null ? null : textsOf(base);
    let text = head;
    for (const { name, next, write } of written) {
      const member: unknown = Reflect.get(message, name);
      if (member === null || member === undefined) continue;
      const isShared = base !== null && Reflect.get(base, name) === member;
      const known = isShared ? kept?.get(name) : undefined;
      const own = known ?? next + write(member);
      if (isShared && known === undefined) kept?.set(name, own);
      text += own;
    }
    return `${text}}`;
  };
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
