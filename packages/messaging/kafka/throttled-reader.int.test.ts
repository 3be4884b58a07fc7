// A real broker that throttles its client: it answers without records until the client has waited.

import { randomBytes } from "node:crypto";
import { machineTime, silentLogger } from "@sluice/kernel";
import { afterAll, expect, test } from "vitest";
import { buildTextRecord } from "../conformance/conformance.fixture.ts";
import { setFetchQuota } from "./client-quota.fixture.ts";
import { createTopic, testConnection } from "./kafka.fixture.ts";
import { createKafkaMessaging } from "./messaging.ts";

const throttled = `throttled-${process.pid}`;
const recordsAppended = 20_000;
afterAll(async () => setFetchQuota(throttled, null));

test("I1: a client that the broker throttles reads every record of a range", { timeout: 120_000 }, async () => {
  const topic = await createTopic(1);
  const appender = createKafkaMessaging({ connection: testConnection, time: machineTime, logger: silentLogger });
  const producer = await appender.producer("appender");
  for (let from = 0; from < recordsAppended; from += 10_000)
    await producer.send(Array.from({ length: 10_000 }, () => buildTextRecord(topic, 0, randomBytes(100).toString("hex"))));
  await appender.close();
  await setFetchQuota(throttled, 200_000);
  const reader = createKafkaMessaging({
    connection: { ...testConnection, clientId: throttled },
    time: machineTime,
    logger: silentLogger,
  });
  let next = 0n;
  for (let reading = 0; reading < 2; reading += 1) {
    next = 0n;
    for await (const { offset } of reader.read({ topic, partition: 0 }, 0n, BigInt(recordsAppended))) {
      expect(offset).toBe(next);
      next += 1n;
    }
    expect(next).toBe(BigInt(recordsAppended));
  }
  await reader.close();
});
