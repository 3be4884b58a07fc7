import { topics } from "@sluice/contracts";
import { checkConservation } from "@sluice/store";
import { type LogFields, type Metrics, silentMetrics } from "@sluice/kernel";
import { expect, test } from "vitest";
import { auditDelayMs } from "./ledger-audit.ts";
import { reconciliationAtMs, schedulerDay, SchedulerEnvironment, schedulerStartAtMs, type StartedScheduler } from "../scheduler.fixture.ts";

/**
 * Appends debits and credits that end in every possible way; `between` is called after every few records.
 */
async function everyEnd(environment: SchedulerEnvironment, between: () => Promise<void> = () => Promise.resolve()): Promise<void> {
  const uetrs = Array.from({ length: 8 }, () => environment.uetr());
  const [made, unpaid, refused, foreign, silent, credited, waiting, received] = uetrs;
  for (const uetr of [made, unpaid, silent]) await environment.hold(uetr!);
  await between();
  await environment.holdOffUs(foreign!);
  const debit = environment.debit(refused!);
  await environment.append(topics.journal, refused!, debit);
  await environment.append(topics.journal, refused!, environment.verdict(debit, "REFUSED"));
  await between();
  await environment.append(topics.journal, refused!, environment.deliveryEnded(refused!, "R"));
  await environment.append(topics.journal, received!, environment.debit(received!));
  await environment.credit(credited!);
  await environment.endCredit(credited!);
  await between();
  await environment.until("released", () =>
    [made, unpaid].every((uetr) => environment.events(uetr!).some((event) => event.endsWith("RELEASED"))),
  );
  await environment.credit(waiting!);
  await environment.append(topics.journal, made!, environment.report(made!, "made"));
  await between();
  await environment.append(topics.journal, unpaid!, environment.report(unpaid!, "not-made"));
  await between();
}

async function counts(environment: SchedulerEnvironment): Promise<readonly string[]> {
  const { rows } = await environment.settle(checkConservation(environment.store, schedulerDay));
  return rows.flatMap(({ columns }) => Object.entries(columns).map(([column, { count }]) => `${column} ${count}`));
}

const atTheEnd = ["accepted 6", "completed 1", "rejected 1", "unpaid 1", "reconciled 3", "creditAccepted 2"];

test("I11: over a whole day accepted transactions and their ends balance in every partition, and each partition reports it", async () => {
  const checked: LogFields[] = [];
  const environment = new SchedulerEnvironment({
    onInfo: (event, fields) => void (event === "conservation.checked" && checked.push(fields)),
  });
  await environment.scheduler();
  await everyEnd(environment);
  await environment.time.advance(500);
  expect(await environment.settle(checkConservation(environment.store, schedulerDay))).toMatchObject({ isWhole: true });
  await environment.until("reconciled", () => environment.named(topics.journal, "DayReconciled").length === 2);
  await environment.time.advance(auditDelayMs + 1_000);
  expect(
    checked
      .filter((line) => line["day"] === schedulerDay)
      .map((line) => line["partition"])
      .toSorted((a, b) => Number(a) - Number(b)),
  ).toEqual([0, 1]);
  expect((await environment.settle(checkConservation(environment.store, schedulerDay))).isWhole).toBe(true);
  expect((await counts(environment)).slice(0, 6)).toEqual(atTheEnd);
});

test("I11: a scheduler killed again and again during a day counts nothing twice and misses nothing", async () => {
  const environment = new SchedulerEnvironment({ seed: 7 });
  let scheduler: StartedScheduler = await environment.scheduler();
  let kills = 0;
  await everyEnd(environment, async () => {
    kills += 1;
    await environment.time.advance(37 * kills);
    scheduler.kill();
    scheduler = await environment.scheduler();
  });
  await environment.until("reconciled", () => environment.named(topics.journal, "DayReconciled").length === 2);
  scheduler.kill();
  await environment.scheduler();
  await environment.time.advance(reconciliationAtMs - schedulerStartAtMs);
  expect(
    (await environment.settle(checkConservation(environment.store, schedulerDay))).partitions.flatMap(({ findings }) => findings),
  ).toEqual([]);
  expect((await counts(environment)).slice(0, 6)).toEqual(atTheEnd);
});

test("I11: a ledger that was changed from outside is an error line some time after the next take-over, while the day goes on", async () => {
  const broken: unknown[] = [];
  const counted: string[] = [];
  // What an alarm asks for.
  const shown: number[] = [];
  const gauge: Metrics["gauge"] = (name) => ({ set: (value) => void (name === "sluice_conservation_broken" && shown.push(value)) });
  const environment = new SchedulerEnvironment({
    onProblem: (event, fields) => void (event === "conservation.broken" && broken.push(fields["day"])),
    storeHooks: { observe: ({ operation }) => void (operation === "transactions.accounted" && counted.push(operation)) },
  });
  const first = await environment.scheduler();
  await environment.hold(environment.uetr());
  await environment.until("released", () => environment.named(topics.events, "TransactionStateEvent").length === 5);
  await environment.time.advance(1_000);
  await first.stop();
  const [ledger] = await environment.settle(environment.store.ledgers.listByDay(schedulerDay));
  await environment.settle(environment.store.ledgers.write({ ...ledger!, version: ledger!.version + 1, rows: [] }, ledger!.version));
  await environment.scheduler({ metrics: { ...silentMetrics, gauge } });
  // Debits that have waited for the take-over do not wait for a count too.
  await environment.time.advance(auditDelayMs - 2_000);
  expect(counted).toEqual([]);
  await environment.time.advance(4_000);
  expect(broken).toEqual([schedulerDay]);
  expect(shown.at(-1)).toBe(1);
  expect(environment.named(topics.journal, "DayReconciled")).toEqual([]);
});
