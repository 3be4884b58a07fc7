// Business days through the whole scheduler: several windows, windows over midnight, windows that were missed, held debits that go over to the next
// business date, dates that a newer configuration takes away. Take-overs in between.

import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { closesAtMs, day, opensAtMs, reconciliationAtMs, startAtMs, World, worldTimes } from "./given.ts";

const nextDay = "ZA_EFT:2026-11-21";
const holiday = { ...worldTimes, calendar: { ...worldTimes.calendar, version: "test-2", holidays: ["2026-11-20"] } };
const hourMs = 3_600_000;

function markersOf(world: World, of: string = day): readonly string[] {
  const names = ["WindowOpened", "WindowClosed", "DayVoid", "DayReconciled"] as const;
  const copies = names.flatMap((name) => world.named(topics.journal, name));
  const mine = copies.filter(({ decoded: { value }, partition }) => partition === 0 && `${value.scheme}:${value.businessDate}` === of);
  const ids = mine.toSorted((a, b) => (a.offset < b.offset ? -1 : 1)).map(({ decoded }) => decoded.value.id.slice(of.length + 1, -2));
  return [...new Set(ids)];
}

/** States of a transaction with the business date of each. */
async function path(world: World, uetr: string): Promise<readonly string[]> {
  const transitions = (await world.document(uetr))?.transaction.transitions ?? [];
  return transitions.map(({ state, businessDate }) => `${state} ${businessDate}`);
}

async function at(world: World, atMs: number): Promise<void> {
  await world.time.advance(Math.max(0, atMs - world.time.nowMs()));
}

const heldTwice = ["HELD 2026-11-20", "HELD 2026-11-21"];

test("I9, I8: of several windows a day each opens and closes once, and a debit held between two leaves in the later one [D9 several-windows]", async () => {
  const processing = [
    { opens: "07:00:10", closes: "07:00:20" },
    { opens: "07:00:30", closes: "07:00:40" },
    { opens: "07:00:50", closes: "07:01:00" },
  ];
  const world = new World({ times: { ...worldTimes, processing } });
  await world.scheduler();
  await at(world, startAtMs + 22_000);
  const uetr = world.uetr();
  await world.hold(uetr);
  await world.until("reconciled", () => markersOf(world).includes("DayReconciled:1"));
  expect(markersOf(world)).toEqual(
    [1, 2, 3].flatMap((number) => [`WindowOpened:${number}`, `WindowClosed:${number}`]).concat("DayReconciled:1"),
  );
  const released = world.named(topics.journal, "Release").map(({ decoded }) => decoded.value.windowNumber);
  expect(released).toEqual([2]);
});

test("I9: a window that opens at midnight, and one of the next calendar day, are of their business date [D9 several-windows]", async () => {
  const processing = [
    { opens: "23:00", closes: "+1d 00:00" },
    { opens: "+1d 00:00", closes: "+1d 02:00" },
  ];
  const world = new World({ lanes: 1, times: { ...worldTimes, processing, reconciliation: "+1d 04:00" } });
  await world.scheduler();
  const uetr = world.uetr();
  await at(world, startAtMs + 17.5 * hourMs);
  await world.hold(uetr);
  await at(world, startAtMs + 21.5 * hourMs);
  expect(markersOf(world)).toEqual(["WindowOpened:1", "WindowClosed:1", "WindowOpened:2", "WindowClosed:2", "DayReconciled:1"]);
  expect(world.named(topics.journal, "Release").map(({ decoded: { value } }) => `${value.businessDate} ${value.windowNumber}`)).toEqual([
    "2026-11-20 2",
  ]);
  expect(markersOf(world, nextDay)).toEqual([]);
});

test("I9: down over the opening it opens late; down over the window it is a recorded miss, an error line, and closes all the same [D9 missed-window]", async () => {
  const lines: string[] = [];
  const world = new World({
    onInfo: (event, fields) => void (event === "window.opened" && lines.push(`${event} ${Number(fields["lateMs"]) > 25_000}`)),
    onTrouble: (event, fields) => void (event === "window.missed" && lines.push(`${event} ${String(fields["window"])}`)),
  });
  const first = await world.scheduler();
  await world.time.advance(5_000);
  first.kill();
  await at(world, opensAtMs + 30_000);
  await world.scheduler();
  await world.until("late", () => lines.length > 0);
  expect([markersOf(world), lines]).toEqual([["WindowOpened:1"], ["window.opened true"]]);

  const missed = new World({
    onTrouble: (event, fields) => void (event === "window.missed" && lines.push(`${event} ${String(fields["window"])}`)),
  });
  const killed = await missed.scheduler();
  await missed.time.advance(5_000);
  killed.kill();
  await at(missed, closesAtMs + 1_000);
  await missed.scheduler();
  await missed.until("closed", () => lines.length > 1);
  expect([markersOf(missed), lines.slice(1)]).toEqual([["WindowClosed:1"], ["window.missed 1"]]);
});

