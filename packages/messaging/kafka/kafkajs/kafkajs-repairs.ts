// Repairs the defects inside kafkajs 2.2.4 that cannot be worked around from outside. It has had no release since 2023,
// so its classes are patched in place once, when this module is loaded. Letters are those of the trouble table in
// README.md.
//
// #1 (I) A connection arms the timer for waiting requests only while requests wait, and never with a negative delay; it
//    arms the timer that checks for time-outs only while requests are in flight.
// #2 (H) While all partitions are paused the fetch loop sleeps, and `resume` wakes it. While some are paused it polls
//    often.
// #3 (M) Batches fetched before a join are not handed over after it, because their offsets belong to another epoch.
// #4 (M) Every join is announced before it starts, not only joins that follow a heartbeat's answer, and waits for what
//    the announcement's listeners ask it to wait for. kafkajs's own announcement is the one of the two that cannot
//    wait.
// #5 (E, M) A commit is tried once, in the generation that asked for it. kafkajs would retry it in the next generation,
//    for a partition that may have moved, and would report success while the consumer stops.
// #6 (E) A consumer stopped during a join stops joining. kafkajs would go on, and its stop would wait for the join or
//    abandon it.
// #7 (J, P, V) Compression, Produce and Fetch are ours: `protocol/kafkajs-codecs.ts`.
// #10 (Q) A connection is closed if what follows its connect fails. kafkajs would keep it, take the broker for
//    connected, and never ask again which versions it speaks: every later request fails with "Broker not connected".
// #11 (R) A consumer that finds no coordinator, or waits too long for a connection, starts again. kafkajs takes that
//    for a mistake of the caller and ends it; so a broker that goes away during a rebalance would end all consumers.
// #12 (S) A heartbeat that the group's coordinator does not take asks which broker is its coordinator now. kafkajs asks
//    only when a consumer joins; so a broker that is gone for good would silence every group that it coordinated.
// #13 (T) A partition without a leader is left out of requests, and its topic's other partitions are not. kafkajs
//    refuses the metadata of the whole topic. While a partition lacks its leader, a consumer asks for it every second.
// #14 (T) A fetcher whose broker cannot be reached waits alone. kafkajs would stop the fetchers of all brokers. One
//    whose partition has moved asks for its leader and does not join the group again.
// #15 (M) A member that hands over before a join sends heartbeats until it joins. Their answer says that the group
//    rebalances, and yet that the member is known.
// #16 (W) What the coordinator answers says when it was asked. A process that stood still reads answers that waited for
//    it, and its session may have ended since (protocol/asked-times.ts).
// #17 (X) A position that the log does not have ends the consumer. kafkajs would commit the first offset that is left,
//    and go on there, which skips records silently.
// #18 (U) A member sends heartbeats on a timer of its own (`heartbeats.ts`), and joins again as soon as an answer asks
//    for it. kafkajs sends them from its fetch loop, and joins once its fetches have been answered.
// #19 (Y) Fetches and the sending of requests are ours: `fetches.ts`, `activity.ts`, `connections.ts`.
// #20 (Z) The sockets of a connection are ours: `sockets.ts`. An end of one socket would end the next one too, and
//    leave what is in flight there without an answer for ever.

import kafkajs from "kafkajs";
import broker, { type Broker } from "kafkajs/src/broker/index.js";
import cluster, { type Cluster } from "kafkajs/src/cluster/index.js";
import consumerGroup, { type ConsumerGroup, type OffsetManager } from "kafkajs/src/consumer/consumerGroup.js";
import runner, { type Runner } from "kafkajs/src/consumer/runner.js";
import connection from "kafkajs/src/network/connection.js";
import requestQueue, { type RequestQueue } from "kafkajs/src/network/requestQueue/index.js";
import metadataRequests, { type Metadata } from "kafkajs/src/protocol/requests/metadata/index.js";
import { ageAs, timeQuestions } from "../protocol/asked-times.ts";
import { isAtRest, noteAnnouncement, noteFetch, noteJoin, untilNextFetchMs } from "./activity.ts";
import { repairConnection } from "./connections.ts";
import { countRecords, fetchFrom, findWanted } from "./fetches.ts";
import { beginHeartbeats, endHeartbeats, fetchUntilCalled, haveFetchesEnded, heartbeatIntervalMs, stopHeartbeats } from "./heartbeats.ts";
import { sleepUntilWoken, wakeAll } from "./sleeps.ts";
import { noteWritten, repairSockets } from "./sockets.ts";
import "../protocol/kafkajs-codecs.ts";

