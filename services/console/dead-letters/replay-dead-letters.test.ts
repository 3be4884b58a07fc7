import { createHash } from "node:crypto";
import { headers, operatorContentSha256, type OperatorAction, topics } from "@sluice/contracts";
import { buildDeadLetter } from "@sluice/messaging";
import { expect, test } from "vitest";
import {
  dayClosedBytes,
  unreadableBytes,
  openDeadLetterEnvironment,
  deadLetterPartition,
  buildReceivedRecord,
  deadLetterSerde,
  consoleStartAtMs,
  consoleUetr,
  unknownSchemaBytes,
} from "./dead-letters.fixture.ts";
import { buildConsoleDebit, readJsonObject } from "../console.fixture.ts";

type DeadLetterEnvironment = Awaited<ReturnType<typeof openDeadLetterEnvironment>>;

const path = `/transactions/${consoleUetr.toUpperCase()}/replay`;

async function requestReplay(environment: DeadLetterEnvironment, at: string = path, over: object = {}, actionId = "replay-1") {
  const answer = await environment.control(at, { body: { reason: "registered now", ...over }, actionId });
  return { status: answer.status, body: await readJsonObject(answer) };
}

function withContent(action: OperatorAction) {
  return { ...action, contentSha256: operatorContentSha256({ name: "DeadLettersReplayed", value: { action, records: 0, left: [] } }) };
}

function journal(environment: DeadLetterEnvironment, topic: string = topics.journal) {
  return environment.messaging.records({ topic, partition: deadLetterPartition });
}

/**
 * Three dead letters from offset 7 on, one of them twice; one from before the quarantine, one of another service, and
 * one that only requests a skip.
 */
async function quarantineThree(): Promise<DeadLetterEnvironment> {
  const environment = await openDeadLetterEnvironment();
  await environment.put(buildReceivedRecord(3n, dayClosedBytes()));
  for (const offset of [9n, 7n, 8n, 8n])
    await environment.put(buildReceivedRecord(offset, offset === 7n ? unreadableBytes : dayClosedBytes(), traced(offset)));
  await environment.put(buildReceivedRecord(10n, dayClosedBytes()), { service: "validator" });
  await environment.put(buildReceivedRecord(11n, dayClosedBytes()), {
    skip: { operator: "thandi", person: "thandi", confirmedBy: "sipho", actionId: "put-1", stage: "requested" },
  });
  await environment.quarantine(7n, 3);
  return environment;
}

const traced = (offset: bigint) => ({ headers: { [headers.type]: "DayClosed", traceparent: `00-${offset}` } });

test("all dead letters of the quarantine go back unchanged and in order, behind one record that ends the quarantine", async () => {
  const environment = await quarantineThree();
  const answer = await requestReplay(environment);
  const lying = journal(environment);
  expect(lying.map((record) => record.headers[headers.type])).toEqual(["DeadLettersReplayed", "DayClosed", "DayClosed", "DayClosed"]);
  expect(lying.slice(1).map((record) => [record.headers["traceparent"], [...(record.value ?? [])]])).toEqual([
    ["00-7", [...unreadableBytes]],
    ["00-8", [...dayClosedBytes()]],
    ["00-9", [...dayClosedBytes()]],
  ]);
  expect(lying.map(({ key }) => new TextDecoder().decode(key ?? undefined))).toEqual([consoleUetr, consoleUetr, consoleUetr, consoleUetr]);
  const head = deadLetterSerde.decode(lying[0]?.value ?? new Uint8Array());
  expect(head).toMatchObject({
    value: { records: 3, action: { id: "replay-1", operator: "operator", person: "operator", reason: "registered now" } },
  });
  expect(answer).toMatchObject({ status: 202, body: { key: consoleUetr, action: "replay-1", isDryRun: false, offset: "0" } });
  expect(answer.body["rows"]).toMatchObject([
    { offset: "7", isReadable: false, outcome: "replayed", at: { offset: "1" } },
    { offset: "8", isReadable: true, outcome: "replayed", at: { offset: "2" } },
    { offset: "9", isReadable: true, outcome: "replayed", at: { offset: "3" } },
  ]);
});

