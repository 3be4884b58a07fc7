// The lake's tables, views and questions, and the page for analysts, say the same.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readQuestions } from "./questions.ts";
import { lakeTables } from "./tables.ts";
import { connectorSettings, registryApi, workerSettings } from "./worker-settings.ts";

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8");
const page = read("../../docs/analysts.md");
const views = read("views.sql");
const place = {
  kafkaBrokers: "127.0.0.1:9092",
  registryUrl: "http://127.0.0.1:8080/apis/registry/v2",
  restPort: 8083,
  directory: "/tmp/analytics",
  lake: "/tmp/analytics/lake",
  commitIntervalMs: 10_000,
};

test("each topic of the page for analysts is a table, with the partitions that the page names", () => {
  const [, topics = ""] = page.split("## The five topics");
  const named = [...(topics.split("\n## ")[0] ?? "").matchAll(/^\| `(sluice\.[a-z0-9.-]+)` \|/gmu)].map(([, topic = ""]) => topic);
  expect(lakeTables.map(({ topic }) => topic).toSorted()).toEqual(named.toSorted());
  for (const { name, topic } of lakeTables) expect(page).toContain(`| \`${name}\` | \`${topic}\` |`);
});

test("the views of the lake are those that the page for analysts shows", () => {
  const shown = [...page.matchAll(/^create view [^;]+;/gmu)].map(([view]) => view);
  expect(shown).toHaveLength(lakeTables.length);
  for (const view of shown) expect(views).toContain(view);
});

test("there are ten questions, each a text and one statement over the views", () => {
  const questions = readQuestions();
  expect(questions).toHaveLength(10);
  for (const { text, sql } of questions) {
    expect(text).toMatch(/^[A-Z].*\?$/u);
    expect(sql.trim().split(";\n")).toHaveLength(1);
    expect(sql).toMatch(/newest_/u);
  }
});

test("a connector copies one topic into one table, skips nothing, and takes new fields as columns", () => {
  for (const table of lakeTables) {
    expect(connectorSettings(table, place)).toMatchObject({
      topics: table.topic,
      "iceberg.tables": `sluice.${table.name}`,
      "iceberg.tables.default-partition-by": table.partitionBy,
      "iceberg.tables.evolve-schema-enabled": "true",
      "errors.tolerance": "none",
    });
  }
  expect(workerSettings(place)["listeners"]).toBe("http://127.0.0.1:8083");
});

test("the registry's own address follows from the Confluent-compatible one, and another registry is refused", () => {
  expect(registryApi("http://127.0.0.1:8080/apis/ccompat/v7")).toBe("http://127.0.0.1:8080/apis/registry/v2");
  expect(registryApi("http://registry:8081")).toBeNull();
});