test("a debit still held at the last close goes over to the next business date, waits there, and is released there; one that may not is an item [D9 roll]", async () => {
  const world = new World({ lanes: 1, creditsFinal: "connector" });
  await world.scheduler();
  const [rolls, stays] = [world.uetr(), world.uetr()];
  await world.hold(rolls, undefined, undefined, 1);
  await world.hold(stays);
  await at(world, closesAtMs + 2_000);
  expect((await path(world, rolls)).slice(-2)).toEqual(heldTwice);
  expect(world.events(rolls)).toEqual(["1 RECEIVED", "2 ACCEPTED", "3 REPORTED", "4 HELD", "5 HELD"]);
  await at(world, reconciliationAtMs + 2_000);
  expect((await world.document(rolls))?.transaction).toMatchObject({ state: "HELD", closesWith: nextDay, items: [] });
  expect((await path(world, stays)).at(-1)).toBe("RECONCILIATION 2026-11-20");

  await at(world, startAtMs + 24 * hourMs + 15_000);
  const { name, value } = { name: "CreditsFinalRequested" as const, value: { scheme: "ZA_EFT", businessDate: "2026-11-21" } };
  const asked = { ...value, requestedBy: "clearing", bank: null, receivedAtMs: world.time.nowMs(), action: null };
  await world.append(topics.journal, nextDay, { name, value: asked });
  await world.until("released", () => world.events(rolls).length === 6);
  expect((await path(world, rolls)).at(-1)).toBe("RELEASED 2026-11-21");
});

test("a debit that becomes held after the last close of its date goes over in the same turn", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  await at(world, closesAtMs + 2_000);
  const uetr = world.uetr();
  await world.hold(uetr, undefined, undefined, 1);
  await world.until("held twice", () => world.events(uetr).length === 5);
  expect((await path(world, uetr)).slice(-2)).toEqual(heldTwice);
});

test("I3: killed around the last close, every debit goes over once", async () => {
  for (const dieAfterMs of [5, 40, 120, 300]) {
    const world = new World({ lanes: 2, creditsFinal: "connector" });
    const first = await world.scheduler();
    const uetrs = Array.from({ length: 12 }, () => world.uetr());
    for (const uetr of uetrs) await world.hold(uetr, undefined, undefined, 1);
    await at(world, closesAtMs + dieAfterMs);
    first.kill();
    await world.scheduler();
    await world.until("all over", () => uetrs.every((uetr) => world.events(uetr).length >= 5));
    await at(world, reconciliationAtMs + 3_000);
    for (const uetr of uetrs) expect((await path(world, uetr)).slice(3)).toEqual(heldTwice);
  }
});

test("a process that starts with a newer configuration plans with it: a date that it takes away is void, its held debits go over whatever they may [D9 void-date]", async () => {
  const world = new World({ lanes: 2 });
  const first = await world.scheduler();
  await world.time.advance(1_000);
  const held = [world.uetr(), world.uetr()];
  for (const uetr of held) await world.hold(uetr);
  const received = world.uetr();
  await world.append(topics.journal, received, world.debitOf(received));
  await world.until("held", () => held.every((uetr) => world.events(uetr).length === 4));
  await first.stop();
  await world.scheduler({ times: holiday });
  await world.until("over", () => held.every((uetr) => world.events(uetr).length === 5));
  for (const uetr of held) expect((await path(world, uetr)).slice(3)).toEqual(heldTwice);
  expect(markersOf(world)).toEqual(["DayVoid:1"]);
  await world.until("reconciled", () => markersOf(world).includes("DayReconciled:1"));
  expect(markersOf(world)).toEqual(["DayVoid:1", "DayReconciled:1"]);
  const reconciled = world.named(topics.journal, "DayReconciled").map(({ appendedAtMs }) => appendedAtMs);
  expect(Math.min(...reconciled)).toBeGreaterThanOrEqual(reconciliationAtMs);
  await world.until("an item", () => world.events(received).length === 2);
  expect((await world.document(received))?.transaction).toMatchObject({ state: "RECONCILIATION", items: [{ row: 4, day }] });
});

test("I10: what names a date that was void from its first plan on goes over if it is held, and becomes an item of it otherwise", async () => {
  const world = new World({ lanes: 1, times: holiday });
  await world.scheduler();
  const [held, received] = [world.uetr(), world.uetr()];
  await world.hold(held);
  await world.append(topics.journal, received, world.debitOf(received));
  await world.until("an item", () => world.events(received).length === 2);
  expect((await path(world, held)).slice(3)).toEqual(heldTwice);
  expect((await world.document(received))?.transaction.items).toMatchObject([{ row: 4, day }]);
  expect(markersOf(world)).toEqual(["DayVoid:1", "DayReconciled:1"]);
});

test("I3: killed while a date is voided, nothing of it is lost, and nothing goes over twice", async () => {
  for (const dieAfterMs of [10, 60, 150, 400]) {
    const world = new World({ lanes: 2 });
    const first = await world.scheduler();
    await world.time.advance(1_000);
    const uetrs = Array.from({ length: 8 }, () => world.uetr());
    for (const uetr of uetrs) await world.hold(uetr);
    await world.until("held", () => uetrs.every((uetr) => world.events(uetr).length === 4));
    first.kill();
    const newer = await world.scheduler({ times: holiday });
    await world.time.advance(dieAfterMs);
    newer.kill();
    await world.scheduler({ times: holiday });
    await world.until("all over", () => uetrs.every((uetr) => world.events(uetr).length >= 5));
    await world.until("reconciled", () => markersOf(world).includes("DayReconciled:1"));
    for (const uetr of uetrs) expect((await path(world, uetr)).slice(3)).toEqual(heldTwice);
  }
});

test("a scheduler that still runs the older configuration changes nothing of a date that a newer one took away", async () => {
  const world = new World({ lanes: 1 });
  const older = await world.scheduler();
  await world.time.advance(2_000);
  await world.scheduler({ times: holiday });
  await world.until("void", () => markersOf(world).length === 1);
  older.kill();
  await world.scheduler();
  await at(world, reconciliationAtMs + 2_000);
  expect(markersOf(world)).toEqual(["DayVoid:1", "DayReconciled:1"]);
});
