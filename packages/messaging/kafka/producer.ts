// The producer over kafkajs: a queue for each broker that leads partitions (`leader-queue.ts`).
//
// #1 A record waits in the queue of its partition's leader. As long as records of the partition wait there, later ones
//    follow them, also if the leader has changed, so that their order is kept.
// #2 A record of a partition without a leader, or whose leader has just refused one, is refused at once, and the other
//    records of its send are not.
// #3 A topic or partition that does not exist is refused before kafkajs sees it, because kafkajs would fail all later
//    sends too.

import type { Kafka, ProducerBatch } from "kafkajs";
import { Fault, type Gauge, type Histogram, type Logger, type Metrics, type Time } from "@sluice/kernel";
import { clientClosed, PartlyAppendedFault, partlyAppended, requestRefused, unknownOutcome } from "../faults.ts";
import { callRetry } from "./client.ts";
import { type BatchSender, LeaderQueue } from "./leader-queue.ts";
import type { TopicSizes } from "./topic-sizes.ts";
import type { AppendResult, OutgoingRecord, Producer } from "../port.ts";
import { checkSizes, moreDoubtful } from "../send-queue.ts";

export interface KafkaProducerOptions {
  readonly kafka: Kafka;
  readonly sizes: TopicSizes;
  readonly name: string;
  /** Passed to the send queues. */
  readonly busyLingerMaxMs?: number;
  readonly metrics?: Pick<Metrics, "gauge" | "histogram">;
  readonly time: Time;
  readonly logger: Logger;
}

/** Where the records of one partition go, and how many of them wait there (#1). */
interface Route {
  queue: LeaderQueue;
  waitingCount: number;
}

