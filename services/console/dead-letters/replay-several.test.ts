// One decision about several dead letters: a second person sees each of them, and how many records they have.

import { topics } from "@sluice/contracts";
import { controlAnswers, decisionProposedSchema } from "@sluice/contracts/control-answers";
import { sampleOperator } from "@sluice/testkit";
import { expect, test } from "vitest";
import {
  buildReceivedRecord,
  consoleUetr,
  dayClosedBytes,
  deadLetterPartition,
  openDeadLetterEnvironment,
} from "./dead-letters.fixture.ts";
import { readJsonObject } from "../console.fixture.ts";

type Environment = Awaited<ReturnType<typeof openDeadLetterEnvironment>>;

const reason = "registered now, ticket 4711";
const journal = { topic: topics.journal, partition: deadLetterPartition };

/** A quarantined transaction with two dead letters, and two letters of the validator. */
async function openSeveral(over: Parameters<typeof openDeadLetterEnvironment>[0] = {}) {
  const environment = await openDeadLetterEnvironment(over);
  for (const offset of [7n, 8n]) await environment.put(buildReceivedRecord(offset, dayClosedBytes()));
  const letters = [9n, 10n].map((offset) => environment.put(buildReceivedRecord(offset, dayClosedBytes()), { service: "validator" }));
  await environment.quarantine(7n, 2);
  return { environment, of: [consoleUetr, ...(await Promise.all(letters))] };
}

async function send({ control }: Environment, body: object, actionId = "run-1") {
  const answer = await control("/replay", { body: { reason, ...body }, actionId });
  return { status: answer.status, body: await readJsonObject(answer) };
}

const countJournal = ({ messaging }: Environment): number => messaging.records(journal).length;

test("a dry run names each with its records, and a replay of that many appends them all under one decision [D9.98]", async () => {
  const { environment, of } = await openSeveral();
  const dry = controlAnswers.replayDeadLetters.parse((await send(environment, { of, isDryRun: true })).body);
  expect([dry.records, dry.rows.map(({ records }) => records), countJournal(environment)]).toEqual([4, [2, 1, 1], 0]);
  const done = await send(environment, { of, records: dry.records });
  expect([done.status, done.body]).toMatchObject([202, { action: "run-1", records: 4 }]);
  // The records, behind the one that ends the quarantine.
  expect(countJournal(environment)).toBe(5);
});

test("if one of them would be refused, or they have another number of records, nothing is appended [D9.98]", async () => {
  const { environment, of } = await openSeveral();
  const fewer = await send(environment, { of, records: 3 });
  expect([fewer.status, fewer.body["detail"]]).toEqual([409, expect.stringContaining("records-changed: they have 4 records")]);
  const unknown = await send(environment, { of: [...of, `${deadLetterPartition}:99`], records: 4 });
  expect([unknown.status, unknown.body["detail"]]).toEqual([409, expect.stringContaining(`${deadLetterPartition}:99: There is no such`)]);
  expect([(await send(environment, { of })).status, (await send(environment, { of: [...of, ...of], records: 8 })).status]).toEqual([
    422, 400,
  ]);
  const many = Array.from({ length: 51 }, (_, index) => `0:${index}`);
  expect((await send(environment, { of: many, records: 51 })).status).toBe(400);
  expect(countJournal(environment)).toBe(0);
});

test("as a proposal it shows each of them and their number, and another person confirms all at once [D9.98]", async () => {
  const operators = [sampleOperator(), sampleOperator({ id: "second", roles: ["read", "approve"] })];
  const { environment, of } = await openSeveral({ operators, secondPerson: { actions: ["replay"], proposalLifetimeMs: 3_600_000 } });
  const proposed = await send(environment, { of, records: 4 });
  const { offset, contentSha256, body } = decisionProposedSchema.parse(proposed.body);
  expect([body, countJournal(environment)]).toEqual([{ reason, of, records: 4 }, 0]);
  const confirmation = { body: { reason: "seen", offset, contentSha256 }, operator: "second", actionId: "c-1" };
  expect((await environment.control("/proposals/run-1/confirmation", confirmation)).status).toBe(202);
  expect(countJournal(environment)).toBe(5);
});
