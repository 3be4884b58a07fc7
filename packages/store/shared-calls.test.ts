// Transactions that several partitions read and write at the same moment.

import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { conformanceUetr } from "./conformance/conformance-partitions.ts";
import { buildBankState } from "./conformance/conformance-bank-states.ts";
import { conformanceDocument } from "./conformance/conformance-transactions.ts";
import { createMemoryStore } from "./memory/memory-store.ts";
import type { MemoryStoreHooks } from "./memory/memory-call.ts";
import type { PartitionLedger, TransactionStore, TransactionWrite } from "./port.ts";
import { shareLedgerCalls, shareReads, shareTransactionCalls, shareVersionReads } from "./shared-calls.ts";

function openShared(hooks: MemoryStoreHooks = {}, wrap: (inner: TransactionStore) => TransactionStore = (inner) => inner) {
  const time = createVirtualTime({ startAtMs: 1_795_000_000_000, seed: "shared" });
  const calls: string[] = [];
  const observe: MemoryStoreHooks["observe"] = ({ operation, key }) => void calls.push(`${operation} ${key.split(",").length}`);
  const store = createMemoryStore({ time, random: seededRandom("shared"), hooks: { ...hooks, observe } });
  const shared = shareTransactionCalls(wrap(store.transactions), time);
  async function settle<T>(asked: readonly Promise<T>[]): Promise<readonly (T | string)[]> {
    const settled = Promise.allSettled(asked);
    await time.run({ untilMs: time.nowMs() + 10_000, stepsMax: 10_000 });
    return (await settled).map((one) => (one.status === "fulfilled" ? one.value : String(one.reason)));
  }
  return { store, shared, calls, settle, time };
}

function writeOf(number: number, expectedVersion = 0, bytes = 7): TransactionWrite {
  return { document: conformanceDocument({ uetr: conformanceUetr(number), version: expectedVersion + 1 }, bytes), expectedVersion };
}

test("go in one call each, and each partition has what it asked for", async () => {
  const { shared, calls, settle } = openShared();
  expect(await settle([shared.write([writeOf(1), writeOf(2)]), shared.write([writeOf(3)])])).toEqual([
    { conflicts: [] },
    { conflicts: [] },
  ]);
  const found = await settle([
    shared.load([conformanceUetr(3), conformanceUetr(1)]),
    shared.load([conformanceUetr(9)]),
    shared.load([conformanceUetr(2)]),
  ]);
  const uetrs = found.map((one) => (typeof one === "string" ? one : [...one.keys()]));
  expect(uetrs).toEqual([[conformanceUetr(3), conformanceUetr(1)], [], [conformanceUetr(2)]]);
  expect(calls).toEqual(["transactions.write 3", "transactions.load 4"]);
});

test("versions that are read together: each partition has those that it asked for, and no others", async () => {
  const { shared, calls, settle, time } = openShared();
  const reading = shareVersionReads(shared, time);
  await settle([reading.write([writeOf(1), writeOf(2), writeOf(3)])]);
  const asked = [[1, 3], [2], [9]].map((numbers) => numbers.map(conformanceUetr));
  const found = await settle(asked.map((uetrs) => reading.versions(uetrs)));
  expect(found.map((one) => (typeof one === "string" ? one : [...one.keys()]))).toEqual([asked[0], asked[1], []]);
  expect(calls).toEqual(["transactions.write 3", "transactions.versions 4"]);
});

test("ledgers, days and banks that are read together: each partition has those that it asked for, and no others", async () => {
  const { store, calls, settle, time } = openShared();
  const [today, tomorrow] = ["ZA_EFT:2026-11-20", "ZA_EFT:2026-11-21"];
  const ledgers = shareLedgerCalls(store.ledgers, time);
  const banks = shareReads(store.banks, time);
  const ledger = (partition: number, day: string): PartitionLedger => ({ partition, day, version: 1, through: 5n, rows: [] });
  await settle([ledgers.write(ledger(1, today), 0), ledgers.write(ledger(2, today), 0), ledgers.write(ledger(2, tomorrow), 0)]);
  await settle([banks.write(buildBankState(), 0), banks.write(buildBankState({ bank: "second" }), 0)]);
  calls.length = 0;
  const found = await settle([ledgers.load(2, [today, tomorrow]), ledgers.load(1, [today]), ledgers.load(3, [today])]);
  const read = await settle([banks.load(["first"]), banks.load(["second", "first"]), banks.load(["third"])]);
  expect(
    found.map((one) => (typeof one === "string" ? one : [...one.values()].map(({ partition, day }) => `${partition} ${day}`))),
  ).toEqual([[`2 ${today}`, `2 ${tomorrow}`], [`1 ${today}`], []]);
  expect(read.map((one) => (typeof one === "string" ? one : [...one.keys()]))).toEqual([["first"], ["second", "first"], []]);
  expect(calls).toEqual(["ledgers.load 4", "banks.load 3"]);
});

