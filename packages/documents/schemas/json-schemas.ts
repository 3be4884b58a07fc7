// JSON Schemas of every body that goes over HTTP, made from the schemas that read them (contracts, `messageSchemas`).
//
// #1 Nothing is described here. A description that a document lacks is missing in contracts: in a schema's metadata, or
//    in the doc of an Avro field (`member-docs.ts`).

import { messageSchemas } from "@sluice/contracts";
import * as z from "zod";
import { describeMembers, type JsonSchema } from "./member-docs.ts";

export type MessageName = keyof typeof messageSchemas;

export const messageNames = Object.keys(messageSchemas).filter((name): name is MessageName => name in messageSchemas);

/** Lists every message and every shape in one, by name; `at` builds the reference to a name. */
export function namedSchemas(at: (name: string) => string): Readonly<Record<string, JsonSchema>> {
  const named: Record<string, JsonSchema> = {};
  for (const name of messageNames) {
    const { shapes, own } = buildSchema(name);
    for (const [shape, schema] of Object.entries({ ...shapes, [name]: own })) named[shape] = referTo(schema, at);
  }
  return Object.fromEntries(Object.entries(named).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Builds the file of one message, with the shapes that it needs. */
export function messageSchemaFile(name: MessageName): JsonSchema {
  const { shapes, own } = buildSchema(name);
  const head = { $schema: "https://json-schema.org/draft/2020-12/schema", $id: `urn:sluice:schema:${name}:1`, title: name };
  const { $defs: _none, ...body } = own;
  return { ...head, ...body, ...(Object.keys(shapes).length === 0 ? {} : { $defs: shapes }) };
}

function buildSchema(name: MessageName): { readonly own: JsonSchema; readonly shapes: Readonly<Record<string, JsonSchema>> } {
  const { $schema: _draft, $defs = {}, ...made } = z.toJSONSchema(messageSchemas[name], { io: "input" });
  const shapes: Readonly<Record<string, JsonSchema>> = $defs;
  const bare = Object.fromEntries(Object.entries(shapes).map(([shape, schema]) => [shape, withoutId(schema)]));
  const { [name]: itself, ...others } = bare;
  const described = Object.entries(others).map(([shape, schema]) => [shape, describeMembers(shape, schema)]);
  return { own: describeMembers(name, withoutId(itself ?? made)), shapes: Object.fromEntries(described) };
}

/** zod repeats the name as `id`, which is not a keyword. */
export function withoutId({ id: _name, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

export function referTo(schema: JsonSchema, at: (name: string) => string): JsonSchema {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (key === "$ref" && typeof value === "string") return at(value.replace(/^#\/\$defs\//, ""));
    return value;
  });
  const changed: JsonSchema = JSON.parse(text);
  return changed;
}
