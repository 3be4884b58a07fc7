import { Fault } from "@sluice/runtime";
import { expect, test } from "vitest";
import type { FactToAppend } from "./appending.ts";
import { creditRow, openRows } from "./given-credits.ts";
import { startAtMs, World } from "./given.ts";
import { openLane } from "./lane.ts";
import { openInTurn } from "./open-in-turn.ts";
import { leaseLeftMaxMs } from "./tenure.ts";

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

test("lanes that are taken at the same time read one page after the other, and one that fails keeps no other", async () => {
  const world = new World({ lanes: 3 });
  const asked: number[] = [];
  let [running, most] = [0, 0];
  const base = await world.laneContext();
  const { transactions } = base.store;
  const open: typeof transactions.open = async (lane, after, limit) => {
    asked.push(lane);
    running += 1;
    most = Math.max(most, running);
    const rows = await transactions.open(lane, after, limit);
    running -= 1;
    if (lane === 1) throw new Fault("store.unavailable", "gone", { isRetryable: true });
    return rows;
  };
  const context = { ...base, store: openInTurn({ ...base.store, transactions: { ...transactions, open } }) };
  const taken = await world.done(Promise.allSettled([0, 1, 2].map((lane) => openLane(context, lane, 0n))));
  expect(taken.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(asked.toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
  expect(most).toBe(1);
});

test.each([
  {
    lease: "over by agreed time, whatever this process's clock says",
    untilMs: startAtMs + 60_000,
    agreedMs: startAtMs + 60_001,
    isHeld: false,
  },
  {
    lease: "not over by agreed time, whatever this process's clock says",
    untilMs: startAtMs - 1,
    agreedMs: startAtMs - 60_000,
    isHeld: true,
  },
  { lease: "of a clock that is hours ahead", untilMs: startAtMs + leaseLeftMaxMs + 1, agreedMs: startAtMs, isHeld: false },
  { lease: "judged before agreed time is known", untilMs: startAtMs - 1, agreedMs: null, isHeld: true },
])("I16: a hold $lease: the lane is held back $isHeld", async ({ untilMs, agreedMs, isHeld }) => {
  const world = new World({ lanes: 1 });
  const agreedTime = { saw: () => {}, nowMs: () => agreedMs, skewMs: () => null, stop: () => {} };
  const context = await world.laneContext({ agreedTime });
  await world.done(world.store.lanes.takeOver("scheduler", 0));
  await world.done(world.store.lanes.hold("scheduler", 0, { id: "builder", untilMs }));
  await expect(world.done(openLane(context, 0, 0n))).rejects.toMatchObject({ code: "scheduler.lane-held", isRetryable: true });
  const [lane] = await world.done(world.store.lanes.list("scheduler"));
  expect(lane?.hold?.id ?? null).toBe(isHeld ? "builder" : null);
});
