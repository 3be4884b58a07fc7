// Describes the topics for people who look one up: their records, who writes and reads each, its key, and every field
// with its type and its text. It is made of what the AsyncAPI document is made of.
//
// #1 A field's path names the fields that it lies in; `[]` is an item of a list, `{}` a value of a map.
// #2 `since` is the first version that has the field. A field that was renamed is another one.

import { type PersonalMembers, personalMembers, recordMap, schemaVersions, type RecordName } from "@sluice/contracts";
import { buildTopicSpecs, type TopicSpecsOptions } from "@sluice/messaging";
import { describeKey, describeTopic } from "./asyncapi.ts";

export interface TopicDescription {
  readonly topic: string;
  readonly text: string;
  readonly partitions: number;
  /** Null: for good. */
  readonly retentionMs: number | null;
  readonly isCompacted: boolean;
  readonly records: readonly RecordDescription[];
}

interface RecordDescription {
  readonly record: string;
  readonly text: string;
  readonly key: string;
  readonly writtenBy: readonly string[];
  readonly readBy: readonly string[];
  /** How many versions of its schema there are. */
  readonly versions: number;
  readonly fields: readonly FieldDescription[];
}

interface FieldDescription {
  readonly path: string;
  readonly type: string;
  readonly text: string;
  readonly isOptional: boolean;
  /** Names a person or an account. */
  readonly isPersonal: boolean;
  /** #2 */
  readonly since: number;
}

/** Deeper than any record is. */
const depthMax = 12;

/** `configured` is the number of partitions and the retentions of the configuration in force. */
export function describeTopics(configured: Pick<TopicSpecsOptions, "partitionCount" | "retentionMs">): readonly TopicDescription[] {
  return buildTopicSpecs({ ...configured, replication: 1, minInsync: 1 }).map(({ topic, partitions, config }) => {
    const uses = recordMap.filter((use) => use.topic === topic);
    const retentionMs = Number(config["retention.ms"]);
    return {
      topic,
      text: describeTopic(topic),
      partitions,
      retentionMs: retentionMs < 0 ? null : retentionMs,
      isCompacted: config["cleanup.policy"] === "compact",
      records: uses.map(({ record, writtenBy, readBy }) => ({ ...describeRecord(record), writtenBy, readBy })),
    };
  });
}

type OwnDescription = Omit<RecordDescription, "writtenBy" | "readBy">;

/** A record of several topics is described once. */
const described = new Map<RecordName, OwnDescription>();

function describeRecord(record: RecordName): OwnDescription {
  const known = described.get(record) ?? readRecord(record);
  described.set(record, known);
  return known;
}

function readRecord(record: RecordName): OwnDescription {
  const versions = schemaVersions[record].map((text): Schema => JSON.parse(text));
  const fields = versions.map((schema) => listFields(schema));
  const newest = versions.at(-1);
  const paths = fields.map((listed) => new Set(listed.map(({ path }) => path)));
  const text = textOf(newest);
  return {
    record,
    text,
    key: describeKey(record, text),
    versions: versions.length,
    fields: (fields.at(-1) ?? []).map((field) => ({
      ...field,
      isPersonal: isPersonal(personalMembers[record], field.path),
      since: 1 + paths.findIndex((known) => known.has(field.path)),
    })),
  };
}

/** What lies below a personal member is personal. */
function isPersonal(members: PersonalMembers | undefined, path: string): boolean {
  let at: PersonalMembers | string | undefined = members;
  for (const name of path.replaceAll(/\[\]|\{\}/g, "").split(".")) {
    if (typeof at !== "object") break;
    at = at[name];
  }
  return typeof at === "string";
}

type Schema = string | readonly Schema[] | SchemaObject;
interface SchemaObject {
  readonly type: Schema;
  readonly name?: string;
  readonly doc?: string;
  readonly logicalType?: string;
  readonly fields?: readonly Field[];
  readonly symbols?: readonly string[];
  readonly items?: Schema;
  readonly values?: Schema;
}
interface Field {
  readonly name: string;
  readonly type: Schema;
  readonly doc?: string;
}
type Listed = Omit<FieldDescription, "since" | "isPersonal">;

function listFields(schema: Schema): readonly Listed[] {
  const named = new Map<string, SchemaObject>();
  const listed: Listed[] = [];

  function walk(fields: readonly Field[], below: string, depth: number): void {
    for (const { name, type, doc = "" } of fields) {
      const path = `${below}${name}`;
      const { kinds, isOptional } = splitUnion(type);
      listed.push({ path, type: kinds.map((kind) => typeText(kind)).join(" or "), text: doc, isOptional });
      for (const kind of kinds) enter(kind, path, depth);
    }
  }

  function enter(kind: Schema, path: string, depth: number): void {
    const found = resolve(kind);
    if (found === null || depth >= depthMax) return;
    if (found.fields !== undefined) walk(found.fields, `${path}.`, depth + 1);
    for (const [inner, sign] of [[found.items, "[]"] as const, [found.values, "{}"] as const]) {
      if (inner === undefined) continue;
      for (const one of splitUnion(inner).kinds) enter(one, `${path}${sign}`, depth + 1);
    }
  }

  /** A type is written out once and named from then on. */
  function resolve(kind: Schema): SchemaObject | null {
    if (typeof kind === "string") return named.get(kind.replace(/^sluice\./, "")) ?? null;
    if (isUnion(kind)) return null;
    if (kind.name !== undefined) named.set(kind.name, kind);
    return typeof kind.type === "string" ? kind : resolve(kind.type);
  }

  const root = resolve(schema);
  walk(root?.fields ?? [], "", 0);
  return listed;
}

function isUnion(schema: Schema): schema is readonly Schema[] {
  return Array.isArray(schema);
}

function splitUnion(type: Schema): { readonly kinds: readonly Schema[]; readonly isOptional: boolean } {
  const all = isUnion(type) ? type : [type];
  return { kinds: all.filter((one) => one !== "null"), isOptional: all.includes("null") };
}

function typeText(schema: Schema): string {
  if (typeof schema === "string") return schema.replace(/^sluice\./, "");
  if (isUnion(schema)) return schema.map(typeText).join(" or ");
  const { type, name, symbols, items, values, logicalType } = schema;
  if (symbols !== undefined) return `${name ?? "enum"}: ${symbols.join(", ")}`;
  if (items !== undefined) return `list of ${splitUnion(items).kinds.map(nameText).join(" or ")}`;
  if (values !== undefined) return `map of ${splitUnion(values).kinds.map(nameText).join(" or ")}`;
  return name ?? (logicalType === undefined ? typeText(type) : `${logicalType} (${typeText(type)})`);
}

/** Inside a list only the name: its fields follow. */
function nameText(schema: Schema): string {
  return typeof schema === "string" || isUnion(schema) ? typeText(schema) : (schema.name ?? typeText(schema));
}

function textOf(schema: Schema | undefined): string {
  return schema === undefined || typeof schema === "string" || isUnion(schema) ? "" : (schema.doc ?? "");
}
