// Operators' skips, as the owners of partitions find them in the dead letters.

import { createFixedSerde, headers, topics } from "@sluice/contracts";
import { Fault } from "@sluice/kernel";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createOperatorSkips, isStoppedByRecord, readAroundSkips } from "./operator-skips.ts";
import { buildDeadLetter } from "./dead-letters.ts";
import type { SkipsMemory } from "./skips-memory.ts";
import { buildSkippedRecords } from "../unreadable-batch.ts";
import { createMemoryBroker } from "../memory/messaging.ts";
import type { OutgoingRecord } from "../port.ts";

const serde = createFixedSerde();
const record = {
  topic: topics.journal,
  partition: 1,
  offset: 7n,
  appendedAtMs: 0,
  key: Buffer.from("k"),
  value: Buffer.from("v"),
  headers: {},
};

function letter(offset: bigint, stage: "requested" | "done", service = "scheduler", actionId = "put-1"): OutgoingRecord {
  const by = { operator: "thandi", person: "thandi", confirmedBy: "sipho", actionId, stage };
  return buildDeadLetter({ record: { ...record, offset }, reason: "ticket 4711", service, skip: by }, serde);
}

function given() {
  const time = createVirtualTime({ startAtMs: 0, seed: "skips" });
  const broker = createMemoryBroker({ time, random: seededRandom("skips"), topics: { [topics.deadLetters]: 2 } });
  const reads: bigint[] = [];
  const messaging = {
    ends: (places: Parameters<typeof broker.ends>[0]) => broker.ends(places),
    identity: (topic: string) => broker.identity(topic),
    read: (...[place, from, to]: Parameters<typeof broker.read>) => {
      reads.push(from);
      return broker.read(place, from, to);
    },
  };
  const settle = time.finish;
  async function append(...letters: readonly OutgoingRecord[]): Promise<void> {
    const producer = await settle(broker.producer("test"));
    await settle(producer.send(letters));
  }
  const another = () => createOperatorSkips({ messaging, serde, service: "scheduler" });
  return { broker, reads, settle, append, another, skips: another() };
}

test("a skip request, with operator and reason, is found for its service, topic, partition and offset alone", async () => {
  const { append, settle, skips } = given();
  await append(letter(7n, "requested"), letter(8n, "requested", "validator"));
  expect(await settle(skips.findRequest(record))).toEqual({
    operator: "thandi",
    person: "thandi",
    confirmedBy: "sipho",
    actionId: "put-1",
    reason: "ticket 4711",
  });
  const others = [
    { ...record, offset: 8n },
    { ...record, offset: 9n },
    { ...record, topic: topics.dispatch },
    { ...record, partition: 0 },
  ];
  for (const other of others) expect(await settle(skips.findRequest(other))).toBeNull();
});

test("a done skip stays done, and a request alone is not done", async () => {
  const { append, settle, skips } = given();
  await append(letter(7n, "requested"), letter(7n, "done"), letter(8n, "requested"), letter(9n, "done", "validator"));
  const done = await settle(skips.listDone(topics.journal, 1));
  expect([6n, 7n, 8n, 9n].filter((offset) => done.find(offset) !== null)).toEqual([7n]);
  expect((await settle(skips.listDone(topics.dispatch, 1))).find(7n)).toBeNull();
});

test("I15: each look continues where the last one ended, even where retention has cut, and decodes no other letters", async () => {
  const { broker, reads, append, settle, skips } = given();
  const unreadable: OutgoingRecord = {
    ...letter(1n, "requested"),
    value: Buffer.from([0, 0, 0, 99, 99]),
    headers: { [headers.type]: "DeadLetter" },
  };
  await append(unreadable, letter(7n, "requested"));
  expect(await settle(skips.findRequest(record))).not.toBeNull();
  expect(await settle(skips.findRequest(record))).not.toBeNull();
  expect(reads).toEqual([0n]);
  await append(unreadable, unreadable, letter(8n, "requested"));
  broker.truncate({ topic: topics.deadLetters, partition: 1 }, 4n);
  expect(await settle(skips.findRequest({ ...record, offset: 8n }))).not.toBeNull();
  expect(reads).toEqual([0n, 4n]);
});

test("I15: the next owner reads on where the note of the last one ends, and knows every skip and every request", async () => {
  const { reads, append, settle, skips, another } = given();
  await append(letter(7n, "requested"), letter(7n, "done"), letter(8n, "requested"));
  await settle(skips.listDone(topics.journal, 1));
  const note: SkipsMemory = JSON.parse(JSON.stringify(skips.note(1)));
  await append(letter(8n, "done"), letter(9n, "requested"));
  const next = another();
  const done = await settle(next.listDone(topics.journal, 1, note));
  expect(reads).toEqual([0n, 3n]);
  expect([7n, 8n, 9n].map((offset) => done.find(offset)?.operator ?? null)).toEqual(["thandi", "thandi", null]);
  expect(await settle(next.findRequest({ ...record, offset: 9n }))).not.toBeNull();
  expect(next.note(1)).toMatchObject({ nextOffset: "5" });
  expect(next.note(0)).toBeNull();
  // The letters of another topic are all read.
  const elsewhere = another();
  await settle(elsewhere.listDone(topics.journal, 1, { ...note, log: { ...note.log, topicId: "another" } }));
  expect(reads.at(-1)).toBe(0n);
});

test("I15: with more skips than a note may have nothing is noted", async () => {
  const { append, settle, skips } = given();
  for (let n = 0; n < 1_001; n += 1) await append(letter(BigInt(n), "done"));
  await settle(skips.listDone(topics.journal, 1));
  expect(skips.note(1)).toBeNull();
});

