import { DayLedger, standingBelow } from "@sluice/domain";
import type { Transition } from "@sluice/domain";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { afterEach, expect, test } from "vitest";
import { uetr } from "./conformance-of-lanes.ts";
import { document, transaction } from "./conformance.ts";
import { conservationOf } from "./conservation.ts";
import type { Store } from "./port.ts";
import { createMemoryStore } from "./store-memory.ts";

const day = "ZA_EFT:2026-11-20";
const ending: AbortController[] = [];
afterEach(() => {
  for (const controller of ending.splice(0)) controller.abort();
});

function opened(): Store {
  const time = createVirtualTime({ startAtMs: 1_795_000_000_000, seed: "conservation" });
  const controller = new AbortController();
  ending.push(controller);
  void time.run({ until: () => controller.signal.aborted, stepsMax: 1_000_000 });
  return createMemoryStore({ time, random: seededRandom("conservation") });
}

function entry(offset: bigint, over: Partial<Transition> = {}): Transition {
  return { ...transaction().transitions[0]!, offset, ...over };
}

/** Lane 3 at position 100: two debits of the day, one of them ended at 50, and one that goes on beyond the position. */
async function given(store: Store): Promise<void> {
  const done = entry(50n, { state: "COMPLETED", stageVersion: 2 });
  const beyond = entry(150n, { state: "COMPLETED", stageVersion: 2 });
  const documents = [
    document({ uetr: uetr(1), transitions: [entry(10n), done] }),
    document({ uetr: uetr(2), transitions: [entry(20n), beyond] }),
    document({ uetr: uetr(3), transitions: [entry(120n)] }),
  ];
  await store.transactions.write(documents.map((one) => ({ document: one, expectedVersion: 0 })));
  const ledger = new DayLedger();
  for (const one of documents) for (const movement of standingBelow(one.transaction, 100n)) ledger.add(movement);
  await store.ledgers.write({ lane: 3, day, version: 1, through: 60n, rows: ledger.rows() }, 0);
  const { epoch } = await store.lanes.takeOver("scheduler", 3);
  await store.lanes.write("scheduler", 3, epoch, 100n);
}

test("I11: a day is whole where each lane's ledger is balanced and says what its documents say at the lane's position", async () => {
  const store = opened();
  await given(store);
  const found = await conservationOf(store, day);
  expect(found).toMatchObject({ isWhole: true, lanes: [{ lane: 3, offset: 100n, findings: [] }] });
  const counts = Object.entries(found.rows[0]!.columns).map(([column, { count }]) => `${column} ${count}`);
  expect(counts).toEqual(["accepted 2", "completed 1", "open 1"]);
});

test("I11: a document that is lost is found", async () => {
  const store = opened();
  await given(store);
  const { transaction: lost, ...rest } = document({ uetr: uetr(1), version: 2, transitions: [] });
  await store.transactions.write([{ document: { ...rest, transaction: lost }, expectedVersion: 1 }]);
  const { isWhole, lanes } = await conservationOf(store, day);
  expect(isWhole).toBe(false);
  expect(lanes[0]!.findings.map((text) => text.split(":")[1]!.split(" ").slice(0, 2).join(" "))).toEqual([
    "first accepted",
    "first completed",
  ]);
});

test("I11: a ledger row that is changed is found twice: out of balance, and not what the documents say", async () => {
  const store = opened();
  await given(store);
  const [ledger] = await store.ledgers.ofDay(day);
  const { open: _, ...columns } = ledger!.rows[0]!.columns;
  await store.ledgers.write({ ...ledger!, version: 2, rows: [{ ...ledger!.rows[0]!, columns }] }, 1);
  const { lanes } = await conservationOf(store, day);
  expect(lanes[0]!.findings).toHaveLength(2);
  expect(lanes[0]!.findings[0]).toContain("accounted for");
  expect(lanes[0]!.findings[1]).toContain("by the documents");
});

test("I11: a ledger that is lost is found", async () => {
  const store = opened();
  await given(store);
  expect(await conservationOf(store, "ZA_EFT:2026-11-19")).toMatchObject({ isWhole: true });
  const without = { ...store, ledgers: { ...store.ledgers, ofDay: () => Promise.resolve([]) } };
  expect(await conservationOf(without, day)).toMatchObject({ isWhole: false });
});
