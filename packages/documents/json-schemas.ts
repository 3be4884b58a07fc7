// JSON Schemas of every body that goes over HTTP, made of the schemas that read them (contracts, `messageSchemas`).
//
// #1 Here nothing is said of a member; what is missing in a document is missing in contracts: in a schema's metadata, or in the doc of
//    an Avro field (`member-docs.ts`).

import { messageSchemas } from "@sluice/contracts";
import * as z from "zod";
import { described } from "./member-docs.ts";

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

export type MessageName = keyof typeof messageSchemas;

export const messageNames = Object.keys(messageSchemas).filter((name): name is MessageName => name in messageSchemas);

/** Every message and every shape within one, by name; `at` says where a name is referred to. */
export function namedSchemas(at: (name: string) => string): Readonly<Record<string, JsonSchema>> {
  const named: Record<string, JsonSchema> = {};
  for (const name of messageNames) {
    const { shapes, own } = schemaOf(name);
    for (const [shape, schema] of Object.entries({ ...shapes, [name]: own })) named[shape] = referring(schema, at);
  }
  return Object.fromEntries(Object.entries(named).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** One file a message: the shapes it needs stand in it. */
export function schemaFile(name: MessageName): JsonSchema {
  const { shapes, own } = schemaOf(name);
  const head = { $schema: "https://json-schema.org/draft/2020-12/schema", $id: `urn:sluice:schema:${name}:1`, title: name };
  const { $defs: _none, ...body } = own;
  return { ...head, ...body, ...(Object.keys(shapes).length === 0 ? {} : { $defs: shapes }) };
}

function schemaOf(name: MessageName): { readonly own: JsonSchema; readonly shapes: Readonly<Record<string, JsonSchema>> } {
  const { $schema: _draft, $defs = {}, ...made } = z.toJSONSchema(messageSchemas[name], { io: "input" });
  const shapes: Readonly<Record<string, JsonSchema>> = $defs;
  const bare = Object.fromEntries(Object.entries(shapes).map(([shape, schema]) => [shape, withoutId(schema)]));
  const { [name]: itself, ...others } = bare;
  const told = Object.entries(others).map(([shape, schema]) => [shape, described(shape, schema)]);
  return { own: described(name, withoutId(itself ?? made)), shapes: Object.fromEntries(told) };
}

/** zod repeats the name as `id`, which is no keyword. */
function withoutId({ id: _name, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

function referring(schema: JsonSchema, at: (name: string) => string): JsonSchema {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (key === "$ref" && typeof value === "string") return at(value.replace(/^#\/\$defs\//, ""));
    return value;
  });
  const changed: JsonSchema = JSON.parse(text);
  return changed;
}
