// A replay that leaves single dead letters of a transaction where they are, because nobody will ever read them.

import { headers, topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { readJsonObject } from "../console.fixture.ts";
import { openReader } from "../web/browser.fixture.ts";
import {
  buildReceivedRecord,
  consoleUetr,
  dayClosedBytes,
  deadLetterPartition,
  deadLetterSerde,
  openDeadLetterEnvironment,
  unknownSchemaBytes,
  unreadableBytes,
} from "./dead-letters.fixture.ts";

type DeadLetterEnvironment = Awaited<ReturnType<typeof openDeadLetterEnvironment>>;

async function requestReplay(environment: DeadLetterEnvironment, leave: readonly string[], over: object = {}) {
  const answer = await environment.control(`/transactions/${consoleUetr}/replay`, {
    body: { reason: "nobody can read it", leave, ...over },
    actionId: "replay-1",
  });
  return { status: answer.status, body: await readJsonObject(answer) };
}

function listJournal({ messaging }: DeadLetterEnvironment) {
  return messaging.records({ topic: topics.journal, partition: deadLetterPartition });
}

/** A quarantine of three records: garbage at 7, and two records that can be read. */
async function quarantineGarbage(garbage = unreadableBytes) {
  const environment = await openDeadLetterEnvironment();
  const letter = await environment.put(buildReceivedRecord(7n, garbage));
  for (const offset of [8n, 9n]) await environment.put(buildReceivedRecord(offset, dayClosedBytes()));
  await environment.quarantine(7n, 3);
  return { environment, letter };
}

test("I1: a replay leaves the named letter in the dead letters and appends the rest; its record says which, who and why [D9.99]", async () => {
  const { environment, letter } = await quarantineGarbage();
  const lettersBefore = environment.letters().length;
  const { status, body } = await requestReplay(environment, [letter]);
  const [head, ...rest] = listJournal(environment);
  expect(rest.map(({ value }) => [...(value ?? [])])).toEqual([[...dayClosedBytes()], [...dayClosedBytes()]]);
  expect(deadLetterSerde.decode(head?.value ?? new Uint8Array())).toMatchObject({
    value: { records: 2, left: [letter], action: { person: "operator", reason: "nobody can read it" } },
  });
  expect(environment.letters()).toHaveLength(lettersBefore);
  expect([status, body["rows"]]).toMatchObject([
    202,
    [
      { letter, offset: "7", outcome: "left", at: null },
      { offset: "8", outcome: "replayed", at: { offset: "1" } },
      { offset: "9", outcome: "replayed", at: { offset: "2" } },
    ],
  ]);
});

test("a letter whose schema no registry has can be left, and a dry run says so and appends nothing [D9.99]", async () => {
  const { environment, letter } = await quarantineGarbage(unknownSchemaBytes);
  expect(await requestReplay(environment, [])).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining("not-readable-yet") },
  });
  const dry = await requestReplay(environment, [letter], { isDryRun: true });
  expect([dry.status, dry.body["rows"]]).toMatchObject([200, [{ outcome: "would-be-left" }, { outcome: "would-be-replayed" }, {}]]);
  expect(listJournal(environment)).toEqual([]);
  expect((await requestReplay(environment, [letter])).status).toBe(202);
  expect(listJournal(environment)).toHaveLength(3);
});

test("a record of the journal whose letter is gone is left by its offset [D9.99]", async () => {
  const environment = await openDeadLetterEnvironment();
  await environment.raw(unknownSchemaBytes);
  await environment.raw(dayClosedBytes());
  await environment.put(buildReceivedRecord(1n, dayClosedBytes()));
  await environment.quarantine(0n, 2);
  const { status, body } = await requestReplay(environment, ["journal:0"]);
  expect([status, body["rows"]]).toMatchObject([202, [{ letter: null, offset: "0", outcome: "left" }, { outcome: "replayed" }]]);
});

test("a name that is no dead letter of the transaction is refused, and nothing is appended [D9.99]", async () => {
  const { environment, letter } = await quarantineGarbage();
  expect(await requestReplay(environment, [letter, "0:4711"])).toMatchObject({
    status: 409,
    body: { detail: expect.stringMatching(/^no-such-letter: .*0:4711/) },
  });
  expect(await requestReplay(environment, ["garbage"])).toMatchObject({ status: 400 });
  expect(listJournal(environment)).toEqual([]);
});

