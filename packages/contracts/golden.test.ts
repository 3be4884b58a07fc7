import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deliveryBodies, eventBodies, goldenBodies } from "./given-bodies.ts";
import { misfitOf } from "./given-json-schema.ts";
import { expectedOf, readGolden } from "./golden.ts";
import type { GoldenSample, Said } from "./golden.ts";
import { avroType } from "./avro-types.ts";
import { messageSchemas } from "./message-schemas.ts";
import { parsed } from "./given-json.ts";

const root = join(import.meta.dirname, "..", "..");
const versions = join(root, "avro", "versions");
const madeBy = "made by node tools/generate-golden.ts";

interface Version {
  readonly record: string;
  readonly number: number;
}

function versionsOf(record: string): readonly string[] {
  const count = readdirSync(join(versions, record)).length;
  return Array.from({ length: count }, (_, index) => readFileSync(join(versions, record, `${index + 1}.avsc`), "utf8"));
}

const records = readdirSync(versions, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const allVersions = records.flatMap((record) => versionsOf(record).map((_, index): Version => ({ record, number: index + 1 })));

function goldenPath({ record, number }: Version): string {
  return join(root, "avro", "golden", record, `${number}.json`);
}

function samplesOf(version: Version): readonly GoldenSample[] {
  const samples: readonly GoldenSample[] = JSON.parse(readFileSync(goldenPath(version), "utf8"));
  return samples;
}

test(`every version of every record has its golden file, ${madeBy}, and there is no other`, () => {
  expect(allVersions.filter((version) => !existsSync(goldenPath(version)))).toEqual([]);
  const found = readdirSync(join(root, "avro", "golden"), { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".json"));
  expect(found.toSorted()).toEqual(allVersions.map(({ record, number }) => join(record, `${number}.json`)).toSorted());
});

test.each(allVersions)("what version $number of $record wrote says the same to every later reader", (version) => {
  const texts = versionsOf(version.record);
  const writer = texts[version.number - 1] ?? "";
  const samples = samplesOf(version);
  expect(samples.map(({ what }) => what)).toEqual(["every member", "no optional member"]);
  for (const sample of samples) {
    for (const reader of texts.slice(version.number - 1)) {
      expect(readGolden(sample, writer, reader)).toEqual(expectedOf(sample.says, reader));
    }
    expect(readGolden(sample, writer, writer)).toEqual(sample.says);
  }
});

test("a golden file holds exactly the bytes that its version writes of what they say, and every text in it is another", () => {
  for (const version of allVersions) {
    const type = avroType(versionsOf(version.record)[version.number - 1] ?? "");
    for (const { avro, says } of samplesOf(version)) {
      expect(Buffer.from(type.toBuffer(type.fromBuffer(Buffer.from(avro, "hex")))).toString("hex")).toBe(avro);
      const texts = textsIn(says);
      expect([version, new Set(texts).size]).toEqual([version, texts.length]);
    }
  }
});

function textsIn(said: Said): readonly string[] {
  if (typeof said === "string") return said === said.toUpperCase() ? [] : [said];
  return typeof said === "object" && said !== null ? Object.values(said).flatMap(textsIn) : [];
}

test("a reader that takes one member for another would be seen", () => {
  const [sample] = samplesOf({ record: "release", number: 1 });
  const writer = versionsOf("release")[0] ?? "";
  const swapped = writer
    .replace('"name": "scheme"', '"name": "x"')
    .replace('"name": "bank"', '"name": "scheme"')
    .replace('"name": "x"', '"name": "bank"');
  if (sample === undefined) throw new Error("no sample");
  expect(readGolden(sample, swapped, writer)).not.toEqual(sample.says);
});

describe("bodies that leave", () => {
  const folder = join(import.meta.dirname, "golden");
  const bodies = goldenBodies();

  test(`each has its golden file, ${madeBy}, and there is no other`, () => {
    expect(readdirSync(folder).toSorted()).toEqual(bodies.map(({ name }) => `${name}.json`).toSorted());
  });

  test.each(bodies)("I3: $name is made with the same bytes as when it was committed", ({ name, body }) => {
    expect(new TextDecoder().decode(body)).toBe(readFileSync(join(folder, `${name}.json`), "utf8"));
  });

  test.each([...deliveryBodies(), ...eventBodies()])("$name fits the published schema of $schema", ({ schema, body }) => {
    expect(misfitOf(schema, body)).toBeNull();
    expect(messageSchemas[schema].safeParse(parsed(body)).error).toBeUndefined();
  });
});
