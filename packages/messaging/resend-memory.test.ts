import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createMemoryBroker } from "./memory/messaging.ts";
import type { OutgoingRecord } from "./port.ts";
import { ResendMemory } from "./resend-memory.ts";

const topic = "t";
const record = (partition: number, text: string): OutgoingRecord => ({
  topic,
  partition,
  key: Buffer.from("key"),
  value: Buffer.from(text),
  headers: {},
});

async function setup() {
  const time = createVirtualTime({ startAtMs: 0 });
  const broker = createMemoryBroker({ time, random: seededRandom(1), topics: { [topic]: 3 } });
  const [producer] = await Promise.all([broker.producer("p"), time.advance(100)]);
  const memory = new ResendMemory(producer);
  async function tried(records: readonly OutgoingRecord[], send = memory.attempt()) {
    const [outcome] = await Promise.all([Promise.allSettled([send(records)]), time.advance(100)]);
    return outcome[0];
  }
  const counts = (): readonly number[] => [0, 1, 2].map((partition) => broker.records({ topic, partition }).length);
  return { broker, memory, tried, counts };
}

const records = [record(0, "a"), record(1, "b"), record(1, "c"), record(2, "d")];

test("I14: a partition without a leader repeats nothing elsewhere, however often the work is tried again", async () => {
  const { broker, tried, counts } = await setup();
  broker.setLeader({ topic, partition: 1 }, false);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    expect(await tried(records)).toMatchObject({ reason: { isRetryable: true } });
    expect(counts()).toEqual([1, 0, 1]);
  }
  broker.setLeader({ topic, partition: 1 }, true);
  expect(await tried(records)).toMatchObject({
    value: [
      { partition: 0, offset: 0n },
      { partition: 1, offset: 0n },
      { partition: 1, offset: 1n },
      { partition: 2, offset: 0n },
    ],
  });
  expect(counts()).toEqual([1, 2, 1]);
});

test("an attempt of several sends begins with what the last one had sent, and equal records count one by one", async () => {
  const { broker, memory, tried, counts } = await setup();
  const twice = [record(0, "a"), record(0, "a")];
  broker.setLeader({ topic, partition: 2 }, false);
  const first = memory.attempt();
  await tried(twice, first);
  expect(await tried([record(2, "d")], first)).toMatchObject({ reason: { code: "messaging.refused" } });
  broker.setLeader({ topic, partition: 2 }, true);
  const second = memory.attempt();
  expect(await tried(twice, second)).toMatchObject({ value: [{ offset: 0n }, { offset: 1n }] });
  await tried([record(2, "d")], second);
  expect(counts()).toEqual([2, 0, 1]);
  memory.forget();
  await tried(twice);
  expect(counts()).toEqual([4, 0, 1]);
});
