import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import kafkajs from "kafkajs";
import { Fault, machineRandom, machineTime, silentLogger, silentMetrics } from "@sluice/kernel";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createBatchConsumer } from "../../partitions/batch-consumer.ts";
import { eventually, buildTextRecord, startRecorder } from "../../conformance/conformance.fixture.ts";
import { clientSettings } from "../client.ts";
import { createKafkaMessaging } from "../messaging.ts";
import { testConnection, createTopic, freshGroup } from "../kafka.fixture.ts";
import type { Messaging } from "../../port.ts";
import { provisionTopics } from "../../topics/provision-topics.ts";
import { buildTopicSpecs, type TopicSpec } from "../../topics/topic-specs.ts";

// The Kafka adapter on a real broker, in the situations that kafkajs handles wrongly. Letters are the rows of the
// trouble table in README.md.

const kafka = new kafkajs.Kafka({ ...testConnection, logLevel: kafkajs.logLevel.NOTHING });
const admin = kafka.admin();
beforeAll(async () => admin.connect());
afterAll(async () => admin.disconnect());

const open: Messaging[] = [];
afterEach(async () => {
  for (const messaging of open.splice(0)) await messaging.close();
});

function client(): Messaging {
  const messaging = createKafkaMessaging({ connection: testConnection, time: machineTime, logger: silentLogger });
  open.push(messaging);
  return messaging;
}

async function append(topic: string, partition: number, texts: readonly string[]): Promise<void> {
  const producer = await client().producer("appender");
  await producer.send(texts.map((text) => buildTextRecord(topic, partition, text)));
}

