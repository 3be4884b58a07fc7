import { topics } from "@sluice/contracts";
import type { LedgerRow } from "@sluice/domain";
import { expect, test } from "vitest";
import { schedulerBank, schedulerDay, SchedulerEnvironment } from "../scheduler.fixture.ts";
import type { HandledRecord } from "../handlers/handler.ts";
import { createDayLedgers, ledgerDaysKeptMax } from "./day-ledgers.ts";

/**
 * A debit that was received at offset 10, accepted at 20 and held at 30, as three handled records; and an environment
 * with an empty store.
 */
async function setUp(): Promise<{ readonly environment: SchedulerEnvironment; readonly handled: readonly HandledRecord[] }> {
  const scratch = new SchedulerEnvironment();
  await scratch.scheduler();
  const uetr = scratch.uetr();
  await scratch.hold(uetr);
  await scratch.until("held", () => scratch.events(uetr).length === 4);
  const document = (await scratch.document(uetr))!;
  const [record] = scratch.records(topics.journal);
  const offsets = [...new Set(document.transaction.transitions.map(({ offset }) => offset))];
  const transitions = document.transaction.transitions.map((entry) => ({
    ...entry,
    offset: BigInt(10 * (offsets.indexOf(entry.offset) + 1)),
  }));
  const transaction = { ...document.transaction, transitions };
  const handled = [10n, 20n, 30n].map((offset): HandledRecord => {
    const rest = {
      decision: "applied",
      reason: null,
      outgoing: [],
      day: null,
      bank: null,
      marker: null,
      bankMarker: null,
      action: null,
    } as const;
    return { ...rest, record: { ...record!, offset }, key: uetr, name: "DeliveryEnded", transaction };
  });
  return { environment: new SchedulerEnvironment(), handled };
}

function counts(rows: readonly LedgerRow[]): readonly string[] {
  return rows.flatMap(({ columns }) => Object.entries(columns).map(([column, { count }]) => `${column} ${count}`));
}

const requireLease = (): Promise<void> => Promise.resolve();
const once = ["accepted 1", "open 1"];

test("I11: a replay counts nothing below the written offset, and everything beyond it", async () => {
  const { environment, handled } = await setUp();
  const { ledgers } = environment.store;
  const first = createDayLedgers({ partition: 0, store: ledgers, requireLease });
  await environment.settle(first.reload(0n));
  await environment.settle(first.count(handled.slice(0, 2), 21n));
  await environment.settle(first.write());
  const [stored] = await environment.settle(ledgers.listByDay(schedulerDay));
  expect(stored).toMatchObject({
    partition: 0,
    day: schedulerDay,
    version: 1,
    through: 21n,
    rows: [{ bank: schedulerBank, currency: "ZAR" }],
  });
  // The position was not written: the next owner begins at 0.
  const next = createDayLedgers({ partition: 0, store: ledgers, requireLease });
  await environment.settle(next.reload(0n));
  await environment.settle(next.count(handled, 31n));
  expect(counts((await environment.settle(next.read(schedulerDay))).rows)).toEqual(once);
  expect((await environment.settle(next.read(schedulerDay))).offset).toBe(31n);
});

test("I11: a batch that is counted again by the same owner counts once", async () => {
  const { environment, handled } = await setUp();
  const ledgers = createDayLedgers({ partition: 0, store: environment.store.ledgers, requireLease });
  for (let again = 0; again < 2; again += 1) await environment.settle(ledgers.count(handled, 31n));
  expect(counts((await environment.settle(ledgers.read(schedulerDay))).rows)).toEqual(once);
});

test("a stale owner's ledger never replaces one that counts further; the stale owner adopts that one", async () => {
  const { environment, handled } = await setUp();
  const store = environment.store.ledgers;
  const stale = createDayLedgers({ partition: 0, store, requireLease });
  await environment.settle(stale.count(handled.slice(0, 1), 11n));
  const owner = createDayLedgers({ partition: 0, store, requireLease });
  await environment.settle(owner.count(handled, 31n));
  await environment.settle(owner.write());
  await environment.settle(stale.write());
  expect((await environment.settle(store.listByDay(schedulerDay)))[0]).toMatchObject({ through: 31n, version: 1 });
  await environment.settle(stale.count(handled.slice(1), 31n));
  expect(counts((await environment.settle(stale.read(schedulerDay))).rows)).toEqual(once);
});