export class KafkaProducer implements Producer {
  readonly #options: KafkaProducerOptions;
  readonly #createSender: () => BatchSender;
  readonly #queues = new Map<number, LeaderQueue>();
  readonly #routes = new Map<string, Route[]>();
  readonly #appendSeconds: Histogram | null;
  /** Batches that the broker has not acknowledged; a log that hangs acknowledges none. */
  readonly #waiting: Gauge | null;
  #waitingCount = 0;
  /** Connected at the start, for the first queue. */
  #firstSender: BatchSender | null = null;
  #learning: Promise<void> | null = null;
  /** Sends that wait for the sizes of their topics, or behind such a send. */
  readonly #unqueued = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(options: KafkaProducerOptions, createSender: () => BatchSender = () => idempotentSender(options.kafka)) {
    this.#options = options;
    this.#createSender = createSender;
    const { metrics = null } = options;
    this.#appendSeconds =
      metrics?.histogram("sluice_log_append_seconds", "Seconds that the broker took to acknowledge a batch, including repeats.", [
        "producer",
      ]) ?? null;
    this.#waiting = metrics?.gauge("sluice_log_appends_waiting", "Batches that the broker has not acknowledged.", ["producer"]) ?? null;
    this.#countWaiting(0);
  }

  async connect(): Promise<void> {
    const sender = this.#createSender();
    try {
      await sender.connect();
    } catch (error) {
      await sender.disconnect().catch(() => {});
      throw requestRefused("no producer could connect to the broker", { isRetryable: true, cause: error });
    }
    this.#firstSender = sender;
  }

  send(records: readonly OutgoingRecord[]): Promise<readonly AppendResult[]> {
    if (this.#isClosed) return Promise.reject(clientClosed("the producer is closed"));
    const { sizes } = this.#options;
    if (this.#learning === null && sizes.hasAll(records)) return this.#sendPlaced(records);
    if (this.#learning === null && sizes.knowsAll(records)) return this.#sendKnown(records);
    const sent = this.#learn(records).then(() => this.#sendKnown(records));
    this.#unqueued.add(sent);
    void sent.catch(() => {}).finally(() => this.#unqueued.delete(sent));
    return sent;
  }

  /** #3 */
  #sendKnown(records: readonly OutgoingRecord[]): Promise<readonly AppendResult[]> {
    const { sizes } = this.#options;
    const missing = records.find((record) => !sizes.has(record));
    if (missing !== undefined) {
      return Promise.reject(requestRefused(`there is no ${missing.topic}/${missing.partition}`, { isRetryable: false }));
    }
    return this.#sendPlaced(records);
  }

  #sendPlaced(records: readonly OutgoingRecord[]): Promise<readonly AppendResult[]> {
    this.#options.sizes.refreshWhenDue();
    const routes = records.map((record) => this.#route(record));
    const [first = null] = routes;
    if (first !== null && routes.every((route) => route?.queue === first.queue)) return sendTo(first.queue, records, routes);
    // As a whole or not at all, also where it has no records.
    const wrongSize = checkSizes(records);
    return wrongSize === null ? this.#sendApart(records, routes) : Promise.reject(wrongSize);
  }

  /** #1; null: the partition has no leader (#2). */
  #route(record: OutgoingRecord): Route | null {
    const ofTopic = this.#routes.get(record.topic) ?? [];
    this.#routes.set(record.topic, ofTopic);
    const known = ofTopic[record.partition];
    if (known !== undefined && known.waitingCount > 0) return known;
    const leader = this.#options.sizes.leader(record);
    if (leader === null) return null;
    const route = known ?? { queue: this.#queue(leader), waitingCount: 0 };
    route.queue = this.#queue(leader);
    ofTopic[record.partition] = route;
    return route;
  }

  /** Sends each queue its part, and puts the answers together. */
  async #sendApart(records: readonly OutgoingRecord[], routes: readonly (Route | null)[]): Promise<readonly AppendResult[]> {
    const answers: (AppendResult | null)[] = records.map(() => null);
    let fault: Fault | null = null;
    const indexes = Map.groupBy(records.keys(), (index) => routes[index]?.queue ?? null);
    const parts = [...indexes].map(async ([queue, part]) => {
      const own = part.map((index) => records[index]!);
      try {
        if (queue === null)
          throw requestRefused(`${own[0]?.topic}/${own[0]?.partition} has no leader that takes records`, { isRetryable: true });
        const appended = await sendTo(
          queue,
          own,
          part.map((index) => routes[index] ?? null),
        );
        for (const [at, index] of part.entries()) answers[index] = appended[at] ?? null;
      } catch (error) {
        if (error instanceof PartlyAppendedFault) for (const [at, index] of part.entries()) answers[index] = error.appended[at] ?? null;
        fault = moreDoubtful(fault, error instanceof Fault ? error : unknownOutcome("the broker's answer was lost", error));
      }
    });
    await Promise.all(parts);
    if (fault !== null) throw partlyAppended(answers, fault);
    return answers.filter((answer) => answer !== null);
  }

  #queue(leader: number): LeaderQueue {
    const known = this.#queues.get(leader);
    if (known !== undefined) return known;
    const { sizes, name, time, logger, busyLingerMaxMs } = this.#options;
    const queue = new LeaderQueue({
      name,
      time,
      logger,
      ...(busyLingerMaxMs === undefined ? {} : { busyLingerMaxMs }),
      createSender: () => this.#takeSender(),
      countWaiting: (change) => this.#countWaiting(change),
      acknowledged: (seconds) => this.#appendSeconds?.observe(seconds, { producer: name }),
      failed: (partition) => (partition === null ? sizes.doubt() : sizes.lost(partition)),
    });
    this.#queues.set(leader, queue);
    return queue;
  }

  #takeSender(): BatchSender {
    const sender = this.#firstSender;
    this.#firstSender = null;
    if (sender === null) return this.#createSender();
    return { ...sender, connect: () => Promise.resolve() };
  }

  /** Sends wait for earlier ones, so that call order is kept. */
  async #learn(records: readonly OutgoingRecord[]): Promise<void> {
    const before = this.#learning ?? Promise.resolve();
    const learnt = before.then(() => this.#options.sizes.learn(records.map(({ topic }) => topic)));
    const settled = learnt.catch(() => {});
    this.#learning = settled;
    try {
      await learnt;
    } catch (error) {
      throw requestRefused("the broker does not answer which topics it has", { isRetryable: true, cause: error });
    } finally {
      if (this.#learning === settled) this.#learning = null;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#unqueued);
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
    const unused = this.#firstSender;
    this.#firstSender = null;
    await unused?.disconnect().catch(() => {});
  }

  #countWaiting(change: 1 | 0 | -1): void {
    this.#waitingCount += change;
    this.#waiting?.set(this.#waitingCount, { producer: this.#options.name });
  }
}

function sendTo(queue: LeaderQueue, records: readonly OutgoingRecord[], routes: readonly (Route | null)[]) {
  for (const route of routes) if (route !== null) route.waitingCount += 1;
  return queue.send(records, () => {
    for (const route of routes) if (route !== null) route.waitingCount -= 1;
  });
}

function idempotentSender(kafka: Kafka): BatchSender {
  const producer = kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    retry: callRetry,
    createPartitioner:
      () =>
      ({ message }) =>
        message.partition ?? 0,
  });
  return {
    connect: () => producer.connect(),
    disconnect: () => producer.disconnect(),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- repair 8
    sendBatch: (batch) => producer.sendBatch(batch as unknown as ProducerBatch),
  };
}
