// A part of the store's conformance: lanes that are held and built anew.

import { expect, test } from "vitest";
import { uetr } from "./conformance-of-lanes.ts";
import { document } from "./conformance.ts";
import type { Store } from "./port.ts";

const hold = { id: "builder", untilMs: 1_795_000_060_000 };

export function buildPromises(open: () => Promise<Store>): void {
  test("a lane is held by one: its epoch is raised, its owner writes nothing more; the hold is renewed and ended by its id alone", async () => {
    const { lanes } = await open();
    expect(await lanes.hold("scheduler", 3, hold)).toBeNull();
    const { epoch } = await lanes.takeOver("scheduler", 3);
    await lanes.write("scheduler", 3, epoch, 7n);
    expect(await lanes.hold("scheduler", 3, hold)).toMatchObject({ epoch: epoch + 1, position: 7n, hold });
    expect(await lanes.write("scheduler", 3, epoch, 8n)).toBe(false);
    expect(await lanes.hold("scheduler", 3, { id: "other", untilMs: 1 })).toBeNull();
    const renewed = { ...hold, untilMs: hold.untilMs + 1 };
    expect(await lanes.hold("scheduler", 3, renewed)).toMatchObject({ epoch: epoch + 1, hold: renewed });
    expect(await lanes.takeOver("scheduler", 3)).toMatchObject({ epoch: epoch + 2, position: 7n, hold: renewed });
    expect(await lanes.release("scheduler", 3, "other")).toBe(false);
    expect(await lanes.release("scheduler", 3, hold.id)).toBe(true);
    expect(await lanes.release("scheduler", 3, hold.id)).toBe(false);
    expect(await lanes.takeOver("scheduler", 3)).toMatchObject({ hold: null, build: 0 });
  });

  test("a lane goes on in another build by one write of whoever holds it", async () => {
    const { lanes } = await open();
    const { epoch } = await lanes.takeOver("scheduler", 3);
    const to = { build: 1, position: 9_007_199_254_740_993n, state: { markers: [] } };
    expect(await lanes.switchTo("scheduler", 3, hold.id, to)).toBe(false);
    await lanes.hold("scheduler", 3, hold);
    expect(await lanes.switchTo("scheduler", 3, "other", to)).toBe(false);
    expect(await lanes.switchTo("scheduler", 3, hold.id, to)).toBe(true);
    expect(await lanes.switchTo("scheduler", 3, hold.id, to)).toBe(false);
    expect(await lanes.list("scheduler")).toMatchObject([{ ...to, epoch: epoch + 2, hold: null }]);
  });

  test("a lane's transactions are those of the build that it uses, for its owner and for people; other lanes' stay where they are", async () => {
    const store = await open();
    const { transactions, lanes, builds } = store;
    await transactions.write(
      [document({ uetr: uetr(1) }), document({ uetr: uetr(2), lane: 4 })].map((one) => ({ document: one, expectedVersion: 0 })),
    );
    await builds.prepare(1);
    const anew = document({ uetr: uetr(1), version: 5 });
    await builds.transactions(1).write([{ document: anew, expectedVersion: 0 }]);
    // Left of lane 4 by a build that was given up: nobody's.
    await builds.transactions(1).write([{ document: document({ uetr: uetr(3), lane: 4 }), expectedVersion: 0 }]);
    await lanes.takeOver("scheduler", 3);
    await lanes.takeOver("scheduler", 4);
    const versions = async () => (await transactions.search({}, null, 10)).map((row) => row.uetr);
    expect((await transactions.load([uetr(1)])).get(uetr(1))?.transaction.version).toBe(1);
    await lanes.hold("scheduler", 3, hold);
    await lanes.switchTo("scheduler", 3, hold.id, { build: 1, position: 9n, state: null });
    await lanes.takeOver("scheduler", 3);
    expect((await transactions.load([uetr(1), uetr(2), uetr(3)])).size).toBe(2);
    expect((await transactions.load([uetr(1)])).get(uetr(1))?.transaction.version).toBe(5);
    expect(await versions()).toEqual([uetr(1), uetr(2)]);
    expect((await transactions.totals({})).map(({ count }) => count)).toEqual([2]);
    expect(await transactions.identified("first", "M-1", 10)).toEqual([uetr(1), uetr(2)]);
    expect((await transactions.open(3, null, 10)).map((row) => row.uetr)).toEqual([uetr(1)]);
    const next = { document: document({ uetr: uetr(1), version: 6 }), expectedVersion: 5 };
    expect(await transactions.write([next])).toEqual({ conflicts: [] });
    expect((await builds.documents(3, 1, null, 10)).map((one) => one.transaction.version)).toEqual([6]);
    expect((await builds.documents(3, 0, null, 10)).map((one) => one.transaction.version)).toEqual([1]);
    expect(await builds.list()).toEqual([0, 1]);
    await builds.remove(3, 0);
    expect(await builds.documents(3, 0, null, 10)).toEqual([]);
    expect(await transactions.load([uetr(1), uetr(2)])).toHaveProperty("size", 2);
  });
}
