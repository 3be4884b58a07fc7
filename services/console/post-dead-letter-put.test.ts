import { groups, topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { givenLetters, lane, unknownSchema, uetr } from "./given-letters.ts";
import { jsonOf } from "./given.ts";

type World = Awaited<ReturnType<typeof givenLetters>>;

const body = { reason: "ticket 4711", service: "scheduler", topic: topics.journal, partition: lane, offset: "0" };

async function standing(offset: bigint): Promise<World> {
  const world = await givenLetters();
  for (let at = 0n; at <= offset; at += 1n) await world.raw(unknownSchema);
  await world.schedulerReaches(offset);
  return world;
}

async function asked(world: World, over: object = {}, actionId = "put-1", operator = "operator") {
  const answer = await world.control("/put-aside", { body: { ...body, ...over }, actionId, operator });
  return { status: answer.status, body: await jsonOf(answer) };
}

test("the record at which a lane stands is asked to be put aside: a letter with who, why and the id, in its own partition and under its key", async () => {
  const world = await standing(1n);
  const answer = await asked(world, { offset: "1" });
  expect(answer).toMatchObject({ status: 202, body: { schema: "PutAsideAsked", action: "put-1", letter: `${lane}:0`, offset: "1" } });
  const said = { topic: topics.journal, partition: lane, offset: 1n, reason: "ticket 4711", service: "scheduler" };
  expect(world.letters()).toMatchObject([{ ...said, operator: "operator", actionId: "put-1" }]);
  const [record] = world.messaging.records({ topic: topics.deadLetters, partition: lane });
  expect([new TextDecoder().decode(record?.key ?? undefined), record?.headers["sluice-by-hand"]]).toEqual([uetr, "asked"]);
  expect([...(world.letters()[0]?.value ?? [])]).toEqual([...unknownSchema]);
});

test("sent again under the same id it is one letter; the id of another request is refused", async () => {
  const world = await standing(1n);
  const first = await asked(world, { offset: "1" });
  await world.schedulerReaches(2n);
  expect(await asked(world, { offset: "1" })).toEqual(first);
  expect(await asked(world, { offset: "0" })).toMatchObject({ status: 409, body: { message: "Another decision" } });
  expect(world.letters()).toHaveLength(1);
});

test("a record at which no lane stands is not put aside, nor one that is not there or not read by that service", async () => {
  const world = await standing(1n);
  expect(await asked(world)).toMatchObject({ status: 409, body: { detail: expect.stringContaining("it stands at 1") } });
  expect(await asked(world, { offset: "2" })).toMatchObject({ status: 404 });
  expect(await asked(world, { service: "dispatcher" })).toMatchObject({ status: 422 });
  expect(await asked(world, { service: "dispatcher", topic: topics.dispatch })).toMatchObject({ status: 404 });
  expect(await asked(world, { partition: 99 })).toMatchObject({ status: 422 });
  expect(await asked(world, { offset: "-1" })).toMatchObject({ status: 400 });
  expect(await asked(world, { service: "ingress" })).toMatchObject({ status: 400 });
  expect(await asked(world, {}, "put-2", "reader")).toMatchObject({ status: 403 });
  expect(world.letters()).toEqual([]);
});

test("the validator stands where its group has come to", async () => {
  const world = await standing(2n);
  expect(await asked(world, { service: "validator", offset: "1" })).toMatchObject({ status: 409 });
  expect(await asked(world, { service: "validator", offset: "0" })).toMatchObject({ status: 202 });
  expect(world.messaging.committed(groups.validator, { topic: topics.journal, partition: lane })).toBeNull();
});

test("the dispatcher and the event publisher stand where their lanes' documents say", async () => {
  const world = await givenLetters();
  for (const [service, topic] of [
    ["dispatcher", topics.dispatch],
    ["event-publisher", topics.events],
  ] as const) {
    await world.raw(unknownSchema, topic);
    expect(await asked(world, { service, topic })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("never had one") },
    });
    await world.settled(world.store.lanes.takeOver(service, lane));
    expect(await asked(world, { service, topic }, `put-${service}`)).toMatchObject({ status: 202 });
  }
});

test("no false 202: with the broker away it is not known, and the same id may be sent again", async () => {
  const world = await standing(0n);
  world.messaging.setBroker(false);
  expect((await asked(world)).status).toBe(503);
  world.messaging.setBroker(true);
  expect((await asked(world)).status).toBe(202);
});
