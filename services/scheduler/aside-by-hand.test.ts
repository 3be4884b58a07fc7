// A record whose schema is not to be had stops its lane until somebody puts it aside by hand.

import { headers, topics } from "@sluice/contracts";
import type { AnyDecoded } from "@sluice/contracts";
import { deadLetterOf } from "@sluice/messaging";
import type { ReceivedRecord } from "@sluice/messaging";
import { sampleConfiguration } from "@sluice/testkit";
import { expect, test } from "vitest";
import { World } from "./given.ts";
import { rebuildLane } from "./rebuild/rebuild-lane.ts";
import { handlers } from "./service.ts";

/** A schema id that nobody knows. */
const unknown = Uint8Array.of(0, 0, 0, 0x27, 0x0f, 1, 2);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function lying(world: World): ReceivedRecord {
  const found = world.log.records({ topic: topics.journal, partition: 0 }).find(({ value }) => value?.[4] === 0x0f && value[3] === 0x27);
  if (found === undefined) throw new Error("it lies in the journal");
  return found;
}

/** What the console appends. */
async function ask(world: World, record: ReceivedRecord, service = "scheduler"): Promise<void> {
  const by = { operator: "thandi", actionId: "put-1", stage: "asked" } as const;
  const producer = await world.done(world.log.client("console").producer("console"));
  await world.done(producer.send([deadLetterOf({ record, reason: "ticket 4711", service, by }, world.serde)]));
}

function done(world: World) {
  return world.named(topics.deadLetters, "DeadLetter").filter((letter) => letter.headers[headers.byHand] === "done");
}

async function position(world: World): Promise<bigint | undefined> {
  return (await world.done(world.store.lanes.list("scheduler")))[0]?.position;
}

/** A lane that stands at such a record under the UETR, others before and behind it. */
async function stopped(world: World, uetr: string, before: string, behind: string): Promise<void> {
  await world.append(topics.journal, before, world.debitOf(before));
  await world.appendRaw(0, bytes(uetr), unknown);
  await world.append(topics.journal, behind, world.debitOf(behind));
  await world.time.advance(15_000);
}

test("I16: a record that stops its lane stops it alone: what lies before it is done, and the position names it", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const [uetr, before, behind] = [world.uetr(), world.uetr(), world.uetr()];
  await stopped(world, uetr, before, behind);
  expect(world.events(before)).toHaveLength(1);
  expect(world.events(behind)).toEqual([]);
  expect(await position(world)).toBe(lying(world).offset);
});

test("put aside by hand, its transaction is marked, the lane goes on, and who and why is in the dead letter and in no log line", async () => {
  const lines: string[] = [];
  const world = new World({ lanes: 1, onTrouble: (event, fields) => void lines.push(JSON.stringify([event, fields], asText)) });
  await world.scheduler();
  const [uetr, before, behind] = [world.uetr(), world.uetr(), world.uetr()];
  await stopped(world, uetr, before, behind);
  const record = lying(world);
  await ask(world, record);
  await world.until("the lane goes on", () => world.events(behind).length === 1);
  expect((await world.document(uetr))?.transaction.parked).toMatchObject({ offset: record.offset, records: 1 });
  const place = { topic: topics.journal, partition: 0, offset: record.offset };
  expect(done(world).map(({ decoded }) => decoded.value)).toMatchObject([
    { ...place, service: "scheduler", reason: "ticket 4711", operator: "thandi", actionId: "put-1" },
  ]);
  expect(lines.filter((line) => line.includes("record.put-aside"))).toHaveLength(1);
  expect(lines.filter((line) => line.includes("4711"))).toEqual([]);
});

