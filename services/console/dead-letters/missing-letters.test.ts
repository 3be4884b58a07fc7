// A replay whose dead letters are gone: letters have a retention limit, the journal has none.

import { headers, topics } from "@sluice/contracts";
import { Fault } from "@sluice/kernel";
import { expect, test } from "vitest";
import { readJsonObject } from "../console.fixture.ts";
import {
  buildReceivedRecord,
  consoleUetr,
  dayClosedBytes,
  deadLetterPartition,
  deadLetterSerde,
  openDeadLetterEnvironment,
  statusReport,
  unknownSchemaBytes,
  unreadableBytes,
} from "./dead-letters.fixture.ts";
import { createJournalSearch } from "./search-journal.ts";

type DeadLetterEnvironment = Awaited<ReturnType<typeof openDeadLetterEnvironment>>;

async function requestReplay(environment: DeadLetterEnvironment, over: object = {}) {
  const answer = await environment.control(`/transactions/${consoleUetr}/replay`, {
    body: { reason: "its letters are gone", ...over },
    actionId: "replay-1",
  });
  return { status: answer.status, body: await readJsonObject(answer) };
}

function listJournal({ messaging }: DeadLetterEnvironment) {
  return messaging.records({ topic: topics.journal, partition: deadLetterPartition });
}

/**
 * The journal of a quarantine of three records: unreadable bytes at 0, status reports at 2 and 3. A close at 1, which
 * is decided as always, and a record of another key at 4 do not belong to it.
 */
async function quarantineInJournal(records = 3): Promise<DeadLetterEnvironment> {
  const environment = await openDeadLetterEnvironment();
  await environment.raw(unreadableBytes);
  await environment.raw(dayClosedBytes());
  for (const id of ["R-1", "R-2"]) await environment.journal(statusReport(id));
  await environment.append(topics.journal, "7d5fb0b2-61a5-4c2e-9d3c-0d6c5a1b2c3d", statusReport("R-3"));
  await environment.quarantine(0n, records);
  return environment;
}

function encodeReport(id: string): Uint8Array {
  return deadLetterSerde.encode("StatusReportReceived", statusReport(id).value);
}

test("I1: records whose letters are gone go back from the journal, in their order, with their bytes", async () => {
  const environment = await quarantineInJournal();
  await environment.put(buildReceivedRecord(2n, encodeReport("R-1")));
  const answer = await requestReplay(environment);
  const again = listJournal(environment).slice(5);
  expect(again.map((record) => record.headers[headers.type] ?? null)).toEqual([
    "DeadLettersReplayed",
    null,
    "DayClosed",
    "StatusReportReceived",
  ]);
  expect(again.slice(1).map(({ value }) => Buffer.from(value ?? []).toString("hex"))).toEqual(
    [unreadableBytes, encodeReport("R-1"), encodeReport("R-2")].map((value) => Buffer.from(value).toString("hex")),
  );
  expect(again.map((record) => record.headers[headers.deadLetter] ?? null)).toEqual([
    null,
    "journal:0",
    `${deadLetterPartition}:0`,
    "journal:3",
  ]);
  expect(answer).toMatchObject({ status: 202 });
  expect(answer.body["rows"]).toMatchObject([
    { letter: null, offset: "0", isReadable: false, outcome: "replayed", at: { offset: "6" } },
    { letter: `${deadLetterPartition}:0`, offset: "2", isReadable: true, at: { offset: "7" } },
    { letter: null, offset: "3", isReadable: true, at: { offset: "8" } },
  ]);
});

test("I1: the quarantine does not end while records are nowhere to be found; the refusal has both numbers [D9 quarantined]", async () => {
  const environment = await quarantineInJournal(5);
  await environment.put(buildReceivedRecord(2n, encodeReport("R-1")));
  for (const isDryRun of [true, false]) {
    const { status, body } = await requestReplay(environment, { isDryRun });
    expect([status, body["detail"]]).toEqual([409, expect.stringMatching(/^records-missing: .*\b5\b.*\b3\b/)]);
  }
  expect(listJournal(environment)).toHaveLength(5);
});

test("I1: without any letter and without the journal's records nothing is replayed, and the quarantine stays", async () => {
  const environment = await quarantineInJournal();
  environment.messaging.truncate({ topic: topics.journal, partition: deadLetterPartition }, 3n);
  const { status, body } = await requestReplay(environment);
  expect([status, body["detail"]]).toEqual([409, expect.stringMatching(/^records-missing: .*\b3\b.*\b1\b/)]);
  expect(listJournal(environment).every((record) => record.headers[headers.type] !== "DeadLettersReplayed")).toBe(true);
});

