// Partitions without a leader: topics of one replica each on three brokers, one of which is killed. Only what lies in
// its partitions may wait (I14).

import { partitionCountDefault, partitionFor, topics } from "@sluice/contracts";
import { type SecuredBrokers, startSecuredBrokers } from "@sluice/environment";
import { machineRandom, machineTime, silentLogger, silentMetrics, sleep } from "@sluice/kernel";
import { buildTopicSpecs, createBatchConsumer, createKafkaMessaging, type Messaging, type Producer } from "@sluice/messaging";
import { reportSettled } from "@sluice/testkit";
import { type Admin, ConfigResourceTypes, Kafka, logLevel } from "kafkajs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDebitFeed } from "../kubernetes/debit-feed.ts";
import { openE2eEnvironment } from "./environment/environment.ts";
import { untilHolds } from "./recorded/evidence.ts";

const opened = new AsyncDisposableStack();
let brokers: SecuredBrokers;
let admin: Admin;

beforeAll(async () => {
  brokers = await startSecuredBrokers(opened);
  const kafka = new Kafka({ brokers: [...brokers.kafka.internalBrokers], logLevel: logLevel.NOTHING });
  admin = kafka.admin();
  await admin.connect();
  opened.defer(() => admin.disconnect());
}, 300_000);
afterAll(() => opened.disposeAsync());

const brokerCount = 3;
const partitionCount = 6;
/** The broker that is killed, and the partitions that it alone has. */
const killed = 2;
const isOnKilled = (partition: number): boolean => partition % brokerCount === killed;
const partitions = Array.from({ length: partitionCount }, (_, partition) => partition);
const sendEveryMs = 100;
/** Acknowledged sends of each partition for which the test waits. */
const sendsAround = 20;

/** Partition n has its replicas from broker n modulo three on. All must acknowledge. */
async function createTopic(topic: string, replicaCount: number): Promise<void> {
  const replicaAssignment = partitions.map((partition) => ({
    partition,
    replicas: Array.from({ length: replicaCount }, (_, index) => ((partition + index) % brokerCount) + 1),
  }));
  const configEntries = [
    { name: "message.timestamp.type", value: "LogAppendTime" },
    { name: "min.insync.replicas", value: String(replicaCount) },
  ];
  await admin.createTopics({ topics: [{ topic, replicaAssignment, configEntries }], waitForLeaders: true });
}

interface Sent {
  readonly partition: number;
  readonly startedMs: number;
  readonly tookMs: number;
  readonly refusal: string | null;
}

/** Sends a record to each partition every 100 ms, and keeps how each send ended. */
function startSends(producer: Producer, topic: string) {
  const sent: Sent[] = [];
  const ending = new AbortController();
  async function sendOne(partition: number): Promise<void> {
    const startedMs = machineTime.monotonicMs();
    const end = (refusal: string | null) =>
      void sent.push({ partition, startedMs, tookMs: machineTime.monotonicMs() - startedMs, refusal });
    const record = { topic, partition, key: null, value: new Uint8Array([1]), headers: {} };
    await producer.send([record]).then(
      () => end(null),
      (error: unknown) => end(String(error)),
    );
  }
  async function run(): Promise<void> {
    const sends: Promise<void>[] = [];
    while (!ending.signal.aborted) {
      for (const partition of partitions) sends.push(sendOne(partition));
      await sleep(machineTime, sendEveryMs, ending.signal);
    }
    await Promise.all(sends);
  }
  const running = run();
  return {
    sent,
    acknowledged: (partition: number, sinceMs: number) =>
      sent.filter((one) => one.partition === partition && one.refusal === null && one.startedMs >= sinceMs).length,
    async stop() {
      ending.abort();
      await running;
    },
  };
}

/** Reads the topic in a group, and counts the records of each partition. */
async function startReading(messaging: Messaging, topic: string) {
  const counts = partitions.map(() => 0);
  const failures: Error[] = [];
  const consumer = await createBatchConsumer({
    messaging,
    group: `${topic}-readers`,
    topic,
    bufferedRecordsMax: 500,
    batchRecordsMax: 100,
    time: machineTime,
    random: machineRandom,
    logger: silentLogger,
    metrics: silentMetrics,
    operatorSkips: { findBatchRequest: () => Promise.resolve(null) },
    fail: (reason) => void failures.push(reason),
    open: async (partition) => ({
      startAt: BigInt(counts[partition] ?? 0),
      close: async () => {},
      handle: async (records) => void (counts[partition] = (counts[partition] ?? 0) + records.length),
    }),
  });
  return { consumer, counts, failures };
}

function open(): Messaging {
  const messaging = createKafkaMessaging({ connection: brokers.connection, time: machineTime, logger: silentLogger });
  opened.defer(() => messaging.close());
  return messaging;
}

