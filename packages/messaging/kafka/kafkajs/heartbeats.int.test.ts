// A join waits for every member of a group, and a member learns of it by a heartbeat's answer.

import { machineTime, silentLogger, sleep } from "@sluice/kernel";
import { expect, test } from "vitest";
import type { Consumer, ConsumerHandlers } from "../../port.ts";
import { createTopic, freshGroup, testConnection } from "../kafka.fixture.ts";
import { createKafkaMessaging } from "../messaging.ts";

const answersWanted = 8;
/** Milliseconds an answer, three times what is expected. With one in two seconds a join took as long. */
const answerMaxMs = 1_500;
const lookMs = 20;
const joinMaxMs = 60_000;
/** Half the session time-out: beyond it nothing is written under a lease. */
const confirmedMaxMs = 3_000;
/** Longer than a member without heartbeats may take. */
const handOverMs = 3_500;

const passive: ConsumerHandlers = {
  assigned: (_partition, _epoch, { logStart }) => Promise.resolve(logStart),
  handOver: () => Promise.resolve(),
  revoked: () => undefined,
  records: () => undefined,
  unreadable: () => Promise.resolve("read-again"),
  failed: (reason) => expect.unreachable(reason.message),
};

async function join(
  opened: AsyncDisposableStack,
  group: string,
  topic: string,
  handlers: Partial<ConsumerHandlers> = {},
): Promise<Consumer> {
  const messaging = createKafkaMessaging({ connection: testConnection, time: machineTime, logger: silentLogger });
  opened.defer(() => messaging.close());
  const consumer = await messaging.consumer({ group, topics: [topic], handlers: { ...passive, ...handlers } });
  opened.defer(() => consumer.stop());
  return consumer;
}

test("U: a member that reads nothing hears from the group's coordinator more than once in a second and a half", async () => {
  const topic = await createTopic(1);
  await using opened = new AsyncDisposableStack();
  const consumer = await join(opened, freshGroup(), topic);
  await expect.poll(() => consumer.heartbeatAgeMs(), { timeout: joinMaxMs }).toBeLessThan(Number.POSITIVE_INFINITY);
  const startedMs = machineTime.monotonicMs();
  let ageMs = consumer.heartbeatAgeMs();
  for (let answers = 0; answers < answersWanted; await sleep(machineTime, lookMs)) {
    const nowMs = consumer.heartbeatAgeMs();
    if (nowMs < ageMs) answers += 1;
    ageMs = nowMs;
  }
  expect(machineTime.monotonicMs() - startedMs).toBeLessThan(answersWanted * answerMaxMs);
});

test("M: a hand-over of some seconds is waited for, and the coordinator answers meanwhile, so that what it writes counts [D10.40]", async () => {
  const topic = await createTopic(2);
  const group = freshGroup();
  await using opened = new AsyncDisposableStack();
  const ages: number[] = [];
  let first: Consumer | null = null;
  const handOver: ConsumerHandlers["handOver"] = async (partition, epoch) => {
    const untilMs = machineTime.monotonicMs() + handOverMs;
    for (; machineTime.monotonicMs() < untilMs; await sleep(machineTime, lookMs)) ages.push(first?.heartbeatAgeMs() ?? 0);
    await first?.commit(partition, 1n, epoch);
  };
  first = await join(opened, group, topic, { handOver });
  await expect.poll(() => first.heartbeatAgeMs(), { timeout: joinMaxMs }).toBeLessThan(Number.POSITIVE_INFINITY);
  const committed: (bigint | null)[] = [];
  await join(opened, group, topic, {
    assigned: (_partition, _epoch, log) => {
      committed.push(log.committed);
      return Promise.resolve(log.logStart);
    },
  });
  await expect.poll(() => committed.length, { timeout: joinMaxMs }).toBeGreaterThan(0);
  expect(committed.every((offset) => offset === 1n)).toBe(true);
  expect(ages.length).toBeGreaterThan(0);
  expect(Math.max(...ages)).toBeLessThan(confirmedMaxMs);
});
