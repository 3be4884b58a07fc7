// showConservation (I11).

import { DayLedger, standingBelow } from "@sluice/domain";
import { expect, test } from "vitest";
import { givenConsole, type World } from "./given.ts";
import { answerTo, day, saveAll, transactionIn, uetrInLane } from "./given-control.ts";

async function givenLedger(world: World, isLost: boolean): Promise<void> {
  const debits = [0, 1].map((nth) => transactionIn("HELD", nth, { uetr: uetrInLane(1, nth), lane: 1 }));
  await saveAll(world, isLost ? debits.slice(1) : debits);
  const ledger = new DayLedger();
  for (const debit of debits) for (const movement of standingBelow(debit, 10n)) ledger.add(movement);
  await world.settled(world.store.ledgers.write({ lane: 1, day, version: 1, through: 10n, rows: ledger.rows() }, 0));
  const { epoch } = await world.settled(world.store.lanes.takeOver("scheduler", 1));
  await world.settled(world.store.lanes.write("scheduler", 1, epoch, 10n));
}

test("I11: a day shows each column in count and sum, and that the lanes' documents say the same", async () => {
  const world = await givenConsole();
  await givenLedger(world, false);
  const cell = { count: 2, sum: "2501.00" };
  expect(await answerTo(world, `/conservation?day=${day}`)).toMatchObject({
    day,
    isWhole: true,
    rows: [{ bank: "first", currency: "ZAR", columns: { accepted: cell, open: cell } }],
    lanes: [{ lane: 1, offset: "10", isWhole: true, findings: [] }],
  });
});

test("I11: a document that is lost is said, with its lane and column, and no UETR", async () => {
  const world = await givenConsole();
  await givenLedger(world, true);
  const body = await answerTo(world, `/conservation?day=${day}`);
  expect(body).toMatchObject({ isWhole: false, lanes: [{ lane: 1, isWhole: false }] });
  expect(JSON.stringify(body)).not.toContain(uetrInLane(1, 0));
});

test("a day that nobody knows is 404, none is 400, and a store that is away is 503", async () => {
  const world = await givenConsole();
  expect((await world.control("/conservation?day=ZA_EFT:2031-01-01")).status).toBe(404);
  expect((await world.control("/conservation")).status).toBe(400);
  world.world.fault = "down";
  expect((await world.control(`/conservation?day=${day}`)).status).toBe(503);
});
