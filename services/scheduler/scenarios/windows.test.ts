// Business days through the whole scheduler, with take-overs in between: several windows, windows over midnight, missed
// windows, held debits that are carried over, dates that a newer configuration takes away.

import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import {
  closesAtMs,
  schedulerDay,
  opensAtMs,
  reconciliationAtMs,
  schedulerStartAtMs,
  SchedulerEnvironment,
  environmentTimes,
} from "../scheduler.fixture.ts";

const nextDay = "ZA_EFT:2026-11-21";
const holiday = { ...environmentTimes, calendar: { ...environmentTimes.calendar, version: "test-2", holidays: ["2026-11-20"] } };
const hourMs = 3_600_000;

function listMarkers(environment: SchedulerEnvironment, of: string = schedulerDay): readonly string[] {
  const names = ["WindowOpened", "WindowClosed", "DayVoid", "DayReconciled"] as const;
  const copies = names.flatMap((name) => environment.named(topics.journal, name));
  const mine = copies.filter(({ decoded: { value }, partition }) => partition === 0 && `${value.scheme}:${value.businessDate}` === of);
  const ids = mine.toSorted((a, b) => (a.offset < b.offset ? -1 : 1)).map(({ decoded }) => decoded.value.id.slice(of.length + 1, -2));
  return [...new Set(ids)];
}

/** Lists the states of a transaction with the business date of each. */
async function path(environment: SchedulerEnvironment, uetr: string): Promise<readonly string[]> {
  const transitions = (await environment.document(uetr))?.transaction.transitions ?? [];
  return transitions.map(({ state, businessDate }) => `${state} ${businessDate}`);
}

async function at(environment: SchedulerEnvironment, atMs: number): Promise<void> {
  await environment.time.advance(Math.max(0, atMs - environment.time.nowMs()));
}

const heldTwice = ["HELD 2026-11-20", "HELD 2026-11-21"];

test("I9, I8: of several windows a day each opens and closes once, and a debit held between two leaves in the later one [D9 several-windows]", async () => {
  const processing = [
    { opens: "07:00:10", closes: "07:00:20" },
    { opens: "07:00:30", closes: "07:00:40" },
    { opens: "07:00:50", closes: "07:01:00" },
  ];
  const environment = new SchedulerEnvironment({ times: { ...environmentTimes, processing } });
  await environment.scheduler();
  await at(environment, schedulerStartAtMs + 22_000);
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until("reconciled", () => listMarkers(environment).includes("DayReconciled:1"));
  expect(listMarkers(environment)).toEqual(
    [1, 2, 3].flatMap((number) => [`WindowOpened:${number}`, `WindowClosed:${number}`]).concat("DayReconciled:1"),
  );
  const released = environment.named(topics.journal, "Release").map(({ decoded }) => decoded.value.windowNumber);
  expect(released).toEqual([2]);
});

test("I9: a window that opens at midnight, and one of the next calendar day, are of their business date [D9 several-windows]", async () => {
  const processing = [
    { opens: "23:00", closes: "+1d 00:00" },
    { opens: "+1d 00:00", closes: "+1d 02:00" },
  ];
  const environment = new SchedulerEnvironment({
    partitionCount: 1,
    times: { ...environmentTimes, processing, reconciliation: "+1d 04:00" },
  });
  await environment.scheduler();
  const uetr = environment.uetr();
  await at(environment, schedulerStartAtMs + 17.5 * hourMs);
  await environment.hold(uetr);
  await at(environment, schedulerStartAtMs + 21.5 * hourMs);
  expect(listMarkers(environment)).toEqual(["WindowOpened:1", "WindowClosed:1", "WindowOpened:2", "WindowClosed:2", "DayReconciled:1"]);
  expect(
    environment.named(topics.journal, "Release").map(({ decoded: { value } }) => `${value.businessDate} ${value.windowNumber}`),
  ).toEqual(["2026-11-20 2"]);
  expect(listMarkers(environment, nextDay)).toEqual([]);
});

