// What a service says of the topics that it writes, where they differ from the configuration.

import { brokerTopicsOf, topics } from "@sluice/contracts";
import { Fault, type LogFields, silentLogger } from "@sluice/kernel";
import { createMetrics } from "@sluice/service";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { watchTopics } from "./watch-topics.ts";

const connection = { brokers: ["127.0.0.1:1"], clientId: "test" };
const configured = { replication: 3, minInsync: 2 };
const shorter = { topic: topics.events, what: "retention.ms", wanted: "2592000000", found: "3600000", isDangerous: true };

function open() {
  const time = createVirtualTime({ startAtMs: 0 });
  const metrics = createMetrics({ withProcess: false });
  const lines: [string, LogFields | undefined][] = [];
  const logger = { ...silentLogger, warn: (event: string, fields?: LogFields) => void lines.push([event, fields]) };
  return { time, metrics, lines, logger };
}

test("a service names how the topics that it writes differ, again and again, and asks for no other", async () => {
  const { time, metrics, lines, logger } = open();
  const asked: string[][] = [];
  let differences = [shorter];
  await using opened = new AsyncDisposableStack();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the retentions are left out: the defaults
  const configuration = { topics: configured, partitionCount: 3 } as Parameters<typeof watchTopics>[2]["configuration"];
  watchTopics(connection, "scheduler", { configuration, time, logger, metrics, opened }, async ({ specs }) => {
    asked.push(specs.map(({ topic }) => topic));
    return await Promise.resolve({ missing: [], differences });
  });
  await time.advance(1);
  expect(new Set(asked[0])).toEqual(new Set(brokerTopicsOf("scheduler").writes));
  expect(await metrics.text()).toContain(
    `sluice_topic_difference{topic="${topics.events}",what="retention.ms",wanted="2592000000",found="3600000",dangerous="true"} 1`,
  );
  expect(lines.map(([event]) => event)).toEqual(["topics.differ"]);
  differences = [];
  await time.advance(15 * 60_000);
  expect(asked).toHaveLength(2);
  expect(await metrics.text()).not.toContain("sluice_topic_difference{");
});

test("what cannot be read is said, the last answer stays, and it is asked again; nothing is asked after the end", async () => {
  const { time, metrics, lines, logger } = open();
  let looks = 0;
  const opened = new AsyncDisposableStack();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the retentions are left out: the defaults
  const configuration = { topics: configured, partitionCount: 3 } as Parameters<typeof watchTopics>[2]["configuration"];
  watchTopics(connection, "scheduler", { configuration, time, logger, metrics, opened }, async () => {
    looks += 1;
    if (looks > 1) throw new Fault("messaging.unavailable", "no broker", { isRetryable: true });
    return await Promise.resolve({ missing: [], differences: [shorter] });
  });
  await time.advance(15 * 60_000 + 1);
  expect([looks, lines.map(([event]) => event)]).toEqual([2, ["topics.differ", "topics.not-compared"]]);
  expect(await metrics.text()).toContain("sluice_topic_difference{");
  await opened.disposeAsync();
  await time.advance(60 * 60_000);
  expect(looks).toBe(2);
  expect(await metrics.text()).not.toContain("sluice_topic_difference{");
});

test("an answer that comes after the end shows nothing", async () => {
  const { time, metrics, lines, logger } = open();
  const opened = new AsyncDisposableStack();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the retentions are left out: the defaults
  const configuration = { topics: configured, partitionCount: 3 } as Parameters<typeof watchTopics>[2]["configuration"];
  watchTopics(connection, "scheduler", { configuration, time, logger, metrics, opened }, async () => {
    await new Promise<void>((resolve) => void time.after(1_000, resolve));
    return { missing: [], differences: [shorter] };
  });
  await opened.disposeAsync();
  await time.advance(60 * 60_000);
  expect(lines).toEqual([]);
  expect(await metrics.text()).not.toContain("sluice_topic_difference{");
});
