// The store's snapshots made anew from the journal on real servers, while messages go on: equal document by document, used from then on.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { conservationOf } from "@sluice/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCast } from "./cast.ts";
import { until, untilState } from "./evidence.ts";
import type { Case } from "./flows.ts";
import { openWorld, type World } from "./world.ts";

const banks = [{ id: "karoo", branch: "250655" }];
const opened = new AsyncDisposableStack();
let world: World;
const { caseOf, take, takeReport } = createCast(() => world, banks);
const entry = fileURLToPath(new URL("../../services/scheduler/rebuild/main.ts", import.meta.url));

beforeAll(async () => {
  world = opened.use(await openWorld(banks, "bank"));
});
afterAll(() => opened.disposeAsync());

interface LaneLine {
  readonly lane: number;
  readonly documents: number;
  readonly differencesCount: number;
  readonly differences: readonly { readonly key: string; readonly what: string }[];
  readonly isSwitched: boolean;
  readonly build: number;
}

async function rebuild(...flags: readonly string[]): Promise<{ readonly code: number | null; readonly lanes: readonly LaneLine[] }> {
  const child = spawn(process.execPath, [entry, ...flags], {
    env: { ...process.env, ...world.services.environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const lines = text.split("\n").flatMap((line): (LaneLine & { event: string })[] => (line === "" ? [] : [JSON.parse(line)]));
  return { code, lanes: lines.filter(({ event }) => event === "lane") };
}

/** Debits that rest in HELD, credits that wait for their report. */
async function some(name: string, count: number): Promise<readonly Case[]> {
  const cases = Array.from({ length: count }, (_, n) => caseOf((["on-us", "off-us", "credit"] as const)[n % 3]!, `${name} ${n}`));
  await Promise.all(cases.map(take));
  return cases;
}

async function atRest(cases: readonly Case[]): Promise<void> {
  for (const { uetr, flow } of cases) await untilState(world, uetr, flow === "credit" ? "CREDIT_AUTH_DELIVERED" : "HELD");
}

test("I11: a store built anew while messages go on equals what was there; all goes on in the new build; a lost document is found", async () => {
  const before = await some("before", 30);
  await atRest(before);
  const dry = await rebuild("--dry-run");
  expect(dry.lanes.flatMap(({ differences }) => differences)).toEqual([]);
  expect([dry.code, dry.lanes.reduce((sum, { documents }) => sum + documents, 0)]).toEqual([0, before.length]);

  const [real, during] = await Promise.all([rebuild(), some("during", 30)]);
  expect(real.lanes.flatMap(({ differences }) => differences)).toEqual([]);
  expect(real.lanes.map(({ isSwitched, build }) => [isSwitched, build])).toEqual(real.lanes.map(() => [true, 1]));
  await atRest(during);
  const credits = [...before, ...during].filter(({ flow }) => flow === "credit");
  await Promise.all(credits.map((credit) => takeReport(credit)));
  for (const { uetr } of credits) await untilState(world, uetr, "CREDIT_AUTH_RESPONSE_ACCEPTED");
  const day = `ZA_EFT:${world.businessDate}`;
  await until(async () => expect((await conservationOf(world.store, day)).lanes.flatMap(({ findings }) => findings)).toEqual([]));
  expect(world.services.lost()).toEqual([]);

  const [row] = await world.store.transactions.search({ uetr: before[0]!.uetr }, null, 1);
  const lane = row!.lane;
  await world.store.builds.remove(lane, 1);
  const found = await rebuild("--dry-run", "--lane", String(lane));
  expect(found.code).toBe(1);
  expect(found.lanes[0]!.differences).toContainEqual({ kind: "transaction", key: before[0]!.uetr, what: "is not in the store" });
  expect((await conservationOf(world.store, day)).isWhole).toBe(false);
});
