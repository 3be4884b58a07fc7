// A join waits for every member of a group, and a member learns of it by a heartbeat's answer.

import { machineTime, silentLogger, sleep } from "@sluice/kernel";
import { expect, test } from "vitest";
import { createTopic, freshGroup, testConnection } from "./kafka.fixture.ts";
import { createKafkaMessaging } from "./messaging.ts";

const answersWanted = 8;
/** Milliseconds an answer, three times what is expected. With one in two seconds a join took as long. */
const answerMaxMs = 1_500;
const lookMs = 20;

test("U: a member that reads nothing hears from the group's coordinator more than once in a second and a half", async () => {
  const topic = await createTopic(1);
  await using opened = new AsyncDisposableStack();
  const messaging = createKafkaMessaging({ connection: testConnection, time: machineTime, logger: silentLogger });
  opened.defer(() => messaging.close());
  const consumer = await messaging.consumer({
    group: freshGroup(),
    topics: [topic],
    handlers: {
      assigned: (_partition, _epoch, { logStart }) => Promise.resolve(logStart),
      handOver: () => Promise.resolve(),
      revoked: () => undefined,
      records: () => undefined,
      unreadable: () => Promise.resolve("read-again"),
      failed: (reason) => expect.unreachable(reason.message),
    },
  });
  opened.defer(() => consumer.stop());
  await expect.poll(() => consumer.heartbeatAgeMs(), { timeout: 30_000 }).toBeLessThan(Number.POSITIVE_INFINITY);
  const startedMs = machineTime.monotonicMs();
  let ageMs = consumer.heartbeatAgeMs();
  for (let answers = 0; answers < answersWanted; await sleep(machineTime, lookMs)) {
    const nowMs = consumer.heartbeatAgeMs();
    if (nowMs < ageMs) answers += 1;
    ageMs = nowMs;
  }
  expect(machineTime.monotonicMs() - startedMs).toBeLessThan(answersWanted * answerMaxMs);
});
