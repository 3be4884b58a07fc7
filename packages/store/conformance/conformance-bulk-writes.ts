// Part of the store's conformance: writes of several partitions that go in one call, and what a position carries.

import { expect, test } from "vitest";
import type { LedgerWrite, PartitionLedger, Store, UnprovenPosition } from "../port.ts";
import { conformanceDocument } from "./conformance-transactions.ts";
import { conformanceUetr } from "./conformance-partitions.ts";

const service = "scheduler";

export function bulkWritePromises(open: () => Promise<Store>): void {
  test("I1: positions of several partitions are written in one call, and each is refused or written by itself", async () => {
    const { partitions } = await open();
    const held = await Promise.all([1, 2, 3, 4].map((partition) => partitions.takeOver(service, partition)));
    const write = (index: number, position: bigint, state?: unknown) => ({
      service,
      partition: held[index]!.partition,
      held: held[index]!,
      position,
      state,
      unproven: null,
    });
    expect(await partitions.writeMany([])).toEqual([]);
    expect(await partitions.writeMany([write(0, 5n, { markers: [1] }), write(1, 6n), write(2, 7n)])).toEqual([true, true, true]);
    await partitions.takeOver(service, 2);
    // A repeat of what is written, a lost epoch, a position below the stored one, and a partition that nobody has
    // taken.
    const answers = await partitions.writeMany([
      write(0, 8n),
      write(0, 8n),
      write(1, 9n),
      write(2, 6n),
      write(3, 4n),
      { ...write(3, 4n), partition: 9 },
    ]);
    expect(answers).toEqual([true, true, false, false, true, false]);
    const stored = (await partitions.list(service)).map(({ partition, position, state }) => [partition, position, state]);
    expect(stored).toEqual([
      [1, 8n, { markers: [1] }],
      [2, 6n, null],
      [3, 7n, null],
      [4, 4n, null],
    ]);
  });

  test("I1: a position carries what is unproven of it, which the next one, a move back and a new build replace", async () => {
    const { partitions } = await open();
    const held = await partitions.takeOver("scheduler", 3);
    const unproven: UnprovenPosition = {
      from: 10n,
      written: [
        { kind: "transaction", id: conformanceUetr(1), version: 3 },
        { kind: "ledger", id: "ZA_EFT:2026-11-20", version: 7 },
      ],
    };
    const stored = async () => (await partitions.list("scheduler")).map(({ position, unproven }) => [position, unproven]);
    expect(await partitions.write("scheduler", 3, held, 20n, { markers: [] }, unproven)).toBe(true);
    expect((await partitions.takeOver("scheduler", 3)).unproven).toStrictEqual(unproven);
    const again = await partitions.takeOver("scheduler", 3);
    expect(await partitions.write("scheduler", 3, again, 30n)).toBe(true);
    expect(await stored()).toStrictEqual([[30n, null]]);
    expect(await partitions.write("scheduler", 3, again, 40n, undefined, unproven)).toBe(true);
    expect(await partitions.moveBack("scheduler", 3, { ...again, position: 40n }, 10n)).toBe(true);
    // The answer was lost.
    expect(await partitions.moveBack("scheduler", 3, { ...again, position: 40n }, 10n)).toBe(true);
    expect(await stored()).toStrictEqual([[10n, null]]);
    expect(await partitions.moveBack("scheduler", 3, { ...held, position: 40n }, 5n)).toBe(false);
    expect(await partitions.write("scheduler", 3, { ...again, position: 10n }, 40n, undefined, unproven)).toBe(true);
    await partitions.lock("scheduler", 3, { id: "builder", untilMs: 1_795_000_000_000 });
    await partitions.switchTo("scheduler", 3, "builder", { build: 1, position: 50n, state: null });
    expect(await stored()).toStrictEqual([[50n, null]]);
  });

  test("I11: a ledger replaces none that counts further, though its version fits", async () => {
    const { ledgers } = await open();
    const write = (partition: number, version: number, through: bigint): LedgerWrite => ({
      ledger: { partition, day: "ZA_EFT:2026-11-20", version, through, rows: [] },
      expectedVersion: version - 1,
    });
    expect(await ledgers.writeMany([write(1, 1, 31n), write(2, 1, 31n)])).toEqual([true, true]);
    const { ledger, expectedVersion } = write(1, 2, 28n);
    expect(await ledgers.write(ledger, expectedVersion)).toBe(false);
    expect((await ledgers.writeMany([write(1, 2, 28n), write(2, 2, 40n)]))[0]).toBe(false);
    const stored = (await ledgers.listByDay("ZA_EFT:2026-11-20")).map(({ partition, version, through }) => [partition, version, through]);
    expect(stored).toEqual([
      [1, 1, 31n],
      [2, 2, 40n],
    ]);
  });

  test("I11: ledgers of several partitions are written in one call, and each is refused or written by itself", async () => {
    const { ledgers } = await open();
    const day = "ZA_EFT:2026-11-20";
    const cell = { count: 1, sumTenThousandths: 12_500n };
    const write = (partition: number, version: number, through: bigint): LedgerWrite => {
      const rows: PartitionLedger["rows"] = [{ bank: "first", currency: "ZAR", columns: { accepted: cell, open: cell } }];
      return { ledger: { partition, day, version, through, rows }, expectedVersion: version - 1 };
    };
    expect(await ledgers.writeMany([])).toEqual([]);
    expect(await ledgers.writeMany([write(1, 1, 1n), write(2, 1, 2n), write(3, 1, 3n)])).toEqual([true, true, true]);
    expect(await ledgers.writeMany([write(1, 2, 11n), write(2, 2, 12n), write(4, 1, 14n)])).toEqual([true, true, true]);
    // The second one is behind: it is refused, whatever is said of the others.
    const answers = await ledgers.writeMany([write(1, 3, 21n), write(2, 2, 22n), write(3, 2, 23n)]);
    expect(answers[1]).toBe(false);
    const stored = (await ledgers.listByDay(day)).map(({ partition, version, through }) => [partition, version, through]);
    expect(stored).toEqual([
      [1, 3, 21n],
      [2, 2, 12n],
      [3, 2, 23n],
      [4, 1, 14n],
    ]);
  });

  test("I11: ledgers of several partitions are read in one call, and each has its own", async () => {
    const { ledgers } = await open();
    const [today, tomorrow] = ["ZA_EFT:2026-11-20", "ZA_EFT:2026-11-21"];
    const ledger = (partition: number, day: string): PartitionLedger => ({
      partition,
      day,
      version: 1,
      through: BigInt(partition),
      rows: [],
    });
    const writes = [ledger(1, today), ledger(1, tomorrow), ledger(2, today), ledger(12, today)];
    await ledgers.writeMany(writes.map((one) => ({ ledger: one, expectedVersion: 0 })));
    const found = await ledgers.loadMany([
      { partition: 12, days: [today, tomorrow] },
      { partition: 1, days: [tomorrow] },
      { partition: 1, days: [today, tomorrow] },
      { partition: 3, days: [today] },
      { partition: 2, days: [] },
    ]);
    expect(found.map((one) => [...one.values()])).toStrictEqual([
      [ledger(12, today)],
      [ledger(1, tomorrow)],
      [ledger(1, today), ledger(1, tomorrow)],
      [],
      [],
    ]);
    expect(await ledgers.loadMany([])).toEqual([]);
  });

  test("the versions of transactions are read without them, and missing ones are left out", async () => {
    const { transactions } = await open();
    const documents = [1, 2].map((number) => conformanceDocument({ uetr: conformanceUetr(number), version: 10 + number }));
    await transactions.write(documents.map((document) => ({ document, expectedVersion: 0 })));
    const versions = await transactions.versions([conformanceUetr(2), conformanceUetr(9), conformanceUetr(1)]);
    const { partition } = documents[0]!.transaction;
    expect(versions).toEqual(
      new Map([
        [conformanceUetr(1), { partition, version: 11 }],
        [conformanceUetr(2), { partition, version: 12 }],
      ]),
    );
    expect(await transactions.versions([])).toEqual(new Map());
  });
}
