// Rebuilds the store's snapshots from the journal on real servers while messages continue. The rebuilt documents are
// equal, and the services use them from then on.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { checkConservation } from "@sluice/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCases } from "./parties/cases.ts";
import { untilHolds, untilState } from "./recorded/evidence.ts";
import type { E2eCase } from "./parties/flows.ts";
import { openE2eEnvironment, type E2eEnvironment } from "./environment/environment.ts";

const banks = [{ id: "karoo", branch: "250655" }];
const opened = new AsyncDisposableStack();
let environment: E2eEnvironment;
const { caseFor, submit, submitReport } = createCases(() => environment, banks);
const entry = fileURLToPath(new URL("../../services/scheduler/rebuild/main.ts", import.meta.url));

beforeAll(async () => {
  environment = opened.use(await openE2eEnvironment(banks, "bank"));
});
afterAll(() => opened.disposeAsync());

interface PartitionLine {
  readonly partition: number;
  readonly documents: number;
  readonly differencesCount: number;
  readonly differences: readonly { readonly key: string; readonly what: string }[];
  readonly isSwitched: boolean;
  readonly build: number;
}

async function rebuild(
  ...flags: readonly string[]
): Promise<{ readonly code: number | null; readonly partitions: readonly PartitionLine[] }> {
  const child = spawn(process.execPath, [entry, ...flags], {
    env: { ...process.env, ...environment.services.environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const lines = text.split("\n").flatMap((line): (PartitionLine & { event: string })[] => (line === "" ? [] : [JSON.parse(line)]));
  return { code, partitions: lines.filter(({ event }) => event === "partition") };
}

/** Submits debits that stay in HELD and credits that wait for their report. */
async function submitMixed(name: string, count: number): Promise<readonly E2eCase[]> {
  const cases = Array.from({ length: count }, (_, n) => caseFor((["on-us", "off-us", "credit"] as const)[n % 3]!, `${name} ${n}`));
  await Promise.all(cases.map(submit));
  return cases;
}

async function atRest(cases: readonly E2eCase[]): Promise<void> {
  for (const { uetr, flow } of cases) await untilState(environment, uetr, flow === "credit" ? "CREDIT_AUTH_DELIVERED" : "HELD");
}

test("I11: a store that is rebuilt while messages continue is equal; work continues in the new build; a lost document is found", async () => {
  const before = await submitMixed("before", 30);
  await atRest(before);
  const dry = await rebuild("--dry-run");
  expect(dry.partitions.flatMap(({ differences }) => differences)).toEqual([]);
  expect([dry.code, dry.partitions.reduce((sum, { documents }) => sum + documents, 0)]).toEqual([0, before.length]);

  const [real, during] = await Promise.all([rebuild(), submitMixed("during", 30)]);
  expect(real.partitions.flatMap(({ differences }) => differences)).toEqual([]);
  // The dry run has claimed build 1.
  expect(real.partitions.map(({ isSwitched, build }) => [isSwitched, build])).toEqual(real.partitions.map(() => [true, 2]));
  await atRest(during);
  const credits = [...before, ...during].filter(({ flow }) => flow === "credit");
  await Promise.all(credits.map((credit) => submitReport(credit)));
  for (const { uetr } of credits) await untilState(environment, uetr, "CREDIT_AUTH_RESPONSE_ACCEPTED");
  const day = `ZA_EFT:${environment.businessDate}`;
  await untilHolds(async () =>
    expect((await checkConservation(environment.store, day)).partitions.flatMap(({ findings }) => findings)).toEqual([]),
  );
  expect(environment.services.lost()).toEqual([]);

  const [row] = await environment.store.transactions.search({ uetr: before[0]!.uetr }, null, 1);
  const partition = row!.partition;
  await environment.store.builds.remove(partition, 2);
  const found = await rebuild("--dry-run", "--partition", String(partition));
  expect(found.code).toBe(1);
  expect(found.partitions[0]!.differences).toContainEqual({
    kind: "transaction",
    key: before[0]!.uetr,
    what: "is not in the store",
    cause: "store",
  });
  expect((await checkConservation(environment.store, day)).isWhole).toBe(false);
});