test("I9: a window opens late after a scheduler was down over its opening; down over the whole window it is a recorded miss, an error line, and closes all the same [D9 missed-window]", async () => {
  const lines: string[] = [];
  const environment = new SchedulerEnvironment({
    onInfo: (event, fields) => void (event === "window.opened" && lines.push(`${event} ${Number(fields["lateMs"]) > 25_000}`)),
    onProblem: (event, fields) => void (event === "window.missed" && lines.push(`${event} ${String(fields["window"])}`)),
  });
  const first = await environment.scheduler();
  await environment.time.advance(5_000);
  first.kill();
  await at(environment, opensAtMs + 30_000);
  await environment.scheduler();
  await environment.until("late", () => lines.length > 0);
  expect([listMarkers(environment), lines]).toEqual([["WindowOpened:1"], ["window.opened true"]]);

  const missed = new SchedulerEnvironment({
    onProblem: (event, fields) => void (event === "window.missed" && lines.push(`${event} ${String(fields["window"])}`)),
  });
  const killed = await missed.scheduler();
  await missed.time.advance(5_000);
  killed.kill();
  await at(missed, closesAtMs + 1_000);
  await missed.scheduler();
  await missed.until("closed", () => lines.length > 1);
  expect([listMarkers(missed), lines.slice(1)]).toEqual([["WindowClosed:1"], ["window.missed 1"]]);
});

test("a debit still held at the last close is carried over to the next business date and released there; one that may not be carried over is an item [D9 carry-over]", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1, creditsFinal: "connector" });
  await environment.scheduler();
  const [carriesOver, stays] = [environment.uetr(), environment.uetr()];
  await environment.hold(carriesOver, undefined, undefined, 1);
  await environment.hold(stays);
  await at(environment, closesAtMs + 2_000);
  expect((await path(environment, carriesOver)).slice(-2)).toEqual(heldTwice);
  expect(environment.events(carriesOver)).toEqual(["1 RECEIVED", "2 ACCEPTED", "3 REPORTED", "4 HELD", "5 HELD"]);
  await at(environment, reconciliationAtMs + 2_000);
  expect((await environment.document(carriesOver))?.transaction).toMatchObject({ state: "HELD", reconciliationDay: nextDay, items: [] });
  expect((await path(environment, stays)).at(-1)).toBe("RECONCILIATION 2026-11-20");

  await at(environment, schedulerStartAtMs + 24 * hourMs + 15_000);
  const { name, value } = { name: "CreditsFinalRequested" as const, value: { scheme: "ZA_EFT", businessDate: "2026-11-21" } };
  const asked = { ...value, requestedBy: "clearing", bank: null, receivedAtMs: environment.time.nowMs(), action: null };
  await environment.append(topics.journal, nextDay, { name, value: asked });
  await environment.until("released", () => environment.events(carriesOver).length === 6);
  expect((await path(environment, carriesOver)).at(-1)).toBe("RELEASED 2026-11-21");
});

test("a debit that becomes held after the last close of its date is carried over at once", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  await at(environment, closesAtMs + 2_000);
  const uetr = environment.uetr();
  await environment.hold(uetr, undefined, undefined, 1);
  await environment.until("held twice", () => environment.events(uetr).length === 5);
  expect((await path(environment, uetr)).slice(-2)).toEqual(heldTwice);
});

test("I3: every debit is carried over once, also if the scheduler is killed around the last close", async () => {
  for (const dieAfterMs of [5, 40, 120, 300]) {
    const environment = new SchedulerEnvironment({ partitionCount: 2, creditsFinal: "connector" });
    const first = await environment.scheduler();
    const uetrs = Array.from({ length: 12 }, () => environment.uetr());
    for (const uetr of uetrs) await environment.hold(uetr, undefined, undefined, 1);
    await at(environment, closesAtMs + dieAfterMs);
    first.kill();
    await environment.scheduler();
    await environment.until("all over", () => uetrs.every((uetr) => environment.events(uetr).length >= 5));
    await at(environment, reconciliationAtMs + 3_000);
    for (const uetr of uetrs) expect((await path(environment, uetr)).slice(3)).toEqual(heldTwice);
  }
});

