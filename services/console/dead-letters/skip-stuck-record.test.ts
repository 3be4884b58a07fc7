import type { Configuration } from "@sluice/config";
import { groups, topics } from "@sluice/contracts";
import { controlAnswers, decisionProposedSchema } from "@sluice/contracts/control-answers";
import { sampleOperator } from "@sluice/testkit";
import { expect, test } from "vitest";
import { openDeadLetterEnvironment, deadLetterPartition, unknownSchemaBytes, consoleUetr } from "./dead-letters.fixture.ts";
import { readJsonObject } from "../console.fixture.ts";

type DeadLetterEnvironment = Awaited<ReturnType<typeof openDeadLetterEnvironment>>;

const body = { reason: "ticket 4711", service: "scheduler", topic: topics.journal, partition: deadLetterPartition, offset: "0" };

async function stoppedAt(offset: bigint, over: Partial<Configuration> = {}): Promise<DeadLetterEnvironment> {
  const environment = await openDeadLetterEnvironment(over);
  for (let at = 0n; at <= offset; at += 1n) await environment.raw(unknownSchemaBytes);
  await environment.schedulerReaches(offset);
  return environment;
}

async function requestSkip(environment: DeadLetterEnvironment, over: object = {}, actionId = "put-1", operator = "operator") {
  const answer = await environment.control("/skip", { body: { ...body, ...over }, actionId, operator });
  return { status: answer.status, body: await readJsonObject(answer) };
}

test("a skip of the record at which a partition is stopped is a dead letter with who, why and id, in its partition and under its key", async () => {
  const environment = await stoppedAt(1n);
  const answer = await requestSkip(environment, { offset: "1" });
  expect(answer).toMatchObject({
    status: 202,
    body: { schema: "SkipRequested", action: "put-1", letter: `${deadLetterPartition}:0`, offset: "1" },
  });
  const said = { topic: topics.journal, partition: deadLetterPartition, offset: 1n, reason: "ticket 4711", service: "scheduler" };
  expect(environment.letters()).toMatchObject([{ ...said, operator: "operator", actionId: "put-1" }]);
  const [record] = environment.messaging.records({ topic: topics.deadLetters, partition: deadLetterPartition });
  expect([new TextDecoder().decode(record?.key ?? undefined), record?.headers["sluice-skip"]]).toEqual([consoleUetr, "requested"]);
  expect([...(environment.letters()[0]?.value ?? [])]).toEqual([...unknownSchemaBytes]);
});

test("the dead letter of a skip that two persons decided names both, and the list and the letter show both [D9.97]", async () => {
  const operators = [sampleOperator({ person: "thandi" }), sampleOperator({ id: "second", person: "sipho", roles: ["read", "approve"] })];
  const environment = await stoppedAt(1n, { operators, secondPerson: { actions: ["skip"], proposalLifetimeMs: 3_600_000 } });
  const { offset, contentSha256 } = decisionProposedSchema.parse((await requestSkip(environment, { offset: "1" })).body);
  expect(environment.letters()).toEqual([]);
  const confirmation = { body: { reason: "seen", offset, contentSha256 }, operator: "second", actionId: "c-1" };
  expect((await environment.control("/proposals/put-1/confirmation", confirmation)).status).toBe(202);
  const both = { operator: "operator", person: "thandi", confirmedBy: "sipho" };
  expect(environment.letters()).toMatchObject([{ ...both, actionId: "put-1", reason: "ticket 4711" }]);
  const listed = controlAnswers.listDeadLetters.parse(await (await environment.control("/dead-letters")).json());
  const shown = await readJsonObject(await environment.control(`/dead-letters/${listed.rows[0]?.letter}`));
  const skip = { ...both, action: "put-1", isDone: false };
  expect([listed.rows, shown]).toMatchObject([[{ skip }], { skip }]);
});

test("the dead letter of a skip that one person decided names nobody who confirmed it", async () => {
  const environment = await stoppedAt(1n);
  await requestSkip(environment, { offset: "1" });
  expect(environment.letters()).toMatchObject([{ operator: "operator", person: "operator", confirmedBy: null }]);
});

test("a request that is repeated under its id is one dead letter; the id of another request is refused", async () => {
  const environment = await stoppedAt(1n);
  const first = await requestSkip(environment, { offset: "1" });
  await environment.schedulerReaches(2n);
  expect(await requestSkip(environment, { offset: "1" })).toEqual(first);
  expect(await requestSkip(environment, { offset: "0" })).toMatchObject({ status: 409, body: { message: "Another decision" } });
  expect(environment.letters()).toHaveLength(1);
});

