// Reads a good message without zod: plain functions, compiled once from its schema.
//
// #1 It only tells whether a value fits, and reads it. zod explains a refusal, and has the last word about one.
// #2 It accepts what zod accepts and returns what zod returns (`refused.test.ts`). A kind of schema
//    that has no row here is read by zod.

import type * as z from "zod";
import { isFill } from "./message-fields.ts";

/** Returned for a value that does not fit. */
export const misfit = Symbol("misfit");

type Node = z.core.$ZodType;
type Read = (value: unknown) => unknown;
interface Payload {
  value: unknown;
  issues: z.core.$ZodRawIssue[];
}

const compiled = new WeakMap<Node, Read>();

/** Reads a value by its schema. Returns `misfit` where zod would refuse it. */
export function readCompiled<T>(schema: z.ZodType<T>, value: unknown): T | typeof misfit {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- #2
  return readerOf(schema)(value) as T | typeof misfit;
}

function readerOf(schema: Node): Read {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const reader = withChecks(readerFor(schema), schema._zod.def.checks ?? []);
  compiled.set(schema, reader);
  return reader;
}

function readerFor(schema: Node): Read {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- zod's own union of what a schema can be
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "string" && def.coerce !== true && !("format" in def)) return (value) => (typeof value === "string" ? value : misfit);
  if (def.type === "enum" || def.type === "literal") return readOneOf(schema);
  if (def.type === "custom") return (value) => (def.fn(value) ? value : misfit);
  if (def.type === "array") return readList(readerOf(def.element));
  if (def.type === "record") return readMap(readerOf(def.keyType), readerOf(def.valueType));
  if (def.type === "pipe") return isFilledObject(def) ? readObject(def.in._zod.def.shape) : readInTurn(readerOf(def.in), readerOf(def.out));
  if (def.type === "union" && "discriminator" in def && typeof def.discriminator === "string") {
    return readByMember(def.discriminator, def.options);
  }
  return readByZod(schema);
}

/** Also calls the function of a transform. */
function readByZod(schema: Node): Read {
  return (value) => {
    const payload: Payload = { value, issues: [] };
    const read = schema._zod.run(payload, { async: false });
    return read instanceof Promise || read.issues.length > 0 ? misfit : read.value;
  };
}

function withChecks(read: Read, checks: readonly z.core.$ZodCheck[]): Read {
  return checks.reduce<Read>((before, check) => {
    const isGood = goodBy(check);
    return (value) => {
      const found = before(value);
      return found !== misfit && isGood(found) ? found : misfit;
    };
  }, read);
}

function goodBy(check: z.core.$ZodCheck): (value: unknown) => boolean {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- zod's own form of a check that is a function
  const { fn } = check._zod.def as Partial<z.core.$ZodCustomDef>;
  if (fn !== undefined) return (value) => Boolean(fn(value));
  return (value) => {
    const payload: Payload = { value, issues: [] };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the value has passed the schema of the check
    const outcome = check._zod.check(payload as z.core.ParsePayload<never>);
    return !(outcome instanceof Promise) && payload.issues.length === 0;
  };
}

function readOneOf(schema: Node): Read {
  const values: ReadonlySet<unknown> = schema._zod.values ?? new Set();
  return (value) => (values.has(value) ? value : misfit);
}

function readInTurn(first: Read, second: Read): Read {
  return (value) => {
    const read = first(value);
    return read === misfit ? misfit : second(read);
  };
}

function readList(entry: Read): Read {
  return (value) => {
    if (!Array.isArray(value)) return misfit;
    const list: unknown[] = [];
    for (const one of value) {
      const read = entry(one);
      if (read === misfit) return misfit;
      list.push(read);
    }
    return list;
  };
}

function readMap(key: Read, entry: Read): Read {
  return (value) => {
    if (!isObject(value)) return misfit;
    const map: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const read = entry(value[name]);
      if (read === misfit || key(name) !== name) return misfit;
      map[name] = read;
    }
    return map;
  };
}

interface FilledObject {
  readonly in: { readonly _zod: { readonly def: { readonly shape: Readonly<Record<string, Node>> } } };
}

/** Tells whether a pipe is what `object` made. */
function isFilledObject(def: z.core.$ZodPipeDef): def is z.core.$ZodPipeDef & FilledObject {
  const inner: z.core.$ZodTypeDef & { readonly checks?: readonly unknown[] } = def.in._zod.def;
  const outer: z.core.$ZodTypeDef & { readonly transform?: unknown } = def.out._zod.def;
  return inner.type === "object" && typeof outer.transform === "function" && isFill(outer.transform);
}

/** Members that the shape does not have are refused, and absent ones read as null. */
function readObject(shape: Readonly<Record<string, Node>>): Read {
  const members = Object.entries(shape).map(([name, schema]) => {
    const isOptional = schema._zod.def.type === "optional" && (schema._zod.def.checks ?? []).length === 0;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its type says so
    return { name, isOptional, read: readerOf(isOptional ? (schema as z.core.$ZodOptional)._zod.def.innerType : schema) };
  });
  // A copy has the form of its original, which V8 reads and writes faster than members that are added one by one.
  const empty: Readonly<Record<string, unknown>> = JSON.parse(JSON.stringify(Object.fromEntries(members.map(({ name }) => [name, null]))));
  return (value) => {
    if (!isObject(value)) return misfit;
    let left = 0;
    // Parsed JSON inherits nothing that could be counted.
    for (const _ in value) left += 1;
    const object: Record<string, unknown> = { ...empty };
    for (const { name, isOptional, read } of members) {
      const given = value[name];
      if (given === undefined) {
        if (isOptional) continue;
        return misfit;
      }
      const member = read(given);
      if (member === misfit) return misfit;
      object[name] = member;
      left -= 1;
    }
    return left === 0 ? object : misfit;
  };
}

function readByMember(name: string, options: readonly Node[]): Read {
  const readers = new Map<unknown, Read>();
  for (const option of options) {
    for (const value of option._zod.propValues?.[name] ?? []) readers.set(value, readerOf(option));
  }
  return (value) => {
    const read = isObject(value) ? readers.get(value[name]) : undefined;
    return read === undefined ? misfit : read(value);
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