/** Milliseconds that a broker may keep a fetch (U). The first fetch after a join waits behind the last before it. */
export const pollIntervalMs = 250;
/** The same while a member rests (`activity.ts`). */
const restPollIntervalMs = 1_000;
/** Milliseconds after which the fetch loop sends a heartbeat where the timer has sent none. */
export const loopHeartbeatMs = 1_000;
const pollIntervalWhilePausedMs = 100;
/** Milliseconds that a time-out may be noticed late. Some request is always in flight: a fetch. */
const timeoutCheckIntervalMs = 500;
const pendingCheckIntervalMs = 10;
/** Milliseconds between two questions for the leader of a partition that has none. */
const leaderAskedEveryMs = 1000;

repairConnection(connection.prototype);
repairSockets(connection.prototype);
repairRequestQueue(requestQueue.prototype);
repairConsumerGroup(consumerGroup.prototype);
repairRunner(runner.prototype);
repairBroker(broker.prototype);
repairCluster(cluster.prototype);
keepOtherPartitions();

/** #1 */
function repairRequestQueue(queue: RequestQueue): void {
  queue.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.throttleCheckTimeoutId !== null || this.pending.length === 0) return;
    const throttledMs = this.throttledUntil - Date.now();
    this.throttleCheckTimeoutId = setTimeout(
      () => {
        this.throttleCheckTimeoutId = null;
        this.checkPendingRequests();
      },
      throttledMs > 0 ? throttledMs : pendingCheckIntervalMs,
    );
  };
  queue.scheduleRequestTimeoutCheck = function (this: RequestQueue) {
    clearTimeout(this.requestTimeoutIntervalId ?? undefined);
    this.requestTimeoutIntervalId = null;
    armTimeoutCheck(this);
  };
  const { sendSocketRequest } = queue;
  queue.sendSocketRequest = function (this: RequestQueue, request) {
    noteWritten(this, request);
    sendSocketRequest.call(this, request);
    armTimeoutCheck(this);
  };
}

function armTimeoutCheck(queue: RequestQueue): void {
  const isArmed = queue.requestTimeoutIntervalId !== null && queue.requestTimeoutIntervalId !== undefined;
  if (!queue.enforceRequestTimeout || isArmed || queue.inflight.size === 0) return;
  queue.requestTimeoutIntervalId = setTimeout(() => {
    queue.requestTimeoutIntervalId = null;
    for (const request of queue.inflight.values()) {
      if (request.sentAt !== null && Date.now() - request.sentAt > request.requestTimeout) request.timeoutRequest();
    }
    armTimeoutCheck(queue);
  }, timeoutCheckIntervalMs);
}

const awaitedWork = new WeakMap<object, Promise<void>[]>();

/**
 * Lets a join wait for work that must end before it, given the payload of its announcement (#4). False: the payload is
 * that of kafkajs's own announcement, which another one follows at once.
 */
export function delayJoin(announcement: object, work: () => Promise<void>): boolean {
  const awaited = awaitedWork.get(announcement);
  awaited?.push(work());
  return awaited !== undefined;
}

const fetchedUnder = new WeakMap<object, OffsetManager>();

function repairConsumerGroup(group: ConsumerGroup): void {
  const { fetch, resume, joinAndSync, heartbeat, recoverFromFetch } = group;
  group.recoverFromFetch = async function (this: ConsumerGroup, error) {
    // #17
    if (error.name === "KafkaJSOffsetOutOfRange") throw error;
    // #14
    const isMoved = leaderErrors.has(error.type);
    if (!isMoved && !unreachableErrors.has(error.name)) return await recoverFromFetch.call(this, error);
    await sleepUntilWoken(this, isMoved ? pollIntervalWhilePausedMs : pollIntervalMs);
    await tryRefresh(this.cluster);
  };
  group.heartbeat = async function (this: ConsumerGroup, options) {
    try {
      await heartbeat.call(this, options);
    } catch (error) {
      if (isCoordinatorGone(error)) await findCoordinator(this);
      throw error;
    }
  };
  group.fetch = async function (this: ConsumerGroup, nodeId) {
    askForLeaders(this.cluster);
    // #3: every join creates a new offset manager.
    const { offsetManager } = this;
    const spacingMs = untilNextFetchMs(this, nodeId);
    let sentAtMs = 0;
    const batches = await fetchUntilCalled(this, async () => {
      if (spacingMs > 0) await sleepUntilWoken(this, spacingMs);
      if (findWanted(this, nodeId).topics.length === 0) await sleepUntilWoken(this, pollIntervalMs);
      const { topics, isAnyPaused } = findWanted(this, nodeId);
      if (topics.length === 0 || haveFetchesEnded(this)) return [];
      const waitMs = isAtRest(this) ? restPollIntervalMs : pollIntervalMs;
      this.maxWaitTime = isAnyPaused ? pollIntervalWhilePausedMs : waitMs;
      sentAtMs = performance.now();
      return await fetchFrom(asGeneration(this, offsetManager), nodeId, fetch, () => sleepUntilWoken(this, this.maxWaitTime));
    });
    noteFetch(this, { nodeId, records: countRecords(batches), sentAtMs });
    if (offsetManager === null) return [];
    for (const batch of batches) fetchedUnder.set(batch, offsetManager);
    return batches;
  };
  group.resume = function (this: ConsumerGroup, partitions) {
    resume.call(this, partitions);
    wakeAll(this);
  };
  group.joinAndSync = async function (this: ConsumerGroup) {
    const { groupId, memberId } = this;
    const announcement = { groupId, memberId };
    const awaited: Promise<void>[] = [];
    awaitedWork.set(announcement, awaited);
    noteAnnouncement(announcement, this);
    endHeartbeats(this);
    this.instrumentationEmitter.emit("consumer.rebalancing", announcement);
    await beatUntil(this, Promise.all(awaited));
    endTriesWhenStopped(this);
    await joinAndSync.call(this);
    // #18
    noteJoin(this);
    if (!stopped.has(this)) return beginHeartbeats(this, () => wakeAll(this));
    await this.leave();
    throw stoppedError();
  };
}

