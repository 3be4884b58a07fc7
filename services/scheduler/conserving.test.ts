import { topics } from "@sluice/contracts";
import { conservationOf } from "@sluice/store";
import type { LogFields } from "@sluice/telemetry";
import { expect, test } from "vitest";
import { afterCloseMs } from "./conserving.ts";
import { day, reconciliationAtMs, startAtMs, World } from "./given.ts";
import type { StartedScheduler } from "./given.ts";

/** Debits and credits that end in every way that a day of this world knows; `between` is called after every few records. */
async function everyEnd(world: World, between: () => Promise<void> = () => Promise.resolve()): Promise<void> {
  const uetrs = Array.from({ length: 8 }, () => world.uetr());
  const [made, unpaid, refused, foreign, silent, credited, waiting, received] = uetrs;
  for (const uetr of [made, unpaid, silent]) await world.hold(uetr!);
  await between();
  await world.holdOffUs(foreign!);
  const debit = world.debitOf(refused!);
  await world.append(topics.journal, refused!, debit);
  await world.append(topics.journal, refused!, world.verdictOf(debit, "REFUSED"));
  await between();
  await world.append(topics.journal, refused!, world.endedOf(refused!, "R"));
  await world.append(topics.journal, received!, world.debitOf(received!));
  await world.credit(credited!);
  await world.endCredit(credited!);
  await between();
  await world.until("released", () => [made, unpaid].every((uetr) => world.events(uetr!).some((event) => event.endsWith("RELEASED"))));
  await world.credit(waiting!);
  await world.append(topics.journal, made!, world.reportOf(made!, "made"));
  await between();
  await world.append(topics.journal, unpaid!, world.reportOf(unpaid!, "not-made"));
  await between();
}

async function counts(world: World): Promise<readonly string[]> {
  const { rows } = await world.done(conservationOf(world.store, day));
  return rows.flatMap(({ columns }) => Object.entries(columns).map(([column, { count }]) => `${column} ${count}`));
}

const atTheEnd = ["accepted 6", "completed 1", "rejected 1", "unpaid 1", "reconciled 3", "creditAccepted 2"];

test("I11: over a whole day what came and what became of it add up in every lane, and each lane says so", async () => {
  const checked: LogFields[] = [];
  const world = new World({ onInfo: (event, fields) => void (event === "conservation.checked" && checked.push(fields)) });
  await world.scheduler();
  await everyEnd(world);
  await world.time.advance(500);
  expect(await world.done(conservationOf(world.store, day))).toMatchObject({ isWhole: true });
  await world.until("reconciled", () => world.named(topics.journal, "DayReconciled").length === 2);
  await world.time.advance(afterCloseMs + 1_000);
  expect(
    checked
      .filter((line) => line["day"] === day)
      .map((line) => line["lane"])
      .toSorted((a, b) => Number(a) - Number(b)),
  ).toEqual([0, 1]);
  expect((await world.done(conservationOf(world.store, day))).isWhole).toBe(true);
  expect((await counts(world)).slice(0, 6)).toEqual(atTheEnd);
});

test("I11: killed again and again while a day goes on, nothing is counted twice and nothing is missed", async () => {
  const world = new World({ seed: 7 });
  let scheduler: StartedScheduler = await world.scheduler();
  let kills = 0;
  await everyEnd(world, async () => {
    kills += 1;
    await world.time.advance(37 * kills);
    scheduler.kill();
    scheduler = await world.scheduler();
  });
  await world.until("reconciled", () => world.named(topics.journal, "DayReconciled").length === 2);
  scheduler.kill();
  await world.scheduler();
  await world.time.advance(reconciliationAtMs - startAtMs);
  expect((await world.done(conservationOf(world.store, day))).lanes.flatMap(({ findings }) => findings)).toEqual([]);
  expect((await counts(world)).slice(0, 6)).toEqual(atTheEnd);
});

test("I11: a ledger that somebody changed is an error line when a lane is taken over, while the day goes on", async () => {
  const broken: unknown[] = [];
  const world = new World({ onTrouble: (event, fields) => void (event === "conservation.broken" && broken.push(fields["day"])) });
  const first = await world.scheduler();
  await world.hold(world.uetr());
  await world.until("released", () => world.named(topics.events, "TransactionStateEvent").length === 5);
  await world.time.advance(1_000);
  await first.stop();
  const [ledger] = await world.done(world.store.ledgers.ofDay(day));
  await world.done(world.store.ledgers.write({ ...ledger!, version: ledger!.version + 1, rows: [] }, ledger!.version));
  await world.scheduler();
  await world.until("an error line", () => broken.length > 0);
  expect(broken).toEqual([day]);
  expect(world.named(topics.journal, "DayReconciled")).toEqual([]);
});