describe("T: a partition without a leader", () => {
  test("I14: only its own records are refused and unread, and all goes on when its leader is back", async () => {
    const topic = `leaderless-${process.pid}`;
    await createTopic(topic, 1);
    const sends = startSends(await open().producer("p"), topic);
    const reading = await startReading(open(), topic);
    const untilAcknowledged = async (asked: readonly number[]): Promise<void> => {
      const sinceMs = machineTime.monotonicMs();
      await untilHolds(() => {
        for (const partition of asked) expect(sends.acknowledged(partition, sinceMs)).toBeGreaterThanOrEqual(sendsAround);
      });
    };
    const others = partitions.filter((partition) => !isOnKilled(partition));
    await untilAcknowledged(partitions);
    await untilHolds(() => expect(Math.min(...reading.counts)).toBeGreaterThan(0));

    const killedAtMs = machineTime.monotonicMs();
    await brokers.kafka.killBroker(killed);
    await untilHolds(() => expect(sends.sent.at(-1)?.refusal).toMatch(/has no leader/));
    await untilAcknowledged(others);
    const readBefore = [...reading.counts];
    await untilHolds(() => {
      for (const partition of others) expect(reading.counts[partition]).toBeGreaterThan(readBefore[partition]! + sendsAround);
    });
    // A reader that joins now has the others' records, too.
    const late = await startReading(open(), topic);
    await untilHolds(() => {
      for (const partition of others)
        expect(late.counts[partition]! + reading.counts[partition]!).toBeGreaterThan(readBefore[partition]! + 2 * sendsAround);
    });

    await brokers.kafka.restartBroker(killed);
    await untilAcknowledged(partitions);
    await sends.stop();
    await untilHolds(() => {
      for (const partition of partitions) {
        const acknowledged = sends.acknowledged(partition, 0);
        expect(late.counts[partition]! + reading.counts[partition]!).toBeGreaterThanOrEqual(acknowledged);
      }
    });
    const refusals = sends.sent.filter((one) => one.refusal !== null && !isOnKilled(one.partition));
    expect(refusals).toEqual([]);
    const slowest = sends.sent
      .filter((one) => !isOnKilled(one.partition))
      .toSorted((a, b) => b.tookMs - a.tookMs)
      .slice(0, 12);
    process.stdout.write(
      `slowest of the others: ${slowest.map(({ startedMs, tookMs }) => `${Math.round(tookMs)}@${Math.round(startedMs - killedAtMs)}`).join(" ")} ms\n`,
    );
    expect([...reading.failures, ...late.failures]).toEqual([]);
    await reading.consumer.stop();
    await late.consumer.stop();
  });

  test("V, I14: a live leader that refuses a partition for too few replicas acknowledges its others [D10.76]", async () => {
    const topic = `refused-${process.pid}`;
    await createTopic(topic, 2);
    const sends = startSends(await open().producer("p"), topic);
    const untilAcknowledged = async (asked: readonly number[], sinceMs: number): Promise<void> =>
      await untilHolds(() => {
        for (const partition of asked) expect(sends.acknowledged(partition, sinceMs)).toBeGreaterThanOrEqual(sendsAround);
      });
    await untilAcknowledged(partitions, 0);
    await brokers.kafka.killBroker(killed);
    // Both replicas of these live. Their leader leads partitions, too, that have one replica left.
    const others = partitions.filter((partition) => !isOnKilled(partition) && !isOnKilled(partition + 1));
    await untilHolds(() => expect(sends.sent.at(-1)?.refusal).toMatch(/NOT_ENOUGH_REPLICAS|takes records/));
    await untilHolds(() => expect(sends.sent.some(({ refusal }) => refusal?.includes("NOT_ENOUGH_REPLICAS"))).toBe(true));
    const refusedFromMs = machineTime.monotonicMs();
    await untilAcknowledged(others, refusedFromMs);
    await brokers.kafka.restartBroker(killed);
    await untilAcknowledged(partitions, machineTime.monotonicMs());
    await sends.stop();
    const refused = sends.sent.filter(({ partition, startedMs, refusal }) => {
      return refusal !== null && others.includes(partition) && startedMs >= refusedFromMs;
    });
    expect(refused).toEqual([]);
  });

  test("I14, I1: callers whose UETR lies in it get 503, all others are served, and no debit is lost [D10.58]", async () => {
    const banks = [{ id: "acacia", branch: "250655" }];
    await using environment = await openE2eEnvironment(banks, "clock", { brokers });
    environment.bank("acacia").addRules([{ operation: "inboundDirectDebit", reports: [reportSettled()] }]);
    await leaveOneReplica(topics.journal, journalPartition);
    await leaveOneReplica(topics.dispatch, dispatchPartition);
    const bank = { id: "acacia", branch: "250655", token: environment.tokenOf("acacia") };
    const feed = startDebitFeed({ ingressUrl: environment.services.ingressUrl, bank, perSecond: 20, recorder: environment.recorded });
    const answersSince = (sinceMs: number) =>
      environment.recorded.requests.flatMap(({ entry }) =>
        entry.kind === "sent" && entry.atMs >= sinceMs
          ? [{ status: entry.status, isThere: journalPartitionOf(entry.uetr) === journalPartition }]
          : [],
      );
    const untilAnswered = async (status: number, isThere: boolean): Promise<void> => {
      const sinceMs = machineTime.nowMs();
      await untilHolds(() => {
        const found = answersSince(sinceMs).filter((answer) => answer.status === status && answer.isThere === isThere);
        expect(found.length).toBeGreaterThanOrEqual(isThere ? 3 : 3 * sendsAround);
      });
    };
    try {
      // No gate opens while a partition is not there, so all of them are open before.
      await untilHolds(() => expect(debitsAt(environment, 0)).toBeGreaterThanOrEqual(sendsAround));
      await untilAnswered(202, true);
      await brokers.kafka.stopBroker(killed);
      await untilAnswered(503, true);
      const calmAtMs = machineTime.nowMs();
      await untilAnswered(503, true);
      await untilAnswered(202, false);
      const { lines, accepted, sent } = { ...countAnswers(answersSince(calmAtMs)), lines: await environment.services.readLog("ingress") };
      expect(accepted.there).toBe(0);
      expect(accepted.elsewhere).toBeGreaterThan(acceptedElsewhereMin * sent.elsewhere);
      expect(lines).toContain("ingress.partition-closed");
      // What was accepted elsewhere goes its whole way meanwhile.
      await untilHolds(() => expect(debitsAt(environment, calmAtMs)).toBeGreaterThanOrEqual(sendsAround));
      await brokers.kafka.restartBroker(killed);
      await untilAnswered(202, true);
    } finally {
      await feed.stop();
    }
    const uetrs = environment.recorded.requests.flatMap(({ entry }) => (entry.kind === "sent" && entry.status === 202 ? [entry.uetr] : []));
    await untilHolds(async () => {
      const found = await environment.store.transactions.load(uetrs.slice(-1_000));
      expect([...found.values()].filter(({ transaction }) => transaction.state !== "COMPLETED")).toEqual([]);
    });
    await untilHolds(async () => expect((await environment.check()).violations).toEqual([]));
    expect(environment.services.lost()).toEqual([]);
  });
});

