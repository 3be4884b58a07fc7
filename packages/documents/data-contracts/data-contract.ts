// Builds the data contract of each topic that analysts read, in the form of the Open Data Contract Standard 3.1: from
// the newest Avro schema, the topic's settings and `contract-texts.ts`.

import { recordMap, type RecordName, schemaVersions } from "@sluice/contracts";
import { partitionCountDefault } from "@sluice/contracts/topics";
import { assert } from "@sluice/kernel";
import { buildTopicSpecs } from "@sluice/messaging";
import { documentVersion } from "../openapi/openapi.ts";
import { type ContractText, contractTexts, personalColumns } from "./contract-texts.ts";

type Part = Readonly<Record<string, unknown>>;
type AvroType = string | readonly AvroType[] | AvroPart;
interface AvroPart {
  readonly type: AvroType;
  readonly logicalType?: string;
  readonly precision?: number;
  readonly scale?: number;
  readonly items?: AvroType;
  readonly fields?: readonly AvroField[];
}
interface AvroField {
  readonly name: string;
  readonly type: AvroType;
  readonly doc: string;
}

/** Seconds within which a record is there after what it says has happened, while nothing is wrong. */
const latencyMaxSeconds = 60;
const dayMs = 86_400_000;
/** Days that stand for ever: a contract's number is finite. */
const foreverDays = 36_500;

const specs = buildTopicSpecs({ partitionCount: partitionCountDefault, replication: 3, minInsync: 2 });

/** The topics that have a contract, in the order of the record map. */
export function listContractTopics(): readonly string[] {
  return recordMap.filter(({ readBy }) => readBy.some((reader) => reader === "analysts")).map(({ topic }) => topic);
}

export function buildDataContract(topic: string): Part {
  const text = contractTexts[topic];
  const use = recordMap.find((one) => one.topic === topic);
  assert(text !== undefined && use !== undefined, `${topic} has a contract's texts`);
  const { doc, fields }: { readonly doc: string; readonly fields: readonly AvroField[] } = JSON.parse(
    schemaVersions[use.record].at(-1) ?? "{}",
  );
  return {
    apiVersion: "v3.1.0",
    kind: "DataContract",
    id: `urn:sluice:data-contract:${topic}`,
    name: topic,
    version: documentVersion,
    status: "active",
    domain: "payments",
    dataProduct: "sluice",
    description: { purpose: text.purpose, usage: text.usage, limitations: text.limitations },
    servers: [
      { server: "kafka", type: "kafka", host: "{brokers}", format: "avro", description: "The brokers that Sluice is configured with." },
    ],
    schema: [
      {
        name: use.record,
        physicalName: topic,
        physicalType: "topic",
        logicalType: "object",
        description: doc,
        dataGranularityDescription: text.row,
        properties: fields.map((field) => describeColumn(field, text)),
        quality: qualityOf(use.record, text),
      },
    ],
    slaProperties: slaOf(topic, use.record, text),
    team: { name: "sluice", description: "The operators of Sluice own the topic and its contract." },
    customProperties: [
      { property: "subjects", value: `${topic}-value, ${topic}-sluice.${use.record}` },
      { property: "compatibility", value: "FULL_TRANSITIVE" },
      { property: "delivery", value: "at least once" },
    ],
  };
}

function describeColumn({ name, type, doc }: AvroField, text: ContractText | null): Part {
  const isOptional = isUnion(type);
  const keyPosition = text?.key.indexOf(name) ?? -1;
  return {
    name,
    ...describeType(isOptional ? type[1] : type),
    description: doc,
    required: !isOptional,
    ...(keyPosition < 0 ? {} : { primaryKey: true, primaryKeyPosition: keyPosition + 1 }),
    ...(text?.partitionedBy === name ? { partitioned: true, partitionKeyPosition: 1 } : {}),
    classification: personalColumns.has(name) ? "personal" : "internal",
  };
}

/** A union has null and one other type. */
function isUnion(type: AvroType): type is readonly AvroType[] {
  return Array.isArray(type);
}

const plainTypes: Readonly<Record<string, string>> = {
  string: "string",
  int: "integer",
  long: "integer",
  boolean: "boolean",
  bytes: "string",
};

function describeType(type: AvroType | undefined): Part {
  if (typeof type === "string") return { logicalType: plainTypes[type] ?? "string", physicalType: type };
  assert(type !== undefined && !isUnion(type), "a column has one type");
  if (type.logicalType === "decimal") return { logicalType: "number", physicalType: `decimal(${type.precision},${type.scale})` };
  if (type.logicalType === "date") return { logicalType: "date", physicalType: "date" };
  if (type.logicalType === "timestamp-millis") return { logicalType: "timestamp", physicalType: "timestamp-millis" };
  if (type.type === "enum") return { logicalType: "string", physicalType: "enum" };
  if (type.type === "array") {
    const { items } = type;
    return { logicalType: "array", physicalType: "array", items: describeType(items !== undefined && isUnion(items) ? items[1] : items) };
  }
  if (type.type === "record") {
    return { logicalType: "object", physicalType: "record", properties: type.fields?.map((field) => describeColumn(field, null)) ?? [] };
  }
  return describeType(type.type);
}

/** What holds after the view that keeps one record of each key. */
function qualityOf(record: RecordName, { key, version }: ContractText): readonly Part[] {
  const rule = version === null ? "" : `, the one with the highest ${version}`;
  return [
    {
      type: "sql",
      description: `A view that keeps one record of each ${key.join(", ")}${rule}, has no key twice.`,
      query: `SELECT count(*) - count(DISTINCT (${key.join(", ")})) FROM newest_${snakeCase(record)}`,
      mustBe: 0,
    },
  ];
}

function slaOf(topic: string, record: RecordName, { happenedAt }: ContractText): readonly Part[] {
  const config = specs.find((spec) => spec.topic === topic)?.config ?? {};
  const retentionMs = Number(config["retention.ms"]);
  const retention = { property: "retention", value: retentionMs < 0 ? foreverDays : retentionMs / dayMs, unit: "d" };
  if (happenedAt === null) return [retention];
  return [{ property: "latency", value: latencyMaxSeconds, unit: "s", element: `${record}.${happenedAt}` }, retention];
}

function snakeCase(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
}