test("a record that was dead-lettered between the read and the append follows behind the others", async () => {
  const environment = await openDeadLetterEnvironment();
  await environment.put(buildReceivedRecord(7n, dayClosedBytes(), traced(7n)));
  for (let at = 0; at < 20; at += 1) await environment.raw(dayClosedBytes());
  await environment.save(
    buildConsoleDebit(["RECEIVED"], { applied: 7n, quarantined: { sinceMs: consoleStartAtMs, offset: 7n, records: 1 } }),
  );
  await environment.schedulerReaches(20n);
  const stored = (await environment.settled(environment.store.partitions.list("scheduler")))[0]!;
  const producer = await environment.settled(environment.messaging.producer("scheduler"));
  // Plays the scheduler: once the decision is in the journal, it dead-letters one more record and applies the decision.
  const pass = (): void => {
    if (journal(environment).length <= 20) void environment.time.after(1, pass);
    else {
      const record = buildReceivedRecord(15n, dayClosedBytes(), traced(15n));
      void producer
        .send([buildDeadLetter({ record, reason: "quarantined", service: "scheduler" }, deadLetterSerde)])
        .then(() => environment.store.partitions.write("scheduler", deadLetterPartition, { ...stored, position: 0n }, 1_000n));
    }
  };
  pass();
  const { status, body } = await requestReplay(environment);
  expect([status, body["rows"]]).toMatchObject([202, [{ offset: "7" }, { offset: "15", outcome: "replayed", at: { offset: "22" } }]]);
  expect(
    journal(environment)
      .map((record) => record.headers["traceparent"])
      .slice(-2),
  ).toEqual(["00-7", "00-15"]);
});

test("a dry run answers the same and appends nothing", async () => {
  const environment = await quarantineThree();
  const { status, body } = await requestReplay(environment, path, { isDryRun: true });
  expect([status, body["isDryRun"]]).toEqual([200, true]);
  expect(body["rows"]).toMatchObject([7, 8, 9].map((offset) => ({ offset: String(offset), outcome: "would-be-replayed", at: null })));
  expect(journal(environment)).toEqual([]);
});

test("without a quarantine or without a transaction nothing is replayed", async () => {
  const environment = await openDeadLetterEnvironment();
  await environment.put(buildReceivedRecord(7n, dayClosedBytes()));
  await environment.schedulerReaches(1_000n);
  expect(await requestReplay(environment)).toMatchObject({ status: 404 });
  await environment.save(buildConsoleDebit(["RECEIVED"]));
  expect(await requestReplay(environment)).toMatchObject({ status: 409, body: { detail: expect.stringContaining("not-quarantined") } });
  expect(journal(environment)).toEqual([]);
});

test("the id of another decision, or of one that found nothing, replays nothing", async () => {
  const environment = await quarantineThree();
  const found = await environment.settled(environment.store.transactions.load([consoleUetr]));
  const before = found.get(consoleUetr)?.transaction;
  if (before === undefined) throw new Error("it is saved");
  const action = {
    id: "replay-1",
    operator: "operator",
    person: "operator",
    reason: "registered now",
    requestedAtMs: consoleStartAtMs,
    confirmedBy: null,
  };
  const note = {
    offset: 20n,
    atMs: consoleStartAtMs,
    kind: "DeadLettersReplayed",
    action: withContent(action),
    result: "ignored",
    why: "not-quarantined",
  } as const;
  const other = { ...note, kind: "WithdrawalRequested", action: { ...action, id: "withdraw-1", contentSha256: "f".repeat(64) } } as const;
  await environment.save({ ...before, version: before.version + 1, decisions: [note, other] }, before.version);
  expect(await requestReplay(environment)).toMatchObject({ status: 409, body: { detail: expect.stringContaining("not-quarantined") } });
  expect(await requestReplay(environment, path, {}, "withdraw-1")).toMatchObject({ status: 409, body: { message: "Another decision" } });
  expect(await requestReplay(environment, path, { reason: "another" })).toMatchObject({
    status: 409,
    body: { message: "Another decision" },
  });
  expect(journal(environment)).toEqual([]);
});

test("a record whose schema is not known yet would stop the partition again, so nothing of the transaction goes back", async () => {
  const environment = await quarantineThree();
  await environment.put(buildReceivedRecord(12n, unknownSchemaBytes));
  expect(await requestReplay(environment)).toMatchObject({ status: 409, body: { detail: expect.stringContaining("not-readable-yet") } });
  expect(journal(environment)).toEqual([]);
});

test("while the partition lags dead letters may still come, so the answer is 503", async () => {
  const environment = await openDeadLetterEnvironment();
  await environment.raw(dayClosedBytes());
  expect((await requestReplay(environment)).status).toBe(503);
});

