import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { buildConfigSchema, configSchemaFile, generateConfigSchema } from "../generate-schema.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const text = (path: string): string => readFileSync(join(root, path), "utf8");
const sample = text("packages/config/sluice.sample.yaml");
// A JSON Schema validator, made from the generated document.
const schema = buildConfigSchema();
const reader = z.fromJSONSchema(JSON.parse(schema));
const isTaken = (yaml: string): boolean => reader.safeParse(parse(yaml)).success;

test("the schema for editors is written into a folder that is not there yet", () => {
  const copy = mkdtempSync(join(tmpdir(), "sluice-schema-"));
  try {
    generateConfigSchema(copy);
    expect(readFileSync(join(copy, configSchemaFile), "utf8")).toBe(schema);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

const files = ["packages/config/sluice.sample.yaml", "infra/local/sluice.yaml"];

test.each(files)("%s is valid under the schema, and names it in its first line", (file) => {
  expect(isTaken(text(file))).toBe(true);
  const [, named = ""] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text(file)) ?? [];
  expect(join(dirname(file), named)).toBe(configSchemaFile);
});

test.each([
  ["a member that nobody knows", "onNonWorkingDay: refuse", "onNonWorkingDays: refuse"],
  ["a value that is none", "onNonWorkingDay: refuse", "onNonWorkingDay: maybe"],
  ["an amount that YAML makes a double of", 'amount: "5000000.00"', "amount: 5000000.00"],
  ["a secret in the file", "${FIRST_BANK_BEARER_TOKEN}", "shouted"],
  ["a signing key in the file", "${FIRST_BANK_SIGNING_SECRET}", "whsec_shouted"],
  ["an address that is none", "baseUrl: ${FIRST_BANK_URL}", "baseUrl: ftp://first"],
  ["a duration without a unit", "cutOff: 15m", "cutOff: 15"],
  ["a local time that is none", 'opens: "08:00"', 'opens: "8:00"'],
  ["a number beyond its bounds", "carryOversMax: 1", "carryOversMax: 6"],
  ["an operator without a role", "roles: [read, act]", "roles: []"],
  ["a rule of holidays without its name", "{ name: Spring Day, weekday", "{ weekday"],
])("an editor marks %s", (_, from, to) => {
  expect(sample).toContain(from);
  expect(isTaken(sample.replace(from, to))).toBe(false);
});

test("a text of a fixed form may come from the environment", () => {
  expect(isTaken(sample.replace("eventShape: full", "eventShape: ${EVENT_SHAPE}"))).toBe(true);
  expect(isTaken(sample.replace("eventShape: full", "eventShape: $EVENT_SHAPE"))).toBe(false);
});

test("members are described by the sample's comments", () => {
  const { properties } = JSON.parse(schema) as {
    readonly properties: Readonly<Record<string, { readonly description?: string }>>;
  };
  expect(Object.entries(properties).flatMap(([name, member]) => (member.description === undefined ? [name] : []))).toEqual([]);
  expect(schema).toContain("Debits released and not yet acknowledged. 256");
});
