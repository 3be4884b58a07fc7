// Describes members with the docs of the Avro schemas, which have one for every field, where a JSON Schema has no
// description of its own, or a shorter one.

import { schemaVersions, type RecordName } from "@sluice/contracts";

export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

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
  sources.flatMap((name) => listRecords(JSON.parse(schemaVersions[name].at(-1) ?? "{}"))).map((one) => [one.name, one]),
);

/** Returns the schema of a shape with a description for each member. */
export function describeMembers(shape: string, schema: JsonSchema): JsonSchema {
  return withDocs(schema, records.get(recordNames[shape] ?? shape));
}

function withDocs(schema: JsonSchema, record: AvroRecord | undefined): JsonSchema {
  const properties: unknown = schema["properties"];
  if (!isObject(properties)) return schema;
  const documented = Object.entries(properties).map(([name, member]) => [name, memberWithDoc(name, member, record)]);
  return { ...schema, properties: Object.fromEntries(documented) };
}

function memberWithDoc(name: string, member: unknown, record: AvroRecord | undefined): unknown {
  if (!isObject(member)) return member;
  const field = record?.fields.find((one) => one.name === name);
  const inner = field === undefined ? undefined : (listRecords(field.type)[0] ?? findNamed(field.type));
  const items = member["items"];
  const nested = isObject(items) ? { ...member, items: withDocs(items, inner) } : withDocs(member, inner);
  const doc = field?.doc ?? (name === "schema" ? "Names the shape." : undefined);
  const said = [nested["description"], doc === undefined ? undefined : withoutAvroWords(doc)].filter((text) => typeof text === "string");
  const [longest] = said.toSorted((a, b) => b.length - a.length);
  return longest === undefined ? nested : { ...nested, description: longest };
}

/** Leaves out the sentences that are about Avro only. */
function withoutAvroWords(doc: string): string {
  return doc
    .replace(/(?:Each: )?Kept as its JSON token: .*$/, "A string or a number; it is passed on as it came.")
    .replace(/; an empty legal name was left out/, "");
}

/** Lists every record inside an Avro type, the outermost first. */
function listRecords(type: unknown): readonly AvroRecord[] {
  if (Array.isArray(type)) return type.flatMap(listRecords);
  if (!isObject(type)) return [];
  if (isRecord(type)) return [type, ...type.fields.flatMap((field) => listRecords(field.type))];
  return [...listRecords(type["type"]), ...listRecords(type["items"])];
}

/** Finds a record that is referred to by its name. */
function findNamed(type: unknown): AvroRecord | undefined {
  if (typeof type === "string") return records.get(type);
  if (Array.isArray(type)) return type.map(findNamed).find((one) => one !== undefined);
  return isObject(type) ? findNamed(type["items"]) : undefined;
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isRecord(type: object): type is AvroRecord {
  return "fields" in type && "name" in type;
}