describe("the troubles of kafkajs", () => {
  test("V, I14: a leader that refuses one partition's records acknowledges the others of the same request [D10.76]", async () => {
    const [open, strict] = [await createTopic(1), await createTopic(1, { "max.message.bytes": "1000" })];
    const producer = await client().producer("p");
    const large = { ...buildTextRecord(strict, 0, ""), value: randomBytes(5_000) };
    const sent = producer.send([buildTextRecord(open, 0, "a"), large]);
    await expect(sent).rejects.toMatchObject({
      appended: [{ topic: open, offset: 0n }, null],
      cause: { code: "messaging.refused", message: expect.stringContaining("MESSAGE_TOO_LARGE") },
    });
    await eventually("the next record", async () => {
      const appended = await Promise.allSettled([producer.send([buildTextRecord(strict, 0, "b"), buildTextRecord(open, 0, "c")])]);
      return appended[0]?.status === "fulfilled";
    });
    expect(await client().ends([{ topic: strict, partition: 0 }])).toMatchObject([{ logEnd: 1n }]);
  });

  test("C, D: a handler slower than the session delays neither its member nor another partition", async () => {
    const topic = await createTopic(2);
    const group = freshGroup();
    const epochs: number[] = [];
    const handled: string[] = [];
    const failures: Error[] = [];
    const partitionConsumer = await createBatchConsumer({
      messaging: client(),
      group,
      topic,
      batchRecordsMax: 10,
      bufferedRecordsMax: 10,
      time: machineTime,
      random: machineRandom,
      logger: silentLogger,
      metrics: silentMetrics,
      operatorSkips: { findBatchRequest: () => Promise.resolve(null) },
      fail: (reason) => void failures.push(reason),
      open: async (partition, epoch) => {
        epochs.push(epoch);
        const handle = async (): Promise<void> => {
          if (partition === 0) await delay(8000);
          handled.push(`handled ${partition}`);
        };
        return { startAt: 0n, handle, close: async () => {} };
      },
    });
    await eventually("both partitions", () => epochs.length === 2);
    await append(topic, 0, ["slow"]);
    await append(topic, 1, ["fast"]);
    await eventually("the slow one", () => handled.includes("handled 0"));
    expect(handled).toEqual(["handled 1", "handled 0"]);
    expect(epochs).toHaveLength(2);
    expect(partitionConsumer.heartbeatAgeMs()).toBeLessThan(3000);
    await partitionConsumer.stop();
    expect(failures).toEqual([]);
  });

  test("E, M: a commit is tried in its own generation only, and never reports success while the consumer stops", async () => {
    const topic = await createTopic(1);
    const consumer = kafka.consumer({ groupId: freshGroup(), maxWaitTimeInMs: 1000 });
    const joined = Promise.withResolvers<void>();
    consumer.on(consumer.events.GROUP_JOIN, () => joined.resolve());
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({ autoCommit: false, eachBatch: async () => {} });
    await joined.promise;
    await consumer.commitOffsets([{ topic, partition: 0, offset: "0" }]);
    const stopping = consumer.stop();
    await expect(consumer.commitOffsets([{ topic, partition: 0, offset: "0" }])).rejects.toThrow("does not run");
    await stopping;
    await consumer.disconnect();
  });

  test("F: a handler that throws ends the consumer once, with its error, and is not called again", async () => {
    const topic = await createTopic(1);
    await append(topic, 0, ["a", "b"]);
    const failures: Error[] = [];
    let calls = 0;
    const consumer = await client().consumer({
      group: freshGroup(),
      topics: [topic],
      handlers: {
        assigned: async () => 0n,
        handOver: () => Promise.resolve(),
        revoked: () => {},
        records: () => {
          calls += 1;
          throw new Error("broken");
        },
        unreadable: async () => "read-again",
        failed: (reason) => void failures.push(reason),
      },
    });
    await eventually("the failure", () => failures.length > 0);
    await consumer.stop();
    expect(failures.map(({ message }) => message)).toEqual(["broken"]);
    expect(calls).toBe(1);
  });

  test("F: a crash from which kafkajs does not restart is reported as the consumer's failure", async () => {
    const topic = await createTopic(1);
    const group = freshGroup();
    // A member with another protocol, so that our consumer cannot join.
    const foreign = kafka.consumer({
      groupId: group,
      partitionAssigners: [
        (config) => {
          const assigner = kafkajs.PartitionAssigners.roundRobin(config);
          const protocol = (subscription: { topics: string[] }) => ({ ...assigner.protocol(subscription), name: "foreign" });
          return { name: "foreign", version: 0, protocol, assign: (all) => assigner.assign(all) };
        },
      ],
    });
    await foreign.connect();
    await foreign.subscribe({ topic });
    const joined = Promise.withResolvers<void>();
    foreign.on(foreign.events.GROUP_JOIN, () => joined.resolve());
    await foreign.run({ eachBatch: async () => {} });
    await joined.promise;
    const { recorded, consumer } = await startRecorder(client(), group, topic);
    await eventually("the failure", () => recorded.failed.length > 0);
    expect(recorded.failed[0]).toMatchObject({ code: "messaging.consumer-failed", isRetryable: false });
    expect(recorded.assigned).toEqual([]);
    await consumer.stop();
    await foreign.disconnect();
  });

  test("H: with everything paused, a resume takes effect at once, not after the poll interval of a second", async () => {
    const topic = await createTopic(1);
    const { recorded, consumer, texts } = await startRecorder(client(), freshGroup(), topic);
    await eventually("the assignment", () => recorded.epochs.size === 1);
    const place = { topic, partition: 0 };
    let waitedMs = 0;
    for (let round = 1; round <= 5; round += 1) {
      consumer.pause(place);
      await append(topic, 0, [`${round}`]);
      // Lets the fetch in flight return, so that the loop sleeps.
      await delay(1200);
      expect(texts()).toHaveLength(round - 1);
      const resumedAtMs = performance.now();
      consumer.resume(place);
      await eventually("the record", () => texts().length === round);
      waitedMs += performance.now() - resumedAtMs;
    }
    expect(waitedMs / 5).toBeLessThan(150);
    await consumer.stop();
  });

  test("J: records are sent compressed with zstd and read back", async () => {
    const topic = await createTopic(1);
    await append(topic, 0, ["x".repeat(100_000)]);
    // kafkajs reports a codec that it does not know when it reads.
    const codec = kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD];
    kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => ({
      compress: async () => Buffer.alloc(0),
      decompress: async () => Promise.reject(new Error("zstd it was")),
    });
    try {
      const reading = Array.fromAsync(client().read({ topic, partition: 0 }, 0n, 1n));
      await expect(reading).rejects.toMatchObject({ batch: { reason: "compression", detail: "zstd: zstd it was" } });
    } finally {
      kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = codec;
    }
    const [record] = await Array.fromAsync(client().read({ topic, partition: 0 }, 0n, 1n));
    expect(record?.value?.length).toBe(100_000);
  });

  test("I: an idle producer arms no timer, and no warning about negative timers appears", async () => {
    const warnings: string[] = [];
    const warned = (warning: Error): void => void warnings.push(warning.name);
    process.on("warning", warned);
    const topic = await createTopic(1);
    const armed = (): number => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
    await admin.listTopics();
    const before = armed();
    const producer = await client().producer("p");
    for (let round = 0; round < 20; round += 1) await producer.send([buildTextRecord(topic, 0, "a")]);
    await eventually("no timer more than before", () => armed() <= before);
    let most = 0;
    for (let look = 0; look < 50; look += 1) {
      await delay(10);
      // The check's own timer has fired.
      most = Math.max(most, armed());
    }
    expect(most).toBeLessThanOrEqual(before);
    process.off("warning", warned);
    expect(warnings).toEqual([]);
  });

  test("K: records that were handed over are not fetched again, so that the consumer gets beyond one fetch", async () => {
    const topic = await createTopic(1);
    const producer = await client().producer("p");
    const value = (): Uint8Array => Buffer.from(machineRandom.hex(50_000), "hex");
    for (let round = 0; round < 8; round += 1) {
      await producer.send(Array.from({ length: 10 }, () => ({ topic, partition: 0, key: null, value: value(), headers: {} })));
    }
    const { recorded, consumer } = await startRecorder(client(), freshGroup(), topic);
    await eventually("all four megabytes", () => recorded.records.length === 80);
    expect(recorded.violations).toEqual([]);
    await consumer.stop();
  });

  test("M: a join is announced before it starts, so that no work continues under an old epoch", async () => {
    const topic = await createTopic(1);
    const consumer = kafka.consumer({ groupId: freshGroup(), maxWaitTimeInMs: 1000 });
    const events: string[] = [];
    consumer.on(consumer.events.REBALANCING, () => void events.push("joining"));
    consumer.on(consumer.events.GROUP_JOIN, () => void events.push("joined"));
    await consumer.connect();
    await consumer.subscribe({ topic });
    await consumer.run({ eachBatch: async () => {} });
    expect(events).toEqual(["joining", "joined"]);
    await consumer.disconnect();
  });

  test("M: during many joins under load every epoch begins at its answer and has no gap", async () => {
    const topic = await createTopic(4);
    const group = freshGroup();
    const startAt = (): bigint => 0n;
    const { recorded, consumer } = await startRecorder(client(), group, topic, startAt);
    await eventually("the assignment", () => recorded.epochs.size === 4);
    const texts = Array.from({ length: 2000 }, (_, index) => `${index}`);
    for (let round = 0; round < 3; round += 1) {
      const appending = Promise.all([0, 1, 2, 3].map((partition) => append(topic, partition, texts)));
      const other = await startRecorder(client(), group, topic, startAt);
      await eventually("a share", () => other.recorded.epochs.size === 2);
      await appending;
      await other.consumer.stop();
      expect(other.recorded.violations).toEqual([]);
      await eventually("all back", () => recorded.epochs.size === 4);
    }
    await eventually("all records of the last epoch", () => {
      const epoch = recorded.epochs.get(0);
      return recorded.records.filter((record) => record.epoch === epoch).length === 24_000;
    });
    expect(recorded.violations).toEqual([]);
    await consumer.stop();
  });

  test("N: a request without an answer fails after 5 s", async () => {
    const hole = createServer(() => {});
    hole.listen(0, "127.0.0.1");
    await once(hole, "listening");
    const address = hole.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const settings = clientSettings({ brokers: [`127.0.0.1:${port}`], clientId: "n" });
    const stuck = new kafkajs.Kafka({ ...settings, retry: { retries: 0 }, logLevel: kafkajs.logLevel.NOTHING }).admin();
    const startedAtMs = performance.now();
    await expect(stuck.connect()).rejects.toThrow("timed out");
    const tookMs = performance.now() - startedAtMs;
    expect(tookMs).toBeGreaterThan(4500);
    expect(tookMs).toBeLessThan(9000);
    await stuck.disconnect();
    hole.close();
  });

  test("O: after a SIGKILL of a member the others own its partitions within 10 s", async () => {
    const topic = await createTopic(4);
    const group = freshGroup();
    const first = await startRecorder(client(), group, topic);
    await eventually("the assignment", () => first.recorded.epochs.size === 4);
    const victim = spawn(process.execPath, ["--input-type=module-typescript", "-e", victimCode(group, topic)], { stdio: "inherit" });
    await eventually("a share for the victim", () => first.recorded.epochs.size === 2);
    await append(topic, 0, ["a"]);
    const killedAtMs = performance.now();
    victim.kill("SIGKILL");
    await eventually("all back", () => first.recorded.epochs.size === 4);
    expect(performance.now() - killedAtMs).toBeLessThan(10_000);
    expect(first.recorded.violations).toEqual([]);
    await first.consumer.stop();
  });
});