/** These two have their one replica on the broker that is stopped. */
const journalPartition = 1;
const dispatchPartition = 2;
/** The part of the other callers' debits that must be accepted, on a machine under load. */
const acceptedElsewhereMin = 0.9;

function journalPartitionOf(uetr: string): number {
  return partitionFor(uetr, partitionCountDefault);
}

function countAnswers(answers: readonly { readonly status: number | null; readonly isThere: boolean }[]) {
  const count = (isThere: boolean, status: number | null) =>
    answers.filter((answer) => answer.isThere === isThere && (status === null || answer.status === status)).length;
  return {
    sent: { there: count(true, null), elsewhere: count(false, null) },
    accepted: { there: count(true, 202), elsewhere: count(false, 202) },
  };
}

function debitsAt(environment: Pick<Awaited<ReturnType<typeof openE2eEnvironment>>, "recorded">, sinceMs: number): number {
  return environment.recorded.receivedEntries().filter((entry) => entry.operation === "inboundDirectDebit" && entry.atMs >= sinceMs).length;
}

/** Leaves the partition on the broker that is stopped, and lets one replica acknowledge. */
async function leaveOneReplica(topic: string, partition: number): Promise<void> {
  const spec = buildTopicSpecs({ partitionCount: partitionCountDefault, replication: brokerCount, minInsync: 1 }).find(
    (one) => one.topic === topic,
  );
  const configEntries = Object.entries(spec?.config ?? {}).map(([name, value]) => ({ name, value }));
  await admin.alterConfigs({ validateOnly: false, resources: [{ type: ConfigResourceTypes.TOPIC, name: topic, configEntries }] });
  await admin.alterPartitionReassignments({ topics: [{ topic, partitionAssignment: [{ partition, replicas: [killed + 1] }] }] });
  await untilHolds(async () => {
    const { topics: found } = await admin.fetchTopicMetadata({ topics: [topic] });
    expect(found[0]?.partitions.find(({ partitionId }) => partitionId === partition)).toMatchObject({
      leader: killed + 1,
      replicas: [killed + 1],
    });
  });
}
