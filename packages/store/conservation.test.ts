import { balanceBelow, DayLedger, type Transition } from "@sluice/domain";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { afterEach, expect, test } from "vitest";
import { conformanceUetr } from "./conformance/conformance-partitions.ts";
import { conformanceDocument, conformanceTransaction } from "./conformance/conformance-transactions.ts";
import { checkConservation } from "./conservation.ts";
import type { Store } from "./port.ts";
import { createMemoryStore } from "./memory/memory-store.ts";

const day = "ZA_EFT:2026-11-20";
const ending: AbortController[] = [];
afterEach(() => {
  for (const controller of ending.splice(0)) controller.abort();
});

function openStore(): Store {
  const time = createVirtualTime({ startAtMs: 1_795_000_000_000, seed: "conservation" });
  const controller = new AbortController();
  ending.push(controller);
  void time.run({ until: () => controller.signal.aborted, stepsMax: 1_000_000 });
  return createMemoryStore({ time, random: seededRandom("conservation") });
}

function buildEntry(offset: bigint, over: Partial<Transition> = {}): Transition {
  return { ...conformanceTransaction().transitions[0]!, offset, ...over };
}

/**
 * Partition 3 at position 100: two debits of the day, one that ended at 50, and one that continues beyond the position.
 */
async function writeDay(store: Store): Promise<void> {
  const done = buildEntry(50n, { state: "COMPLETED", stageVersion: 2 });
  const beyond = buildEntry(150n, { state: "COMPLETED", stageVersion: 2 });
  const documents = [
    conformanceDocument({ uetr: conformanceUetr(1), transitions: [buildEntry(10n), done] }),
    conformanceDocument({ uetr: conformanceUetr(2), transitions: [buildEntry(20n), beyond] }),
    conformanceDocument({ uetr: conformanceUetr(3), transitions: [buildEntry(120n)] }),
  ];
  await store.transactions.write(documents.map((one) => ({ document: one, expectedVersion: 0 })));
  const ledger = new DayLedger();
  for (const one of documents) for (const movement of balanceBelow(one.transaction, 100n)) ledger.add(movement);
  await store.ledgers.write({ partition: 3, day, version: 1, through: 60n, rows: ledger.rows() }, 0);
  const taken = await store.partitions.takeOver("scheduler", 3);
  await store.partitions.write("scheduler", 3, taken, 100n);
}

test("I11: a day is whole where each partition's ledger is balanced and agrees with its documents at the partition's position", async () => {
  const store = openStore();
  await writeDay(store);
  const found = await checkConservation(store, day);
  expect(found).toMatchObject({ isWhole: true, partitions: [{ partition: 3, offset: 100n, findings: [] }] });
  const counts = Object.entries(found.rows[0]!.columns).map(([column, { count }]) => `${column} ${count}`);
  expect(counts).toEqual(["accepted 2", "completed 1", "open 1"]);
});

test("I11: a lost document is found", async () => {
  const store = openStore();
  await writeDay(store);
  const { transaction: lost, ...rest } = conformanceDocument({ uetr: conformanceUetr(1), version: 2, transitions: [] });
  await store.transactions.write([{ document: { ...rest, transaction: lost }, expectedVersion: 1 }]);
  const { isWhole, partitions } = await checkConservation(store, day);
  expect(isWhole).toBe(false);
  expect(partitions[0]!.findings.map((text) => text.split(":")[1]!.split(" ").slice(0, 2).join(" "))).toEqual([
    "first accepted",
    "first completed",
  ]);
});

test("I11: a changed ledger row is found twice: it is out of balance, and it differs from the documents", async () => {
  const store = openStore();
  await writeDay(store);
  const [ledger] = await store.ledgers.listByDay(day);
  const { open: _, ...columns } = ledger!.rows[0]!.columns;
  await store.ledgers.write({ ...ledger!, version: 2, rows: [{ ...ledger!.rows[0]!, columns }] }, 1);
  const { partitions } = await checkConservation(store, day);
  expect(partitions[0]!.findings).toHaveLength(2);
  expect(partitions[0]!.findings[0]).toContain("accounted for");
  expect(partitions[0]!.findings[1]).toContain("by the documents");
});

test("I11: a lost ledger is found", async () => {
  const store = openStore();
  await writeDay(store);
  expect(await checkConservation(store, "ZA_EFT:2026-11-19")).toMatchObject({ isWhole: true });
  const without = { ...store, ledgers: { ...store.ledgers, listByDay: () => Promise.resolve([]) } };
  expect(await checkConservation(without, day)).toMatchObject({ isWhole: false });
});
