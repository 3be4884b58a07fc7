import { recordMap, schemaVersions } from "@sluice/contracts";
import { buildTopicSpecs } from "@sluice/messaging";
import { describe, expect, test } from "vitest";
import { contractTexts, personalColumns } from "./contract-texts.ts";
import { buildDataContract, listContractTopics } from "./data-contract.ts";

interface Column {
  readonly name: string;
  readonly logicalType: string;
  readonly description: string;
  readonly required: boolean;
  readonly primaryKey?: boolean;
  readonly partitioned?: boolean;
  readonly classification: string;
}
interface Contract {
  readonly apiVersion: string;
  readonly kind: string;
  readonly id: string;
  readonly description: Readonly<Record<string, string>>;
  readonly schema: readonly { readonly name: string; readonly physicalName: string; readonly properties: readonly Column[] }[];
  readonly slaProperties: readonly { readonly property: string; readonly value: number; readonly element?: string }[];
}

function contractOf(topic: string): Contract {
  return JSON.parse(JSON.stringify(buildDataContract(topic)));
}
const topicsRead = listContractTopics();

describe("the data contracts", () => {
  test("are those of the topics that analysts read, and each has its texts [D10.73]", () => {
    expect(topicsRead.toSorted()).toEqual(Object.keys(contractTexts).toSorted());
    expect(topicsRead).toContain("sluice.state-events.v1");
  });

  test.each(topicsRead)("of %s: every field of the schema is a column with its text and its classification", (topic) => {
    const contract = contractOf(topic);
    const record = recordMap.find((use) => use.topic === topic)!.record;
    const { fields }: { readonly fields: readonly { readonly name: string; readonly doc: string; readonly type: unknown }[] } = JSON.parse(
      schemaVersions[record].at(-1)!,
    );
    const [table] = contract.schema;
    expect(table).toMatchObject({ name: record, physicalName: topic });
    expect(table!.properties.map(({ name, description, required }) => [name, description, required])).toEqual(
      fields.map(({ name, doc, type }) => [name, doc, !Array.isArray(type)]),
    );
    for (const { name, classification } of table!.properties)
      expect(classification).toBe(personalColumns.has(name) ? "personal" : "internal");
    expect(contract).toMatchObject({ apiVersion: "v3.1.0", kind: "DataContract", id: `urn:sluice:data-contract:${topic}` });
  });

  test.each(topicsRead)("of %s: key, version, partition and time are columns of fitting types", (topic) => {
    const { key, version, partitionedBy, happenedAt } = contractTexts[topic]!;
    const columns = new Map(contractOf(topic).schema[0]!.properties.map((column) => [column.name, column]));
    for (const name of key) expect(columns.get(name)).toMatchObject({ primaryKey: true, required: true });
    const typeOf = (name: string | null): string | null => (name === null ? null : (columns.get(name)?.logicalType ?? "absent"));
    expect([null, "integer", "timestamp"]).toContain(typeOf(version));
    expect([null, "date"]).toContain(typeOf(partitionedBy));
    expect([null, "timestamp"]).toContain(typeOf(happenedAt));
    const partitions = [...columns.values()].filter((column) => column.partitioned === true).map(({ name }) => name);
    expect(partitions).toEqual(partitionedBy === null ? [] : [partitionedBy]);
  });

  test.each(topicsRead)("of %s: the retention is that of the topic, and repeats are said in the first lines", (topic) => {
    const { slaProperties, description } = contractOf(topic);
    const spec = buildTopicSpecs({ partitionCount: 12, replication: 3, minInsync: 2 }).find((one) => one.topic === topic)!;
    const days = Number(spec.config["retention.ms"]) / 86_400_000;
    expect(slaProperties.find(({ property }) => property === "retention")?.value).toBe(days < 0 ? 36_500 : days);
    expect(description["usage"]).toMatch(/^Keep (one|of each) /);
    expect(description["limitations"]).toContain("At least once");
  });
});
