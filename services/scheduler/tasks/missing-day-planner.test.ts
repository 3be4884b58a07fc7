import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { schedulerDay, SchedulerEnvironment } from "../scheduler.fixture.ts";

const dayMs = 86_400_000;

const plannedDays = (environment: SchedulerEnvironment): readonly string[] =>
  environment.named(topics.journal, "DayPlanned").map(({ decoded: { value } }) => `${value.scheme}:${value.businessDate}`);

async function path(environment: SchedulerEnvironment, uetr: string): Promise<readonly string[]> {
  const transitions = (await environment.document(uetr))?.transaction.transitions ?? [];
  return transitions.slice(3).map(({ state, businessDate }) => `${state} ${businessDate}`);
}

test("I10: a debit that is open on a date that no scheduler planned is not forgotten: the date is planned late, missed and reconciled", async () => {
  const troubles: string[] = [];
  const environment = new SchedulerEnvironment({ onProblem: (event) => void troubles.push(event) });
  const [held, received, carriesOver] = [environment.uetr(), environment.uetr(), environment.uetr()];
  await environment.hold(held);
  await environment.append(topics.journal, received, environment.debit(received));
  await environment.hold(carriesOver, undefined, undefined, 1);
  await environment.time.advance(10 * dayMs);
  await environment.scheduler();
  await environment.until("items", () =>
    [held, received, carriesOver].every((uetr) => environment.events(uetr).at(-1)?.endsWith("RECONCILIATION") === true),
  );
  expect(await path(environment, held)).toEqual(["HELD 2026-11-20", "RECONCILIATION 2026-11-20"]);
  expect((await environment.document(held))?.transaction.items).toMatchObject([{ day: schedulerDay, row: 0, cause: "WINDOW_MISSED" }]);
  expect((await environment.document(received))?.transaction.items).toMatchObject([{ day: schedulerDay, row: 4 }]);
  // The next business date was not planned either.
  expect(await path(environment, carriesOver)).toEqual(["HELD 2026-11-20", "HELD 2026-11-21", "RECONCILIATION 2026-11-21"]);
  expect(troubles.filter((event) => event === "days.planned-late" || event === "window.missed").length).toBeGreaterThanOrEqual(2);
});

test("the missing-day planner plans no date that is planned or still ahead", async () => {
  const environment = new SchedulerEnvironment();
  const first = await environment.scheduler();
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until(
    "held and planned",
    () => environment.events(uetr).length === 4 && plannedDays(environment).includes(schedulerDay),
  );
  // The plan is handled too.
  await environment.time.advance(1_000);
  await first.stop();
  const before = plannedDays(environment).filter((of) => of === schedulerDay).length;
  // Down over the date's end, and back before a week is over: the day's own times are appended late.
  await environment.time.advance(3 * dayMs);
  await environment.scheduler();
  await environment.until("an item", () => environment.events(uetr).at(-1)?.endsWith("RECONCILIATION") === true);
  expect(plannedDays(environment).filter((of) => of === schedulerDay)).toHaveLength(before);
});