test("a record of the journal whose schema is not known would stop the partition again, so nothing goes back", async () => {
  const environment = await openDeadLetterEnvironment();
  await environment.raw(unknownSchemaBytes);
  await environment.quarantine(0n, 1);
  const { status, body } = await requestReplay(environment);
  expect([status, body["detail"]]).toEqual([409, expect.stringContaining("not-readable-yet")]);
  expect(listJournal(environment)).toHaveLength(1);
});

test("I1: a replay from the journal that broke off is completed under the same id, and appends nothing twice", async () => {
  const environment = await quarantineInJournal();
  expect((await requestReplay(environment)).status).toBe(202);
  const appended = listJournal(environment).slice(5);
  // The process ended after the decision and the first record.
  const broken = await quarantineInJournal();
  const producer = await broken.settled(broken.messaging.producer("broken"));
  const [head] = await broken.settled(
    producer.send(
      appended.slice(0, 2).map(({ key, value, headers: given }) => ({
        topic: topics.journal,
        partition: deadLetterPartition,
        key,
        value,
        headers: given,
      })),
    ),
  );
  await broken.endQuarantine(head?.offset ?? 0n, listJournal(broken).at(-2));
  const answer = await requestReplay(broken);
  expect(answer.status).toBe(202);
  expect(answer.body["rows"]).toMatchObject([
    { offset: "0", outcome: "was-replayed" },
    { offset: "2", outcome: "replayed" },
    { offset: "3", outcome: "replayed" },
  ]);
  expect(
    listJournal(broken)
      .slice(5)
      .map((record) => record.headers[headers.deadLetter] ?? null),
  ).toEqual([null, "journal:0", "journal:2", "journal:3"]);
});

test("a search that reaches its bound is answered 503 with its place, and goes on there", async () => {
  const environment = await openDeadLetterEnvironment();
  await environment.raw(unreadableBytes);
  const producer = await environment.settled(environment.messaging.producer("many"));
  const [key, value] = [new TextEncoder().encode("bank:first"), dayClosedBytes()];
  const many = Array.from({ length: 5_000 }, () => ({ topic: topics.journal, partition: deadLetterPartition, key, value, headers: {} }));
  for (let at = 0; at < 41; at += 1) await environment.settled(producer.send(many));
  await environment.journal(statusReport("R-1"));
  await environment.quarantine(0n, 2, 205_001n);
  const { status, body } = await requestReplay(environment);
  expect([status, body["detail"]]).toEqual([503, expect.stringContaining("200000")]);
  expect((await requestReplay(environment)).body["rows"]).toMatchObject([{ offset: "0" }, { offset: "205001" }]);
});

test("I16: a replay ends, also where its partition has more letters from before the quarantine than one walk reads", async () => {
  const environment = await openDeadLetterEnvironment();
  await environment.putOlder(50_100);
  await environment.raw(unreadableBytes);
  const letter = await environment.put(buildReceivedRecord(0n, unreadableBytes));
  await environment.quarantine(0n, 1);
  const { status, body } = await requestReplay(environment);
  expect([status, body["rows"]]).toMatchObject([202, [{ letter, offset: "0", outcome: "replayed" }]]);
});

test("I16: a search of the journal that broke off goes on where the one before it ended", async () => {
  const environment = await openDeadLetterEnvironment();
  await environment.raw(unreadableBytes);
  for (let at = 0; at < 5; at += 1) await environment.raw(dayClosedBytes());
  await environment.journal(statusReport("R-1"));
  const { messaging, settled } = environment;
  let isAway = false;
  let nowMs = 0;
  const search = createJournalSearch({
    // Each look at the clock takes a second, so that a search ends after a few records.
    time: { ...environment.time, nowMs: () => environment.time.nowMs(), monotonicMs: () => (nowMs += 1_000) },
    serde: deadLetterSerde,
    messaging: {
      ends: (places) => messaging.ends(places),
      identity: (topic) => messaging.identity(topic),
      async *read(place, from, to) {
        if (isAway) throw new Fault("test.away", "the broker is away", { isRetryable: true });
        yield* messaging.read(place, from, to);
      },
    },
  });
  const question = { uetr: consoleUetr, partition: deadLetterPartition, from: 0n, to: 7n, wanted: 2, known: new Set<bigint>(), likely: [] };
  const first = await settled(search.find(question));
  expect(first.endedAt).toBe(4n);
  isAway = true;
  await expect(settled(search.find(question))).rejects.toMatchObject({ code: "test.away" });
  isAway = false;
  const last = await settled(search.find(question));
  expect([last.endedAt, last.records.map(({ offset }) => offset)]).toEqual([null, [0n, 6n]]);
});
