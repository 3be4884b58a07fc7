import { groups, topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { openDeadLetterEnvironment, deadLetterPartition, unknownSchemaBytes, consoleUetr } from "./dead-letters.fixture.ts";
import { readJsonObject } from "../console.fixture.ts";

type World = Awaited<ReturnType<typeof openDeadLetterEnvironment>>;

const body = { reason: "ticket 4711", service: "scheduler", topic: topics.journal, partition: deadLetterPartition, offset: "0" };

async function stoppedAt(offset: bigint): Promise<World> {
  const world = await openDeadLetterEnvironment();
  for (let at = 0n; at <= offset; at += 1n) await world.raw(unknownSchemaBytes);
  await world.schedulerReaches(offset);
  return world;
}

async function requestSkip(world: World, over: object = {}, actionId = "put-1", operator = "operator") {
  const answer = await world.control("/skip", { body: { ...body, ...over }, actionId, operator });
  return { status: answer.status, body: await readJsonObject(answer) };
}

test("a skip of the record at which a partition is stopped is a dead letter with who, why and id, in its partition and under its key", async () => {
  const world = await stoppedAt(1n);
  const answer = await requestSkip(world, { offset: "1" });
  expect(answer).toMatchObject({
    status: 202,
    body: { schema: "SkipRequested", action: "put-1", letter: `${deadLetterPartition}:0`, offset: "1" },
  });
  const said = { topic: topics.journal, partition: deadLetterPartition, offset: 1n, reason: "ticket 4711", service: "scheduler" };
  expect(world.letters()).toMatchObject([{ ...said, operator: "operator", actionId: "put-1" }]);
  const [record] = world.messaging.records({ topic: topics.deadLetters, partition: deadLetterPartition });
  expect([new TextDecoder().decode(record?.key ?? undefined), record?.headers["sluice-by-hand"]]).toEqual([consoleUetr, "asked"]);
  expect([...(world.letters()[0]?.value ?? [])]).toEqual([...unknownSchemaBytes]);
});

test("a request that is repeated under its id is one dead letter; the id of another request is refused", async () => {
  const world = await stoppedAt(1n);
  const first = await requestSkip(world, { offset: "1" });
  await world.schedulerReaches(2n);
  expect(await requestSkip(world, { offset: "1" })).toEqual(first);
  expect(await requestSkip(world, { offset: "0" })).toMatchObject({ status: 409, body: { message: "Another decision" } });
  expect(world.letters()).toHaveLength(1);
});

test("a record at which no partition is stopped cannot be skipped, nor one that does not exist or that the service does not read", async () => {
  const world = await stoppedAt(1n);
  expect(await requestSkip(world)).toMatchObject({ status: 409, body: { detail: expect.stringContaining("the service is at 1") } });
  expect(await requestSkip(world, { offset: "2" })).toMatchObject({ status: 404 });
  expect(await requestSkip(world, { service: "dispatcher" })).toMatchObject({ status: 422 });
  expect(await requestSkip(world, { service: "dispatcher", topic: topics.dispatch })).toMatchObject({ status: 404 });
  expect(await requestSkip(world, { partition: 99 })).toMatchObject({ status: 422 });
  expect(await requestSkip(world, { offset: "-1" })).toMatchObject({ status: 400 });
  expect(await requestSkip(world, { service: "ingress" })).toMatchObject({ status: 400 });
  expect(await requestSkip(world, {}, "put-2", "reader")).toMatchObject({ status: 403 });
  expect(world.letters()).toEqual([]);
});

test("the validator's position is that of its consumer group", async () => {
  const world = await stoppedAt(2n);
  expect(await requestSkip(world, { service: "validator", offset: "1" })).toMatchObject({ status: 409 });
  expect(await requestSkip(world, { service: "validator", offset: "0" })).toMatchObject({ status: 202 });
  expect(world.messaging.committedOffset(groups.validator, { topic: topics.journal, partition: deadLetterPartition })).toBeNull();
});

test("the positions of dispatcher and event-publisher are those of their partitions' documents", async () => {
  const world = await openDeadLetterEnvironment();
  for (const [service, topic] of [
    ["dispatcher", topics.dispatch],
    ["event-publisher", topics.events],
  ] as const) {
    await world.raw(unknownSchemaBytes, topic);
    expect(await requestSkip(world, { service, topic })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("never had a position") },
    });
    await world.settled(world.store.partitions.takeOver(service, deadLetterPartition));
    expect(await requestSkip(world, { service, topic }, `put-${service}`)).toMatchObject({ status: 202 });
  }
});

