// Unreadable records, and what follows them under the same UETR: dead letters in order, and a quarantined transaction.

import { type DecodedRecord, topics } from "@sluice/contracts";
import type { Producer } from "@sluice/messaging";
import { Fault, type Metrics, silentMetrics } from "@sluice/kernel";
import { expect, test } from "vitest";
import { SchedulerEnvironment } from "../scheduler.fixture.ts";
import { openTestWorker } from "../partition/open-worker.fixture.ts";

const bad = Uint8Array.of(7, 7, 7, 7, 7, 7);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function listDeadLetters(environment: SchedulerEnvironment): readonly { readonly offset: bigint; readonly reason: string }[] {
  return environment
    .named(topics.deadLetters, "DeadLetter")
    .map(({ decoded }) => ({ offset: decoded.value.offset, reason: decoded.value.reason }));
}

function replayed(environment: SchedulerEnvironment, id = "replay-1"): DecodedRecord<"DeadLettersReplayed"> {
  const action = { id, operator: "thandi", person: null, reason: "repaired", requestedAtMs: environment.time.nowMs(), confirmedBy: null };
  return { name: "DeadLettersReplayed", value: { action, records: 2, left: [] } };
}

test("a transaction with an unreadable record is quarantined, and what others send follows into the dead letters, in order", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until("held", () => environment.events(uetr).length >= 4);
  await environment.appendRaw(0, bytes(uetr), bad);
  await environment.append(topics.journal, uetr, environment.debit(uetr, undefined, "M-again"));
  await environment.append(topics.journal, uetr, environment.report(uetr, "made"));
  await environment.until("three dead letters", () => listDeadLetters(environment).length === 3);
  expect(listDeadLetters(environment).map(({ reason }) => reason)).toEqual(["first byte is 7, not 0", "quarantined", "quarantined"]);
  const offsets = listDeadLetters(environment).map(({ offset }) => offset);
  expect(offsets).toEqual(offsets.toSorted((a, b) => (a < b ? -1 : 1)));
  const quarantined = await environment.document(uetr);
  expect(quarantined?.transaction.quarantined).toMatchObject({ offset: offsets[0], records: 3 });
});

test("what Sluice itself appends is decided as always during quarantine, and the replay ends it", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.appendRaw(0, bytes(uetr), bad);
  await environment.until("released all the same", () => environment.events(uetr).length === 5);
  await environment.append(topics.journal, uetr, environment.deliveryEnded(uetr, "D"));
  await environment.append(topics.journal, uetr, environment.report(uetr, "made"));
  await environment.until("two dead letters", () => listDeadLetters(environment).length === 2);
  expect((await environment.states(uetr)).at(-1)).toBe("DELIVERED");
  await environment.append(topics.journal, uetr, replayed(environment));
  await environment.append(topics.journal, uetr, environment.report(uetr, "made"));
  await environment.until("completed", () => environment.events(uetr).length === 7);
  expect((await environment.document(uetr))?.transaction).toMatchObject({ state: "COMPLETED", quarantined: null });
  expect(listDeadLetters(environment)).toHaveLength(2);
});

test("I16: quarantined transactions are counted until their replay, also by the next owner", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const start = async () => {
    const gauges = new Map<string, number>();
    const metrics: Metrics = { ...silentMetrics, gauge: (name) => ({ set: (value) => void gauges.set(name, value) }) };
    const started = await environment.scheduler({ metrics });
    return { ...started, count: () => gauges.get("sluice_scheduler_quarantined_transactions") };
  };
  const first = await start();
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until("held", () => environment.events(uetr).length >= 4);
  expect(first.count()).toBe(0);
  await environment.appendRaw(0, bytes(uetr), bad);
  await environment.appendRaw(0, bytes(environment.uetr()), bad);
  await environment.until("two dead letters", () => listDeadLetters(environment).length === 2);
  await environment.time.advance(1_000);
  expect(first.count()).toBe(2);
  await first.stop();
  expect(first.count()).toBe(0);
  const second = await start();
  await environment.time.advance(1_000);
  expect(second.count()).toBe(2);
  await environment.append(topics.journal, uetr, replayed(environment));
  await environment.time.advance(1_000);
  expect(second.count()).toBe(1);
});

