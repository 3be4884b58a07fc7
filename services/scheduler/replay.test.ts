// Dead letters that are appended again behind the record that takes their transaction's mark away, as the console does.

import { outgoingRecord, topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { World } from "./given.ts";

const garbage = Uint8Array.of(7, 7, 7, 7, 7, 7);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** In one produce: the decision, then these values under the UETR. */
async function replay(world: World, uetr: string, id: string, values: readonly Uint8Array[]): Promise<void> {
  const action = { id, operator: "thandi", reason: "repaired", requestedAtMs: world.time.nowMs() };
  const value = { action, records: values.length };
  const head = outgoingRecord(world.serde, topics.journal, uetr, { name: "DeadLettersReplayed", value }, { lanes: 1 });
  const producer = await world.done(world.log.client("console").producer("console"));
  const rest = values.map((one) => ({ topic: topics.journal, partition: 0, key: bytes(uetr), value: one, headers: {} }));
  await world.done(producer.send([head, ...rest]));
}

function reasons(world: World): readonly string[] {
  return world.named(topics.deadLetters, "DeadLetter").map(({ decoded }) => decoded.value.reason);
}

test("a replayed record that is still unreadable is put aside again, with what follows it, and a later replay brings both", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const uetr = world.uetr();
  const debit = world.debitOf(uetr);
  const good = world.serde.encode(debit.name, debit.value);
  await world.appendRaw(0, bytes(uetr), garbage);
  await world.appendRaw(0, bytes(uetr), good);
  await world.until("two letters", () => reasons(world).length === 2);
  const first = (await world.document(uetr))?.transaction.parked;

  await replay(world, uetr, "replay-1", [garbage, good]);
  await world.until("put aside again", () => reasons(world).length === 4);
  expect(reasons(world)).toEqual(["first byte is 7, not 0", "parked", "first byte is 7, not 0", "parked"]);
  const again = (await world.document(uetr))?.transaction.parked;
  expect(again).toMatchObject({ records: 2 });
  expect(again?.offset).toBeGreaterThan(first?.offset ?? 0n);

  await replay(world, uetr, "replay-2", [good]);
  await world.until("received", () => world.events(uetr).length === 1);
  expect((await world.document(uetr))?.transaction).toMatchObject({ state: "RECEIVED", parked: null });
});

test("two replays at once: the second finds no mark, and its copies are repeats", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const uetr = world.uetr();
  const debit = world.debitOf(uetr);
  const good = world.serde.encode(debit.name, debit.value);
  await world.appendRaw(0, bytes(uetr), garbage);
  await world.appendRaw(0, bytes(uetr), good);
  await world.until("two letters", () => reasons(world).length === 2);
  await replay(world, uetr, "replay-1", [good]);
  await replay(world, uetr, "replay-2", [good]);
  await world.until("received", () => world.events(uetr).length === 1);
  await world.time.advance(1_000);
  const transaction = (await world.document(uetr))?.transaction;
  expect(transaction?.decisions.map(({ result, why }) => [result, why])).toEqual([
    ["applied", null],
    ["ignored", "nothing-parked"],
  ]);
  expect(transaction).toMatchObject({ state: "RECEIVED", parked: null });
  expect(world.events(uetr)).toHaveLength(1);
});
