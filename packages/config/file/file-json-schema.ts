// Makes the JSON Schema (2020-12) of the configuration file for editors, from the schemas that read it and the sample's
// comments.
//
// #1 Every file that `readConfiguration` accepts is valid under it. The reverse does not hold, because it lacks the
//    cross-checks.
// #2 A text with a fixed form may also be `${NAME}`, which is taken from the environment.

import { banksMax, connectorsMax } from "@sluice/domain";
import { isMap, isPair, isScalar, isSeq, parseDocument, type YAMLMap } from "yaml";
import { z } from "zod";
import { calendarSchema, extendingSchema } from "../calendars/calendar-schema.ts";
import { secretMembers } from "./variables.ts";
import { bankSchema, cdvSchema, connectorSchema, fileSchema, operatorSchema, schemeSchema } from "./file-schema.ts";

type Json = Record<string, unknown>;

const reference = { type: "string", pattern: String.raw`^\$\{[A-Z][A-Z0-9_]*\}$` } as const;

/** Makes the schema; `sample` is the text of the commented file with every member. */
export function fileJsonSchema(sample: string): Json {
  const whole = fileSchema.extend({
    calendars: z.record(z.string(), z.union([calendarSchema, extendingSchema])).optional(),
    schemes: z.array(schemeSchema).min(1).max(10).optional(),
    banks: z.array(bankSchema).min(1).max(banksMax),
    connectors: z.array(connectorSchema).max(connectorsMax).optional(),
    operators: z.array(operatorSchema).max(1_000).optional(),
    cdv: cdvSchema.optional(),
  });
  const { $schema, ...schema } = z.toJSONSchema(whole, { io: "input", override: ({ jsonSchema, path }) => orReference(jsonSchema, path) });
  describe(schema, readComments(sample));
  return { $schema, $id: "urn:sluice:schema:configuration:1", title: "Configuration of Sluice", ...schema };
}

/** #2 */
function orReference(schema: Json, path: readonly (string | number)[]): void {
  if (secretMembers.has(path.at(-1) ?? "") && schema["type"] === "string") {
    Object.assign(schema, reference);
    return;
  }
  if (schema["type"] !== "string" || (schema["pattern"] === undefined && schema["enum"] === undefined)) return;
  const { default: otherwise, description, ...form } = schema;
  for (const member of Object.keys(schema)) delete schema[member];
  Object.assign(schema, { anyOf: [form, reference] });
  if (otherwise !== undefined) schema["default"] = otherwise;
  if (description !== undefined) schema["description"] = description;
}

/**
 * Returns the members' comments by path, such as `banks[].baseUrl`. A comment on several members belongs to the first.
 */
function readComments(sample: string): ReadonlyMap<string, string> {
  const comments = new Map<string, string>();
  const visit = (node: unknown, path: string): void => {
    if (isSeq(node)) for (const item of node.items) visit(item, `${path}[]`);
    if (isMap(node)) visitMap(node, path);
  };
  const visitMap = (map: YAMLMap, path: string): void => {
    map.items.forEach((pair) => {
      if (!isPair(pair) || !isScalar(pair.key)) return;
      const member = `${path}${path === "" ? "" : "."}${String(pair.key.value)}`;
      const comment = pair.key.commentBefore;
      if (typeof comment === "string" && !comments.has(member)) comments.set(member, lastParagraph(comment));
      visit(pair.value, member);
    });
  };
  visit(parseDocument(sample).contents, "");
  return comments;
}

/** Returns the last paragraph of a comment; earlier ones are about the file. */
function lastParagraph(comment: string): string {
  const paragraphs = comment.split(/\n\s*\n/);
  return (paragraphs.at(-1) ?? "")
    .split("\n")
    .map((line) => line.trim())
    .join(" ");
}

function describe(schema: unknown, comments: ReadonlyMap<string, string>, path = ""): void {
  if (!isJson(schema)) return;
  const { properties, items, anyOf } = schema;
  for (const form of Array.isArray(anyOf) ? anyOf : []) describe(form, comments, path);
  describe(items, comments, `${path}[]`);
  if (!isJson(properties)) return;
  for (const [name, member] of Object.entries(properties)) {
    const at = `${path}${path === "" ? "" : "."}${name}`;
    const comment = comments.get(at) ?? comments.get(at.replace("connectors[]", "banks[]"));
    if (isJson(member) && comment !== undefined && member["description"] === undefined) member["description"] = comment;
    describe(member, comments, at);
  }
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
