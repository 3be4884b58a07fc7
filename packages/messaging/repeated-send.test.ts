import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createMemoryBroker } from "./memory/messaging.ts";
import type { OutgoingRecord } from "./port.ts";
import { RepeatedSend } from "./repeated-send.ts";

const topic = "t";

function record(partition: number, text: string): OutgoingRecord {
  return { topic, partition, key: Buffer.from("key"), value: Buffer.from(text), headers: {} };
}

/** Sends to three partitions; the function makes one send, and returns what it failed with or its places. */
async function setup(records: readonly OutgoingRecord[]) {
  const time = createVirtualTime({ startAtMs: 0 });
  const broker = createMemoryBroker({ time, random: seededRandom(1), topics: { [topic]: 3 } });
  const [producer] = await Promise.all([broker.producer("p"), time.advance(100)]);
  const repeated = new RepeatedSend(producer, records);
  async function send(failedWith: unknown): Promise<unknown> {
    const [outcome] = await Promise.all([Promise.allSettled([repeated.send(failedWith)]), time.advance(100)]);
    return outcome[0].status === "rejected" ? outcome[0].reason : outcome[0].value.map(({ partition, offset }) => `${partition}/${offset}`);
  }
  const counts = (): readonly number[] => [0, 1, 2].map((partition) => broker.records({ topic, partition }).length);
  return { broker, send, counts };
}

const records = [record(0, "a"), record(1, "b"), record(1, "c"), record(2, "d")];

test("I14: a repeated send sends only what is not acknowledged, whatever fails next", async () => {
  const { broker, send, counts } = await setup(records);
  for (const partition of [1, 2]) broker.setLeader({ topic, partition }, false);
  let failedWith: unknown = null;
  for (let count = 0; count < 3; count += 1) {
    failedWith = await send(failedWith);
    expect(failedWith).toMatchObject({ isRetryable: true });
    expect(counts()).toEqual([1, 0, 0]);
  }
  broker.setLeader({ topic, partition: 2 }, true);
  failedWith = await send(failedWith);
  expect(counts()).toEqual([1, 0, 1]);
  broker.setLeader({ topic, partition: 1 }, true);
  expect(await send(failedWith)).toEqual(["0/0", "1/0", "1/1", "2/0"]);
  expect(counts()).toEqual([1, 2, 1]);
});

test("a send of which nothing was acknowledged is repeated as a whole, and one that succeeds is not looked at again", async () => {
  const { broker, send, counts } = await setup([record(1, "a"), record(1, "b")]);
  broker.setLeader({ topic, partition: 1 }, false);
  const failedWith = await send(null);
  expect(counts()).toEqual([0, 0, 0]);
  broker.setLeader({ topic, partition: 1 }, true);
  expect(await send(failedWith)).toEqual(["1/0", "1/1"]);
  expect(counts()).toEqual([0, 2, 0]);
});