test("a record at which no partition is stopped cannot be skipped, nor one that does not exist or that the service does not read", async () => {
  const environment = await stoppedAt(1n);
  expect(await requestSkip(environment)).toMatchObject({ status: 409, body: { detail: expect.stringContaining("the service is at 1") } });
  expect(await requestSkip(environment, { offset: "2" })).toMatchObject({ status: 404 });
  expect(await requestSkip(environment, { service: "dispatcher" })).toMatchObject({ status: 422 });
  expect(await requestSkip(environment, { service: "dispatcher", topic: topics.dispatch })).toMatchObject({ status: 404 });
  expect(await requestSkip(environment, { partition: 99 })).toMatchObject({ status: 422 });
  expect(await requestSkip(environment, { offset: "-1" })).toMatchObject({ status: 400 });
  expect(await requestSkip(environment, { service: "ingress" })).toMatchObject({ status: 400 });
  expect(await requestSkip(environment, {}, "put-2", "reader")).toMatchObject({ status: 403 });
  expect(environment.letters()).toEqual([]);
});

test("the validator's position is that of its consumer group", async () => {
  const environment = await stoppedAt(2n);
  expect(await requestSkip(environment, { service: "validator", offset: "1" })).toMatchObject({ status: 409 });
  expect(await requestSkip(environment, { service: "validator", offset: "0" })).toMatchObject({ status: 202 });
  expect(environment.messaging.committedOffset(groups.validator, { topic: topics.journal, partition: deadLetterPartition })).toBeNull();
});

test("the positions of dispatcher and event-publisher are those of their partitions' documents", async () => {
  const environment = await openDeadLetterEnvironment();
  for (const [service, topic] of [
    ["dispatcher", topics.dispatch],
    ["event-publisher", topics.events],
  ] as const) {
    await environment.raw(unknownSchemaBytes, topic);
    expect(await requestSkip(environment, { service, topic })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("never had a position") },
    });
    await environment.settled(environment.store.partitions.takeOver(service, deadLetterPartition));
    expect(await requestSkip(environment, { service, topic }, `put-${service}`)).toMatchObject({ status: 202 });
  }
});

test("I16: a record can be skipped, also where its partition has more older letters than one walk reads", async () => {
  const environment = await openDeadLetterEnvironment();
  await environment.putOlder(50_100);
  await environment.raw(unknownSchemaBytes);
  await environment.schedulerReaches(0n);
  const first = await requestSkip(environment);
  expect(first).toMatchObject({ status: 202, body: { letter: `${deadLetterPartition}:50100` } });
  expect(await requestSkip(environment)).toEqual(first);
});

test("with the broker away the result is not known, never a false 202, and the same id may be sent again", async () => {
  const environment = await stoppedAt(0n);
  environment.messaging.setBroker(false);
  expect((await requestSkip(environment)).status).toBe(503);
  environment.messaging.setBroker(true);
  expect((await requestSkip(environment)).status).toBe(202);
});

/** Records 1 to 3 of the partition cannot be read, and the scheduler stands at the first of them. */
async function stoppedAtBatch(): Promise<DeadLetterEnvironment> {
  const environment = await openDeadLetterEnvironment();
  for (let at = 0; at < 5; at += 1) await environment.raw(unknownSchemaBytes);
  environment.messaging.breakBatch(
    { topic: topics.journal, partition: deadLetterPartition },
    { firstOffset: 1n, lastOffset: 3n, reason: "checksum", areKeysKnown: true },
  );
  await environment.schedulerReaches(1n);
  return environment;
}

test("a skip of a batch that cannot be read is a dead letter with its bytes and both of its offsets, and no key", async () => {
  const environment = await stoppedAtBatch();
  const answer = await requestSkip(environment, { offset: "1", lastOffset: "3" });
  expect(answer).toMatchObject({ status: 202, body: { letter: `${deadLetterPartition}:0`, offset: "1", lastOffset: "3" } });
  const [letter] = environment.letters();
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
  expect(await requestSkip(environment, { offset: "1", lastOffset: "3" })).toEqual(answer);
  expect(environment.letters()).toHaveLength(1);
  const shown = await readJsonObject(await environment.control(`/dead-letters/${deadLetterPartition}:0`));
  expect(shown).toMatchObject({ batch: "1-3", key: null, reading: { isReadable: false, why: "in batch 1-3, which could not be read" } });
});

test("a batch is skipped by both of its offsets alone, where the partition stands, and only while it cannot be read", async () => {
  const environment = await stoppedAtBatch();
  const isInBatch = { status: 409, body: { detail: expect.stringContaining("batch 1-3 cannot be read") } };
  expect(await requestSkip(environment, { offset: "1" })).toMatchObject(isInBatch);
  expect(await requestSkip(environment, { offset: "2", lastOffset: "3" })).toMatchObject(isInBatch);
  expect(await requestSkip(environment, { offset: "1", lastOffset: "4" })).toMatchObject(isInBatch);
  await environment.schedulerReaches(4n);
  expect(await requestSkip(environment, { offset: "1", lastOffset: "3" })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("not-there") },
  });
  environment.messaging.breakBatch({ topic: topics.journal, partition: deadLetterPartition }, null);
  expect(await requestSkip(environment, { offset: "1", lastOffset: "3" })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("readable") },
  });
  expect(environment.letters()).toEqual([]);
});
