// The page on retention, held to the topics that provisioning creates, to the collections, and to the configuration.

import { readFileSync } from "node:fs";
import { buildTopicSpecs } from "@sluice/messaging";
import { stoppedKeptMs } from "@sluice/delivery";
import { storeCollections } from "@sluice/store/rights";
import { expect, test } from "vitest";

const page = readFileSync(new URL("../../../docs/retention.md", import.meta.url), "utf8");
const tables = page.split("## Collections");
const dayMs = 86_400_000;

function readRows(text = ""): readonly (readonly string[])[] {
  return [...text.matchAll(/^\| (`[^|]+) \|(.*)\|$/gm)].map(([, name = "", rest = ""]) => [
    name,
    ...rest.split("|").map((cell) => cell.trim()),
  ]);
}

function formatKept(config: Readonly<Record<string, string>>): string {
  const keptMs = Number(config["retention.ms"]);
  if (config["cleanup.policy"] === "compact") return "the newest of each key, for ever";
  if (keptMs < 0) return "for ever";
  return keptMs % dayMs === 0 ? `${keptMs / dayMs} days` : `${keptMs / 3_600_000} hour`;
}

test("every topic is there, with what provisioning creates and the member that changes it", () => {
  const retentionMs = { dispatch: 1, events: 2, analytics: 3, receipts: 4, deadLetters: 5 };
  const standard = buildTopicSpecs({ partitionCount: 1, replication: 1, minInsync: 1 });
  const changed = buildTopicSpecs({ partitionCount: 1, replication: 1, minInsync: 1, retentionMs });
  const rows = standard.map(({ topic, config }, index) => {
    const keptMs = Number(changed[index]?.config["retention.ms"]);
    const [member] = Object.entries(retentionMs).find(([, one]) => one === keptMs) ?? [];
    return [`\`${topic}\``, formatKept(config), member === undefined ? "" : `\`${member}\``];
  });
  const found = readRows(tables[0]);
  expect(found.map((row) => row.slice(0, 3))).toEqual(rows);
  expect(found.filter((row) => row[3] === "")).toEqual([]);
});

test("every collection is there, with who takes away what is in it", () => {
  const found = readRows(tables[1]);
  const names = storeCollections.map((name) => (name === "builds" ? "`transactions_1`, …" : `\`${name}\``));
  expect(found.map(([name]) => name)).toEqual(names);
  expect(found.filter((row) => row.some((cell) => cell === ""))).toEqual([]);
  expect(page).toContain(`a stopped one ${stoppedKeptMs / 60_000} minutes more`);
});
