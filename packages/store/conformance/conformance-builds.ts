// Part of the store's conformance: partitions that are locked and rebuilt.

import { expect, test } from "vitest";
import { conformanceUetr } from "./conformance-partitions.ts";
import { conformanceDocument } from "./conformance-transactions.ts";
import type { Store } from "../port.ts";

const hold = { id: "builder", untilMs: 1_795_000_060_000 };

export function buildPromises(open: () => Promise<Store>): void {
  test("one process locks a partition: its epoch is raised and its owner can write nothing more; only the same id renews or ends the lock", async () => {
    const { partitions } = await open();
    expect(await partitions.lock("scheduler", 3, hold)).toBeNull();
    const held = await partitions.takeOver("scheduler", 3);
    const { epoch } = held;
    await partitions.write("scheduler", 3, held, 7n);
    expect(await partitions.lock("scheduler", 3, hold)).toMatchObject({ epoch: epoch + 1, position: 7n, rebuildLock: hold });
    expect(await partitions.write("scheduler", 3, { ...held, position: 7n }, 8n)).toBe(false);
    expect(await partitions.lock("scheduler", 3, { id: "other", untilMs: 1 })).toBeNull();
    const renewed = { ...hold, untilMs: hold.untilMs + 1 };
    expect(await partitions.lock("scheduler", 3, renewed)).toMatchObject({ epoch: epoch + 1, rebuildLock: renewed });
    expect(await partitions.takeOver("scheduler", 3)).toMatchObject({ epoch: epoch + 2, position: 7n, rebuildLock: renewed });
    expect(await partitions.unlock("scheduler", 3, "other")).toBe(false);
    expect(await partitions.unlock("scheduler", 3, hold.id)).toBe(true);
    expect(await partitions.unlock("scheduler", 3, hold.id)).toBe(false);
    expect(await partitions.takeOver("scheduler", 3)).toMatchObject({ rebuildLock: null, build: 0 });
  });

  test("a build is claimed once for a partition: each claim is greater than the ones before and than the build in use", async () => {
    const { partitions } = await open();
    expect(await partitions.claimBuild("scheduler", 3, 1)).toBeNull();
    await partitions.takeOver("scheduler", 3);
    expect(await partitions.claimBuild("scheduler", 3, 1)).toBe(1);
    expect(await partitions.claimBuild("scheduler", 3, 1)).toBe(2);
    expect(await partitions.claimBuild("scheduler", 3, 5)).toBe(5);
    await partitions.lock("scheduler", 3, hold);
    await partitions.switchTo("scheduler", 3, hold.id, { build: 5, position: 0n, state: null });
    expect(await partitions.claimBuild("scheduler", 3, 1)).toBe(6);
    expect(await partitions.list("scheduler")).toMatchObject([{ build: 5, lastBuild: 6 }]);
  });

  test("one write by the lock's holder switches a partition to another build", async () => {
    const { partitions } = await open();
    const { epoch } = await partitions.takeOver("scheduler", 3);
    const to = { build: 1, position: 9_007_199_254_740_993n, state: { markers: [] } };
    expect(await partitions.switchTo("scheduler", 3, hold.id, to)).toBe(false);
    await partitions.lock("scheduler", 3, hold);
    expect(await partitions.switchTo("scheduler", 3, "other", to)).toBe(false);
    expect(await partitions.switchTo("scheduler", 3, hold.id, to)).toBe(true);
    expect(await partitions.switchTo("scheduler", 3, hold.id, to)).toBe(false);
    expect(await partitions.list("scheduler")).toMatchObject([{ ...to, epoch: epoch + 2, rebuildLock: null }]);
  });

  test("a build that is dropped is gone with its documents, also if it is dropped twice; the first one stays", async () => {
    const { builds } = await open();
    for (const build of [1, 2]) {
      await builds.prepare(build);
      await builds.transactions(build).write([{ document: conformanceDocument({ uetr: conformanceUetr(build) }), expectedVersion: 0 }]);
    }
    await builds.prepare(0);
    for (const build of [1, 1, 0]) await builds.drop(build);
    expect(await builds.list()).toEqual([0, 2]);
    expect([(await builds.documents(3, 1, null, 10)).length, (await builds.documents(3, 2, null, 10)).length]).toEqual([0, 1]);
  });

  test("a partition's transactions are those of the build in use, for its owner and for people; other partitions keep theirs", async () => {
    const store = await open();
    const { transactions, partitions, builds } = store;
    await transactions.write(
      [conformanceDocument({ uetr: conformanceUetr(1) }), conformanceDocument({ uetr: conformanceUetr(2), partition: 4 })].map((one) => ({
        document: one,
        expectedVersion: 0,
      })),
    );
    await builds.prepare(1);
    const rebuilt = conformanceDocument({ uetr: conformanceUetr(1), version: 5 });
    await builds.transactions(1).write([{ document: rebuilt, expectedVersion: 0 }]);
    // An abandoned build left this document behind; nobody owns it.
    await builds.transactions(1).write([{ document: conformanceDocument({ uetr: conformanceUetr(3), partition: 4 }), expectedVersion: 0 }]);
    await partitions.takeOver("scheduler", 3);
    await partitions.takeOver("scheduler", 4);
    const versions = async () => (await transactions.search({}, null, 10)).map((row) => row.uetr);
    expect((await transactions.load([conformanceUetr(1)])).get(conformanceUetr(1))?.transaction.version).toBe(1);
    await partitions.lock("scheduler", 3, hold);
    await partitions.switchTo("scheduler", 3, hold.id, { build: 1, position: 9n, state: null });
    await partitions.takeOver("scheduler", 3);
    expect((await transactions.load([conformanceUetr(1), conformanceUetr(2), conformanceUetr(3)])).size).toBe(2);
    expect((await transactions.load([conformanceUetr(1)])).get(conformanceUetr(1))?.transaction.version).toBe(5);
    expect(await versions()).toEqual([conformanceUetr(1), conformanceUetr(2)]);
    expect((await transactions.totals({})).map(({ count }) => count)).toEqual([2]);
    expect(await transactions.identified("first", "M-1", 10)).toEqual([conformanceUetr(1), conformanceUetr(2)]);
    expect((await transactions.open(3, null, 10)).map((row) => row.uetr)).toEqual([conformanceUetr(1)]);
    const next = { document: conformanceDocument({ uetr: conformanceUetr(1), version: 6 }), expectedVersion: 5 };
    expect(await transactions.write([next])).toEqual({ conflicts: [] });
    expect((await builds.documents(3, 1, null, 10)).map((one) => one.transaction.version)).toEqual([6]);
    expect((await builds.documents(3, 0, null, 10)).map((one) => one.transaction.version)).toEqual([1]);
    expect(await builds.list()).toEqual([0, 1]);
    await builds.remove(3, 0);
    expect(await builds.documents(3, 0, null, 10)).toEqual([]);
    expect(await transactions.load([conformanceUetr(1), conformanceUetr(2)])).toHaveProperty("size", 2);
  });
}
