// What a lane's owner hands to its standing tasks, seen by what they append.

import { recordFromMarker, topics } from "@sluice/contracts";
import type { Marker } from "@sluice/domain";
import { expect, test } from "vitest";
import type { FactToAppend } from "./appending.ts";
import { bank, businessDate, creditDeadlineMs, day, reconciliationAtMs, startAtMs, World } from "./given.ts";
import { openLane } from "./lane.ts";

test("I16: a deadline that was appended too early, by an agreed time that runs ahead, is appended again", async () => {
  const world = new World({ lanes: 1 });
  const aheadMs = 5_000;
  const asked: FactToAppend[] = [];
  const context = await world.laneContext({
    agreedTime: { saw: () => {}, nowMs: () => world.time.nowMs() + aheadMs, skewMs: () => null, stop: () => {} },
    append: (facts) => {
      asked.push(...facts.filter(({ fact }) => fact.kind === "DeadlinePassed"));
      return Promise.resolve(true);
    },
  });
  const lane = await world.done(openLane(context, 0, 0n));
  const uetr = world.uetr();
  await world.credit(uetr);
  await world.done(lane.handle(world.log.records({ topic: topics.journal, partition: 0 })));
  await world.time.advance(creditDeadlineMs - aheadMs + 500);
  expect(asked).toHaveLength(1);
  const early = { name: "DeadlinePassed", value: { deadlineMs: startAtMs + creditDeadlineMs } } as const;
  await world.append(topics.journal, uetr, early);
  await world.done(lane.handle(world.log.records({ topic: topics.journal, partition: 0 }).slice(-1)));
  expect(await world.states(uetr)).not.toContain("CREDIT_AUTH_RECONCILIATION");
  await world.time.advance(2_000);
  expect(asked.length).toBeGreaterThanOrEqual(2);
  expect(new Set(asked.map(({ key }) => key))).toEqual(new Set([uetr]));
});

test("the planned close of a day, and the close itself, lie in every partition of dispatch too, and no other marker does", async () => {
  const world = new World({ lanes: 3 });
  await world.scheduler();
  await world.until("reconciled", () => world.named(topics.journal, "DayReconciled").length === 3);
  await world.time.advance(reconciliationAtMs - startAtMs);
  const markers = world
    .records(topics.dispatch)
    .filter(({ key }) => key !== null && new TextDecoder().decode(key) === day)
    .map(({ partition, decoded }) => `${decoded.name} in ${partition}`);
  expect(markers.toSorted()).toEqual(["DayReconciled", "DayTimes"].flatMap((name) => [0, 1, 2].map((lane) => `${name} in ${lane}`)));
  const planned = world.named(topics.dispatch, "DayTimes").filter(({ key }) => key !== null && new TextDecoder().decode(key) === day);
  for (const { decoded, partition } of planned) expect(decoded.value).toMatchObject({ partition, reconciliationAtMs });
});

test("I16: a Release that nobody can read is made again, and holds up nothing of its bank", async () => {
  const world = new World({ lanes: 1 });
  const asked: FactToAppend[] = [];
  const context = await world.laneContext({
    append: (facts) => {
      asked.push(...facts.filter(({ fact }) => fact.kind === "Release"));
      return Promise.resolve(true);
    },
  });
  const lane = await world.done(openLane(context, 0, 0n));
  const handled = { count: 0 };
  const handle = async (): Promise<void> => {
    const records = world.log.records({ topic: topics.journal, partition: 0 }).slice(handled.count);
    handled.count += records.length;
    await world.done(lane.handle(records));
    await world.time.advance(100);
  };
  const base = { scheme: "ZA_EFT", businessDate };
  const markers: readonly Marker[] = [
    { ...base, kind: "WindowOpened", id: `${day}:WindowOpened:1`, number: 1 },
    { ...base, kind: "GateOpened", id: `${day}:GateOpened:1`, number: 1, banks: [bank], except: [] },
  ];
  for (const marker of markers) await world.append(topics.journal, day, recordFromMarker(marker, 0), 0);
  const uetr = world.uetr();
  await world.hold(uetr);
  await handle();
  expect(asked.map(({ key }) => key)).toEqual([uetr]);
  // What lies there is not what was meant.
  await world.appendRaw(0, new TextEncoder().encode(uetr), Uint8Array.of(7, 7, 7, 7, 7, 7));
  await handle();
  expect(asked.map(({ key }) => key)).toEqual([uetr, uetr]);
});
