import { topics } from "@sluice/contracts";
import type { OutgoingRecord, Producer, ReceivedRecord } from "@sluice/messaging";
import { Fault } from "@sluice/runtime";
import { expect, test } from "vitest";
import type { FactToAppend } from "./appending.ts";
import { day, startAtMs, World } from "./given.ts";
import { openLane } from "./lane.ts";

const journal = { topic: topics.journal, partition: 0 };

/** All that lies in the one lane of the world, from an offset on. */
function lying(world: World, from = 0n): readonly ReceivedRecord[] {
  return world.log.records(journal).filter(({ offset }) => offset >= from);
}

/** A producer that can fail, and remembers what was sent; snapshots are not counted. */
function failing(producer: Producer, isFailing: (records: readonly OutgoingRecord[]) => boolean) {
  const sent: OutgoingRecord[] = [];
  const wrapped: Producer = {
    send(records) {
      if (isFailing(records)) return Promise.reject(new Fault("messaging.unknown-outcome", "lost", { isRetryable: true }));
      sent.push(...records.filter(({ topic }) => topic !== topics.transactions));
      return producer.send(records);
    },
    close: () => producer.close(),
  };
  return { sent, wrapped };
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "fulfilled",
    (error: unknown) => (error instanceof Fault ? `${error.code} ${error.isRetryable}` : String(error)),
  );
}

test("an owner whose epoch was raised does nothing more: its batch is refused, its position is not written, its tasks are silent", async () => {
  const world = new World({ lanes: 1 });
  const appended: string[] = [];
  const append = (facts: readonly { readonly key: string }[]) => {
    appended.push(...facts.map(({ key }) => key));
    return Promise.resolve(true);
  };
  const context = await world.laneContext({ append, heartbeatAgeMs: () => 60_000 });
  const stale = await world.done(openLane(context, 0, 0n));
  const uetr = world.uetr();
  await world.append(topics.journal, uetr, world.debitOf(uetr));
  await world.done(stale.handle(lying(world)));
  await world.time.advance(500);
  const owner = await world.done(openLane(await world.laneContext(), 0, 0n));
  expect(owner.startAt).toBe(1n);

  const other = world.uetr();
  await world.append(topics.journal, other, world.debitOf(other));
  await world.done(owner.handle(lying(world, 1n)));
  await world.time.advance(500);
  await world.append(topics.journal, uetr, world.debitOf(uetr));
  await world.done(codeOf(stale.handle(lying(world, 1n))));
  await world.time.advance(500);
  await world.append(topics.journal, uetr, world.debitOf(uetr));
  expect(await world.done(codeOf(stale.handle(lying(world, 3n))))).toBe("scheduler.lane-lost true");
  await world.time.advance(20_000);
  expect(appended).toEqual([]);
  const [document] = await world.done(world.store.lanes.list("scheduler"));
  expect(document).toMatchObject({ epoch: 2, position: 2n });
  await world.done(stale.close());
  const [after] = await world.done(world.store.lanes.list("scheduler"));
  expect(after).toMatchObject({ epoch: 2, position: 2n });
});

test("a write that another owner won is read and judged again, and nothing is counted twice", async () => {
  const world = new World({ lanes: 1 });
  const first = await world.done(openLane(await world.laneContext(), 0, 0n));
  const uetr = world.uetr();
  const debit = world.debitOf(uetr);
  await world.append(topics.journal, uetr, debit);
  await world.done(first.handle(lying(world)));
  const second = await world.done(openLane(await world.laneContext(), 0, 0n));
  await world.append(topics.journal, uetr, world.verdictOf(debit));
  await world.append(topics.journal, uetr, world.endedOf(uetr, "A"));
  // Both at once on the same records: one of them loses the compare-and-set.
  const both = [first.handle(lying(world, 1n)), second.handle(lying(world, 1n))].map((promise) => codeOf(promise));
  const answers = await world.done(Promise.all(both));
  expect(answers[1]).toBe("fulfilled");
  expect(await world.states(uetr)).toEqual(["RECEIVED", "ACCEPTED", "REPORTED", "HELD"]);
  expect((await world.document(uetr))!.transaction.version).toBe(3);
  const bodies = world
    .named(topics.events, "TransactionStateEvent")
    .map(({ decoded }) => `${decoded.value.id} ${Buffer.from(decoded.value.body).toString()}`);
  expect(new Set(bodies).size).toBe(4);
});

