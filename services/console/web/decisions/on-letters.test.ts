// Several dead letters are replayed from their page: with a preview, and an outcome for each.

import { expect, test } from "vitest";
import {
  buildReceivedRecord,
  consoleUetr,
  dayClosedBytes,
  deadLetterPartition,
  openDeadLetterEnvironment,
} from "../../dead-letters/dead-letters.fixture.ts";
import { topics } from "@sluice/contracts";
import { openReader, readHidden } from "../browser.fixture.ts";

const nobody = { secondPerson: { actions: [], proposalLifetimeMs: 3_600_000 } } as const;

/** A quarantined transaction with two dead letters, and two letters of the validator. */
async function openLetters(over: Parameters<typeof openDeadLetterEnvironment>[0] = nobody) {
  const environment = await openDeadLetterEnvironment(over);
  for (const offset of [7n, 8n]) await environment.put(buildReceivedRecord(offset, dayClosedBytes()));
  const letters = [9n, 10n].map((offset) => environment.put(buildReceivedRecord(offset, dayClosedBytes()), { service: "validator" }));
  await environment.quarantine(7n, 2);
  const reader = openReader(environment);
  await reader.signIn();
  return { environment, reader, letters: await Promise.all(letters) };
}

const countJournal = ({ messaging }: Awaited<ReturnType<typeof openDeadLetterEnvironment>>): number =>
  messaging.records({ topic: topics.journal, partition: deadLetterPartition }).length;

async function send(reader: Awaited<ReturnType<typeof openLetters>>["reader"], path: string, of: readonly string[]) {
  const fields = new URLSearchParams({ ...readHidden((await reader.ask(path)).text), reason: "registered now" });
  for (const one of of) fields.append("of", one);
  const answer = await reader.ask(path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: fields.toString(),
  });
  return { status: answer.status, text: answer.text, location: answer.headers.get("location") ?? "" };
}

test("the page offers the replay of several, its preview says how many records each has, and nothing is appended by it", async () => {
  const { environment, reader, letters } = await openLetters();
  expect((await reader.ask("/dead-letters")).text).toContain("/decide/replayDeadLetters");
  const { text } = await reader.ask("/decide/replayDeadLetters");
  const boxes = [...text.matchAll(/name="of"\s+value="([^"]*)"[^>]*checked/g)].map(([, value]) => value);
  expect(new Set(boxes)).toEqual(new Set([`${consoleUetr} 2`, ...letters.map((letter) => `${letter} 1`)]));
  expect([text.includes("3 of 3 could be replayed now"), countJournal(environment)]).toEqual([true, 0]);
});

test("what is chosen is replayed as one decision, and the outcome of each is shown [D9 several]", async () => {
  const { environment, reader, letters } = await openLetters();
  const answer = await send(reader, "/decide/replayDeadLetters", [`${consoleUetr} 2`, `${letters[0]} 1`]);
  expect([answer.status, answer.location]).toEqual([303, expect.stringMatching(/^\/outcomes\//)]);
  const { text } = await reader.ask(answer.location);
  expect([text.includes("2 of 2 replayed"), text.includes("2 records"), text.includes("1 record")]).toEqual([true, true, true]);
  // The three records, behind the one that ends the quarantine.
  expect(countJournal(environment)).toBe(4);
});

test("only the letters of one service are offered where the page groups them", async () => {
  const { reader } = await openLetters();
  const { text } = await reader.ask("/decide/replayDeadLetters?service=validator");
  expect([text.includes(`value="${consoleUetr} 2"`), [...text.matchAll(/name="of"/g)].length]).toEqual([false, 2]);
});
