// Typed writers of JSON text: one for each wire type, whose members are written in the order given. What is null is left out.

import { amountText } from "./amount.ts";
import type { Amount } from "./generated/records.ts";

export type Write<T> = (value: T) => string;

/** An object; the type makes sure that no member is forgotten. */
export function object<T extends object>(members: { readonly [K in keyof T]-?: Write<NonNullable<T[K]>> }): Write<T> {
  const writers: readonly (readonly [string, Write<unknown>])[] = Object.entries(members);
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

/** An object that starts with `schema`, the constant that names the message. */
export function message<T extends object>(schema: string, members: { readonly [K in keyof T]-?: Write<NonNullable<T[K]>> }): Write<T> {
  const write = object<T>(members);
  return (value) => `{"schema":"${schema}",${write(value).slice(1)}`;
}

export function array<T>(write: Write<T>): Write<readonly T[]> {
  return (items) => `[${items.map(write).join(",")}]`;
}

export const text: Write<string> = (value) => JSON.stringify(value);
/** A member kept as its JSON token. */
export const token: Write<string> = (value) => value;
export const number: Write<number> = (value) => String(value);
export const pairs: Write<Readonly<Record<string, string>>> = (map) =>
  `{${Object.entries(map)
    .map(([name, value]) => `${text(name)}:${text(value)}`)
    .join(",")}}`;
export const amount: Write<Amount> = (value) => `{"value":${amountText(value)},"currency":${text(value.currency)}}`;
