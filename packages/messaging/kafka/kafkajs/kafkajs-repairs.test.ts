import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import kafkajs from "kafkajs";
import consumerGroup from "kafkajs/src/consumer/consumerGroup.js";
import runner from "kafkajs/src/consumer/runner.js";
import { expect, test, vi } from "vitest";
import { beginHeartbeats, endHeartbeats, fetchUntilCalled, heartbeatIntervalMs, stopHeartbeats, untilNextBeatMs } from "./heartbeats.ts";
import { isAtRest, noteAnnouncement, noteFetch, spaceFetches, untilNextFetchMs } from "./activity.ts";
import { delayJoin } from "./kafkajs-repairs.ts";
import { wakeAll } from "./sleeps.ts";

// The repairs that one broker cannot provoke; `kafkajs-troubles.int.test.ts` tests the others.

const topic = "t";
const longAgoMs = 60_000;

/** The parts of a consumer group that its fetch uses; `duringFetch` runs while the broker has the request. */
function group(duringFetch: (self: { offsetManager: object }) => void) {
  const message = { offset: "5", key: null, value: Buffer.from("x"), headers: {}, timestamp: "1", attributes: 0, isControlRecord: false };
  const partition = {
    partition: 0,
    errorCode: 0,
    highWatermark: "6",
    abortedTransactions: [],
    preferredReadReplica: -1,
    messages: [message],
  };
  const offsetManager = () => ({
    committedOffsets: () => ({ [topic]: { 0: "5" } }),
    nextOffset: () => "5",
    resolveOffset: () => {},
  });
  const assigned = [{ topic, partitions: [0] }];
  const self = Object.create(consumerGroup.prototype, {});
  return Object.assign(self, {
    offsetManager: offsetManager(),
    preferredReadReplicasPerTopicPartition: {},
    seekOffset: { size: 0, has: () => false },
    subscriptionState: { assigned: () => assigned, isPaused: () => false },
    filterPartitionsByNode: () => assigned,
    checkForStaleAssignment: () => {},
    seekOffsets: async () => {},
    cluster: {
      brokerPool: { metadata: null },
      refreshMetadataIfNecessary: async () => {},
      findBroker: async () => ({
        fetch: async () => {
          duringFetch(self);
          return { responses: [{ topicName: topic, partitions: [partition] }] };
        },
      }),
    },
    join: () => Object.assign(self, { offsetManager: offsetManager() }),
  });
}

async function handed(
  during: (self: ReturnType<typeof group>) => void,
  between: (self: ReturnType<typeof group>) => void,
): Promise<number> {
  let batches = 0;
  const fetching = group((self) => during(self as ReturnType<typeof group>));
  const running = Object.assign(Object.create(runner.prototype), {
    running: true,
    consumerGroup: fetching,
    instrumentationEmitter: { emit: () => {} },
    eachBatch: async () => void (batches += 1),
    heartbeat: async () => {},
  });
  for (const batch of await fetching.fetch("1")) {
    between(fetching);
    await running.handleBatch(batch);
  }
  return batches;
}

test("M: a fetched batch is handed over unless a join happened since its request", async () => {
  expect(
    await handed(
      () => {},
      () => {},
    ),
  ).toBe(1);
  expect(
    await handed(
      (self) => self.join(),
      () => {},
    ),
  ).toBe(0);
  expect(
    await handed(
      () => {},
      (self) => self.join(),
    ),
  ).toBe(0);
});

test("M: a member that hands over before a join sends heartbeats until it joins, and their answer shows that it is known", async () => {
  const events: string[] = [];
  let heartbeats = 0;
  const handOver = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 3 * heartbeatIntervalMs));
  const joining = Object.assign(Object.create(consumerGroup.prototype), {
    groupId: "g",
    memberId: "m",
    instrumentationEmitter: {
      emit(event: string, payload: object) {
        events.push(event);
        delayJoin(payload, handOver);
      },
    },
    heartbeat() {
      heartbeats += 1;
      return Promise.reject(Object.assign(new Error("the group rebalances"), { type: "REBALANCE_IN_PROGRESS" }));
    },
    retrier: async () => void events.push("joined"),
  });
  await joining.joinAndSync();
  endHeartbeats(joining);
  const sent = heartbeats;
  expect(sent).toBeGreaterThan(0);
  expect(events).toEqual(["consumer.rebalancing", ...Array.from({ length: sent }, () => "consumer.heartbeat"), "joined"]);
  await handOver();
  expect(heartbeats).toBe(sent);
});

