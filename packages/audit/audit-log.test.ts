import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { openAudit } from "./audit.fixture.ts";
import { sentTogetherMax, waitingMax } from "./audit-log.ts";
import { hashEntry } from "./entry.ts";

test("each process has a chain of its own: numbers without a gap, each with the hash of the one before it [D10.61]", async () => {
  const audit = await openAudit();
  const [ingress, console] = [audit.open("ingress"), audit.open("console")];
  for (let number = 0; number < sentTogetherMax + 5; number += 1) {
    ingress.note("sign-in", { number });
    console.note("read", { number });
  }
  await audit.time.advance(1_000);
  const entries = audit.records().flatMap(({ name, value }) => (name === "AuditEntry" ? [value] : []));
  expect(entries).toHaveLength(2 * (sentTogetherMax + 5));
  for (const [chain, own] of Map.groupBy(entries, ({ chain: of }) => of)) {
    expect(chain).toMatch(/^(ingress|console)-[0-9a-f]{12}$/);
    expect(own.map(({ sequence }) => sequence)).toEqual(own.map((_, index) => BigInt(index + 1)));
    expect(own.map(({ previousSha256 }) => previousSha256)).toEqual(["", ...own.slice(0, -1).map(hashEntry)]);
  }
});

test("I15: while the topic cannot be written a bounded number of entries waits, and what is lost is an entry itself", async () => {
  const audit = await openAudit();
  const log = audit.open("ingress");
  audit.messaging.setBroker(false);
  for (let number = 0; number < waitingMax + 30; number += 1) log.note("refused", { number });
  await audit.time.advance(30_000);
  expect(audit.records()).toEqual([]);
  expect(audit.lines).toContain("audit.not-written");
  audit.messaging.setBroker(true);
  await audit.time.advance(30_000);
  log.note("sign-in", {});
  await audit.time.advance(1_000);
  const entries = audit.records().flatMap(({ name, value }) => (name === "AuditEntry" ? [value] : []));
  const distinct = [...new Map(entries.map((entry) => [entry.sequence, entry])).values()];
  expect(distinct).toHaveLength(waitingMax + 2);
  expect(distinct.slice(-2).map(({ kind, content }) => [kind, content])).toEqual([
    ["lost", '{"count":30}'],
    ["sign-in", "{}"],
  ]);
});

test("an entry that must be there is answered true once the broker has it, and false within two seconds", async () => {
  const audit = await openAudit();
  const log = audit.open("console");
  expect(await audit.settled(log.record("decision", {}))).toBe(true);
  expect(audit.messaging.records({ topic: topics.audit, partition: 0 }).length + audit.records().length).toBeGreaterThan(0);
  audit.messaging.setBroker(false);
  const fromMs = audit.time.nowMs();
  expect(await audit.settled(log.record("decision", {}))).toBe(false);
  expect(audit.time.nowMs() - fromMs).toBeLessThanOrEqual(2_000);
});

test("a process that stops says so, and a stop ends although the topic cannot be written", async () => {
  const audit = await openAudit();
  const [first, second] = [audit.open("console"), audit.open("console")];
  await audit.settled(first.stop());
  expect(audit.records().map(({ value }) => ("kind" in value ? value.kind : ""))).toEqual(["stopped"]);
  audit.messaging.setBroker(false);
  const fromMs = audit.time.nowMs();
  await audit.settled(second.stop());
  expect(audit.time.nowMs() - fromMs).toBeLessThan(15_000);
});

test("a content beyond its bounds is cut", async () => {
  const audit = await openAudit();
  const log = audit.open("console");
  log.note("read", { long: "a".repeat(5_000), list: Array.from({ length: 150 }, (_, index) => `t${index}`) });
  await audit.time.advance(1_000);
  const [record] = audit.records();
  const content: { long: string; list: string[] } = JSON.parse(record?.name === "AuditEntry" ? record.value.content : "{}");
  expect([content.long.length, content.list.length, content.list.at(-1)]).toEqual([256, 101, "and 50 more"]);
});
