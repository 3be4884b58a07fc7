// Puts an older copy of the store in place under running services, as a restore or a failover to a replica that is
// behind does, and plays the runbook: what the copy does not have comes again from the journal, with the same ids.

import { partitionCountDefault, partitionFor } from "@sluice/contracts";
import { copyDatabase } from "@sluice/local-servers";
import { checkConservation } from "@sluice/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCases } from "./parties/cases.ts";
import { untilHolds, untilState } from "./recorded/evidence.ts";
import type { E2eCase } from "./parties/flows.ts";
import { openE2eEnvironment, type E2eEnvironment } from "./environment/environment.ts";

const banks = [{ id: "karoo", branch: "250655" }];
const opened = new AsyncDisposableStack();
let environment: E2eEnvironment;
const { caseFor, submit } = createCases(() => environment, banks);

beforeAll(async () => {
  environment = opened.use(await openE2eEnvironment(banks, "bank"));
});
afterAll(() => opened.disposeAsync());

async function hold(cases: readonly E2eCase[]): Promise<void> {
  await Promise.all(cases.map(submit));
  for (const { uetr } of cases) await untilState(environment, uetr, "HELD");
}

/** A debit whose journal partition is the one of another. */
function beside({ uetr }: E2eCase): E2eCase {
  for (let tries = 0; ; tries += 1) {
    const one = caseFor("on-us", `beside ${uetr}, try ${tries}`);
    if (partitionFor(one.uetr, partitionCountDefault) === partitionFor(uetr, partitionCountDefault)) return one;
  }
}

test("I1, I3, I11: a store restored under running services has every debit again, and tells banks of no other state", async () => {
  const { services, store, storeUrl, database } = environment;
  const before = Array.from({ length: 6 }, (_, n) => caseFor("on-us", `before the copy ${n}`));
  await hold(before);
  const restore = await copyDatabase(storeUrl, database);
  const lost = Array.from({ length: 6 }, (_, n) => caseFor("on-us", `after the copy ${n}`));
  await hold(lost);
  // The store is ahead of the events: the bank must have taken every state before the store goes back.
  const reportedAsHeld = (): ReadonlySet<string | null | undefined> =>
    new Set(environment.recorded.requests.flatMap(({ entry }) => ("webhookId" in entry && entry.state === "HELD" ? [entry.uetr] : [])));
  await untilHolds(() => expect([...before, ...lost].filter(({ uetr }) => !reportedAsHeld().has(uetr))).toEqual([]));
  const known = new Set(environment.recorded.requests.map(({ entry }) => ("webhookId" in entry ? entry.webhookId : "")));

  await restore();
  expect((await store.transactions.load(lost.map(({ uetr }) => uetr))).size).toBe(0);
  const after = lost.map(beside);
  await Promise.all(after.map(submit));
  await untilHolds(async () => expect(await services.readLog("scheduler")).toContain("partition.store-gone-back"));
  // As the runbook says: these two may have ended by themselves.
  for (const name of ["dispatcher", "event-publisher"] as const) {
    await services.kill(name);
    await services.start(name);
  }
  for (const { uetr } of [...before, ...lost, ...after]) await untilState(environment, uetr, "HELD");

  const day = `ZA_EFT:${environment.businessDate}`;
  await untilHolds(async () => expect((await checkConservation(store, day)).isWhole).toBe(true));
  const uetrs = new Set([...before, ...lost].map(({ uetr }) => uetr));
  const others = environment.recorded.requests.filter(
    ({ entry }) => "webhookId" in entry && uetrs.has(entry.uetr ?? "") && !known.has(entry.webhookId),
  );
  expect(others).toEqual([]);
});