test("with the broker away the result is not known, never a false 202, and the same id may be sent again", async () => {
  const world = await stoppedAt(0n);
  world.messaging.setBroker(false);
  expect((await requestSkip(world)).status).toBe(503);
  world.messaging.setBroker(true);
  expect((await requestSkip(world)).status).toBe(202);
});

/** Records 1 to 3 of the partition cannot be read, and the scheduler stands at the first of them. */
async function stoppedAtBatch(): Promise<World> {
  const world = await openDeadLetterEnvironment();
  for (let at = 0; at < 5; at += 1) await world.raw(unknownSchemaBytes);
  world.messaging.breakBatch(
    { topic: topics.journal, partition: deadLetterPartition },
    { firstOffset: 1n, lastOffset: 3n, reason: "checksum", areKeysKnown: true },
  );
  await world.schedulerReaches(1n);
  return world;
}

test("a skip of a batch that cannot be read is a dead letter with its bytes and both of its offsets, and no key", async () => {
  const world = await stoppedAtBatch();
  const answer = await requestSkip(world, { offset: "1", lastOffset: "3" });
  expect(answer).toMatchObject({ status: 202, body: { letter: `${deadLetterPartition}:0`, offset: "1", lastOffset: "3" } });
  const [letter] = world.letters();
  expect(letter).toMatchObject({
    offset: 3n,
    reason: "ticket 4711",
    service: "scheduler",
    operator: "operator",
    actionId: "put-1",
    key: null,
  });
  expect(letter?.value).toHaveLength(3 * unknownSchemaBytes.length);
  const said = Object.entries(letter?.headers ?? {}).map(([name, text]) => [name, new TextDecoder().decode(text)]);
  expect(Object.fromEntries(said)).toMatchObject({
    "sluice-unreadable-batch": "1-3",
    "sluice-unreadable-bytes": expect.stringContaining("21 bytes, SHA-256 "),
  });
  expect(await requestSkip(world, { offset: "1", lastOffset: "3" })).toEqual(answer);
  expect(world.letters()).toHaveLength(1);
  const shown = await readJsonObject(await world.control(`/dead-letters/${deadLetterPartition}:0`));
  expect(shown).toMatchObject({ batch: "1-3", key: null, reading: { isReadable: false, why: "in batch 1-3, which could not be read" } });
});

test("a batch is skipped by both of its offsets alone, where the partition stands, and only while it cannot be read", async () => {
  const world = await stoppedAtBatch();
  const isInBatch = { status: 409, body: { detail: expect.stringContaining("batch 1-3 cannot be read") } };
  expect(await requestSkip(world, { offset: "1" })).toMatchObject(isInBatch);
  expect(await requestSkip(world, { offset: "2", lastOffset: "3" })).toMatchObject(isInBatch);
  expect(await requestSkip(world, { offset: "1", lastOffset: "4" })).toMatchObject(isInBatch);
  await world.schedulerReaches(4n);
  expect(await requestSkip(world, { offset: "1", lastOffset: "3" })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("not-there") },
  });
  world.messaging.breakBatch({ topic: topics.journal, partition: deadLetterPartition }, null);
  expect(await requestSkip(world, { offset: "1", lastOffset: "3" })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("readable") },
  });
  expect(world.letters()).toEqual([]);
});
