// What each member means: the docs of the Avro schemas, which have one for every field, put where a JSON Schema says
// nothing itself, or less.

import { schemaVersions, type RecordName } from "@sluice/contracts";
import type { JsonSchema } from "./json-schemas.ts";

interface AvroField {
  readonly name: string;
  readonly type: unknown;
  readonly doc: string;
}
interface AvroRecord {
  readonly name: string;
  readonly fields: readonly AvroField[];
}

/** Shapes whose records have another name. */
const recordNames: Readonly<Record<string, string>> = {
  CreditTransferPaymentScheme: "CreditPaymentScheme",
  DirectDebitPaymentScheme: "PaymentScheme",
  GenericAccount: "AccountIdentification",
  IbanAccount: "AccountIdentification",
  InstitutionIdentification: "Institution",
  MandateInformation: "Mandate",
  PaymentStatusReportPaymentScheme: "PaymentScheme",
};

const sources: readonly RecordName[] = ["DirectDebitReceived", "CreditTransferReceived", "StatusReportReceived"];
const records = new Map(
  sources.flatMap((name) => recordsIn(JSON.parse(schemaVersions[name].at(-1) ?? "{}"))).map((one) => [one.name, one]),
);

/** The schema of a shape, each member with a description. */
export function described(shape: string, schema: JsonSchema): JsonSchema {
  return withDocs(schema, records.get(recordNames[shape] ?? shape));
}

function withDocs(schema: JsonSchema, record: AvroRecord | undefined): JsonSchema {
  const properties: unknown = schema["properties"];
  if (!isObject(properties)) return schema;
  const told = Object.entries(properties).map(([name, member]) => [name, memberWithDoc(name, member, record)]);
  return { ...schema, properties: Object.fromEntries(told) };
}

function memberWithDoc(name: string, member: unknown, record: AvroRecord | undefined): unknown {
  if (!isObject(member)) return member;
  const field = record?.fields.find((one) => one.name === name);
  const inner = field === undefined ? undefined : (recordsIn(field.type)[0] ?? namedIn(field.type));
  const items = member["items"];
  const nested = isObject(items) ? { ...member, items: withDocs(items, inner) } : withDocs(member, inner);
  const doc = field?.doc ?? (name === "schema" ? "Names the shape." : undefined);
  const said = [nested["description"], doc === undefined ? undefined : wordsOf(doc)].filter((text) => typeof text === "string");
  const [longest] = said.toSorted((a, b) => b.length - a.length);
  return longest === undefined ? nested : { ...nested, description: longest };
}

/** Without what is said of Avro alone. */
function wordsOf(doc: string): string {
  return doc
    .replace(/(?:Each: )?Kept as its JSON token: .*$/, "A string or a number; it is passed on as it came.")
    .replace(/; an empty legal name was left out/, "");
}

/** Every record within an Avro type, the outermost first. */
function recordsIn(type: unknown): readonly AvroRecord[] {
  if (Array.isArray(type)) return type.flatMap(recordsIn);
  if (!isObject(type)) return [];
  if (isRecord(type)) return [type, ...type.fields.flatMap((field) => recordsIn(field.type))];
  return [...recordsIn(type["type"]), ...recordsIn(type["items"])];
}

/** A record referred to by its name. */
function namedIn(type: unknown): AvroRecord | undefined {
  if (typeof type === "string") return records.get(type);
  if (Array.isArray(type)) return type.map(namedIn).find((one) => one !== undefined);
  return isObject(type) ? namedIn(type["items"]) : undefined;
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRecord(type: object): type is AvroRecord {
  return "fields" in type && "name" in type;
}