test("a record that says what this reader does not know stops its lane alone too, in a batch of others, and can be put aside", async () => {
  const world = new World({ lanes: 1 });
  const [uetr, before, behind] = [world.uetr(), world.uetr(), world.uetr()];
  const verdict = world.verdictOf(world.debitOf(uetr));
  const strange = { name: "AccountVerified", value: { ...verdict.value, verdict: "MAYBE" } } as unknown as AnyDecoded;
  const isVerdict = (decoded: AnyDecoded): boolean => decoded.name === "AccountVerified";
  await world.append(topics.journal, before, world.debitOf(before));
  await world.append(topics.journal, uetr, verdict);
  await world.append(topics.journal, behind, world.debitOf(behind));
  const decode = (value: Uint8Array): AnyDecoded => {
    const decoded = world.serde.decode(value);
    return isVerdict(decoded) ? strange : decoded;
  };
  await world.scheduler({ serde: { ...world.serde, decode } });
  await world.time.advance(15_000);
  const record = world.log
    .records({ topic: topics.journal, partition: 0 })
    .find(({ value }) => value !== null && isVerdict(world.serde.decode(value)));
  if (record === undefined) throw new Error("it lies in the journal");
  expect([world.events(before).length, world.events(behind).length, await position(world)]).toEqual([1, 0, record.offset]);
  await ask(world, record);
  await world.until("the lane goes on", () => world.events(behind).length === 1);
  expect((await world.document(uetr))?.transaction.parked).toMatchObject({ offset: record.offset });
});

test("what names another record, or another service's lane, moves nothing", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const [uetr, before, behind] = [world.uetr(), world.uetr(), world.uetr()];
  await stopped(world, uetr, before, behind);
  const record = lying(world);
  await ask(world, { ...record, offset: record.offset + 1n });
  await ask(world, record, "validator");
  await world.time.advance(30_000);
  expect(world.events(behind)).toEqual([]);
});

test("read again from an empty store it is put aside again, also where its schema is known by then", async () => {
  const world = new World({ lanes: 1 });
  const first = await world.scheduler();
  const [uetr, before, behind] = [world.uetr(), world.uetr(), world.uetr()];
  await stopped(world, uetr, before, behind);
  await ask(world, lying(world));
  await world.until("the lane goes on", () => world.events(behind).length === 1);
  const parked = (await world.document(uetr))?.transaction;
  await first.stop();
  world.store = world.emptyStore();
  const report = world.reportOf(uetr, "made");
  await world.scheduler({
    serde: { ...world.serde, decode: (value) => (value[3] === 0x27 && value[4] === 0x0f ? report : world.serde.decode(value)) },
  });
  await world.until("put aside again", () => done(world).length === 2);
  await world.time.advance(1_000);
  expect((await world.document(uetr))?.transaction).toEqual(parked);
});

test("a rebuild puts aside what was put aside by hand, also where it could be read by now", async () => {
  const world = new World({ lanes: 1 });
  await world.scheduler();
  const [uetr, before, behind] = [world.uetr(), world.uetr(), world.uetr()];
  await stopped(world, uetr, before, behind);
  await ask(world, lying(world));
  await world.until("the lane goes on", () => world.events(behind).length === 1);
  await world.time.advance(1_000);
  const [report, messaging] = [world.reportOf(uetr, "made"), world.log.client("builder")];
  const rest = { holder: "builder", service: "scheduler", progress: () => {}, configuration: sampleConfiguration(), handlers };
  const ports = { ...rest, store: world.store, lanes: 1, time: world.time, messaging, serde: { ...world.serde, decode } };
  const built = await world.done(rebuildLane(ports, 0, { isDryRun: true, acceptsDifferences: false }));
  expect(built).toMatchObject({ differences: [], compared: 3, documents: 3 });

  function decode(value: Uint8Array): AnyDecoded {
    return value[3] === 0x27 && value[4] === 0x0f ? report : world.serde.decode(value);
  }
});

test("what was only asked for, and whose lane went on by itself, is judged as any other", async () => {
  const world = new World({ lanes: 1 });
  const uetr = world.uetr();
  await world.append(topics.journal, uetr, world.debitOf(uetr));
  const record = world.log.records({ topic: topics.journal, partition: 0 }).at(-1);
  if (record !== undefined) await ask(world, record);
  await world.scheduler();
  await world.until("received", () => world.events(uetr).length === 1);
  expect(done(world)).toEqual([]);
});

function asText(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
