// Guards what a member costs to which nothing comes: nearly all that an idle service does is asking the broker.

import connection from "kafkajs/src/network/connection.js";
import { machineTime, silentLogger, sleep } from "@sluice/kernel";
import { expect, test } from "vitest";
import type { Messaging, ReceivedRecord } from "../../port.ts";
import { createTopic, freshGroup, testConnection } from "../kafka.fixture.ts";
import { createKafkaMessaging } from "../messaging.ts";

const restAfterMs = 6_000;
const countedSeconds = 5;
/** A second: two heartbeats and a fetch, and a tenth more. */
const requestsMax = 3.3 * countedSeconds;
const spacingMs = 200;
const lonelyRecords = 100;
const betweenMs = 10;
const joinMaxMs = 60_000;
const arrivalMaxMs = 30_000;

/** The names of the requests that are sent from now on. */
function countQuestions(opened: AsyncDisposableStack): readonly string[] {
  const asked: string[] = [];
  const { send } = connection.prototype;
  opened.defer(() => void (connection.prototype.send = send));
  connection.prototype.send = async function (question) {
    asked.push(question.request.apiName);
    return await send.call(this, question);
  };
  return asked;
}

/** Joins a group of its own, and resolves once it has the three partitions. */
async function joinFrom(
  opened: AsyncDisposableStack,
  messaging: Messaging,
  topic: string,
  take: (records: readonly ReceivedRecord[]) => void,
): Promise<void> {
  const consumer = await messaging.consumer({
    group: freshGroup(),
    topics: [topic],
    handlers: {
      assigned: async (_partition, _epoch, { logStart }) => logStart,
      handOver: async () => {},
      revoked: () => undefined,
      records: (_partition, _epoch, records) => take(records),
      unreadable: async () => "read-again",
      failed: (reason) => expect.unreachable(reason.message),
    },
  });
  opened.defer(() => consumer.stop());
  await expect.poll(() => consumer.assignedCount(), { timeout: joinMaxMs }).toBe(3);
}

test("a member that spaces its fetches makes few of them while records come one by one", async () => {
  const topic = await createTopic(3);
  await using opened = new AsyncDisposableStack();
  const messaging = createKafkaMessaging({
    connection: testConnection,
    time: machineTime,
    logger: silentLogger,
    fetchSpacingMs: spacingMs,
  });
  opened.defer(() => messaging.close());
  let received = 0;
  await joinFrom(opened, messaging, topic, (records) => void (received += records.length));
  const asked = countQuestions(opened);
  const producer = await messaging.producer("activity");
  const beganAtMs = performance.now();
  for (let sent = 0; sent < lonelyRecords; sent += 1) {
    await producer.send([{ topic, partition: sent % 3, key: null, value: Buffer.from("lonely"), headers: {} }]);
    await sleep(machineTime, betweenMs);
  }
  await expect.poll(() => received, { timeout: arrivalMaxMs }).toBe(lonelyRecords);
  const fetches = asked.filter((name) => name === "Fetch").length;
  // The first one is under way, and one more waits where the last records are few.
  expect(fetches).toBeLessThanOrEqual((performance.now() - beganAtMs) / spacingMs + 3);
  expect(fetches).toBeLessThan(lonelyRecords / 2);
});

test("a member to which nothing comes makes three requests a second, and a record comes to it at once", async () => {
  const topic = await createTopic(3);
  await using opened = new AsyncDisposableStack();
  const messaging = createKafkaMessaging({ connection: testConnection, time: machineTime, logger: silentLogger });
  opened.defer(() => messaging.close());
  const received: string[] = [];
  await joinFrom(opened, messaging, topic, (records) => void received.push(...records.map(({ value }) => value?.toString() ?? "")));
  await sleep(machineTime, restAfterMs);
  const asked = countQuestions(opened);
  await sleep(machineTime, countedSeconds * 1_000);
  expect(asked.length).toBeLessThan(requestsMax);
  expect(new Set(asked)).toEqual(new Set(["Heartbeat", "Fetch"]));
  const producer = await messaging.producer("activity");
  await producer.send([{ topic, partition: 1, key: null, value: Buffer.from("lonely"), headers: {} }]);
  await expect.poll(() => received, { timeout: arrivalMaxMs }).toEqual(["lonely"]);
});
