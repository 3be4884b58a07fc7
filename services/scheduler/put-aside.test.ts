// Records that cannot be read, and what follows them under the same UETR: dead letters in order, and a mark beside the state.

import { topics } from "@sluice/contracts";
import type { Decoded } from "@sluice/contracts";
import type { Producer } from "@sluice/messaging";
import { Fault } from "@sluice/runtime";
import { expect, test } from "vitest";
import { World } from "./given.ts";
import { openLane } from "./lane.ts";

const bad = Uint8Array.of(7, 7, 7, 7, 7, 7);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function letters(world: World): readonly { readonly offset: bigint; readonly reason: string }[] {
  return world
    .named(topics.deadLetters, "DeadLetter")
    .map(({ decoded }) => ({ offset: decoded.value.offset, reason: decoded.value.reason }));
}

function replayed(world: World, id = "replay-1"): Decoded<"DeadLettersReplayed"> {
  const action = { id, operator: "thandi", reason: "repaired", requestedAtMs: world.time.nowMs() };
  return { name: "DeadLettersReplayed", value: { action, records: 2 } };
}

test("a transaction whose record could not be read is marked, and what others send follows into the dead letters, in order", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const uetr = world.uetr();
  await world.hold(uetr);
  await world.until("held", () => world.events(uetr).length >= 4);
  await world.appendRaw(0, bytes(uetr), bad);
  await world.append(topics.journal, uetr, world.debitOf(uetr, undefined, "M-again"));
  await world.append(topics.journal, uetr, world.reportOf(uetr, "made"));
  await world.until("three dead letters", () => letters(world).length === 3);
  expect(letters(world).map(({ reason }) => reason)).toEqual(["first byte is 7, not 0", "parked", "parked"]);
  const offsets = letters(world).map(({ offset }) => offset);
  expect(offsets).toEqual(offsets.toSorted((a, b) => (a < b ? -1 : 1)));
  const parked = await world.document(uetr);
  expect(parked?.transaction.parked).toMatchObject({ offset: offsets[0], records: 3 });
});

test("what Sluice itself appends is judged as always while the mark stands, and the replay takes it away", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const uetr = world.uetr();
  await world.hold(uetr);
  await world.appendRaw(0, bytes(uetr), bad);
  await world.until("released all the same", () => world.events(uetr).length === 5);
  await world.append(topics.journal, uetr, world.endedOf(uetr, "D"));
  await world.append(topics.journal, uetr, world.reportOf(uetr, "made"));
  await world.until("put aside", () => letters(world).length === 2);
  expect((await world.states(uetr)).at(-1)).toBe("DELIVERED");
  await world.append(topics.journal, uetr, replayed(world));
  await world.append(topics.journal, uetr, world.reportOf(uetr, "made"));
  await world.until("completed", () => world.events(uetr).length === 7);
  expect((await world.document(uetr))?.transaction).toMatchObject({ state: "COMPLETED", parked: null });
  expect(letters(world)).toHaveLength(2);
});

test("before anything is known of its UETR the mark stands alone, and the debit that follows is put aside too", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const uetr = world.uetr();
  await world.appendRaw(0, bytes(uetr), bad);
  await world.append(topics.journal, uetr, world.debitOf(uetr));
  await world.until("put aside", () => letters(world).length === 2);
  expect((await world.document(uetr))?.transaction).toMatchObject({ state: "ORPHAN", parked: { records: 2 } });
  expect(world.events(uetr)).toEqual([]);
});

test("under a day's or a bank's key, under no UETR and in another lane only the record itself is put aside", async () => {
  const world = new World({ lanes: 2 });
  await world.scheduler();
  const elsewhere = world.uetrIn(1);
  for (const key of ["ZA_EFT:2026-11-20", "bank:first", "7D5FB0B2-61A5-4C2E-9D3C-0D6C5A1B2C3D"]) await world.appendRaw(0, bytes(key), bad);
  await world.appendRaw(0, bytes(elsewhere), bad);
  await world.until("four dead letters", () => letters(world).length === 4);
  expect(await world.document(elsewhere)).toBeNull();
});

test("I3: where the outcome of writing the dead letters is unknown they are written again, and each is counted once", async () => {
  const world = new World({ lanes: 1 });
  const real = await world.done(world.log.client("outputs").producer("outputs"));
  let isUp = false;
  const down = new Fault("messaging.unknown-outcome", "lost", { isRetryable: true });
  const producer: Producer = { send: (records) => (isUp ? real.send(records) : Promise.reject(down)), close: () => real.close() };
  const lane = await world.done(openLane(await world.laneContext({ producer }), 0, 0n));
  const uetr = world.uetr();
  await world.append(topics.journal, uetr, world.debitOf(uetr));
  await world.appendRaw(0, bytes(uetr), bad);
  await world.append(topics.journal, uetr, world.reportOf(uetr, "made"));
  const lying = world.log.records({ topic: topics.journal, partition: 0 });
  await world.done(lane.handle(lying).catch(() => {}));
  expect((await world.document(uetr))?.transaction.parked).toMatchObject({ records: 2 });
  expect(letters(world)).toEqual([]);
  isUp = true;
  await world.done(lane.handle(lying));
  expect(letters(world).map(({ offset }) => offset)).toEqual([1n, 2n]);
  expect((await world.document(uetr))?.transaction.parked).toMatchObject({ records: 2 });
});

test("I3: killed at any moment, the mark is set once and no dead letter is missing, also where the mark is taken away right behind", async () => {
  const uetrs = await Promise.all([5, 30, 60, 150].map(killedAfter));
  expect(uetrs).toEqual(uetrs.map(() => ({ missing: [], state: "COMPLETED", parked: null })));
});

/** Kills the scheduler so long after the records were appended; another goes on. */
async function killedAfter(waitMs: number) {
  const world = new World({ lanes: 1 });
  const first = await world.scheduler();
  const uetr = world.uetr();
  await world.hold(uetr);
  await world.until("released", () => world.events(uetr).length >= 5);
  await world.append(topics.journal, uetr, world.endedOf(uetr, "D"));
  await world.appendRaw(0, bytes(uetr), bad);
  await world.append(topics.journal, uetr, world.reportOf(uetr, "made"));
  const lying = world.log
    .records({ topic: topics.journal, partition: 0 })
    .filter(({ key }) => new TextDecoder().decode(key ?? bad) === uetr);
  await world.append(topics.journal, uetr, replayed(world));
  await world.append(topics.journal, uetr, world.reportOf(uetr, "made"));
  await world.time.advance(waitMs);
  first.kill();
  await world.scheduler();
  await world.until("completed", () => world.events(uetr).length === 7);
  const there = new Set(letters(world).map(({ offset }) => offset));
  const { state, parked } = (await world.document(uetr))?.transaction ?? {};
  return { missing: lying.slice(-2).filter(({ offset }) => !there.has(offset)), state, parked };
}
