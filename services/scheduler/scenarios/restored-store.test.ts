// A restored store repairs itself: a partition starts at the position that it finds there.

import { topics } from "@sluice/contracts";
import { checkConservation } from "@sluice/store";
import { expect, test } from "vitest";
import { schedulerDay, SchedulerEnvironment } from "../scheduler.fixture.ts";
import { copyStore, listAllStates, listSent } from "./restored-store.fixture.ts";

test("I3: a store restored to an older point repairs itself: the same states, events and deliveries, nothing under another identity", async () => {
  const environment = new SchedulerEnvironment({ seed: 3 });
  const first = await environment.scheduler();
  const uetrs = Array.from({ length: 6 }, () => environment.uetr());
  for (const uetr of uetrs) await environment.hold(uetr);
  await environment.until("held", () => uetrs.every((uetr) => environment.events(uetr).at(-1)?.endsWith("HELD") === true));
  await environment.time.advance(500);
  const older = environment.emptyStore();
  await copyStore(environment, environment.store, older);

  await environment.until("released", () => uetrs.every((uetr) => environment.events(uetr).at(-1)?.endsWith("RELEASED") === true));
  for (const uetr of uetrs.slice(0, 4)) await environment.append(topics.journal, uetr, environment.report(uetr, "made"));
  await environment.credit(environment.uetr());
  await environment.until("made", () => environment.events(uetrs[3]!).at(-1)?.endsWith("COMPLETED") === true);
  await environment.time.advance(1_000);
  const states = await listAllStates(environment, uetrs);
  const before = listSent(environment);
  first.kill();

  environment.store = older;
  expect(await listAllStates(environment, uetrs)).not.toEqual(states);
  await environment.scheduler();
  // By now every record has been read again; the close is still ahead.
  await environment.time.advance(15_000);
  expect(await listAllStates(environment, uetrs)).toEqual(states);
  expect(listSent(environment)).toEqual(before);
  expect(
    (await environment.settle(checkConservation(environment.store, schedulerDay))).partitions.flatMap(({ findings }) => findings),
  ).toEqual([]);
  await environment.until("reconciled", () => environment.named(topics.journal, "DayReconciled").length >= 2);
  await environment.time.advance(10_000);
  expect((await environment.states(uetrs[5]!)).at(-1)).toBe("RECONCILIATION");
  expect((await environment.settle(checkConservation(environment.store, schedulerDay))).isWhole).toBe(true);
});
