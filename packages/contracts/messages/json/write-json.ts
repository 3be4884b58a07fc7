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

/** Writes members behind `head`, the beginning of an object that has a member, and leaves the object open. */
export function writeOpenObject<T extends object>(members: {
  readonly [K in keyof T]-?: JsonWriter<NonNullable<T[K]>>;
}): (head: string, value: T) => string {
  const written = prepareMembers(Object.entries(members));
  return (head, value) => {
    let text = head;
    for (const { name, next, write } of written) {
      const member: unknown = Reflect.get(value, name);
      if (member !== null && member !== undefined) text += next + write(member);
    }
    return text;
  };
}

/** Writes each object once: its text is kept as long as the object itself. */
export function writeOnce<T extends object>(write: JsonWriter<T>): JsonWriter<T> {
  const texts = new WeakMap<T, string>();
  return (value) => {
    const known = texts.get(value);
    if (known !== undefined) return known;
    const text = write(value);
    texts.set(value, text);
    return text;
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

/** Writes a message. What it shares with `base`, the message that it was made from, is written only once. */
export type MessageWriter<T> = (message: T, base?: T | null) => string;

/** A message as text, and where the text of each of its members ends in it. */
interface WrittenMessage {
  readonly text: string;
  readonly ends: readonly number[];
}

/**
 * Writes a message whose members a schema names, after `schema`. The text of a base is kept as long as the base itself:
 * a transaction's message is shown by all of its events, and the one that is sent differs from it in two members. Only
 * those are written then, between pieces of the kept text.
 */
export function writeMessageMembers<T extends object>(
  schema: string,
  members: readonly (readonly [string, MemberWriter])[],
): MessageWriter<T> {
  const written = prepareMembers(members);
  const head = `{"schema":"${schema}"`;
  const writtenBases = new WeakMap<T, WrittenMessage>();

  function writeWhole(message: T): WrittenMessage {
    let text = head;
    const ends: number[] = [];
    for (const { name, next, write } of written) {
      const member: unknown = Reflect.get(message, name);
      if (member !== null && member !== undefined) text += next + write(member);
      ends.push(text.length);
    }
    return { text: `${text}}`, ends };
  }

  function writeBase(base: T): WrittenMessage {
    const known = writtenBases.get(base);
    if (known !== undefined) return known;
    const made = writeWhole(base);
    writtenBases.set(base, made);
    return made;
  }

  return (message, base = null) => {
    if (base === null) return writeWhole(message).text;
    const kept = writeBase(base);
    let text = "";
    let taken = 0;
    for (const [index, { name, next, write }] of written.entries()) {
      const member: unknown = Reflect.get(message, name);
      if (member === Reflect.get(base, name)) continue;
      text += kept.text.slice(taken, kept.ends[index - 1] ?? head.length);
      if (member !== null && member !== undefined) text += next + write(member);
      taken = kept.ends[index] ?? taken;
    }
    return taken === 0 ? kept.text : text + kept.text.slice(taken);
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
