// What operators put aside by hand, as owners of lanes find it in the dead letters.

import { fixedSerde, headers, topics } from "@sluice/contracts";
import { Fault } from "@sluice/runtime";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createAsides, isStoppedByRecord } from "./asides.ts";
import { deadLetterOf } from "./dead-letters.ts";
import { createMemoryLog } from "./memory-messaging.ts";
import type { OutgoingRecord } from "./port.ts";

const serde = fixedSerde();
const record = {
  topic: topics.journal,
  partition: 1,
  offset: 7n,
  appendedAtMs: 0,
  key: Buffer.from("k"),
  value: Buffer.from("v"),
  headers: {},
};

function letter(offset: bigint, stage: "asked" | "done", service = "scheduler", actionId = "put-1"): OutgoingRecord {
  const by = { operator: "thandi", actionId, stage };
  return deadLetterOf({ record: { ...record, offset }, reason: "ticket 4711", service, by }, serde);
}

function given() {
  const time = createVirtualTime({ startAtMs: 0, seed: "asides" });
  const log = createMemoryLog({ time, random: seededRandom("asides"), topics: { [topics.deadLetters]: 2 } });
  const reads: bigint[] = [];
  const messaging = {
    ends: (places: Parameters<typeof log.ends>[0]) => log.ends(places),
    read: (...[place, from, to]: Parameters<typeof log.read>) => {
      reads.push(from);
      return log.read(place, from, to);
    },
  };
  async function settled<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    void work.finally(() => (isDone = true)).catch(() => null);
    await time.run({ until: () => isDone, stepsMax: 100_000 });
    return await work;
  }
  async function append(...letters: readonly OutgoingRecord[]): Promise<void> {
    const producer = await settled(log.producer("test"));
    await settled(producer.send(letters));
  }
  return { log, reads, settled, append, asides: createAsides({ messaging, serde, service: "scheduler" }) };
}

test("who asked for a record, and why, is found for that service, topic, partition and offset alone", async () => {
  const { append, settled, asides } = given();
  await append(letter(7n, "asked"), letter(8n, "asked", "validator"));
  expect(await settled(asides.askedFor(record))).toEqual({ operator: "thandi", actionId: "put-1", reason: "ticket 4711" });
  const others = [
    { ...record, offset: 8n },
    { ...record, offset: 9n },
    { ...record, topic: topics.dispatch },
    { ...record, partition: 0 },
  ];
  for (const other of others) expect(await settled(asides.askedFor(other))).toBeNull();
});

test("what is done stays done, what was only asked for is not", async () => {
  const { append, settled, asides } = given();
  await append(letter(7n, "asked"), letter(7n, "done"), letter(8n, "asked"), letter(9n, "done", "validator"));
  expect([...(await settled(asides.done(topics.journal, 1))).keys()]).toEqual([7n]);
  expect((await settled(asides.done(topics.dispatch, 1))).size).toBe(0);
});

test("I15: it reads on from where it read last, also beyond what retention has cut, and decodes no other letters", async () => {
  const { log, reads, append, settled, asides } = given();
  const unreadable: OutgoingRecord = {
    ...letter(1n, "asked"),
    value: Buffer.from([0, 0, 0, 99, 99]),
    headers: { [headers.type]: "DeadLetter" },
  };
  await append(unreadable, letter(7n, "asked"));
  expect(await settled(asides.askedFor(record))).not.toBeNull();
  expect(await settled(asides.askedFor(record))).not.toBeNull();
  expect(reads).toEqual([0n]);
  await append(unreadable, unreadable, letter(8n, "asked"));
  log.truncate({ topic: topics.deadLetters, partition: 1 }, 4n);
  expect(await settled(asides.askedFor({ ...record, offset: 8n }))).not.toBeNull();
  expect(reads).toEqual([0n, 4n]);
});

test("a letter by hand that nobody can read is passed over", async () => {
  const { append, settled, asides } = given();
  await append({ ...letter(7n, "asked"), value: Buffer.from([7]) }, { ...letter(7n, "asked"), value: null }, letter(7n, "asked"));
  expect(await settled(asides.askedFor(record))).not.toBeNull();
});

test("a lane is stopped by its record where the record is not understood, not where the store or the log is away", () => {
  const retryable = (code: string): Fault => new Fault(code, "", { isRetryable: true });
  const stops = ["contracts.unknown-schema", "contracts.registry-unavailable", "contracts.unknown-symbol", "dispatcher.unknown-change"];
  expect(stops.map((code) => isStoppedByRecord(retryable(code)))).toEqual(stops.map(() => true));
  const others = [retryable("store.unavailable"), retryable("scheduler.lane-lost"), new Error("contracts.unknown-schema")];
  expect([...others, new Fault("contracts.unreadable", "", { isRetryable: false })].map(isStoppedByRecord)).not.toContain(true);
});