test("Y: a join ends the rest of a member", async () => {
  const resting = Object.assign(Object.create(consumerGroup.prototype), {
    instrumentationEmitter: { emit: () => undefined },
    heartbeat: () => Promise.resolve(),
    retrier: () => Promise.resolve(),
  });
  noteFetch(resting, { nodeId: "1", records: 1, sentAtMs: 0 }, performance.now() - longAgoMs);
  expect(isAtRest(resting)).toBe(true);
  await resting.joinAndSync();
  endHeartbeats(resting);
  expect(isAtRest(resting)).toBe(false);
});

test("Y: who hears that a member joins may space its fetches", async () => {
  const joining = Object.assign(Object.create(consumerGroup.prototype), {
    instrumentationEmitter: { emit: (_: string, announcement: object) => spaceFetches(announcement, 20) },
    heartbeat: () => Promise.resolve(),
    retrier: () => Promise.resolve(),
  });
  await joining.joinAndSync();
  endHeartbeats(joining);
  noteFetch(joining, { nodeId: "1", records: 1, sentAtMs: 100 }, 100);
  expect(untilNextFetchMs(joining, "1", 100)).toBe(20);
});

test("H: a fetch that waits because no begin is known ends when the member is woken, as by a resume", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const waiting = group(() => undefined);
    waiting.offsetManager.committedOffsets = () => ({});
    let brought: unknown = null;
    void waiting.fetch("1").then((batches: unknown) => (brought = batches));
    await turn();
    expect(brought).toBeNull();
    wakeAll(waiting);
    await turn();
    expect(brought).toEqual([]);
  } finally {
    vi.useRealTimers();
  }
});

const rebalancing = (): Error => Object.assign(new Error("the group rebalances"), { type: "REBALANCE_IN_PROGRESS" });

/** A group whose broker answers a fetch when `answer` is called, and whose coordinator asks it to join again. */
function calledGroup(heartbeat: () => Promise<void>) {
  const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
  const recovered: Error[] = [];
  const called = group(() => undefined);
  const { findBroker } = called.cluster;
  called.cluster.findBroker = async () => {
    await asked;
    return await findBroker();
  };
  return {
    recovered,
    answer,
    called: Object.assign(called, { heartbeat, recoverFromFetch: async (error: Error) => void recovered.push(error) }),
  };
}

test("U: a heartbeat that asks the member to join again ends the fetch that is under way, and what it brings is dropped", async () => {
  const { called, answer, recovered } = calledGroup(() => Promise.reject(rebalancing()));
  beginHeartbeats(called, () => undefined);
  await expect(called.fetch("1")).rejects.toThrow("the group rebalances");
  called.join();
  called.cluster.findBroker = () => Promise.reject(new Error("late"));
  answer();
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(recovered).toEqual([]);
});

test("U: a fetch that waits for others' records is not sent once the member is asked to join again", async () => {
  const { called, answer } = calledGroup(() => Promise.reject(rebalancing()));
  let sent = 0;
  const { findBroker } = called.cluster;
  called.cluster.findBroker = async () => {
    sent += 1;
    return await findBroker();
  };
  noteAnnouncement(called, called);
  spaceFetches(called, 60_000);
  answer();
  expect(await called.fetch("1")).toHaveLength(1);
  beginHeartbeats(called, () => wakeAll(called));
  await expect(called.fetch("1")).rejects.toThrow("the group rebalances");
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(sent).toBe(1);
});

