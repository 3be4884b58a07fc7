// The memory adapter: the promises of the port, and its own features: seeded latency, faults, and observed calls.

import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { afterEach, expect, test } from "vitest";
import { conformanceParked, conformanceUetr } from "../conformance/conformance-partitions.ts";
import { describeStore } from "../conformance/conformance.ts";
import { conformanceDocument } from "../conformance/conformance-transactions.ts";
import { createMemoryStore } from "./memory-store.ts";
import type { MemoryStoreHooks, StoreCall } from "./memory-call.ts";
import type { Store } from "../port.ts";

const startAtMs = 1_795_000_000_000;
const stepsMax = 1_000_000;
const ending: AbortController[] = [];

afterEach(() => {
  for (const controller of ending.splice(0)) controller.abort();
});

/** A store on a virtual clock that advances by itself until the test ends. */
function openStore(hooks: MemoryStoreHooks = {}): { readonly store: Store; readonly nowMs: () => number } {
  const time = createVirtualTime({ startAtMs, seed: "store" });
  const controller = new AbortController();
  ending.push(controller);
  void (async () => {
    while (!controller.signal.aborted) await time.run({ stepsMax });
  })();
  return { store: createMemoryStore({ time, random: seededRandom("store"), hooks }), nowMs: () => time.nowMs() };
}

describeStore(async () => openStore().store);

test("a store that is down rejects with a retryable fault and has no effect", async () => {
  let isDown = true;
  const { store } = openStore({ fault: () => (isDown ? "down" : "none") });
  await expect(store.transactions.write([{ document: conformanceDocument(), expectedVersion: 0 }])).rejects.toMatchObject({
    code: "store.unavailable",
    isRetryable: true,
  });
  await expect(store.ping()).rejects.toMatchObject({ code: "store.unavailable" });
  isDown = false;
  expect((await store.transactions.load([conformanceUetr(1)])).size).toBe(0);
});

test("an ambiguous write is written and rejected; repeating it gives a conflict, and a reread shows the document", async () => {
  let faults = 1;
  const { store } = openStore({ fault: (call) => (call.isWrite && faults-- > 0 ? "ambiguous" : "none") });
  const write = { document: conformanceDocument(), expectedVersion: 0 };
  await expect(store.transactions.write([write])).rejects.toMatchObject({ code: "store.unknown-outcome", isRetryable: true });
  expect(await store.transactions.write([write])).toEqual({ conflicts: [conformanceUetr(1)] });
  expect((await store.transactions.load([conformanceUetr(1)])).size).toBe(1);
});

test("a torn bulk is written in part and rejected", async () => {
  const { store } = openStore({ fault: (call) => (call.isWrite ? "torn" : "none") });
  const sizes = new Set<number>();
  for (let round = 0; round < 20; round += 1) {
    const ids = Array.from({ length: 10 }, (_, n) => `${round}/${n}`);
    await expect(store.deliveries.insert(ids.map((id) => conformanceParked({ id })))).rejects.toMatchObject({
      code: "store.unknown-outcome",
    });
    sizes.add((await store.deliveries.load(ids)).size);
  }
  expect(sizes.size).toBeGreaterThan(3);
});

test("a late write is rejected at once and takes effect long after, behind newer writes; reads go on", async () => {
  const { store, nowMs } = openStore({ fault: () => "late", lateMs: 5_000 });
  await expect(store.deliveries.insert([conformanceParked()])).rejects.toMatchObject({ code: "store.unknown-outcome", isRetryable: true });
  expect(nowMs() - startAtMs).toBeLessThan(1_000);
  expect((await store.deliveries.load(["m1"])).size).toBe(0);
  while (nowMs() - startAtMs < 6_000) await store.ping();
  expect((await store.deliveries.load(["m1"])).size).toBe(1);
});

test("a slow call takes its time, and others overtake it", async () => {
  const { store, nowMs } = openStore({ fault: (call) => (call.key === "slow" ? "slow" : "none"), slowMs: 5_000 });
  const order: string[] = [];
  await Promise.all(["slow", "quick"].map(async (id) => (await store.postings.insert([conformanceParked({ id })]), order.push(id))));
  expect(order).toEqual(["quick", "slow"]);
  expect(nowMs() - startAtMs).toBeGreaterThanOrEqual(5_000);
});

test("the same seed gives the same calls, times and answers; another seed gives another order", async () => {
  async function run(seed: string): Promise<readonly string[]> {
    const time = createVirtualTime({ startAtMs, seed });
    const lines: string[] = [];
    const observe = (call: StoreCall): void => void lines.push(`${call.atMs} ${call.operation} ${call.key} ${call.payload()}`);
    const { transactions } = createMemoryStore({ time, random: seededRandom(seed), hooks: { observe } });
    let finished = 0;
    async function client(name: number): Promise<void> {
      for (let round = 1; round <= 10; round += 1) {
        const version = (await transactions.load([conformanceUetr(1)])).get(conformanceUetr(1))?.transaction.version ?? 0;
        const { conflicts } = await transactions.write([
          { document: conformanceDocument({ version: version + 1 }), expectedVersion: version },
        ]);
        lines.push(`${name} ${conflicts.length}`);
      }
      finished += 1;
    }
    for (let name = 0; name < 5; name += 1) void client(name);
    await time.run({ until: () => finished === 5, stepsMax });
    return lines;
  }
  const [first, again, other] = [await run("1"), await run("1"), await run("2")];
  expect(first).toHaveLength(5 * 10 * 3);
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
});

test("closing the store loses nothing", async () => {
  const { store } = openStore();
  await store.partitions.takeOver("scheduler", 0);
  await store.close();
  expect((await store.partitions.takeOver("scheduler", 0)).epoch).toBe(2);
});

test("a store that goes back has what it had at the backup, and a call that is under way has no effect", async () => {
  const time = createVirtualTime({ startAtMs, seed: "back" });
  const store = createMemoryStore({ time, random: seededRandom("back") });
  await time.finish(store.partitions.takeOver("scheduler", 0));
  const restore = store.backUp();
  await time.finish(store.partitions.takeOver("scheduler", 0));
  await time.finish(store.builds.prepare(1));
  const underWay = store.partitions.takeOver("scheduler", 0);
  restore();
  await expect(time.finish(underWay)).rejects.toMatchObject({ code: "store.unavailable", isRetryable: true });
  expect((await time.finish(store.partitions.list("scheduler"))).map(({ epoch }) => epoch)).toEqual([1]);
  expect(await time.finish(store.builds.list())).toEqual([0]);
});
