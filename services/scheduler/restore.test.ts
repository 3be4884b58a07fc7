// A store that was put back to an older point repairs itself: a lane starts at the position that it finds there.

import { topics } from "@sluice/contracts";
import { conservationOf } from "@sluice/store";
import type { Store } from "@sluice/store";
import { expect, test } from "vitest";
import { day, World } from "./given.ts";

/** All that a store has of transactions, days, banks, ledgers and lanes. */
async function copyOf(world: World, from: Store, to: Store): Promise<void> {
  const done = <T>(promise: Promise<T>): Promise<T> => world.done(promise);
  for (const lane of await done(from.lanes.list("scheduler"))) {
    const documents = await done(from.builds.documents(lane.partition, lane.build, null, 1_000));
    await done(to.transactions.write(documents.map((document) => ({ document, expectedVersion: 0 }))));
    for (const ledger of await done(from.ledgers.ofLane(lane.partition))) await done(to.ledgers.write(ledger, 0));
    const { epoch } = await done(to.lanes.takeOver("scheduler", lane.partition));
    await done(to.lanes.write("scheduler", lane.partition, epoch, lane.position, lane.state));
  }
  for (const one of await done(from.days.open())) await done(to.days.write(one, 0));
  for (const one of await done(from.banks.all())) await done(to.banks.write(one, 0));
}

/** Identification and bytes of all that was sent and told, repeats removed. */
function sent(world: World): ReadonlySet<string> {
  const events = world
    .named(topics.events, "TransactionStateEvent")
    .map(({ decoded }) => `${decoded.value.id} ${Buffer.from(decoded.value.body).toString()}`);
  const dispatched = world
    .named(topics.dispatch, "Dispatch")
    .map(({ decoded }) => `${decoded.value.messageIdentification} ${Buffer.from(decoded.value.body).toString()}`);
  return new Set([...events, ...dispatched]);
}

test("I3: a store put back to an older point repairs itself: the same states, the same events and deliveries, nothing under another identity", async () => {
  const world = new World({ seed: 3 });
  const first = await world.scheduler();
  const uetrs = Array.from({ length: 6 }, () => world.uetr());
  for (const uetr of uetrs) await world.hold(uetr);
  await world.until("held", () => uetrs.every((uetr) => world.events(uetr).at(-1)?.endsWith("HELD") === true));
  await world.time.advance(500);
  const older = world.emptyStore();
  await copyOf(world, world.store, older);

  await world.until("released", () => uetrs.every((uetr) => world.events(uetr).at(-1)?.endsWith("RELEASED") === true));
  for (const uetr of uetrs.slice(0, 4)) await world.append(topics.journal, uetr, world.reportOf(uetr, "made"));
  await world.credit(world.uetr());
  await world.until("made", () => world.events(uetrs[3]!).at(-1)?.endsWith("COMPLETED") === true);
  await world.time.advance(1_000);
  const states = await allStates(world, uetrs);
  const before = sent(world);
  first.kill();

  world.store = older;
  expect(await allStates(world, uetrs)).not.toEqual(states);
  await world.scheduler();
  // By now every record has been read again; the close is still ahead.
  await world.time.advance(15_000);
  expect(await allStates(world, uetrs)).toEqual(states);
  expect(sent(world)).toEqual(before);
  expect((await world.done(conservationOf(world.store, day))).lanes.flatMap(({ findings }) => findings)).toEqual([]);
  await world.until("reconciled", () => world.named(topics.journal, "DayReconciled").length >= 2);
  await world.time.advance(10_000);
  expect((await world.states(uetrs[5]!)).at(-1)).toBe("RECONCILIATION");
  expect((await world.done(conservationOf(world.store, day))).isWhole).toBe(true);
});

async function allStates(world: World, uetrs: readonly string[]): Promise<readonly (readonly string[])[]> {
  const all: (readonly string[])[] = [];
  for (const uetr of uetrs) all.push(await world.states(uetr));
  return all;
}
