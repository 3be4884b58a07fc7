// A pause with an end, through the whole scheduler: what is held leaves by itself when it is over.

import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { bank, closesAtMs, opensAtMs, startAtMs, World } from "./given.ts";
import { pauseRecord, resumeRecord } from "./given-operators.ts";

const key = `bank:${bank}`;
const untilMs = opensAtMs + 20_000;

function debitsSent(world: World) {
  return world.named(topics.dispatch, "Dispatch").filter(({ decoded: { value } }) => value.operation === "inboundDirectDebit");
}

async function opened(world: World): Promise<void> {
  await world.until("opened", () => world.named(topics.journal, "WindowOpened").length >= world.lanes);
}

/** Debits of one lane, oldest first. */
async function heldOf(world: World, count: number): Promise<readonly string[]> {
  const uetrs = Array.from({ length: count }, () => world.uetr());
  for (const [index, uetr] of uetrs.entries()) await world.hold(uetr, startAtMs - 1_000 + index);
  return uetrs;
}

test("I8: in a maintenance nothing is released; at its end all is, in order and without a word from anybody [D9 pause]", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const uetrs = await heldOf(world, 5);
  await world.append(topics.journal, key, pauseRecord(bank, "p1", untilMs));
  await opened(world);
  await world.time.advance(untilMs - 1 - world.time.nowMs());
  expect(world.named(topics.journal, "Release")).toEqual([]);
  await world.until("released", () => debitsSent(world).length === 5);
  expect(debitsSent(world).map(({ decoded }) => decoded.value.uetr)).toEqual(uetrs);
  const releases = world.named(topics.journal, "Release");
  expect(releases).toHaveLength(5);
  expect(releases[0]?.appendedAtMs).toBeGreaterThanOrEqual(untilMs);
  expect(world.time.nowMs()).toBeLessThan(untilMs + 1_000);
});

test("I8: where the log's clock has fallen behind agreed time, one release a second tries the end, and the order stands", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const uetrs = await heldOf(world, 5);
  await world.append(topics.journal, key, pauseRecord(bank, "p1", untilMs));
  await opened(world);
  await world.time.advance(untilMs - 500 - world.time.nowMs());
  world.brokerAheadMs = -3_000;
  await world.until("released", () => debitsSent(world).length === 5);
  expect(debitsSent(world).map(({ decoded }) => decoded.value.uetr)).toEqual(uetrs);
  const releases = world.named(topics.journal, "Release");
  expect(releases.filter(({ appendedAtMs }) => appendedAtMs < untilMs).length).toBeLessThanOrEqual(4);
  expect(releases.filter(({ appendedAtMs }) => appendedAtMs >= untilMs)).toHaveLength(5);
});

test("I8: the last pause's end counts, and a resume ends it early", async () => {
  const world = new World({ lanes: 2 });
  await world.scheduler();
  await heldOf(world, 3);
  await world.append(topics.journal, key, pauseRecord(bank, "p1", untilMs));
  await opened(world);
  await world.append(topics.journal, key, pauseRecord(bank, "p2", untilMs + 10_000));
  await world.time.advance(untilMs + 9_000 - world.time.nowMs());
  expect(world.named(topics.journal, "Release")).toEqual([]);
  await world.append(topics.journal, key, resumeRecord(bank));
  await world.until("released", () => debitsSent(world).length === 3);
  expect(world.time.nowMs()).toBeLessThan(untilMs + 10_000);
  expect((await world.done(world.store.banks.load([bank]))).get(bank)).toMatchObject({ isPaused: false, untilMs: null, pauses: 2 });
});

test("I8: a maintenance outlives its scheduler, and the next one releases at its end or after", async () => {
  for (const dieAfterMs of [2, 15, 60, 3_000, 25_000]) {
    const world = new World({ lanes: 2 });
    const first = await world.scheduler();
    await heldOf(world, 3);
    await world.append(topics.journal, key, pauseRecord(bank, "p1", untilMs));
    await world.time.advance(dieAfterMs);
    first.kill();
    await world.scheduler();
    await world.until("released", () => debitsSent(world).length === 3);
    expect(Math.min(...world.named(topics.journal, "Release").map(({ appendedAtMs }) => appendedAtMs))).toBeGreaterThanOrEqual(untilMs);
  }
});

test("I10: an item's cause is the pause only if it held at the close", async () => {
  for (const [endMs, cause] of [
    [closesAtMs + 5_000, "BANK_PAUSED"],
    [closesAtMs - 5_000, "none"],
  ] as const) {
    const world = new World();
    await world.scheduler();
    const uetr = world.uetr();
    await world.hold(uetr);
    await world.append(topics.journal, key, pauseRecord(bank, "p1", endMs));
    await world.until("closed", () => world.named(topics.journal, "DayReconciled").length >= world.lanes);
    await world.time.advance(1_000);
    const { items = [] } = (await world.document(uetr))?.transaction ?? {};
    expect([items.some((item) => item.cause === "BANK_PAUSED"), debitsSent(world).length > 0]).toEqual([
      cause === "BANK_PAUSED",
      cause === "none",
    ]);
  }
});
