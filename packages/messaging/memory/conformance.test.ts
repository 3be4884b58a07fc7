import { machineRandom, machineTime } from "@sluice/kernel";
import { describeMessaging } from "../conformance/conformance.ts";
import { buildTextRecord } from "../conformance/conformance.fixture.ts";
import { createMemoryBroker } from "./messaging.ts";

// The memory adapter on the machine's clock, with shortened sessions and heartbeats. `faults.test.ts` tests it under a
// virtual clock and with faults.
let topics = 0;

describeMessaging(async () => {
  const broker = createMemoryBroker({
    time: machineTime,
    random: machineRandom,
    topics: {},
    latencyMinMs: 0,
    latencyMaxMs: 1,
    heartbeatIntervalMs: 10,
    sessionTimeoutMs: 60,
  });
  return {
    client: () => broker.client("c"),
    createTopic: async (partitions) => {
      topics += 1;
      broker.addTopic(`t${topics}`, partitions);
      return `t${topics}`;
    },
    truncate: async (partition, before) => broker.truncate(partition, before),
    appendUnreadable: async (partition, texts) => {
      const { logEnd: firstOffset } = (await broker.ends([partition]))[0]!;
      const lastOffset = firstOffset + BigInt(texts.length) - 1n;
      broker.breakBatch(partition, { firstOffset, lastOffset, reason: "compression", areKeysKnown: false });
      const producer = await broker.producer("appender");
      await producer.send(texts.map((text) => buildTextRecord(partition.topic, partition.partition, text)));
      await producer.close();
    },
    heartbeatAgeMaxMs: 100,
    close: async () => broker.close(),
  };
});
