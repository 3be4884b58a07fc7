// Operators' skips, as the owners of partitions find them in the dead letters.

import { createFixedSerde, headers, topics } from "@sluice/contracts";
import { Fault } from "@sluice/kernel";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createOperatorSkips, isStoppedByRecord } from "./operator-skips.ts";
import { buildDeadLetter } from "./dead-letters.ts";
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
  const by = { operator: "thandi", actionId, stage };
  return buildDeadLetter({ record: { ...record, offset }, reason: "ticket 4711", service, skip: by }, serde);
}

function given() {
  const time = createVirtualTime({ startAtMs: 0, seed: "skips" });
  const broker = createMemoryBroker({ time, random: seededRandom("skips"), topics: { [topics.deadLetters]: 2 } });
  const reads: bigint[] = [];
  const messaging = {
    ends: (places: Parameters<typeof broker.ends>[0]) => broker.ends(places),
    read: (...[place, from, to]: Parameters<typeof broker.read>) => {
      reads.push(from);
      return broker.read(place, from, to);
    },
  };
  async function settle<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    void work.finally(() => (isDone = true)).catch(() => null);
    await time.run({ until: () => isDone, stepsMax: 100_000 });
    return await work;
  }
  async function append(...letters: readonly OutgoingRecord[]): Promise<void> {
    const producer = await settle(broker.producer("test"));
    await settle(producer.send(letters));
  }
  return { broker, reads, settle, append, skips: createOperatorSkips({ messaging, serde, service: "scheduler" }) };
}

test("a skip request, with operator and reason, is found for its service, topic, partition and offset alone", async () => {
  const { append, settle, skips } = given();
  await append(letter(7n, "requested"), letter(8n, "requested", "validator"));
  expect(await settle(skips.findRequest(record))).toEqual({ operator: "thandi", actionId: "put-1", reason: "ticket 4711" });
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
  expect([...(await settle(skips.listDone(topics.journal, 1))).keys()]).toEqual([7n]);
  expect((await settle(skips.listDone(topics.dispatch, 1))).size).toBe(0);
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
