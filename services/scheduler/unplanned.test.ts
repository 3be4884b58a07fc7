import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { day, World } from "./given.ts";

const dayMs = 86_400_000;

const plannedDays = (world: World): readonly string[] =>
  world.named(topics.journal, "DayPlanned").map(({ decoded: { value } }) => `${value.scheme}:${value.businessDate}`);

async function path(world: World, uetr: string): Promise<readonly string[]> {
  const transitions = (await world.document(uetr))?.transaction.transitions ?? [];
  return transitions.slice(3).map(({ state, businessDate }) => `${state} ${businessDate}`);
}

test("I10: what is open on a date that no scheduler planned is not forgotten: the date is planned late, missed and reconciled", async () => {
  const troubles: string[] = [];
  const world = new World({ onTrouble: (event) => void troubles.push(event) });
  const [held, received, rolls] = [world.uetr(), world.uetr(), world.uetr()];
  await world.hold(held);
  await world.append(topics.journal, received, world.debitOf(received));
  await world.hold(rolls, undefined, undefined, 1);
  await world.time.advance(10 * dayMs);
  await world.scheduler();
  await world.until("items", () => [held, received, rolls].every((uetr) => world.events(uetr).at(-1)?.endsWith("RECONCILIATION") === true));
  expect(await path(world, held)).toEqual(["HELD 2026-11-20", "RECONCILIATION 2026-11-20"]);
  expect((await world.document(held))?.transaction.items).toMatchObject([{ day, row: 0, cause: "WINDOW_MISSED" }]);
  expect((await world.document(received))?.transaction.items).toMatchObject([{ day, row: 4 }]);
  // The next business date was not planned either.
  expect(await path(world, rolls)).toEqual(["HELD 2026-11-20", "HELD 2026-11-21", "RECONCILIATION 2026-11-21"]);
  expect(troubles.filter((event) => event === "days.were-not-planned" || event === "window.missed").length).toBeGreaterThanOrEqual(2);
});

test("a date that is planned, or still ahead, is not planned by it", async () => {
  const world = new World();
  const first = await world.scheduler();
  const uetr = world.uetr();
  await world.hold(uetr);
  await world.until("held and planned", () => world.events(uetr).length === 4 && plannedDays(world).includes(day));
  await first.stop();
  const before = plannedDays(world).filter((of) => of === day).length;
  // Down over the date's end, and back before a week is over: the day's own times are made up for.
  await world.time.advance(3 * dayMs);
  await world.scheduler();
  await world.until("an item", () => world.events(uetr).at(-1)?.endsWith("RECONCILIATION") === true);
  expect(plannedDays(world).filter((of) => of === day)).toHaveLength(before);
});
