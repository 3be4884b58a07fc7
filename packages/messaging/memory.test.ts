import { machineRandom, machineTime } from "@sluice/runtime";
import { describeMessaging } from "./conformance.ts";
import { createMemoryLog } from "./memory-messaging.ts";

// The memory adapter on the machine's clock, its sessions and heartbeats shortened. What it does under a virtual clock and with
// faults is in `memory-faults.test.ts`.
let topics = 0;

describeMessaging(async () => {
  const log = createMemoryLog({
    time: machineTime,
    random: machineRandom,
    topics: {},
    latencyMinMs: 0,
    latencyMaxMs: 1,
    heartbeatIntervalMs: 10,
    sessionTimeoutMs: 60,
  });
  return {
    client: () => log.client("c"),
    createTopic: async (partitions) => {
      topics += 1;
      log.addTopic(`t${topics}`, partitions);
      return `t${topics}`;
    },
    truncate: async (partition, before) => log.truncate(partition, before),
    heartbeatAgeMaxMs: 100,
    close: async () => log.close(),
  };
});