test("I11: a stale owner's ledger replaces none that counts further where a restored store gives its version again", async () => {
  const { environment, handled } = await setUp();
  const live = environment.emptyStore();
  const store = live.ledgers;
  const restore = live.backUp();
  await environment.settle(store.write({ partition: 0, day: schedulerDay, version: 1, through: 5n, rows: [] }, 0));
  const stale = createDayLedgers({ partition: 0, store, requireLease });
  await environment.settle(stale.count(handled.slice(0, 1), 11n));
  restore();
  const owner = createDayLedgers({ partition: 0, store, requireLease });
  await environment.settle(owner.count(handled, 31n));
  await environment.settle(owner.write());
  await environment.settle(stale.write());
  expect((await environment.settle(store.listByDay(schedulerDay)))[0]).toMatchObject({ through: 31n, version: 1 });
});

test("an owner that counts further overwrites a stale owner's ledger", async () => {
  const { environment, handled } = await setUp();
  const store = environment.store.ledgers;
  const owner = createDayLedgers({ partition: 0, store, requireLease });
  await environment.settle(owner.count(handled, 31n));
  const stale = createDayLedgers({ partition: 0, store, requireLease });
  await environment.settle(stale.count(handled.slice(0, 1), 11n));
  await environment.settle(stale.write());
  await environment.settle(owner.write());
  expect((await environment.settle(store.listByDay(schedulerDay)))[0]).toMatchObject({ through: 31n, version: 2 });
});

test("I15: only few written days are kept in memory, and any other is read again", async () => {
  const { environment, handled } = await setUp();
  const loaded: string[] = [];
  const { ledgers } = environment.store;
  const store = { ...ledgers, load: (partition: number, days: readonly string[]) => (loaded.push(...days), ledgers.load(partition, days)) };
  const kept = createDayLedgers({ partition: 0, store, requireLease });
  await environment.settle(kept.count(handled, 31n));
  await environment.settle(kept.write());
  for (let date = 1; date <= ledgerDaysKeptMax; date += 1)
    await environment.settle(kept.read(`ZA_EFT:2027-01-${String(date).padStart(2, "0")}`));
  await environment.settle(kept.write());
  loaded.length = 0;
  expect(counts((await environment.settle(kept.read(schedulerDay))).rows)).toEqual(once);
  expect(loaded).toEqual([schedulerDay]);
});

/** The same records as those of another transaction, further on in the partition. */
function laterBy(offset: bigint, handled: readonly HandledRecord[]): readonly HandledRecord[] {
  return handled.map(({ record, transaction, ...rest }) => {
    if (transaction === null || transaction.flow === null) throw new Error("a debit was given");
    const transitions = transaction.transitions.map((entry) => ({ ...entry, offset: entry.offset + offset }));
    return { ...rest, record: { ...record, offset: record.offset + offset }, transaction: { ...transaction, transitions } };
  });
}

test("I11: an owner that takes its partition again has what the owner in between counted", async () => {
  const { environment, handled } = await setUp();
  const { ledgers } = environment.store;
  const first = createDayLedgers({ partition: 0, store: ledgers, requireLease });
  await environment.settle(first.reload(0n));
  await environment.settle(first.count(handled, 31n));
  await environment.settle(first.write());
  const between = createDayLedgers({ partition: 0, store: ledgers, requireLease });
  await environment.settle(between.reload(31n));
  await environment.settle(between.count(laterBy(100n, handled), 131n));
  await environment.settle(between.write());
  await environment.settle(first.reload(131n));
  const { offset, rows } = await environment.settle(first.read(schedulerDay));
  expect([offset, counts(rows)]).toEqual([131n, ["accepted 2", "open 2"]]);
});
