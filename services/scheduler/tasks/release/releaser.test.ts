import { type Marker, queueKey, type State, type Transaction } from "@sluice/domain";
import type { OpenRow } from "@sluice/store";
import { silentLogger, silentMetrics } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import type { FactToAppend } from "../append-facts.ts";
import { createAppliedMarkers } from "../../partition/applied-markers.ts";
import { startReleaser } from "./releaser.ts";
import { createSchedulerMetrics } from "../../scheduler-metrics.ts";

const businessDate = "2026-11-20";
const base = { scheme: "ZA_EFT", businessDate };
const opened: Marker = { ...base, kind: "WindowOpened", id: "o", number: 1 };
const closed: Marker = { ...base, kind: "WindowClosed", id: "c", number: 1, isLast: true, nextBusinessDate: "2026-11-21" };
const gate: Marker = { ...base, kind: "GateOpened", id: "g", number: 1, banks: null, except: ["closed-bank"] };

interface SetUpOptions {
  readonly limit?: number;
  readonly pageKeysMax?: number;
  readonly rows?: readonly OpenRow[];
}

/** A single partition, a store with rows, and a journal that accepts appends, or fails them. */
function setUp({ limit = 3, pageKeysMax = 10_000, rows = [] }: SetUpOptions = {}) {
  const time = createVirtualTime({ startAtMs: 0 });
  const markers = createAppliedMarkers(0);
  const appended: FactToAppend[] = [];
  const none: Readonly<Record<string, number>> = {};
  const journal = { isUp: true, isCaughtUp: true, reads: 0, keys: 0, keysMax: 0, atClosedGates: none, due: none };
  const held = new Map(rows.map((row) => [row.uetr, row]));
  const releasing = startReleaser({
    partition: 0,
    partitionCount: 1,
    markers,
    store: {
      held: (_partition, bank, _day, after, most) => {
        journal.reads += 1;
        const later = [...held.values()].filter((row) => row.bank === bank && (after === null || row.queueKey > after));
        return Promise.resolve(later.toSorted((a, b) => (a.queueKey < b.queueKey ? -1 : 1)).slice(0, most));
      },
    },
    append: (facts) => {
      if (journal.isUp) appended.push(...facts);
      return Promise.resolve(journal.isUp);
    },
    maxUnacknowledged: () => limit,
    brokerNowMs: () => time.nowMs(),
    isCaughtUp: () => journal.isCaughtUp,
    acknowledgedAtMs: new Map(),
    time,
    logger: silentLogger,
    metrics: {
      ...createSchedulerMetrics(silentMetrics),
      setHeldDebits: (_, banks) => {
        journal.keys = Math.max(0, ...banks.values());
        journal.keysMax = Math.max(journal.keysMax, journal.keys);
      },
      setDebitsAtClosedGates: (_, banks) => (journal.atClosedGates = Object.fromEntries(banks)),
      setDueDebits: (_, schemes) => (journal.due = Object.fromEntries(schemes)),
    },
    pageKeysMax,
  });
  for (const row of rows) releasing.fill(row);
  let offset = 0n;
  const pass = (...passed: readonly Marker[]): void => {
    for (const marker of passed) markers.apply(marker, { offset: (offset += 1n), appendedAtMs: 0 });
    releasing.wake();
  };
  const saw = (row: OpenRow, state: State, isRelease = false): void => {
    if (state !== "HELD") held.delete(row.uetr);
    releasing.observe({ transitions: [], ...row, scheme: "ZA_EFT", state } as unknown as Transaction, isRelease);
    releasing.wake();
  };
  const released = (): readonly string[] => appended.map(({ key }) => key);
  return { time, pass, saw, released, journal, releasing };
}

function row(number: number, bank = "first"): OpenRow {
  const uetr = `u${String(number).padStart(6, "0")}`;
  return {
    uetr,
    state: "HELD",
    flow: "on-us",
    scheme: "ZA_EFT",
    deadlineMs: null,
    isOutcomeAwaited: false,
    receivedOffset: 0n,
    unreadCreditOffset: null,
    bank,
    businessDate,
    reconciliationDay: `ZA_EFT:${businessDate}`,
    queueKey: queueKey(number, uetr),
    carryOversLeft: 0,
  };
}

const buildRows = (count: number, bank?: string): readonly OpenRow[] => Array.from({ length: count }, (_, index) => row(index, bank));

