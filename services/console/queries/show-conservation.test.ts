// Tests of showConservation (I11).

import { DayLedger, balanceBelow } from "@sluice/domain";
import { expect, test } from "vitest";
import { openConsoleEnvironment, type ConsoleEnvironment } from "../console.fixture.ts";
import { readControlAnswer, day, saveTransactions, buildStoredTransaction, uetrInPartition } from "./stored-data.fixture.ts";

async function saveLedger(environment: ConsoleEnvironment, isLost: boolean): Promise<void> {
  const debits = [0, 1].map((nth) => buildStoredTransaction("HELD", nth, { uetr: uetrInPartition(1, nth), partition: 1 }));
  await saveTransactions(environment, isLost ? debits.slice(1) : debits);
  const ledger = new DayLedger();
  for (const debit of debits) for (const movement of balanceBelow(debit, 10n)) ledger.add(movement);
  await environment.settled(environment.store.ledgers.write({ partition: 1, day, version: 1, through: 10n, rows: ledger.rows() }, 0));
  const held = await environment.settled(environment.store.partitions.takeOver("scheduler", 1));
  await environment.settled(environment.store.partitions.write("scheduler", 1, held, 10n));
}

test("I11: a day shows each column in count and sum, and that the partitions' documents agree", async () => {
  const environment = await openConsoleEnvironment();
  await saveLedger(environment, false);
  const cell = { count: 2, sum: "2501.00" };
  expect(await readControlAnswer(environment, `/conservation?day=${day}`)).toMatchObject({
    day,
    isWhole: true,
    rows: [{ bank: "first", currency: "ZAR", columns: { accepted: cell, open: cell } }],
    partitions: [{ partition: 1, offset: "10", isWhole: true, findings: [] }],
  });
});

test("I11: a lost document is reported with its partition and column, and without a UETR", async () => {
  const environment = await openConsoleEnvironment();
  await saveLedger(environment, true);
  const body = await readControlAnswer(environment, `/conservation?day=${day}`);
  expect(body).toMatchObject({ isWhole: false, partitions: [{ partition: 1, isWhole: false }] });
  expect(JSON.stringify(body)).not.toContain(uetrInPartition(1, 0));
});

test("an unknown day is 404, a missing day is 400, and a store that is away is 503", async () => {
  const environment = await openConsoleEnvironment();
  expect((await environment.control("/conservation?day=ZA_EFT:2031-01-01")).status).toBe(404);
  expect((await environment.control("/conservation")).status).toBe(400);
  environment.environment.fault = "down";
  expect((await environment.control(`/conservation?day=${day}`)).status).toBe(503);
});