test("U: an error of a fetch that was under way at a join changes nothing in the next generation", async () => {
  const { called, answer, recovered } = calledGroup(() => Promise.reject(rebalancing()));
  const { findBroker } = called.cluster;
  called.cluster.findBroker = async () => {
    await findBroker();
    throw new Error("the offset is out of range");
  };
  beginHeartbeats(called, () => undefined);
  await expect(called.fetch("1")).rejects.toThrow("the group rebalances");
  called.join();
  answer();
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(recovered).toEqual([]);
});

test("U: a fetch that fails in its own generation is recovered from", async () => {
  const { called, answer, recovered } = calledGroup(() => Promise.resolve());
  called.cluster.findBroker = () => Promise.reject(new Error("the offset is out of range"));
  answer();
  expect(await called.fetch("1")).toEqual([]);
  expect(recovered).toHaveLength(1);
});

test("E: a consumer that stops does not wait for its fetch", async () => {
  const { called } = calledGroup(() => Promise.resolve());
  beginHeartbeats(called, () => undefined);
  const fetching = called.fetch("1");
  stopHeartbeats(called);
  expect(await fetching).toEqual([]);
});

test("I15: the fetches of a long generation leave nothing behind", async () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const { called } = calledGroup(() => Promise.resolve());
  beginHeartbeats(called, () => undefined);
  async function heapAfter(fetches: number): Promise<number> {
    for (let fetch = 0; fetch < fetches; fetch += 1) await fetchUntilCalled(called, () => Promise.resolve([]));
    collect();
    return process.memoryUsage().heapUsed;
  }
  const before = await heapAfter(1_000);
  // A race with a promise of the generation keeps 256 bytes of each.
  expect((await heapAfter(50_000)) - before).toBeLessThan(50_000 * 64);
  stopHeartbeats(called);
});

test("U: heartbeats go on while the coordinator does not answer well, and end with the generation", async () => {
  let sent = 0;
  const { called } = calledGroup(() => {
    sent += 1;
    return Promise.reject(new Error("not now"));
  });
  beginHeartbeats(called, () => undefined);
  await expect.poll(() => sent).toBeGreaterThan(1);
  endHeartbeats(called);
  const before = sent;
  await new Promise((resolve) => setTimeout(resolve, 3 * heartbeatIntervalMs));
  expect(sent).toBe(before);
});

test("U: members send heartbeats at the same moments of the clock, whenever they have joined", () => {
  for (const nowMs of [1_000_000_000_000, 1_000_000_000_001, 1_000_000_000_124, 1_000_000_000_125]) {
    const inMs = untilNextBeatMs(nowMs, 125);
    expect(inMs).toBeGreaterThan(0);
    expect(inMs).toBeLessThanOrEqual(125);
    expect((nowMs + inMs) % 125).toBe(0);
  }
});

test("J: five hundred payments are compressed and restored, and a batch that would fill the memory is refused", async () => {
  const codec = kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD]();
  const text = Buffer.from('{"uetr":"00000000-0000-4000-8000-000000000001","amount":"1250.50"}'.repeat(500));
  const packed = await codec.compress({ buffer: text });
  expect(packed.length).toBeLessThan(text.length / 5);
  expect((await codec.decompress(packed)).equals(text)).toBe(true);
  const bomb = await codec.compress({ buffer: Buffer.alloc(65 * 1024 * 1024) });
  await expect(codec.decompress(bomb)).rejects.toMatchObject({ code: "ERR_BUFFER_TOO_LARGE" });
});

test("J: a small batch is returned in a buffer of its own size, not in zlib's buffer", async () => {
  const codec = kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD]();
  for (const size of [1, 3_000, 70_000, 200_000]) {
    const compressed = await codec.compress({ buffer: Buffer.alloc(size, "payment ") });
    const bytes = await codec.decompress(compressed);
    expect(bytes.equals(Buffer.alloc(size, "payment "))).toBe(true);
    expect(bytes.buffer.byteLength).toBe(size);
  }
});