test("a stale owner that judged by an older snapshot loses the write, and finds out that it is stale", async () => {
  const world = new World({ lanes: 1 });
  const base = await world.laneContext();
  const { sent, wrapped } = failing(base.producer, () => false);
  const stale = await world.done(openLane({ ...base, producer: wrapped }, 0, 0n));
  const uetr = world.uetr();
  const debit = world.debitOf(uetr);
  await world.append(topics.journal, uetr, debit);
  await world.done(stale.handle(lying(world)));
  const owner = await world.done(openLane(await world.laneContext(), 0, 0n));
  await world.append(topics.journal, uetr, world.verdictOf(debit));
  await world.done(owner.handle(lying(world, 1n)));
  await world.append(topics.journal, uetr, world.endedOf(uetr, "A"));
  const before = sent.length;
  expect(await world.done(codeOf(stale.handle(lying(world, 2n))))).toBe("scheduler.lane-lost true");
  expect(sent).toHaveLength(before);
  expect(await world.states(uetr)).toEqual(["RECEIVED", "ACCEPTED"]);
});

test("when a batch is done again, what lies before its marker is not: that was written and produced before", async () => {
  const world = new World({ lanes: 1 });
  const [before, after] = [world.uetr(), world.uetr()];
  let failures = 1;
  const base = await world.laneContext();
  const { sent, wrapped } = failing(base.producer, (records) => {
    const isAfter = records.some(({ key }) => Buffer.from(key!).toString() === after);
    return isAfter && failures-- > 0;
  });
  const lane = await world.done(openLane({ ...base, producer: wrapped }, 0, 0n));
  await world.append(topics.journal, before, world.debitOf(before));
  const marker = { id: `${day}:WindowOpened:1:0`, scheme: "ZA_EFT", businessDate: "2026-11-20", partition: 0, number: 1 };
  await world.append(topics.journal, day, { name: "WindowOpened", value: marker }, 0);
  await world.append(topics.journal, after, world.debitOf(after));
  const records = lying(world);
  expect(await world.done(codeOf(lane.handle(records)))).toBe("messaging.unknown-outcome true");
  await world.done(lane.handle(records));
  expect(sent.map(({ key }) => Buffer.from(key!).toString())).toEqual([before, after]);
  await world.done(lane.close());
  const [document] = await world.done(world.store.lanes.list("scheduler"));
  expect(document).toMatchObject({ position: 3n, state: { markers: [{ offset: "1" }] } });
});

test.each(["down", "ambiguous", "torn"] as const)(
  "a write that ends %s is read again: the state is stored before its outputs leave",
  async (fault) => {
    let isFailing = false;
    const world = new World({
      lanes: 1,
      storeHooks: { fault: ({ operation }) => (isFailing && operation === "transactions.write" ? fault : "none") },
    });
    const base = await world.laneContext();
    const { sent, wrapped } = failing(base.producer, () => false);
    const lane = await world.done(openLane({ ...base, producer: wrapped }, 0, 0n));
    const uetrs = [world.uetr(), world.uetr(), world.uetr()];
    for (const uetr of uetrs) await world.append(topics.journal, uetr, world.debitOf(uetr, startAtMs));
    isFailing = true;
    expect(await world.done(codeOf(lane.handle(lying(world))))).toMatch(/^store\..* true$/);
    expect(sent).toEqual([]);
    isFailing = false;
    await world.done(lane.handle(lying(world)));
    expect(sent).toHaveLength(3);
    for (const uetr of uetrs) expect((await world.document(uetr))!.transaction).toMatchObject({ state: "RECEIVED", version: 1 });
  },
);

test("the position follows what is produced, and a lane that stops writes it", async () => {
  const world = new World({ lanes: 1 });
  const lane = await world.done(openLane(await world.laneContext(), 0, 0n));
  const uetrs = Array.from({ length: 5 }, () => world.uetr());
  for (const uetr of uetrs) await world.append(topics.journal, uetr, world.debitOf(uetr));
  for (const record of lying(world)) await world.done(lane.handle([record]));
  await world.done(lane.close());
  const [document] = await world.done(world.store.lanes.list("scheduler"));
  expect(document).toMatchObject({ position: 5n });
  const next = await world.done(openLane(await world.laneContext(), 0, 0n));
  expect(next.startAt).toBe(5n);
});

test("I16: in a lane that has nothing more to read, a new owner's tasks do what is due", async () => {
  const world = new World({ lanes: 1 });
  const uetr = world.uetr();
  const received = world.creditOf(uetr);
  const first = await world.done(openLane(await world.laneContext(), 0, 0n));
  await world.append(topics.journal, uetr, received);
  await world.done(first.handle(lying(world)));
  await world.time.advance(500);
  await world.done(first.close());

  const appended: string[] = [];
  const append = (facts: readonly FactToAppend[]) => {
    appended.push(...facts.map(({ key, fact }) => `${key} ${fact.kind}`));
    return Promise.resolve(true);
  };
  await world.done(openLane(await world.laneContext({ append }), 0, 1n));
  await world.time.advance(received.value.deadlineMs - startAtMs + 1_000);
  expect(appended).toContain(`${uetr} DeadlinePassed`);
});