/** #18: the group as a fetch of one generation sees it, whose errors do not concern the next one. */
function asGeneration(group: ConsumerGroup, offsetManager: OffsetManager | null): ConsumerGroup {
  const recoverFromFetch: ConsumerGroup["recoverFromFetch"] = async (error) => {
    if (group.offsetManager === offsetManager) await group.recoverFromFetch(error);
  };
  const seen: ConsumerGroup = Object.create(group, { recoverFromFetch: { value: recoverFromFetch } });
  return seen;
}

/** #15. A heartbeat without an answer is not waited for. */
async function beatUntil(group: ConsumerGroup, work: Promise<unknown>): Promise<void> {
  const beating = setInterval(() => void beat(group), heartbeatIntervalMs);
  try {
    await work;
  } finally {
    clearInterval(beating);
  }
}

async function beat(group: ConsumerGroup): Promise<void> {
  try {
    await group.heartbeat({ interval: 0 });
  } catch (error) {
    const isKnown = error instanceof Error && "type" in error && error.type === "REBALANCE_IN_PROGRESS";
    if (!isKnown) return;
    const payload = { groupId: group.groupId, memberId: group.memberId };
    ageAs(payload, error);
    group.instrumentationEmitter.emit("consumer.heartbeat", payload);
  }
}

const leaderErrors: ReadonlySet<unknown> = new Set(["LEADER_NOT_AVAILABLE", "NOT_LEADER_FOR_PARTITION", "REPLICA_NOT_AVAILABLE"]);
const unreachableErrors: ReadonlySet<unknown> = new Set(["KafkaJSConnectionError", "KafkaJSRequestTimeoutError"]);
const leaderAskedAtMs = new WeakMap<ConsumerGroup["cluster"], number>();

/** The next request asks again, if the metadata cannot be had now. */
async function tryRefresh(asking: Pick<Cluster, "refreshMetadata">): Promise<void> {
  await Promise.allSettled([asking.refreshMetadata()]);
}

/** #13: does not wait for the answer, because other partitions are fetched meanwhile. */
function askForLeaders(asking: ConsumerGroup["cluster"]): void {
  const { metadata } = asking.brokerPool;
  if (metadata === null || !isLeaderless(metadata)) return;
  const askedAtMs = leaderAskedAtMs.get(asking) ?? Number.NEGATIVE_INFINITY;
  if (performance.now() - askedAtMs < leaderAskedEveryMs) return;
  leaderAskedAtMs.set(asking, performance.now());
  void tryRefresh(asking);
}

const leaderless = new WeakMap<Metadata, boolean>();

/** Whether any partition has no leader. Looked for once in each answer. */
function isLeaderless(metadata: Metadata): boolean {
  const known = leaderless.get(metadata);
  if (known !== undefined) return known;
  const found = metadata.topicMetadata.some(({ partitionMetadata }) => partitionMetadata.some(({ leader }) => leader < 0));
  leaderless.set(metadata, found);
  return found;
}

const coordinatorErrors: ReadonlySet<unknown> = new Set([
  "KafkaJSConnectionError",
  "KafkaJSConnectionClosedError",
  "KafkaJSRequestTimeoutError",
  "NOT_COORDINATOR_FOR_GROUP",
  "GROUP_COORDINATOR_NOT_AVAILABLE",
]);

function isCoordinatorGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return coordinatorErrors.has(error.name) || ("type" in error && coordinatorErrors.has(error.type));
}

/** #12: while no broker is the coordinator, the next heartbeat asks again. */
async function findCoordinator(group: ConsumerGroup): Promise<void> {
  const { groupId, cluster, offsetManager } = group;
  try {
    const coordinator = await cluster.findGroupCoordinator({ groupId });
    group.coordinator = coordinator;
    if (offsetManager !== null) offsetManager.coordinator = coordinator;
  } catch {
    return;
  }
}

const stopped = new WeakSet<ConsumerGroup>();
const endsTries = new WeakSet<ConsumerGroup>();

/** #6 */
function endTriesWhenStopped(group: ConsumerGroup): void {
  if (endsTries.has(group)) return;
  endsTries.add(group);
  const { retrier } = group;
  group.retrier = async (attempt) =>
    await retrier(async (bail, ...counts) => {
      if (stopped.has(group)) bail(stoppedError());
      else await attempt(bail, ...counts);
    });
}

function stoppedError(): Error {
  return new kafkajs.KafkaJSNonRetriableError("the consumer is stopped");
}

function repairRunner(runner: Runner): void {
  const { handleBatch, start, stop } = runner;
  runner.start = async function (this: Runner) {
    const { onCrash } = this;
    // #11
    this.onCrash = (error) => onCrash(isTransient(error) ? new kafkajs.KafkaJSError(error, { retriable: true }) : error);
    await start.call(this);
  };
  runner.handleBatch = async function (this: Runner, batch) {
    if (fetchedUnder.get(batch) !== this.consumerGroup.offsetManager) return;
    await handleBatch.call(this, batch);
  };
  runner.commitOffsets = async function (this: Runner, offsets) {
    const { offsetManager } = this.consumerGroup;
    if (!this.running || offsetManager === null) throw new Error("the consumer does not run");
    await offsetManager.commitOffsets(offsets);
  };
  runner.stop = async function (this: Runner) {
    stopped.add(this.consumerGroup);
    stopHeartbeats(this.consumerGroup);
    const stopping = stop.call(this);
    wakeAll(this.consumerGroup);
    await stopping;
  };
}

const transientNames: ReadonlySet<string> = new Set(["KafkaJSGroupCoordinatorNotFound", "KafkaJSLockTimeout", "KafkaJSTimeout"]);

/** #11: whether the error may be over a moment later, although kafkajs says otherwise. */
function isTransient(error: Error): boolean {
  return transientNames.has(error.name) || (error.cause instanceof Error && isTransient(error.cause));
}

/** #10, #16 */
function repairBroker(connected: Broker): void {
  const { connect } = connected;
  timeQuestions(connected);
  connected.connect = async function (this: Broker) {
    try {
      await connect.call(this);
    } catch (error) {
      // A caller that waited in vain for its turn leaves the connection to the one whose turn it is.
      if (!(error instanceof Error) || error.name !== "KafkaJSLockTimeout") await this.disconnect();
      throw error;
    }
  };
}

const leaderNotAvailable = 5;

/** #13 */
function keepOtherPartitions(): void {
  const { protocol } = metadataRequests;
  metadataRequests.protocol = (wanted) => {
    const make = protocol(wanted);
    return (asked) => {
      const { response, ...rest } = make(asked);
      return { ...rest, response: { ...response, parse: async (answer) => await response.parse(withoutLeaderErrors(answer)) } };
    };
  };
}

function withoutLeaderErrors(answer: Metadata): Metadata {
  const topicMetadata = answer.topicMetadata.map((topic) => ({
    ...topic,
    partitionMetadata: topic.partitionMetadata.map((partition) =>
      partition.partitionErrorCode === leaderNotAvailable ? { ...partition, partitionErrorCode: 0, leader: -1 } : partition,
    ),
  }));
  return { ...answer, topicMetadata };
}

/** #13 */
function repairCluster(asked: Cluster): void {
  const { findLeaderForPartitions, fetchTopicsOffset } = asked;
  asked.findLeaderForPartitions = function (this: Cluster, topic, partitions) {
    const { "-1": _leaderless, ...byLeader } = findLeaderForPartitions.call(this, topic, partitions);
    return byLeader;
  };
  asked.fetchTopicsOffset = async function (this: Cluster, topics) {
    const { metadata } = this.brokerPool;
    if (metadata !== null && isLeaderless(metadata)) await this.refreshMetadata();
    try {
      return await fetchTopicsOffset.call(this, topics);
    } catch (error) {
      // The leaders may be others by now.
      await tryRefresh(this);
      throw error;
    }
  };
}