/** The code of a process that owns its share of the topic and does nothing. */
function victimCode(group: string, topic: string): string {
  const messaging = new URL("../../index.ts", import.meta.url).href;
  return `
    import { createKafkaMessaging } from ${JSON.stringify(messaging)};
    const time = { nowMs: Date.now, monotonicMs: () => performance.now(), after: (ms, act) => {
      const timer = setTimeout(act, ms);
      return { [Symbol.dispose]: () => clearTimeout(timer) };
    } };
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const messaging = createKafkaMessaging({ connection: ${JSON.stringify(testConnection)}, time, logger });
    const handlers = { assigned: async () => 0n, handOver: () => Promise.resolve(), revoked() {}, records() {}, failed() {} };
    await messaging.consumer({ group: ${JSON.stringify(group)}, topics: [${JSON.stringify(topic)}], handlers });
    setTimeout(() => process.exit(1), 60_000);
  `;
}

describe("provisioning", () => {
  const options = (specs: readonly TopicSpec[]) => ({ connection: testConnection, specs, logger: silentLogger });
  const specOf = (topic: string): TopicSpec => ({
    topic,
    partitions: 3,
    replication: 1,
    config: { "cleanup.policy": "delete", "message.timestamp.type": "LogAppendTime", "retention.ms": "-1", "min.insync.replicas": "1" },
  });

  test("creates missing topics, and finds nothing to do the second time", async () => {
    const specs = [specOf(`${freshGroup()}-a`), specOf(`${freshGroup()}-b`)];
    const names = specs.map(({ topic }) => topic);
    const [one, two] = await Promise.all([provisionTopics(options(specs)), provisionTopics(options(specs))]);
    expect([...one.created, ...two.created].toSorted()).toEqual(names.toSorted());
    expect(await provisionTopics(options(specs))).toEqual({ created: [] });
    await admin.deleteTopics({ topics: names });
  });

  test("refuses a topic in which the broker packs batches so that they cannot be read", async () => {
    const [topic, spec] = [`${freshGroup()}-packed`, buildTopicSpecs({ partitionCount: 3, replication: 1, minInsync: 1 })[0]!];
    const configEntries = Object.entries({ ...spec.config, "compression.type": "lz4" }).map(([name, value]) => ({ name, value }));
    await admin.createTopics({ topics: [{ topic, numPartitions: 3, replicationFactor: 1, configEntries }], waitForLeaders: false });
    await expect(provisionTopics(options([{ ...spec, topic }]))).rejects.toMatchObject({
      code: "messaging.topics-differ",
      message: expect.stringContaining(`${topic}: compression.type is lz4, must be producer`),
    });
    const made = { ...spec, topic: `${topic}-made` };
    await provisionTopics(options([made]));
    expect(await provisionTopics(options([made]))).toEqual({ created: [] });
    await admin.deleteTopics({ topics: [topic, made.topic] });
  });

  test("refuses a topic that would break order or lose money, and names every difference", async () => {
    const spec = specOf(`${freshGroup()}-c`);
    const configEntries = [
      { name: "cleanup.policy", value: "compact" },
      { name: "retention.ms", value: "1000" },
    ];
    await admin.createTopics({
      topics: [{ topic: spec.topic, numPartitions: 2, replicationFactor: 1, configEntries }],
      waitForLeaders: false,
    });
    const failure: unknown = await provisionTopics(options([spec])).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Fault);
    expect(failure).toMatchObject({ code: "messaging.topics-differ", isRetryable: false });
    for (const what of ["partitions is 2", "cleanup.policy is compact", "message.timestamp.type is CreateTime", "retention.ms is 1000"]) {
      expect(String(failure)).toContain(what);
    }
    await admin.deleteTopics({ topics: [spec.topic] });
  });
});
