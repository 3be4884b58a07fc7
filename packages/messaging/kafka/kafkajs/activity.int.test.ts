// Guards what a member costs to which nothing comes: nearly all that an idle service does is asking the broker.

import connection from "kafkajs/src/network/connection.js";
import { machineTime, silentLogger, sleep } from "@sluice/kernel";
import { expect, test } from "vitest";
import { createTopic, freshGroup, testConnection } from "../kafka.fixture.ts";
import { createKafkaMessaging } from "../messaging.ts";

const restAfterMs = 6_000;
const countedSeconds = 5;
/** A second: two heartbeats and a fetch, and a tenth more. */
const requestsMax = 3.3 * countedSeconds;
const joinMaxMs = 60_000;
const arrivalMaxMs = 30_000;

test("a member to which nothing comes makes three requests a second, and a record comes to it at once", async () => {
  const topic = await createTopic(3);
  await using opened = new AsyncDisposableStack();
  const messaging = createKafkaMessaging({ connection: testConnection, time: machineTime, logger: silentLogger });
  opened.defer(() => messaging.close());
  const received: string[] = [];
  const consumer = await messaging.consumer({
    group: freshGroup(),
    topics: [topic],
    handlers: {
      assigned: async (_partition, _epoch, { logStart }) => logStart,
      handOver: async () => {},
      revoked: () => undefined,
      records: (_partition, _epoch, records) => received.push(...records.map(({ value }) => value?.toString() ?? "")),
      unreadable: async () => "read-again",
      failed: (reason) => expect.unreachable(reason.message),
    },
  });
  opened.defer(() => consumer.stop());
  await expect.poll(() => consumer.assignedCount(), { timeout: joinMaxMs }).toBe(3);
  await sleep(machineTime, restAfterMs);
  const asked: string[] = [];
  const { send } = connection.prototype;
  opened.defer(() => void (connection.prototype.send = send));
  connection.prototype.send = async function (question) {
    asked.push(question.request.apiName);
    return await send.call(this, question);
  };
  await sleep(machineTime, countedSeconds * 1_000);
  expect(asked.length).toBeLessThan(requestsMax);
  expect(new Set(asked)).toEqual(new Set(["Heartbeat", "Fetch"]));
  const producer = await messaging.producer("activity");
  await producer.send([{ topic, partition: 1, key: null, value: Buffer.from("lonely"), headers: {} }]);
  await expect.poll(() => received, { timeout: arrivalMaxMs }).toEqual(["lonely"]);
});
