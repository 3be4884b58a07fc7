import { topics } from "@sluice/contracts";
import type { LedgerRow } from "@sluice/domain";
import { expect, test } from "vitest";
import { bank, day, World } from "./given.ts";
import type { Turn } from "./handler.ts";
import { createLaneLedgers, daysKeptMax } from "./lane-ledgers.ts";

/** A debit that was received at offset 10, accepted at 20 and held at 30, as three turns; and a world whose store is empty. */
async function given(): Promise<{ readonly world: World; readonly turns: readonly Turn[] }> {
  const scratch = new World();
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
  const turns = [10n, 20n, 30n].map((offset): Turn => {
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
  return { world: new World(), turns };
}

function counts(rows: readonly LedgerRow[]): readonly string[] {
  return rows.flatMap(({ columns }) => Object.entries(columns).map(([column, { count }]) => `${column} ${count}`));
}

const once = ["accepted 1", "open 1"];

test("I11: a replay below what was written counts nothing, beyond it everything", async () => {
  const { world, turns } = await given();
  const { ledgers } = world.store;
  const first = createLaneLedgers({ lane: 0, store: ledgers });
  await world.done(first.retake(0n));
  await world.done(first.take(turns.slice(0, 2), 21n));
  await world.done(first.write());
  const [stored] = await world.done(ledgers.ofDay(day));
  expect(stored).toMatchObject({ lane: 0, day, version: 1, through: 21n, rows: [{ bank, currency: "ZAR" }] });
  // The position was not written: the next owner begins at 0.
  const next = createLaneLedgers({ lane: 0, store: ledgers });
  await world.done(next.retake(0n));
  await world.done(next.take(turns, 31n));
  expect(counts((await world.done(next.counted(day))).rows)).toEqual(once);
  expect((await world.done(next.counted(day))).offset).toBe(31n);
});

test("I11: a batch that is counted again by the same owner counts once", async () => {
  const { world, turns } = await given();
  const ledgers = createLaneLedgers({ lane: 0, store: world.store.ledgers });
  for (let again = 0; again < 2; again += 1) await world.done(ledgers.take(turns, 31n));
  expect(counts((await world.done(ledgers.counted(day))).rows)).toEqual(once);
});

test("a stale owner's ledger never takes the place of one that counts further; it takes over what that one has", async () => {
  const { world, turns } = await given();
  const store = world.store.ledgers;
  const stale = createLaneLedgers({ lane: 0, store });
  await world.done(stale.take(turns.slice(0, 1), 11n));
  const owner = createLaneLedgers({ lane: 0, store });
  await world.done(owner.take(turns, 31n));
  await world.done(owner.write());
  await world.done(stale.write());
  expect((await world.done(store.ofDay(day)))[0]).toMatchObject({ through: 31n, version: 1 });
  await world.done(stale.take(turns.slice(1), 31n));
  expect(counts((await world.done(stale.counted(day))).rows)).toEqual(once);
});

test("an owner that counts further writes over a stale one's ledger", async () => {
  const { world, turns } = await given();
  const store = world.store.ledgers;
  const owner = createLaneLedgers({ lane: 0, store });
  await world.done(owner.take(turns, 31n));
  const stale = createLaneLedgers({ lane: 0, store });
  await world.done(stale.take(turns.slice(0, 1), 11n));
  await world.done(stale.write());
  await world.done(owner.write());
  expect((await world.done(store.ofDay(day)))[0]).toMatchObject({ through: 31n, version: 2 });
});

test("I15: of days that are written few are kept in memory, and one that is not is read again", async () => {
  const { world, turns } = await given();
  const loaded: string[] = [];
  const { ledgers } = world.store;
  const store = { ...ledgers, load: (lane: number, days: readonly string[]) => (loaded.push(...days), ledgers.load(lane, days)) };
  const kept = createLaneLedgers({ lane: 0, store });
  await world.done(kept.take(turns, 31n));
  await world.done(kept.write());
  for (let date = 1; date <= daysKeptMax; date += 1) await world.done(kept.counted(`ZA_EFT:2027-01-${String(date).padStart(2, "0")}`));
  await world.done(kept.write());
  loaded.length = 0;
  expect(counts((await world.done(kept.counted(day))).rows)).toEqual(once);
  expect(loaded).toEqual([day]);
});
