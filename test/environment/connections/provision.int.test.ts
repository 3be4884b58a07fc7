// Provisioning as an operator runs it: the command line as a process, on real servers.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProvisionPlan } from "@sluice/process/provision";
import { openFolders } from "@sluice/connection/folder.fixture";
import { expect, test } from "vitest";
import { projectRoot } from "../run-program.ts";

const { folder } = openFolders();

const local = readFileSync(join(projectRoot, "infra", "local", "sluice.yaml"), "utf8").replace(/^topics: .*$/mu, "");
const database = `provision_${process.pid}`;
const oneBroker = "\ntopics: { replication: 1, minInsync: 1 }\n";

async function run(topics: string, ...options: readonly string[]) {
  const { write } = await folder();
  const file = await write("sluice.yaml", `${local}${topics}`);
  const words = [join(projectRoot, "packages", "cli", "main.ts"), "provision", "--config", file, ...options];
  return await new Promise<{ readonly code: number; readonly out: string; readonly error: string }>((resolve) => {
    execFile(process.execPath, words, { env: { ...process.env, SLUICE_DATABASE: database } }, (failure, out, error) => {
      resolve({ code: typeof failure?.code === "number" ? failure.code : 0, out, error });
    });
  });
}

test("what is missing is named, then created, and then everything is there", async () => {
  const before = await run(oneBroker, "--check", "--json");
  const plan: ProvisionPlan = JSON.parse(before.out);
  expect(before.code).toBe(1);
  expect(plan.missing.indexes).toContain("deliveries: compare-and-set");
  expect((await run(oneBroker, "--plan")).code).toBe(0);
  // Other tests use the same broker and registry; the database is this test's own.
  const again: ProvisionPlan = JSON.parse((await run(oneBroker, "--check", "--json")).out);
  expect(again.missing.indexes).toEqual(plan.missing.indexes);
  const made = await run(oneBroker);
  expect([made.code, made.out]).toEqual([0, expect.stringContaining("created: index deliveries: compare-and-set")]);
  expect(await run(oneBroker, "--check")).toMatchObject({ code: 0, out: "everything is there, as the configuration says\n" });
});

test("I1: a topic with fewer copies than configured is named by the check, and refused", async () => {
  await run(oneBroker);
  const checked = await run("\ntopics: { replication: 3, retention: { receipts: 10d } }\n", "--check");
  expect(checked.code).toBe(1);
  expect(checked.out).toContain("differs, and must not: topic sluice.journal.v1: replication is 1, configured 3");
  expect(checked.out).toContain("differs: topic sluice.receipts.v1: retention.ms is 3628800000, configured 864000000");
  const refused = await run("\ntopics: { replication: 3 }\n");
  expect(refused.code).toBe(1);
  expect(refused.error).toContain("topics would break order or lose money");
});