test("I8: before the window or the gate is open nothing is released, and after the closing nothing more [D9.15]", async () => {
  const rows = buildRows(6);
  const { time, pass, saw, released } = setUp({ rows });
  pass();
  await time.advance(5_000);
  pass(opened);
  await time.advance(5_000);
  expect(released()).toEqual([]);
  pass(gate);
  await time.settle();
  expect(released()).toEqual(["u000000", "u000001", "u000002"]);
  pass(closed);
  for (const one of rows.slice(0, 3)) saw(one, "DELIVERED", true);
  await time.advance(5_000);
  expect(released()).toHaveLength(3);
});

test("I8: a new owner releases nothing before it has caught up: a debit that became held meanwhile may come first", async () => {
  const { time, pass, saw, released, journal } = setUp({ rows: [row(5)], limit: 1 });
  journal.isCaughtUp = false;
  pass(opened, gate);
  await time.settle();
  expect(released()).toEqual([]);
  journal.isCaughtUp = true;
  saw(row(2), "HELD");
  await time.settle();
  expect(released()).toEqual(["u000002"]);
});

test("I8: a bank whose gate stays closed gets nothing, and delays no other bank", async () => {
  const { time, pass, released } = setUp({ rows: [...buildRows(2, "closed-bank"), row(7)] });
  pass(opened, gate);
  await time.settle();
  expect(released()).toEqual(["u000007"]);
});

test("I8: nothing overtakes undecided releases of an earlier window; once refused, they go first in the next window", async () => {
  const rows = buildRows(4);
  const { time, pass, saw, released } = setUp({ rows: rows.slice(0, 2) });
  pass(opened, gate);
  await time.settle();
  expect(released()).toEqual(["u000000", "u000001"]);
  pass(closed, { ...opened, id: "o2", number: 2 });
  saw(rows[2]!, "HELD");
  saw(rows[0]!, "HELD", true);
  await time.advance(5_000);
  expect(released()).toHaveLength(2);
  saw(rows[1]!, "HELD", true);
  await time.settle();
  expect(released().slice(2)).toEqual(["u000000", "u000001", "u000002"]);
});

test("an appended release counts until its debit has left RELEASED, also if the debit is observed in between", async () => {
  const rows = buildRows(5);
  const { time, pass, saw, released } = setUp({ rows, limit: 2 });
  pass(opened, gate);
  await time.settle();
  saw(rows[0]!, "HELD");
  saw(rows[0]!, "RELEASED", true);
  saw(rows[1]!, "RELEASED", true);
  await time.settle();
  expect(released()).toEqual(["u000000", "u000001"]);
  saw(rows[1]!, "DELIVERED");
  await time.settle();
  expect(released()).toEqual(["u000000", "u000001", "u000002"]);
});

test("a debit that becomes held while its window and its gate are open is released at once, in its turn [D7.11]", async () => {
  const { time, pass, saw, released } = setUp({ rows: [row(7)], limit: 1 });
  pass(opened, gate);
  await time.settle();
  saw(row(7), "RELEASED", true);
  for (const number of [9, 8]) saw(row(number), "HELD");
  await time.settle();
  expect(released()).toEqual(["u000007"]);
  saw(row(7), "DELIVERED");
  await time.settle();
  saw(row(8), "RELEASED", true);
  saw(row(8), "DELIVERED");
  await time.settle();
  expect(released()).toEqual(["u000007", "u000008", "u000009"]);
});

test("a refused release returns its debit to its place in the queue", async () => {
  const rows = buildRows(3);
  const { time, pass, saw, released } = setUp({ rows, limit: 1 });
  pass(opened, gate);
  await time.settle();
  saw(rows[0]!, "HELD", true);
  await time.settle();
  expect(released()).toEqual(["u000000", "u000000"]);
});

test("a debit not acknowledged for 60 s counts as long as the bank acknowledged no other one [D9.46] [D9.47]", async () => {
  const rows = buildRows(4);
  const { time, pass, saw, released } = setUp({ rows, limit: 2 });
  pass(opened, gate);
  await time.settle();
  for (const one of rows.slice(0, 2)) saw(one, "RELEASED", true);
  await time.advance(70_000);
  expect(released()).toHaveLength(2);
  saw(rows[1]!, "DELIVERED");
  await time.settle();
  expect(released()).toEqual(["u000000", "u000001", "u000002", "u000003"]);
});

test("a debit unacknowledged since before the last acknowledgement stops counting by the passing of time alone [D9.46] [D9.47]", async () => {
  const rows = buildRows(4);
  const { time, pass, saw, released } = setUp({ rows, limit: 2 });
  pass(opened, gate);
  await time.settle();
  for (const one of rows.slice(0, 2)) saw(one, "RELEASED", true);
  await time.advance(1_000);
  saw(rows[1]!, "DELIVERED");
  await time.settle();
  expect(released()).toHaveLength(3);
  await time.advance(58_000);
  expect(released()).toHaveLength(3);
  await time.advance(1_500);
  expect(released()).toHaveLength(4);
});

