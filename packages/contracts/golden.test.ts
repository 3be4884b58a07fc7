import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deliveryBodies, eventBodies, goldenBodies } from "./messages/render/sample-bodies.ts";
import { findSchemaMisfit } from "./messages/read/json-schema.fixture.ts";
import { expectReading, type GoldenSample, type GoldenValue, readGolden } from "./wire/golden-records.ts";
import { avroType } from "./wire/avro-types.ts";
import { messageSchemas } from "./messages/read/message-schemas.ts";
import { parseSample } from "./messages/json/json.fixture.ts";

const root = join(import.meta.dirname, "..", "..");
const versions = join(root, "avro", "versions");
const madeBy = "made by ./sluice generate";

interface Version {
  readonly record: string;
  readonly number: number;
}

function listVersions(record: string): readonly string[] {
  const count = readdirSync(join(versions, record)).length;
  return Array.from({ length: count }, (_, index) => readFileSync(join(versions, record, `${index + 1}.avsc`), "utf8"));
}

const records = readdirSync(versions, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const allVersions = records.flatMap((record) => listVersions(record).map((_, index): Version => ({ record, number: index + 1 })));

function goldenPath({ record, number }: Version): string {
  return join(root, "avro", "golden", record, `${number}.json`);
}

function readSamples(version: Version): readonly GoldenSample[] {
  const samples: readonly GoldenSample[] = JSON.parse(readFileSync(goldenPath(version), "utf8"));
  return samples;
}

test(`every version of every record has its golden file, ${madeBy}, and there is no other`, () => {
  expect(allVersions.filter((version) => !existsSync(goldenPath(version)))).toEqual([]);
  const found = readdirSync(join(root, "avro", "golden"), { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".json"));
  expect(found.toSorted()).toEqual(allVersions.map(({ record, number }) => join(record, `${number}.json`)).toSorted());
});

test.each(allVersions)("later readers read the same values from what version $number of $record wrote", (version) => {
  const texts = listVersions(version.record);
  const writer = texts[version.number - 1] ?? "";
  const samples = readSamples(version);
  expect(samples.map(({ what }) => what)).toEqual(["every member", "no optional member"]);
  for (const sample of samples) {
    for (const reader of texts.slice(version.number - 1)) {
      expect(readGolden(sample, writer, reader)).toEqual(expectReading(sample.says, reader));
    }
    expect(readGolden(sample, writer, writer)).toEqual(sample.says);
  }
});

test("a golden file holds exactly the bytes that its version writes, and every text in it is unique", () => {
  for (const version of allVersions) {
    const type = avroType(listVersions(version.record)[version.number - 1] ?? "");
    for (const { avro, says } of readSamples(version)) {
      expect(Buffer.from(type.toBuffer(type.fromBuffer(Buffer.from(avro, "hex")))).toString("hex")).toBe(avro);
      const texts = collectTexts(says);
      expect([version, new Set(texts).size]).toEqual([version, texts.length]);
    }
  }
});

function collectTexts(said: GoldenValue): readonly string[] {
  if (typeof said === "string") return said === said.toUpperCase() ? [] : [said];
  return typeof said === "object" && said !== null ? Object.values(said).flatMap(collectTexts) : [];
}

test("a reader that swaps two members is noticed", () => {
  const [sample] = readSamples({ record: "release", number: 1 });
  const writer = listVersions("release")[0] ?? "";
  const swapped = writer
    .replace('"name": "scheme"', '"name": "x"')
    .replace('"name": "bank"', '"name": "scheme"')
    .replace('"name": "x"', '"name": "bank"');
  if (sample === undefined) throw new Error("no sample");
  expect(readGolden(sample, swapped, writer)).not.toEqual(sample.says);
});

describe("outgoing bodies", () => {
  const folder = join(import.meta.dirname, "golden");
  const bodies = goldenBodies();

  test(`each has its golden file, ${madeBy}, and there is no other`, () => {
    expect(readdirSync(folder).toSorted()).toEqual(bodies.map(({ name }) => `${name}.json`).toSorted());
  });

  test.each(bodies)("I3: $name is rendered with the bytes of its golden file", ({ name, body }) => {
    expect(new TextDecoder().decode(body)).toBe(readFileSync(join(folder, `${name}.json`), "utf8"));
  });

  test.each([...deliveryBodies(), ...eventBodies()])("$name fits the published schema of $schema", ({ schema, body }) => {
    expect(findSchemaMisfit(schema, body)).toBeNull();
    expect(messageSchemas[schema].safeParse(parseSample(body)).error).toBeUndefined();
  });
});
