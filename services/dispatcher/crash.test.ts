// Faults 3 and 4: the process ends at every port call, before it has its effect and after it, and a second process goes on.

import { topics, type AnyDecoded } from "@sluice/contracts";
import { serde } from "@sluice/delivery/delivery-world";
import { describe, expect, it } from "vitest";
import { dispatcherWorld, messageId, stopOf, type DispatcherWorld } from "./dispatcher.fixture.ts";

const letters = ["A", "D"] as const;
const acknowledgedIds = [messageId(1), messageId(1, "D"), messageId(2), messageId(2, "D")];

/**
 * Two keys of two messages (the first of key 1 is acknowledged at the second attempt, all else at once), one refused for good, one
 * that is never answered and is stopped.
 */
async function play(
  crash: { readonly call: number; readonly side: "before" | "after" } | null,
): Promise<{ world: DispatcherWorld; calls: number }> {
  const world = dispatcherWorld({ seed: 3 });
  world.answers(({ id, attempt }) => {
    if (id === messageId(3)) return 422;
    if (id === messageId(4)) return 503;
    return id === messageId(1) && attempt === 1 ? 503 : 202;
  });
  let calls = 0;
  const first = await world.start(crash);
  for (const letter of letters)
    await world.dispatch({ messageIdentification: messageId(1, letter) }, { messageIdentification: messageId(2, letter) });
  await world.dispatch({ messageIdentification: messageId(3) }, { messageIdentification: messageId(4) });
  await world.time.advance(3_000);
  await world.stop(stopOf(4));
  await world.time.advance(3_000);
  calls = first.calls();
  if (crash !== null) {
    first.kill();
    await world.start();
  }
  await world.until(() => isDone(world), 120_000);
  // A session that ended without a word is noticed after 6 s; then what was left half done is finished.
  await world.time.advance(20_000);
  return { world, calls };
}

function isDone(world: DispatcherWorld): boolean {
  const facts = world.ended().map(({ messageIdentification, outcome }) => `${messageIdentification} ${outcome}`);
  return [...acknowledgedIds.map((id) => `${id} ACKNOWLEDGED`), `${messageId(3)} REFUSED`, `${messageId(4)} STOPPED`].every((fact) =>
    facts.includes(fact),
  );
}

async function check(world: DispatcherWorld): Promise<void> {
  // I1: nothing is left behind but what waits for a change.
  expect((await world.parked("deliveries")).map(({ id, ended }) => [id, ended])).toEqual([[messageId(3), "refused"]]);
  // I3: the same bytes whenever it is sent.
  for (const { id, body } of world.received) expect(body).toBe(`{"id":"${id}","value":1250.50}`);
  // I4: first attempts in order, each after the end of the one before.
  for (const number of [1, 2]) {
    const firstOfNext = world.received.findIndex(({ id }) => id === messageId(number, "D"));
    expect(world.received.findIndex(({ id, status }) => id === messageId(number, "A") && status === 202)).toBeLessThan(firstOfNext);
  }
  // Refused is said when nothing of it is under way any more: no attempt comes after it.
  const saidAtMs = world.log
    .records({ topic: topics.journal, partition: 0 })
    .find(({ value }) => value !== null && isRefusal(serde.decode(value)))?.appendedAtMs;
  expect(world.attemptsOf(messageId(3)).filter(({ atMs }) => atMs > (saidAtMs ?? 0))).toEqual([]);
  // Each end that is a fact has its receipt.
  const receipts = new Set(world.receipts().map(({ webhookId, outcome }) => `${webhookId} ${outcome}`));
  const facts = world.ended().filter(({ outcome }) => outcome !== "STOPPED");
  expect(facts.filter(({ messageIdentification, outcome }) => !receipts.has(`${messageIdentification} ${outcome}`))).toEqual([]);
  // The end of the last process's work is written: a third one finds nothing to do.
  const attempts = world.received.length;
  await world.time.advance(120_000);
  expect(world.received).toHaveLength(attempts);
  expect((await world.during(world.store.lanes.list("dispatcher")))[0]?.position).toBe(
    world.log.records({ topic: topics.dispatch, partition: 0 }).at(-1)!.offset + 1n,
  );
}

function isRefusal(decoded: AnyDecoded): boolean {
  return decoded.name === "DeliveryEnded" && decoded.value.outcome === "REFUSED";
}

describe("a crash at every boundary", () => {
  it("I1, I3, I4: without a crash all ends as it should", async () => {
    const { world, calls } = await play(null);
    await check(world);
    expect(calls).toBeGreaterThan(30);
  });

  it("I1, I3, I4: before and after every port call, nothing is lost, reordered or changed", { timeout: 60_000 }, async () => {
    const { calls } = await play(null);
    const broken: string[] = [];
    for (let call = 1; call <= calls; call += 1) {
      for (const side of ["before", "after"] as const) {
        const { world } = await play({ call, side });
        await check(world).catch((error: unknown) => broken.push(`crash ${side} call ${call} of ${calls}: ${String(error)}`));
      }
    }
    expect(broken).toEqual([]);
  });
});

describe("what is not acknowledged yet", () => {
  it("I1: an end that the log has not acknowledged is not passed: neither its offset nor its parked copy", async () => {
    const world = dispatcherWorld();
    const first = await world.start();
    let isJournalUp = true;
    world.hooks.log.produce = (client, batch) =>
      isJournalUp || client === "test" || batch.every(({ topic }) => topic !== topics.journal)
        ? { kind: "append" }
        : { kind: "lose-request" };
    world.answers(({ id, attempt }) => (id === messageId(1) && attempt === 1 ? 503 : 202));
    await world.dispatch({ messageIdentification: messageId(1) });
    await world.until(() => world.received.length === 1);
    isJournalUp = false;
    await world.dispatch({ messageIdentification: messageId(2) }, { messageIdentification: messageId(3) });
    await world.until(() => world.received.filter(({ status }) => status === 202).length === 3);
    await world.time.advance(5_000);
    expect((await world.parked("deliveries")).map(({ id }) => id)).toEqual([messageId(1)]);
    expect((await world.during(world.store.lanes.list("dispatcher")))[0]?.position).toBe(1n);
    first.kill();
    isJournalUp = true;
    await world.start();
    await world.until(() => world.endedIds().size === 3, 60_000);
  });

  it("I3: a record that comes again after its message was parked is done: it is not tried out of its turn", async () => {
    const world = dispatcherWorld();
    const first = await world.start();
    world.answers(() => 422);
    await world.dispatch({});
    await world.until(() => world.ended().length === 1);
    await world.time.advance(20);
    expect(await world.parked("deliveries")).toHaveLength(1);
    first.kill();
    expect((await world.during(world.store.lanes.list("dispatcher")))[0]?.position).toBe(0n);
    await world.start();
    await world.time.advance(60_000);
    expect(world.received).toHaveLength(1);
    expect((await world.during(world.store.lanes.list("dispatcher")))[0]?.position).toBe(1n);
  });
});
