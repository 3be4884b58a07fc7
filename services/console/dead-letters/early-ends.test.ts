// What the console answers while a broker ends its readings early: that it is not known now, never that nothing is
// there.

import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { readJsonObject } from "../console.fixture.ts";
import {
  buildReceivedRecord,
  consoleUetr,
  dayClosedBytes,
  deadLetterPartition,
  openDeadLetterEnvironment,
  unknownSchemaBytes,
  unreadableBytes,
} from "./dead-letters.fixture.ts";

type DeadLetterEnvironment = Awaited<ReturnType<typeof openDeadLetterEnvironment>>;

/** Asks while the leaders of the topic are behind, and again when they are not. */
async function askBehind(open: DeadLetterEnvironment, topic: string, path: string, body?: object, actionId = "early-1") {
  const answers = [];
  for (const behindTopic of [topic, null]) {
    open.environment.behindTopic = behindTopic;
    const answer = await open.control(path, body === undefined ? {} : { body, actionId });
    answers.push({ status: answer.status, body: await readJsonObject(answer) });
  }
  return answers;
}

function listJournal({ messaging }: DeadLetterEnvironment) {
  return messaging.records({ topic: topics.journal, partition: deadLetterPartition });
}

test("I1: a replay that is sent again while the journal is read in part is 503, and appends nothing twice", async () => {
  const open = await openDeadLetterEnvironment();
  for (const offset of [7n, 8n, 9n]) await open.put(buildReceivedRecord(offset, offset === 7n ? unreadableBytes : dayClosedBytes()));
  await open.quarantine(7n, 3);
  const path = `/transactions/${consoleUetr}/replay`;
  const body = { reason: "registered now" };
  expect((await open.control(path, { body, actionId: "replay-1" })).status).toBe(202);
  const appended = listJournal(open);
  await open.endQuarantine(0n, appended[0]);
  const [behind, whole] = await askBehind(open, topics.journal, path, body, "replay-1");
  expect(behind?.status).toBe(503);
  expect(whole).toMatchObject({ status: 202, body: { rows: Array.from({ length: 3 }, () => ({ outcome: "was-replayed" })) } });
  expect(listJournal(open)).toEqual(appended);
});

test("I1: a letter that lies beyond what the leader knows is 503, and not 404", async () => {
  const open = await openDeadLetterEnvironment();
  const letter = await open.put(buildReceivedRecord(7n, unreadableBytes));
  const [shown, found] = await askBehind(open, topics.deadLetters, `/dead-letters/${letter}`);
  expect([shown?.status, found?.status]).toEqual([503, 200]);
});

test("I1: a letter whose record lies beyond what the leader knows is 503; its bytes are not called lost", async () => {
  const open = await openDeadLetterEnvironment();
  const large = new Uint8Array(900_000).fill(7);
  await open.raw(large);
  await open.put(buildReceivedRecord(0n, large));
  await open.quarantine(0n, 1);
  const [behind, whole] = await askBehind(open, topics.journal, `/transactions/${consoleUetr}/replay`, { reason: "ticket 4711" });
  expect([behind?.status, whole?.status]).toEqual([503, 202]);
});

test("I16: a stopped record that lies beyond what the leader knows is 503, and can be skipped later", async () => {
  const open = await openDeadLetterEnvironment();
  await open.raw(unknownSchemaBytes);
  await open.schedulerReaches(0n);
  const record = { service: "scheduler", topic: topics.journal, partition: deadLetterPartition, offset: "0" };
  const [behind, whole] = await askBehind(open, topics.journal, "/skip", { ...record, reason: "ticket 4711" });
  expect([behind?.status, whole?.status]).toEqual([503, 202]);
  expect(open.letters()).toHaveLength(1);
});
