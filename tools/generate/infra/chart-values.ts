// The table of the chart's values in its README, from `values.yaml` (defaults and comments) and `values.schema.json`
// (what may be).
//
// #1 What the services share is one row, with the default of the first service and those that differ from it.
// #2 An example that is commented out is no meaning: only the last paragraph above a value counts.

import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from "yaml";

export interface ValueSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
}

interface Row {
  readonly path: string;
  readonly value: unknown;
  /** Services with another default, and that default. */
  readonly others: readonly (readonly [string, unknown])[];
  readonly schema: ValueSchema;
  readonly meaning: string;
}

const servicesKey = "services";
const kinds: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "`true`, `false`",
  integer: "a whole number",
  object: "a map",
  string: "a text",
};

/** Throws where a value has no schema. */
export function describeValues(text: string, schema: ValueSchema): string {
  const document = parseDocument(text, { merge: true });
  const rows = isMap(document.contents) ? listRows("", document.contents, document.toJS(), schema) : [];
  const lines = rows.map((row) => `| \`${row.path}\` | ${describeDefault(row)} | ${describeSchema(row.schema)} | ${row.meaning} |\n`);
  return `| value | default | may be | meaning |\n| --- | --- | --- | --- |\n${lines.join("")}`;
}

function listRows(path: string, map: YAMLMap, values: unknown, { properties = {} }: ValueSchema): readonly Row[] {
  return map.items.flatMap((pair, index): readonly Row[] => {
    const name = keyOf(pair);
    const at = path === "" ? name : `${path}.${name}`;
    const schema = properties[name];
    if (schema === undefined) throw new Error(`${at} is in values.yaml, and not in values.schema.json`);
    const value = memberOf(values, name);
    // The parser gives a comment above the first member to the map.
    const comment = (path !== "" && index === 0 ? map.commentBefore : null) ?? commentAbove(pair);
    const row: Row = { path: at, value, others: [], schema, meaning: lastParagraph(comment) };
    if (schema.properties === undefined || !isMap(pair.value)) return [row];
    return [row, ...(at === servicesKey ? listServiceRows(pair.value, value, schema) : listRows(at, pair.value, value, schema))];
  });
}

/** #1 */
function listServiceRows(map: YAMLMap, values: unknown, { properties = {} }: ValueSchema): readonly Row[] {
  const [first, ...others] = map.items;
  const schema = first === undefined ? undefined : properties[keyOf(first)];
  if (first === undefined || schema === undefined || !isMap(first.value)) return [];
  return listRows(`${servicesKey}.SERVICE`, first.value, memberOf(values, keyOf(first)), schema).map((row) => {
    const name = row.path.slice(row.path.lastIndexOf(".") + 1);
    const found = others.map(keyOf).map((other) => [other, memberOf(memberOf(values, other), name)] as const);
    return { ...row, others: found.filter(([, value]) => JSON.stringify(value) !== JSON.stringify(row.value)) };
  });
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : "";
}

function commentAbove({ key }: Pair): string {
  return (isScalar(key) ? key.commentBefore : null) ?? "";
}

/** #2 */
function lastParagraph(comment: string): string {
  const paragraph = comment.split(/\n\s*\n/).at(-1) ?? "";
  return paragraph.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").trim();
}

function memberOf(values: unknown, name: string): unknown {
  return hasMembers(values) ? values[name] : undefined;
}

function hasMembers(values: unknown): values is Readonly<Record<string, unknown>> {
  return typeof values === "object" && values !== null;
}

function describeDefault({ value, others, schema }: Row): string {
  if (schema.properties !== undefined) return "";
  return [`\`${JSON.stringify(value)}\``, ...others.map(([service, other]) => `${service} \`${JSON.stringify(other)}\``)].join("; ");
}

function describeSchema({ type = "", enum: all, minimum, maximum, maxItems, properties }: ValueSchema): string {
  if (properties !== undefined) return "";
  if (all !== undefined) return all.map((one) => `\`${JSON.stringify(one)}\``).join(", ");
  const range = minimum === undefined && maximum === undefined ? "" : `, ${minimum ?? "…"} to ${maximum ?? "…"}`;
  return `${kinds[type] ?? type}${range}${maxItems === undefined ? "" : ` of at most ${maxItems}`}`;
}