test("I1: a replay that broke off is completed under the same id without what it left; another choice is another decision", async () => {
  const { environment, letter } = await quarantineGarbage(unknownSchemaBytes);
  await requestReplay(environment, [letter]);
  const [head, first] = listJournal(environment);
  // The process ended after the decision and the first record.
  const broken = await quarantineGarbage(unknownSchemaBytes);
  const producer = await broken.environment.settled(broken.environment.messaging.producer("broken"));
  const place = { topic: topics.journal, partition: deadLetterPartition };
  for (let at = 0; at < 20; at += 1) await broken.environment.raw(dayClosedBytes());
  const [at] = await broken.environment.settled(
    producer.send([head, first].map((record) => ({ ...place, key: null, value: null, headers: {}, ...record, ...place }))),
  );
  await broken.environment.endQuarantine(at?.offset ?? 0n, listJournal(broken.environment).at(-2));
  const other = await requestReplay(broken.environment, []);
  expect(other).toMatchObject({ status: 409, body: { message: "Another decision" } });
  const { status, body } = await requestReplay(broken.environment, [letter]);
  expect([status, body["rows"]]).toMatchObject([
    202,
    [{ outcome: "left" }, { offset: "8", outcome: "was-replayed" }, { offset: "9", outcome: "replayed" }],
  ]);
  const behind = listJournal(broken.environment).slice(21);
  expect(behind.map((record) => record.headers[headers.deadLetter])).toEqual([`${deadLetterPartition}:1`, `${deadLetterPartition}:2`]);
});

/** As large as a producer may send it, and with the name of its letter larger. */
const fullBytes = new Uint8Array(999_890).fill(7);

test("a record with no room for the name of its letter is refused until it is left, and the rest goes back [D9.99]", async () => {
  const environment = await openDeadLetterEnvironment();
  await environment.raw(fullBytes);
  const letter = await environment.put(buildReceivedRecord(0n, fullBytes));
  await environment.put(buildReceivedRecord(8n, dayClosedBytes()));
  await environment.quarantine(0n, 2);
  const refused = { status: 409, body: { detail: expect.stringContaining(`too-large: with its name ${letter}`) } };
  expect(await requestReplay(environment, [], { isDryRun: true })).toMatchObject(refused);
  expect(await requestReplay(environment, [])).toMatchObject(refused);
  expect(listJournal(environment)).toHaveLength(1);
  expect((await requestReplay(environment, [letter])).body["rows"]).toMatchObject([{ outcome: "left" }, { outcome: "replayed" }]);
});

test("I1: a record with no room that came behind the read stays in the dead letters, and the others follow [D9.99]", async () => {
  const { environment, letter } = await quarantineGarbage(unknownSchemaBytes);
  await requestReplay(environment, [letter]);
  const [head, first] = listJournal(environment);
  const broken = await openDeadLetterEnvironment();
  for (let at = 0; at < 7; at += 1) await broken.raw(dayClosedBytes());
  const left = await broken.put(buildReceivedRecord(7n, unknownSchemaBytes));
  for (const offset of [8n, 9n]) await broken.put(buildReceivedRecord(offset, dayClosedBytes()));
  for (let at = 7; at < 10; at += 1) await broken.raw(dayClosedBytes());
  await broken.raw(fullBytes);
  await broken.put(buildReceivedRecord(10n, fullBytes));
  await broken.quarantine(7n, 4);
  const producer = await broken.settled(broken.messaging.producer("broken"));
  const place = { topic: topics.journal, partition: deadLetterPartition };
  for (let at = 11; at < 20; at += 1) await broken.raw(dayClosedBytes());
  const [at] = await broken.settled(
    producer.send([head, first].map((record) => ({ ...place, key: null, value: null, headers: {}, ...record, ...place }))),
  );
  await broken.endQuarantine(at?.offset ?? 0n, listJournal(broken).at(-2));
  const { status, body } = await requestReplay(broken, [left]);
  expect([status, body["rows"]]).toMatchObject([
    202,
    [
      { offset: "7", outcome: "left" },
      { offset: "8", outcome: "was-replayed" },
      { offset: "9", outcome: "replayed" },
      { offset: "10", outcome: "left" },
    ],
  ]);
});

test("the page of a replay lists the letters, and leaves those that are ticked [D9.99]", async () => {
  const { environment, letter } = await quarantineGarbage();
  const reader = openReader(environment);
  await reader.signIn();
  const path = `/decide/replayTransaction?uetr=${consoleUetr}`;
  const { status, text } = await reader.ask(path);
  expect([status, text.match(/name="leave"/g)?.length, text.includes(`value="${letter}"`)]).toEqual([200, 3, true]);
  const decided = await reader.decide(path, { reason: "nobody can read it", leave: letter });
  expect([decided.status, listJournal(environment).length]).toEqual([303, 3]);
});
