// Dead letters that are appended again, behind the record that ends the quarantine of their transaction, as the console
// does.

import { outgoingRecord, topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { SchedulerEnvironment } from "../scheduler.fixture.ts";

const garbage = Uint8Array.of(7, 7, 7, 7, 7, 7);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Appends in one produce the decision, then these values under the UETR. */
async function replay(
  environment: SchedulerEnvironment,
  uetr: string,
  id: string,
  values: readonly Uint8Array[],
  left: readonly string[] = [],
): Promise<void> {
  const action = { id, operator: "thandi", person: null, reason: "repaired", requestedAtMs: environment.time.nowMs(), confirmedBy: null };
  const value = { action, records: values.length, left };
  const head = outgoingRecord(environment.serde, topics.journal, uetr, { name: "DeadLettersReplayed", value }, { partitionCount: 1 });
  const producer = await environment.settle(environment.broker.client("console").producer("console"));
  const rest = values.map((one) => ({ topic: topics.journal, partition: 0, key: bytes(uetr), value: one, headers: {} }));
  await environment.settle(producer.send([head, ...rest]));
}

function reasons(environment: SchedulerEnvironment): readonly string[] {
  return environment.named(topics.deadLetters, "DeadLetter").map(({ decoded }) => decoded.value.reason);
}

test("a replayed record that is still unreadable is dead-lettered again, with what follows it, and a later replay applies both", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const uetr = environment.uetr();
  const debit = environment.debit(uetr);
  const good = environment.serde.encode(debit.name, debit.value);
  await environment.appendRaw(0, bytes(uetr), garbage);
  await environment.appendRaw(0, bytes(uetr), good);
  await environment.until("two letters", () => reasons(environment).length === 2);
  const first = (await environment.document(uetr))?.transaction.quarantined;

  await replay(environment, uetr, "replay-1", [garbage, good]);
  await environment.until("dead-lettered again", () => reasons(environment).length === 4);
  expect(reasons(environment)).toEqual(["first byte is 7, not 0", "quarantined", "first byte is 7, not 0", "quarantined"]);
  const again = (await environment.document(uetr))?.transaction.quarantined;
  expect(again).toMatchObject({ records: 2 });
  expect(again?.offset).toBeGreaterThan(first?.offset ?? 0n);

  await replay(environment, uetr, "replay-2", [good]);
  await environment.until("received", () => environment.events(uetr).length === 1);
  expect((await environment.document(uetr))?.transaction).toMatchObject({ state: "RECEIVED", quarantined: null });
});

test("of two replays at once the second finds no quarantine, and its copies are repeats", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const uetr = environment.uetr();
  const debit = environment.debit(uetr);
  const good = environment.serde.encode(debit.name, debit.value);
  await environment.appendRaw(0, bytes(uetr), garbage);
  await environment.appendRaw(0, bytes(uetr), good);
  await environment.until("two letters", () => reasons(environment).length === 2);
  await replay(environment, uetr, "replay-1", [good]);
  await replay(environment, uetr, "replay-2", [good]);
  await environment.until("received", () => environment.events(uetr).length === 1);
  await environment.time.advance(1_000);
  const transaction = (await environment.document(uetr))?.transaction;
  expect(transaction?.decisions.map(({ result, why }) => [result, why])).toEqual([
    ["applied", null],
    ["ignored", "not-quarantined"],
  ]);
  expect(transaction).toMatchObject({ state: "RECEIVED", quarantined: null });
  expect(environment.events(uetr)).toHaveLength(1);
});

test("I1: a replay that leaves the garbage applies the rest, and the transaction leaves its quarantine for good", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const uetr = environment.uetr();
  const debit = environment.debit(uetr);
  await environment.appendRaw(0, bytes(uetr), garbage);
  await environment.appendRaw(0, bytes(uetr), environment.serde.encode(debit.name, debit.value));
  await environment.until("two letters", () => reasons(environment).length === 2);
  await replay(environment, uetr, "replay-1", [environment.serde.encode(debit.name, debit.value)], ["0:0"]);
  await environment.until("received", () => environment.events(uetr).length === 1);
  expect(reasons(environment)).toHaveLength(2);
  expect((await environment.document(uetr))?.transaction).toMatchObject({
    state: "RECEIVED",
    quarantined: null,
    decisions: [{ kind: "DeadLettersReplayed", result: "applied", action: { operator: "thandi", reason: "repaired" } }],
  });
});