test("a replay that broke off is completed under the same id: records that the journal names are not appended again", async () => {
  const environment = await quarantineThree();
  await requestReplay(environment);
  // What the scheduler left: the quarantine has ended, and the decision is noted at its record's offset. Two records
  // never came.
  const late = await openDeadLetterEnvironment();
  await late.put(buildReceivedRecord(7n, unreadableBytes));
  for (const offset of [8n, 9n]) await late.put(buildReceivedRecord(offset, dayClosedBytes(), traced(offset)));
  const producer = await late.settled(late.messaging.producer("broken"));
  for (let at = 0; at < 20; at += 1) await late.raw(dayClosedBytes());
  const [head, one] = journal(environment).map(({ key, value, headers: given }) => ({
    topic: topics.journal,
    partition: deadLetterPartition,
    key,
    value,
    headers: given,
  }));
  if (head === undefined || one === undefined) throw new Error("they were appended");
  const [at] = await late.settled(
    producer.send([head, { ...one, headers: { ...one.headers, [headers.deadLetter]: `${deadLetterPartition}:0` } }]),
  );
  const action = {
    id: "replay-1",
    operator: "operator",
    person: "operator",
    reason: "registered now",
    requestedAtMs: consoleStartAtMs,
    confirmedBy: null,
  };
  const note = {
    offset: at?.offset ?? 0n,
    atMs: consoleStartAtMs,
    kind: "DeadLettersReplayed",
    action: withContent(action),
    result: "applied",
    why: null,
  } as const;
  await late.save(buildConsoleDebit(["RECEIVED"], { decisions: [note] }));
  await late.schedulerReaches(1_000n);
  const answer = await requestReplay(late);
  expect(answer).toMatchObject({ status: 202, body: { offset: String(at?.offset) } });
  expect(answer.body["rows"]).toMatchObject([
    { offset: "7", outcome: "was-replayed" },
    { offset: "8", outcome: "replayed" },
    { offset: "9", outcome: "replayed" },
  ]);
  expect(
    journal(late)
      .slice(22)
      .map((record) => record.headers["traceparent"]),
  ).toEqual(["00-8", "00-9"]);
});

test("a dead letter of another topic, of the validator or of a day goes back alone, to its own partition", async () => {
  const environment = await openDeadLetterEnvironment();
  const day = new TextEncoder().encode("ZA_EFT:2026-11-20");
  const letters = [
    [
      await environment.put(buildReceivedRecord(4n, dayClosedBytes(), { topic: topics.dispatch }), { service: "dispatcher" }),
      topics.dispatch,
    ],
    [await environment.put(buildReceivedRecord(5n, dayClosedBytes()), { service: "validator" }), topics.journal],
    [await environment.put(buildReceivedRecord(6n, dayClosedBytes(), { key: day })), topics.journal],
  ] as const;
  for (const [letter, topic] of letters) {
    expect(await requestReplay(environment, `/dead-letters/${letter}/replay`, { isDryRun: true })).toMatchObject({ status: 200 });
    const answer = await requestReplay(environment, `/dead-letters/${letter}/replay`);
    expect(answer).toMatchObject({ status: 202, body: { key: null, offset: null, rows: [{ letter, topic, outcome: "replayed" }] } });
    expect(journal(environment, topic).at(-1)?.headers[headers.deadLetter]).toBe(letter);
  }
});

test("a dead letter of a transaction goes back only with its transaction; a mere skip request, or an unreadable one, does not go back", async () => {
  const environment = await openDeadLetterEnvironment();
  const by = { operator: "thandi", person: "thandi", confirmedBy: "sipho", actionId: "put-1", stage: "requested" } as const;
  const refusals = [
    [await environment.put(buildReceivedRecord(4n, dayClosedBytes())), 409, "of-transaction"],
    [await environment.put(buildReceivedRecord(5n, dayClosedBytes()), { skip: by }), 409, "only-requested"],
    [
      await environment.put(buildReceivedRecord(6n, unknownSchemaBytes, { topic: topics.events }), { service: "event-publisher" }),
      409,
      "not-readable-yet",
    ],
    ["0:77", 404, "no such dead letter"],
  ] as const;
  for (const [letter, status, why] of refusals) {
    expect(await requestReplay(environment, `/dead-letters/${letter}/replay`)).toMatchObject({
      status,
      body: { detail: expect.stringContaining(why) },
    });
  }
  expect(journal(environment)).toEqual([]);
});

test("a letter that does not carry its record is shown with length and hash, and goes back with the bytes of the journal", async () => {
  const environment = await openDeadLetterEnvironment();
  const large = new Uint8Array(900_000).fill(7);
  await environment.raw(large);
  const letter = await environment.put(buildReceivedRecord(0n, large));
  const shown = await readJsonObject(await environment.control(`/dead-letters/${letter}`));
  expect(shown).toMatchObject({ bytes: 900_000, sha256: createHash("sha256").update(large).digest("hex") });
  await environment.quarantine(0n, 1);
  expect((await requestReplay(environment)).status).toBe(202);
  const [, , again] = journal(environment);
  expect(Buffer.compare(again?.value ?? new Uint8Array(), large)).toBe(0);
});

test("a letter that does not carry its record is refused if the journal no longer has it, and nothing is appended", async () => {
  const environment = await openDeadLetterEnvironment();
  await environment.raw(new Uint8Array(900_000).fill(7));
  await environment.raw(dayClosedBytes());
  await environment.put(buildReceivedRecord(0n, new Uint8Array(900_000).fill(7)));
  await environment.quarantine(0n, 1);
  environment.messaging.truncate({ topic: topics.journal, partition: deadLetterPartition }, 1n);
  const { status, body } = await requestReplay(environment);
  expect([status, JSON.stringify(body)]).toEqual([409, expect.stringContaining("bytes-not-kept")]);
  expect(journal(environment)).toHaveLength(1);
});
