import { machineRandom, machineTime } from "@sluice/kernel";
import { describeMessaging } from "../conformance/conformance.ts";
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
    heartbeatAgeMaxMs: 100,
    close: async () => broker.close(),
  };
});
