// What a body costs to read is bounded by its bytes, also if it is made to cost much (I14, I15).

import * as z from "zod";
import { describe, expect, test } from "vitest";
import { encodeJson, changeMember, jsonNumber, readSample, readSampleBytes } from "../json/json.fixture.ts";
import { jsonValuesMax, type Json, type PathPart } from "../json/json.ts";
import { messageSchemas } from "./message-schemas.ts";
import { readDirectDebit } from "./read-direct-debit.ts";

const bodyBytesMax = 256 * 1024;
const debit = readSample("outbound-direct-debit.json");
const many = (item: Json, count = 86_000): Json => Array.from({ length: count }, () => item);
const members = (count: number, value: Json): Json =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index.toString(36)}`, value]));
const one = jsonNumber("1");

function bodyWith(path: string, value: Json): Uint8Array {
  const parts: PathPart[] = path === "" ? [] : path.split("/");
  return encodeJson(changeMember(debit, parts, value));
}

/** Returns the fastest of several readings in milliseconds, so that a pause of the machine does not count. */
function fastestMs(read: () => unknown): number {
  const times = Array.from({ length: 40 }, () => {
    const startedMs = performance.now();
    read();
    return performance.now() - startedMs;
  });
  return Math.min(...times);
}

describe("I14: a body of 256 KiB that is made to cost much costs at most as much as sixty good ones of 2 KiB [D10.25]", () => {
  test.each<[string, string, Json]>([
    ["identifiers without members", "creditor/identification", { schema: "PERSON", identifiers: many({}, 86_000) }],
    ["identifiers within the number of values", "creditor/identification", { schema: "PERSON", identifiers: many({}, 4_000) }],
    ["numbers instead of texts", "remittanceInformation", { unstructured: many(one) }],
    ["empty remittances", "remittanceInformation", { structured: many({}) }],
    ["remittances with an unknown member", "remittanceInformation", { structured: many({ a: one }, 29_000) }],
    ["documents of documents", "remittanceInformation", { structured: many({ referredDocuments: many({}, 2_000) }, 40) }],
    ["pairs of numbers", "supplementaryData", members(23_000, one)],
    ["pairs of numbers within the number of values", "supplementaryData", members(4_000, one)],
    ["agents", "intermediaryAgents", many({})],
    ["levels of service", "paymentTypeInformation", { serviceLevel: many({}) }],
    ["lists in lists", "purpose", many([])],
    ["unknown members", "debtor/address", members(23_000, one)],
  ])("%s", (_name, path, value) => {
    const body = bodyWith(path, value);
    expect(body.byteLength).toBeLessThanOrEqual(bodyBytesMax);
    expect(readDirectDebit(body)).toMatchObject({ ok: false, status: 400 });
    const good = readSampleBytes("outbound-direct-debit.json");
    // Sixty have fewer than half of the body's bytes. It was thirty, until a good one cost half of what it did.
    const sixtyGoodMs = fastestMs(() => {
      for (let count = 0; count < 60; count += 1) readDirectDebit(good);
    });
    expect(fastestMs(() => readDirectDebit(body))).toBeLessThan(sixtyGoodMs);
  });
});

describe("I15: every list of a message has a published bound [D5.42] [D5.43] [D5.44]", () => {
  test.each(["DirectDebit", "PaymentStatusReport", "CreditTransfer"] as const)("%s", (name) => {
    const lists: object[] = [];
    const collect = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      if ("type" in value && value.type === "array") lists.push(value);
      Object.values(value).forEach(collect);
    };
    collect(z.toJSONSchema(messageSchemas[name], { io: "input" }));
    expect(lists.length).toBeGreaterThan(1);
    for (const list of lists) expect(list).toHaveProperty("maxItems");
  });

  test.each(["DirectDebit", "PaymentStatusReport", "CreditTransfer"] as const)(
    "a %s with every list at its bound is within the number of values that a body may have",
    (name) => {
      const fullest = valuesMax(z.toJSONSchema(messageSchemas[name], { io: "input" }));
      expect(fullest).toBeGreaterThan(100);
      expect(fullest).toBeLessThanOrEqual(jsonValuesMax);
    },
  );
});

/** Counts the values of the fullest JSON that fits the schema. */
function valuesMax(root: z.core.JSONSchema.BaseSchema): number {
  const count = (schema: z.core.JSONSchema._JSONSchema): number => {
    if (typeof schema === "boolean") return 1;
    if (schema.$ref !== undefined) return count(root.$defs?.[schema.$ref.slice("#/$defs/".length)] ?? false);
    const branches = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].map(count);
    const own = Object.values(schema.properties ?? {}).reduce((sum, member) => sum + count(member), 1);
    const entry = Array.isArray(schema.items) || schema.items === undefined ? 0 : count(schema.items);
    return Math.max(own + entry * (schema.maxItems ?? 0) + (schema.maxProperties ?? 0), ...branches);
  };
  return count(root);
}