test("an operator's letter that cannot be read is ignored", async () => {
  const { append, settle, skips } = given();
  await append(
    { ...letter(7n, "requested"), value: Buffer.from([7]) },
    { ...letter(7n, "requested"), value: null },
    letter(7n, "requested"),
  );
  expect(await settle(skips.findRequest(record))).not.toBeNull();
});

test("a record blocks its partition if it is not understood, but not if the store or the broker is away", () => {
  const retryable = (code: string): Fault => new Fault(code, "", { isRetryable: true });
  const stops = ["contracts.unknown-schema", "contracts.registry-unavailable", "contracts.unknown-symbol", "dispatcher.unknown-change"];
  expect(stops.map((code) => isStoppedByRecord(retryable(code)))).toEqual(stops.map(() => true));
  const others = [retryable("store.unavailable"), retryable("scheduler.partition-lost"), new Error("contracts.unknown-schema")];
  expect([...others, new Fault("contracts.unreadable", "", { isRetryable: false })].map(isStoppedByRecord)).not.toContain(true);
});

const batch = {
  topic: topics.journal,
  partition: 1,
  firstOffset: 20n,
  lastOffset: 22n,
  reason: "checksum",
  detail: "",
  appendedAtMs: 0,
  bytes: Buffer.from("bytes"),
  byteLength: 5,
  sha256: "",
  keys: [{ offset: 20n, key: Buffer.from("k") }],
} as const;

function batchLetters(stage: "requested" | "done", service = "scheduler"): readonly OutgoingRecord[] {
  const by = { operator: "thandi", person: "thandi", confirmedBy: "sipho", actionId: "put-1", reason: "ticket 4711" };
  return buildSkippedRecords(batch, by, 0).map((skipped) =>
    buildDeadLetter({ record: skipped, reason: by.reason, service, skip: { ...by, stage } }, serde),
  );
}

test("#4: the request to skip a batch is found by its service and both ends, and not for a record of it", async () => {
  const { append, settle, skips } = given();
  await append(...batchLetters("requested"));
  expect(await settle(skips.findBatchRequest(batch))).toEqual({
    operator: "thandi",
    person: "thandi",
    confirmedBy: "sipho",
    actionId: "put-1",
    reason: "ticket 4711",
  });
  for (const other of [{ firstOffset: 19n }, { lastOffset: 23n }, { topic: topics.dispatch }, { partition: 0 }]) {
    expect(await settle(skips.findBatchRequest({ ...batch, ...other }))).toBeNull();
  }
  for (const offset of [20n, 21n, 22n]) expect(await settle(skips.findRequest({ ...record, offset }))).toBeNull();
  const foreign = given();
  await foreign.append(...batchLetters("requested", "validator"));
  expect(await foreign.settle(foreign.skips.findBatchRequest(batch))).toBeNull();
});

test("a reading of the dead letters that the broker ends early is refused, and the next one finds the skip", async () => {
  const { broker, append, settle } = given();
  await append(letter(5n, "requested"), letter(7n, "requested"));
  let cut = 1n;
  const messaging: Pick<typeof broker, "ends" | "identity" | "read"> = {
    ends: (places) => broker.ends(places),
    identity: (topic) => broker.identity(topic),
    read: (place, from, to) => broker.read(place, from, to - cut),
  };
  const skips = createOperatorSkips({ messaging, serde, service: "scheduler" });
  await expect(settle(skips.findRequest(record))).rejects.toMatchObject({ code: "messaging.read-incomplete", isRetryable: true });
  cut = 0n;
  expect(await settle(skips.findRequest(record))).toMatchObject({ operator: "thandi" });
});

test("#4: a batch that was skipped covers all of its offsets, and a request alone none", async () => {
  const { append, settle, skips } = given();
  await append(...batchLetters("requested"));
  expect((await settle(skips.listDone(topics.journal, 1))).find(21n)).toBeNull();
  await append(...batchLetters("done"));
  const done = await settle(skips.listDone(topics.journal, 1));
  expect([19n, 20n, 21n, 22n, 23n].filter((offset) => done.find(offset) !== null)).toEqual([20n, 21n, 22n]);
});

test("a reading goes on behind a batch that was skipped, with its placeholders, and ends at any other", async () => {
  const { broker, append, settle, skips } = given();
  await append(...batchLetters("done"));
  broker.addTopic(topics.journal, 2);
  const producer = await settle(broker.producer("journal"));
  const place = { topic: topics.journal, partition: 1 };
  await settle(producer.send(Array.from({ length: 25 }, () => ({ ...place, key: record.key, value: record.value, headers: {} }))));
  const damaged = { reason: "checksum", areKeysKnown: false } as const;
  broker.breakBatch(place, { ...damaged, firstOffset: 20n, lastOffset: 22n });
  const done = await settle(skips.listDone(topics.journal, 1));
  const read = (from: bigint, to: bigint) => settle(Array.fromAsync(readAroundSkips(broker, done, place, { from, to, nowMs: 0 })));
  expect((await read(18n, 25n)).map(({ offset, skip }) => [offset, skip?.actionId])).toEqual([
    [18n, undefined],
    [19n, undefined],
    [22n, "put-1"],
    [23n, undefined],
    [24n, undefined],
  ]);
  expect((await read(18n, 21n)).map(({ offset }) => offset)).toEqual([18n, 19n]);
  await expect(read(18n, 26n)).rejects.toMatchObject({ code: "messaging.read-incomplete", isRetryable: true });
  broker.breakBatch(place, { ...damaged, firstOffset: 23n, lastOffset: 24n });
  await expect(read(18n, 30n)).rejects.toMatchObject({ code: "messaging.unreadable-batch" });
});
