// Part of the store's conformance: writes of several partitions that go in one call.

import { expect, test } from "vitest";
import type { LedgerWrite, PartitionLedger, Store } from "../port.ts";
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

  test("the versions of transactions are read without them, and missing ones are left out", async () => {
    const { transactions } = await open();
    const documents = [1, 2].map((number) => conformanceDocument({ uetr: conformanceUetr(number), version: 10 + number }));
    await transactions.write(documents.map((document) => ({ document, expectedVersion: 0 })));
    const versions = await transactions.versions([conformanceUetr(2), conformanceUetr(9), conformanceUetr(1)]);
    const { partition } = documents[0]!.transaction;
    expect([...versions].toSorted()).toEqual([
      [conformanceUetr(1), { partition, version: 11 }],
      [conformanceUetr(2), { partition, version: 12 }],
    ]);
    expect(await transactions.versions([])).toEqual(new Map());
  });
}