test("I14: a ledger that cannot be read stops its own partition alone", async () => {
  const { store, settle, time } = openShared();
  const day = "ZA_EFT:2026-11-20";
  const ledgers = shareLedgerCalls(
    {
      ...store.ledgers,
      loadMany: async (reads) => {
        if (reads.some(({ partition }) => partition === 2)) throw new Error("cannot be read");
        return await store.ledgers.loadMany(reads);
      },
    },
    time,
  );
  const read = await settle([ledgers.load(1, [day]), ledgers.load(2, [day]), ledgers.load(3, [day])]);
  expect(read.map((one) => (typeof one === "string" ? one : one.size))).toEqual([0, "Error: cannot be read", 0]);
});

test("I14: a stale write concerns its own partition alone", async () => {
  const { shared, settle } = openShared();
  await settle([shared.write([writeOf(1), writeOf(2)])]);
  const answers = await settle([shared.write([writeOf(1, 1), writeOf(2, 7)]), shared.write([writeOf(3)])]);
  expect(answers).toEqual([{ conflicts: [conformanceUetr(2)] }, { conflicts: [] }]);
});

test("I14: a transaction that cannot be written or read stops its own partition alone", async () => {
  const isBad = (uetr: string): boolean => uetr === conformanceUetr(2);
  const { shared, settle } = openShared({}, (inner) => ({
    ...inner,
    write: async (writes) => {
      if (writes.some(({ document }) => isBad(document.transaction.uetr))) throw new Error("too large");
      return await inner.write(writes);
    },
    load: async (uetrs) => {
      if (uetrs.some(isBad)) throw new Error("cannot be read");
      return await inner.load(uetrs);
    },
  }));
  const written = await settle([shared.write([writeOf(1)]), shared.write([writeOf(2)]), shared.write([writeOf(3)])]);
  expect(written).toEqual([{ conflicts: [] }, "Error: too large", { conflicts: [] }]);
  const read = await settle([shared.load([conformanceUetr(1)]), shared.load([conformanceUetr(2)])]);
  expect(read.map((one) => (typeof one === "string" ? one : one.size))).toEqual([1, "Error: cannot be read"]);
});

test("I3: of two writes of one transaction at the same moment one is a conflict, since both go by themselves", async () => {
  const { shared, calls, settle } = openShared();
  const answers = await settle([shared.write([writeOf(1, 0, 1)]), shared.write([writeOf(1, 0, 2)]), shared.write([writeOf(2)])]);
  expect(answers.filter((one) => typeof one !== "string" && one.conflicts.length === 1)).toHaveLength(1);
  expect(answers[2]).toEqual({ conflicts: [] });
  expect(calls).toEqual(["transactions.write 2", "transactions.write 1"]);
});

test("I14: a call that the store leaves unanswered holds up nobody who comes later", async () => {
  let isFirst = true;
  const fault: MemoryStoreHooks["fault"] = () => {
    const was = isFirst;
    isFirst = false;
    return was ? "slow" : "none";
  };
  const { shared, time } = openShared({ fault, slowMs: 5_000 });
  const ended: string[] = [];
  void shared.write([writeOf(1)]).then(() => ended.push("slow"));
  await time.run({ untilMs: time.nowMs() + 100, stepsMax: 1_000 });
  void shared.write([writeOf(2)]).then(() => ended.push("quick"));
  await time.run({ untilMs: time.nowMs() + 100, stepsMax: 1_000 });
  expect(ended).toEqual(["quick"]);
  await time.run({ untilMs: time.nowMs() + 10_000, stepsMax: 1_000 });
  expect(ended).toEqual(["quick", "slow"]);
});
