// The members of each record that are marked `"personal": true`, as a tree: what a sealed record leaves out in clear.

import { isUnion, type Field, type RecordSchema, type Schema, type Sources } from "./schemas.ts";

type Blank = "null" | "text" | "bytes";
interface Tree {
  readonly [member: string]: Blank | Tree;
}

/** Builds the table of personal members; a record without any is not in it. */
export function personalText(sources: Sources): string {
  const named = new Map(sources.types.map(({ schema }) => [schema.name, schema]));
  const rows = sources.records.flatMap(({ schema }) => {
    const tree = treeOf(schema, named);
    return tree === null ? [] : [`  ${schema.name}: ${JSON.stringify(tree)},`];
  });
  return [
    "/** What stands in clear for a personal member of a sealed record: null, an empty text, or no bytes. */",
    'export type PersonalMembers = { readonly [member: string]: "null" | "text" | "bytes" | PersonalMembers };',
    "",
    "/** The personal members of each record that has any. */",
    "export const personalMembers: Readonly<Partial<Record<RecordName, PersonalMembers>>> = {",
    ...rows,
    "};",
  ].join("\n");
}

function treeOf(record: RecordSchema, named: ReadonlyMap<string, RecordSchema>): Tree | null {
  const members = record.fields.flatMap((field) => {
    const node = field.personal === true ? blankFor(field) : innerTree(field.type, named);
    return node === null ? [] : [[field.name, node] as const];
  });
  return members.length === 0 ? null : Object.fromEntries(members);
}

/** Finds the marked members of a member's own type, also of the items of a list. */
function innerTree(type: Schema, named: ReadonlyMap<string, RecordSchema>): Tree | null {
  if (typeof type === "string") {
    const record = named.get(type);
    return record === undefined ? null : treeOf(record, named);
  }
  if (isUnion(type)) return innerTree(type[1] ?? "null", named);
  return type.type === "array" ? innerTree(type.items, named) : null;
}

function blankFor({ name, type }: Field): Blank {
  if (typeof type !== "string" && isUnion(type)) return "null";
  if (type === "string") return "text";
  if (type === "bytes") return "bytes";
  throw new Error(`${name} is personal: it must be a text, bytes, or a union with null`);
}
