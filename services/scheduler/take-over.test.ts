import { expect, test } from "vitest";
import type { FactToAppend } from "./appending.ts";
import { creditRow, openRows } from "./given-credits.ts";
import { startAtMs, World } from "./given.ts";
import { openLane } from "./lane.ts";

test("I16: a new owner knows every open transaction of its lane, also those on a later page of the store", async () => {
  const world = new World({ lanes: 1 });
  const held = Array.from({ length: 10_000 }, (_, number) => creditRow(number, { flow: "off-us", state: "HELD", deadlineMs: null }));
  const overdue = creditRow(10_001, { deadlineMs: startAtMs + 5_000 });
  const appended: FactToAppend[] = [];
  const context = await world.laneContext({
    store: { ...world.store, transactions: { ...world.store.transactions, open: openRows([...held, overdue]).store.open } },
    append: (facts) => {
      appended.push(...facts);
      return Promise.resolve(true);
    },
  });
  await world.done(openLane(context, 0, 0n));
  await world.time.advance(4_000);
  expect(appended).toEqual([]);
  await world.time.advance(2_000);
  expect(appended).toEqual([{ key: overdue.uetr, fact: { kind: "DeadlinePassed", deadlineMs: startAtMs + 5_000 } }]);
});