test("a failed append is repeated in the same order, and never twice for a debit that is pending", async () => {
  const rows = buildRows(4);
  const { time, pass, saw, released, journal } = setUp({ rows, limit: 3 });
  journal.isUp = false;
  pass(opened, gate);
  await time.advance(3_500);
  journal.isUp = true;
  await time.advance(1_000);
  for (const one of rows) saw(one, "HELD");
  await time.advance(10_000);
  expect(released()).toEqual(["u000000", "u000001", "u000002"]);
});

test("25,000 held debits leave in order through pages of 10,000, and the store is read only when a cut page runs low", async () => {
  const rows = buildRows(25_000);
  const { time, pass, saw, released, journal } = setUp({ rows: rows.toReversed(), limit: 2_000 });
  pass(opened, gate);
  for (let done = 0; done < rows.length;) {
    await time.advance(10);
    const out = released().length;
    for (const one of rows.slice(done, out)) saw(one, "DELIVERED", true);
    if (out === done) break;
    done = out;
  }
  expect(released()).toEqual(rows.map(({ uetr }) => uetr));
  expect(journal.reads).toBeLessThanOrEqual(3);
});

test("I15: a debit that is carried over to the next business date leaves the page of the date before", async () => {
  const rows = buildRows(3);
  const { time, saw, releasing, journal } = setUp({ rows });
  releasing.wake();
  await time.settle();
  expect(journal.keys).toBe(3);
  const transitions = [businessDate, "2026-11-23"].map((date) => ({ state: "HELD", businessDate: date }));
  const over = rows.map((one) => ({ ...one, businessDate: "2026-11-23", transitions }));
  for (const one of over) saw(one, "HELD");
  await time.settle();
  expect(journal.keys).toBe(3);
  for (const one of over) saw(one, "RECONCILIATION");
  await time.settle();
  expect(journal.keys).toBe(0);
});

test("I15: 100,000 held debits never fill more than a page in memory, and are read once", async () => {
  const rows = buildRows(100_000);
  const { time, pass, saw, released, journal } = setUp({ rows, limit: 5_000 });
  pass(opened, gate);
  for (let done = 0; done < rows.length;) {
    await time.advance(10);
    const out = released().length;
    expect(out).toBeGreaterThan(done);
    for (const one of rows.slice(done, out)) saw(one, "DELIVERED", true);
    done = out;
  }
  expect(released()).toEqual(rows.map(({ uetr }) => uetr));
  expect(journal.keysMax).toBeLessThanOrEqual(10_000);
  expect(journal.reads).toBeLessThanOrEqual(11);
});

test("a debit that becomes held with a key before the cut goes into the page; one beyond it comes from the store", async () => {
  const rows = [row(10), row(20), row(30), row(40)];
  const { time, pass, saw, released } = setUp({ rows, limit: 1, pageKeysMax: 2 });
  const [early, late] = [row(15), row(50)];
  saw(early, "HELD");
  saw(late, "HELD");
  pass(opened, gate);
  const order = [10, 15, 20, 30, 40].map((number) => row(number));
  for (const one of order) {
    await time.advance(10);
    saw(one, "DELIVERED", true);
  }
  await time.advance(10);
  expect(released()).toEqual(order.map(({ uetr }) => uetr));
});

test("the metric shows by scheme how many debits are due: their window and their gate are open, and their turn is to come", async () => {
  const { time, pass, released, journal } = setUp({ rows: [...buildRows(6), row(7, "closed-bank")] });
  await time.settle();
  pass(opened);
  await time.settle();
  expect(journal.due).toEqual({});
  pass(gate);
  await time.settle();
  expect([released().length, journal.due]).toEqual([3, { ZA_EFT: 3 }]);
  pass(closed);
  await time.settle();
  expect(journal.due).toEqual({});
});

test("the metric shows by bank how many debits wait for a closed gate while their window is open", async () => {
  const { time, pass, journal } = setUp({ rows: [...buildRows(2), row(7, "closed-bank")] });
  await time.settle();
  expect(journal.atClosedGates).toEqual({});
  pass(opened);
  await time.settle();
  expect(journal.atClosedGates).toEqual({ first: 2, "closed-bank": 1 });
  pass(gate);
  await time.settle();
  expect(journal.atClosedGates).toEqual({ "closed-bank": 1 });
  pass(closed);
  await time.settle();
  expect(journal.atClosedGates).toEqual({});
});