test("a process that starts with a newer configuration plans with it: a date that it takes away is void, its held debits are carried over in any case [D9 void-date]", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 2 });
  const first = await environment.scheduler();
  await environment.time.advance(1_000);
  const held = [environment.uetr(), environment.uetr()];
  for (const uetr of held) await environment.hold(uetr);
  const received = environment.uetr();
  await environment.append(topics.journal, received, environment.debit(received));
  await environment.until("held", () => held.every((uetr) => environment.events(uetr).length === 4));
  await first.stop();
  await environment.scheduler({ times: holiday });
  await environment.until("over", () => held.every((uetr) => environment.events(uetr).length === 5));
  for (const uetr of held) expect((await path(environment, uetr)).slice(3)).toEqual(heldTwice);
  expect(listMarkers(environment)).toEqual(["DayVoid:1"]);
  await environment.until("reconciled", () => listMarkers(environment).includes("DayReconciled:1"));
  expect(listMarkers(environment)).toEqual(["DayVoid:1", "DayReconciled:1"]);
  const reconciled = environment.named(topics.journal, "DayReconciled").map(({ appendedAtMs }) => appendedAtMs);
  expect(Math.min(...reconciled)).toBeGreaterThanOrEqual(reconciliationAtMs);
  await environment.until("an item", () => environment.events(received).length === 2);
  expect((await environment.document(received))?.transaction).toMatchObject({
    state: "RECONCILIATION",
    items: [{ row: 4, day: schedulerDay }],
  });
});

test("I10: a debit on a date that was void from its first plan is carried over if it is held, and becomes an item of that date otherwise", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1, times: holiday });
  await environment.scheduler();
  const [held, received] = [environment.uetr(), environment.uetr()];
  await environment.hold(held);
  await environment.append(topics.journal, received, environment.debit(received));
  await environment.until("an item", () => environment.events(received).length === 2);
  expect((await path(environment, held)).slice(3)).toEqual(heldTwice);
  expect((await environment.document(received))?.transaction.items).toMatchObject([{ row: 4, day: schedulerDay }]);
  expect(listMarkers(environment)).toEqual(["DayVoid:1", "DayReconciled:1"]);
});

test("I3: a scheduler killed while a date is voided loses nothing of it and carries nothing over twice", async () => {
  for (const dieAfterMs of [10, 60, 150, 400]) {
    const environment = new SchedulerEnvironment({ partitionCount: 2 });
    const first = await environment.scheduler();
    await environment.time.advance(1_000);
    const uetrs = Array.from({ length: 8 }, () => environment.uetr());
    for (const uetr of uetrs) await environment.hold(uetr);
    await environment.until("held", () => uetrs.every((uetr) => environment.events(uetr).length === 4));
    first.kill();
    const newer = await environment.scheduler({ times: holiday });
    await environment.time.advance(dieAfterMs);
    newer.kill();
    await environment.scheduler({ times: holiday });
    await environment.until("all over", () => uetrs.every((uetr) => environment.events(uetr).length >= 5));
    await environment.until("reconciled", () => listMarkers(environment).includes("DayReconciled:1"));
    for (const uetr of uetrs) expect((await path(environment, uetr)).slice(3)).toEqual(heldTwice);
  }
});

test("a scheduler that still runs the older configuration changes nothing of a date that a newer one took away", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const older = await environment.scheduler();
  await environment.time.advance(2_000);
  await environment.scheduler({ times: holiday });
  await environment.until("void", () => listMarkers(environment).length === 1);
  older.kill();
  await environment.scheduler();
  await at(environment, reconciliationAtMs + 2_000);
  expect(listMarkers(environment)).toEqual(["DayVoid:1", "DayReconciled:1"]);
});