test("an unknown UETR is quarantined by its first record, and the debit that follows is dead-lettered too", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  await environment.scheduler();
  const uetr = environment.uetr();
  await environment.appendRaw(0, bytes(uetr), bad);
  await environment.append(topics.journal, uetr, environment.debit(uetr));
  await environment.until("two dead letters", () => listDeadLetters(environment).length === 2);
  expect((await environment.document(uetr))?.transaction).toMatchObject({ state: "ORPHAN", quarantined: { records: 2 } });
  expect(environment.events(uetr)).toEqual([]);
});

test("under a day's or a bank's key, under no UETR and in another partition only the record itself is dead-lettered", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 2 });
  await environment.scheduler();
  const elsewhere = environment.uetrInPartition(1);
  for (const key of ["ZA_EFT:2026-11-20", "bank:first", "7D5FB0B2-61A5-4C2E-9D3C-0D6C5A1B2C3D"])
    await environment.appendRaw(0, bytes(key), bad);
  await environment.appendRaw(0, bytes(elsewhere), bad);
  await environment.until("four dead letters", () => listDeadLetters(environment).length === 4);
  expect(await environment.document(elsewhere)).toBeNull();
});

test("I3: dead letters whose write is in doubt are written again, and each is counted once", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const real = await environment.settle(environment.broker.client("outputs").producer("outputs"));
  let isUp = false;
  const down = new Fault("messaging.unknown-outcome", "lost", { isRetryable: true });
  const producer: Producer = { send: (records) => (isUp ? real.send(records) : Promise.reject(down)), close: () => real.close() };
  const worker = await environment.settle(
    openTestWorker(await environment.partitionContext({ producer }), 0, { logStart: 0n, logEnd: 0n }),
  );
  const uetr = environment.uetr();
  await environment.append(topics.journal, uetr, environment.debit(uetr));
  await environment.appendRaw(0, bytes(uetr), bad);
  await environment.append(topics.journal, uetr, environment.report(uetr, "made"));
  const appended = environment.broker.records({ topic: topics.journal, partition: 0 });
  await environment.settle(worker.handle(appended).catch(() => {}));
  expect((await environment.document(uetr))?.transaction.quarantined).toMatchObject({ records: 2 });
  expect(listDeadLetters(environment)).toEqual([]);
  isUp = true;
  await environment.settle(worker.handle(appended));
  expect(listDeadLetters(environment).map(({ offset }) => offset)).toEqual([1n, 2n]);
  expect((await environment.document(uetr))?.transaction.quarantined).toMatchObject({ records: 2 });
});

test("I3: killed at any moment, a transaction is quarantined once and no dead letter is missing, also if the replay follows right behind", async () => {
  const uetrs = await Promise.all([5, 30, 60, 150].map(killedAfter));
  expect(uetrs).toEqual(uetrs.map(() => ({ missing: [], state: "COMPLETED", quarantined: null })));
});

/** Kills the scheduler some time after the records were appended; another one continues. */
async function killedAfter(waitMs: number) {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const first = await environment.scheduler();
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until("released", () => environment.events(uetr).length >= 5);
  await environment.append(topics.journal, uetr, environment.deliveryEnded(uetr, "D"));
  await environment.appendRaw(0, bytes(uetr), bad);
  await environment.append(topics.journal, uetr, environment.report(uetr, "made"));
  const appended = environment.broker
    .records({ topic: topics.journal, partition: 0 })
    .filter(({ key }) => new TextDecoder().decode(key ?? bad) === uetr);
  await environment.append(topics.journal, uetr, replayed(environment));
  await environment.append(topics.journal, uetr, environment.report(uetr, "made"));
  await environment.time.advance(waitMs);
  first.kill();
  await environment.scheduler();
  await environment.until("completed", () => environment.events(uetr).length === 7);
  const there = new Set(listDeadLetters(environment).map(({ offset }) => offset));
  const { state, quarantined } = (await environment.document(uetr))?.transaction ?? {};
  return { missing: appended.slice(-2).filter(({ offset }) => !there.has(offset)), state, quarantined };
}

test("I16: an unreadable record as large as a producer may send stops nothing", async () => {
  const environment = new SchedulerEnvironment({ partitionCount: 1 });
  const scheduler = await environment.scheduler();
  await environment.appendRaw(0, bytes(environment.uetr()), new Uint8Array(999_900).fill(7));
  const uetr = environment.uetr();
  await environment.hold(uetr);
  await environment.until("held", () => environment.events(uetr).length >= 4, 20_000);
  expect(listDeadLetters(environment).map(({ reason }) => reason)).toEqual(["first byte is 7, not 0"]);
  expect(scheduler.failures).toEqual([]);
});
