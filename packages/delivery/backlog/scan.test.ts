import { createMemoryStore, type ParkedMessage, type ParkedStore } from "@sluice/store";
import { type Metrics, silentLogger, silentMetrics } from "@sluice/kernel";
import { createVirtualTime, sampleBank, seededRandom } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { deliveryBounds, type DeliveryBounds } from "../bounds.ts";
import { createEngineContext, type EngineContext } from "../context.ts";
import { createDeliveryMetrics } from "../metrics.ts";
import type { AttemptAnswer } from "../endpoint/attempt-answer.ts";
import { untried, type Delivery } from "../rules.ts";
import { buildAttemptAnswer } from "../endpoint/endpoint.fixture.ts";
import { createEndpointSuspension } from "../endpoint/endpoint-suspension.ts";
import { createDeliveryPartition, getQueue } from "../partition/delivery-partition.ts";
import { passBacklog, scheduleScan } from "./scan.ts";
import { park, toParkedMessage, type ParkedState } from "./spill.ts";

const startAtMs = Date.UTC(2026, 10, 20, 8);
const delivery = (sequence: number, bank = "first"): Delivery => ({
  id: `m${sequence}`,
  uetr: `u${sequence}`,
  receiverId: bank,
  operation: "inboundDirectDebit",
  stageVersion: null,
  deliveryKey: `u${sequence}`,
  sequence: BigInt(sequence),
  body: new Uint8Array(),
  headers: {},
  reconciliationDay: null,
  stopsAtMs: null,
  deadlineMs: null,
  record: new Uint8Array(),
  traceparent: null,
});
const due = { progress: untried, nextAttemptAtMs: startAtMs, ended: null };

const endpointOf = (context: EngineContext, bank: string) => context.endpoints.forOperation(bank, "inboundDirectDebit");

/**
 * A partition whose store holds `stored` and whose page covers nothing yet; the answers of `ofPartition` wait for
 * `answer`.
 */
async function setup(stored: readonly number[], bounds: Partial<DeliveryBounds> = {}, state: ParkedState = due) {
  const time = createVirtualTime({ startAtMs });
  const random = seededRandom(1);
  const { deliveries, partitions, endpointHealth } = createMemoryStore({ time, random });
  const waiting: (() => void)[] = [];
  const counter: Metrics["counter"] = (name) => ({ add: (_labels, by = 1) => void (counts[name] = (counts[name] ?? 0) + by) });
  const selections: string[] = [];
  const counts: Record<string, number> = {};
  const parked: ParkedStore = {
    ...deliveries,
    async listByPartition(partition, after, limit, selection = { exceptReceivers: [] }) {
      const page = await deliveries.listByPartition(partition, after, limit, selection);
      selections.push("only" in selection ? `only ${selection.only.receiverId}` : `all but ${selection.exceptReceivers.join(",")}`);
      await new Promise<void>((resolve) => waiting.push(resolve));
      return page;
    },
  };
  const unused = (): never => {
    throw new Error("not used");
  };
  const context = createEngineContext(
    {
      time,
      random,
      logger: silentLogger,
      gateway: { post: unused, close: unused },
      producer: { send: unused },
      parked,
      partitionStore: partitions,
      endpointHealth,
      brokerClock: { nowMs: () => time.nowMs(), observe: () => {} },
      receivers: [sampleBank({ id: "first" }), sampleBank({ id: "second" })],
      rules: { service: "test", acknowledges: unused, readDelivery: unused, buildEndRecords: unused, isExpiredKept: false },
      serde: { learn: unused },
      heartbeatAgeMs: () => 0,
      partitionEnds: unused,
      fail: unused,
      logIdentity: unused,
    },
    { ...deliveryBounds, ...bounds },
    createDeliveryMetrics({ ...silentMetrics, counter }, time),
    () => false,
    createEndpointSuspension(
      () => context,
      () => [partition],
    ),
  );
  const partition = createDeliveryPartition(context, 0, 1, null);
  const during = async <T>(promise: Promise<T>): Promise<T> => {
    await time.advance(100);
    return await promise;
  };
  const toStored = (sequence: number, bank: string, of: ParkedState): ParkedMessage => {
    return { ...toParkedMessage(partition, delivery(sequence, bank), of), version: 1n };
  };
  const messages = stored.map((sequence) => toStored(sequence, "first", state));
  await during(deliveries.insert(messages));
  return {
    partition,
    during,
    time,
    /** What each read was to list. */
    selections,
    counts,
    stored: (...given: readonly (readonly [number, string, ParkedState])[]) =>
      during(deliveries.insert(given.map(([sequence, bank, of]) => toStored(sequence, bank, of)))),
    queue: () => getQueue(context, partition, "first"),
    answered: (over: Partial<AttemptAnswer>) =>
      context.endpoints.forOperation("first", "inboundDirectDebit").recordAnswer(buildAttemptAnswer(time.monotonicMs(), over)),
    page: (bank = "first") => getQueue(context, partition, bank).page,
    covered: (bank = "first") => getQueue(context, partition, bank).page.coveredBelow(endpointOf(context, bank)),
    pass: () => passBacklog(context, partition, 1_000),
    refill: () => scheduleScan(context, partition, () => {}),
    takeUntried: (bank = "first") =>
      getQueue(context, partition, bank).page.takeDue(endpointOf(context, bank), "untried", time.monotonicMs())?.id,
    park: (sequence: number) => during(park(context, partition, delivery(sequence), due, "spilling")),
    settle: () => time.advance(100),
    /** Lets the oldest unanswered read be answered. */
    answer: async () => {
      waiting.shift()?.();
      await time.advance(100);
    },
  };
}

const many = (count: number, from = 1): number[] => Array.from({ length: count }, (_, index) => from + index);

describe("the pass over a partition's backlog", () => {
  const answerAll = async (environment: Awaited<ReturnType<typeof setup>>, passing: Promise<void>, reads = 10): Promise<void> => {
    for (let answered = 0; answered < reads; answered += 1) await environment.answer();
    await passing;
  };

  it("fills the pages from the store and sets how far they cover", async () => {
    const environment = await setup(many(40), { untriedInMemoryMax: 16 });
    const passing = environment.pass();
    await environment.settle();
    await answerAll(environment, passing);
    expect(environment.page().size).toBe(16);
    expect(environment.covered()).toBe(17n);
  });

  it("I16: a message parked after the read has passed its place is in the page all the same", async () => {
    const environment = await setup([1, 2, 5]);
    const passing = environment.pass();
    await environment.settle();
    // The store has been read, but the answer has not arrived yet.
    environment.page();
    await environment.park(4);
    await environment.park(9);
    await environment.answer();
    await passing;
    expect(environment.covered()).toBeNull();
    expect([1, 2, 4, 5, 9].map((sequence) => environment.page().has(`m${sequence}`))).toEqual([true, true, true, true, true]);
  });

  it("I16: where not all messages parked meanwhile can be remembered, the page covers no further than the first forgotten one", async () => {
    const environment = await setup([1, 2, 3], { scanArrivalsMax: 1 });
    const passing = environment.pass();
    await environment.settle();
    environment.page();
    await environment.park(10);
    await environment.park(12);
    await environment.park(11);
    await environment.answer();
    await passing;
    expect(environment.covered()).toBe(11n);
    environment.refill();
    await environment.settle();
    await environment.answer();
    expect(environment.covered()).toBeNull();
    expect([10, 11, 12].every((sequence) => environment.page().has(`m${sequence}`))).toBe(true);
  });

  it("I14: a receiver whose page is full is read no more, so it does not delay the others", async () => {
    const environment = await setup(many(40), { untriedInMemoryMax: 4, scanMessagesMax: 10 });
    await environment.stored([41, "second", due]);
    const passing = environment.pass();
    await environment.settle();
    await answerAll(environment, passing);
    expect(environment.selections).toEqual(["all but ", "all but first"]);
    expect([environment.covered(), environment.covered("second")]).toEqual([5n, null]);
    expect(environment.page("second").has("m41")).toBe(true);
  });

  it("I14: messages that fail do not keep those behind them out of memory", async () => {
    const failed = { ...due, progress: { ...untried, attempts: 5 } };
    const environment = await setup(many(100), { untriedInMemoryMax: 8 }, failed);
    await environment.stored(...many(4, 101).map((sequence) => [sequence, "first", due] as [number, string, ParkedState]));
    const passing = environment.pass();
    await environment.settle();
    await answerAll(environment, passing);
    expect(environment.covered()).toBeNull();
    expect(environment.takeUntried()).toBe("m101");
  });

  it("changes nothing when the store fails, and the next one starts where the page is", async () => {
    const environment = await setup([1, 2, 3]);
    const passing = environment.pass();
    await environment.settle();
    environment.partition.lease.close("gone");
    await expect(passing).rejects.toThrow("gone");
    expect(environment.page().size).toBe(0);
    expect(environment.covered()).toBe(0n);
  });

  it("messages parked during a read in which a breaker closed are due, and drain before a new one is tried", async () => {
    const environment = await setup([1, 2, 3], { scanMessagesMax: 2 }, { ...due, nextAttemptAtMs: startAtMs + 600_000 });
    const queue = environment.queue();
    for (let number = 1; number <= 10; number += 1) environment.answered({ uetr: `u${number}` });
    const passing = environment.pass();
    await environment.settle();
    await environment.answer();
    environment.answered({ class: "acknowledged", status: 202 });
    await environment.answer();
    await passing;
    expect(queue.isSpilling).toBe(true);
    expect(environment.takeUntried()).toBe("m1");
  });
});

describe("a refill", () => {
  const passed = async (...given: Parameters<typeof setup>) => {
    const environment = await setup(...given);
    const passing = environment.pass();
    await environment.settle();
    for (let answered = 0; answered < 10; answered += 1) await environment.answer();
    await passing;
    return environment;
  };

  it("I16: reads on at once, for one receiver alone, when few messages are left in memory", async () => {
    const environment = await passed(many(12), { untriedInMemoryMax: 8 });
    environment.refill();
    await environment.settle();
    expect(environment.selections).toEqual(["all but "]);
    for (const sequence of many(7)) environment.page().remove(`m${sequence}`);
    environment.refill();
    await environment.settle();
    await environment.answer();
    expect(environment.selections).toEqual(["all but ", "only first"]);
    expect(environment.covered()).toBeNull();
    expect(environment.page().size).toBe(5);
  });

  it("#5: a given-up message is known once it was read, even long after the take-over", async () => {
    const environment = await setup(many(4), { untriedInMemoryMax: 4 });
    await environment.stored([5, "first", due], [6, "first", { ...due, ended: "refused" }], [7, "first", { ...due, ended: "stopped" }]);
    const passing = environment.pass();
    await environment.settle();
    await environment.answer();
    await passing;
    for (const sequence of many(4)) environment.page().remove(`m${sequence}`);
    environment.refill();
    await environment.settle();
    await environment.answer();
    expect(["m5", "m6", "m7"].map((id) => environment.partition.givenUp.has(id))).toEqual([false, true, true]);
    expect(environment.partition.givenUp.hasStopped).toBe(true);
  });

  it("I15: says where too many messages fail, and tries again later", async () => {
    const failed = { ...due, progress: { ...untried, attempts: 5 } };
    const environment = await passed(many(100), { failedInMemoryMax: 32, scanSpacingMs: 1_000 }, failed);
    const covered = environment.covered();
    expect(covered).toBe(17n);
    environment.refill();
    await environment.settle();
    await environment.answer();
    expect(environment.covered()).toBe(covered);
    environment.refill();
    await environment.settle();
    expect(environment.selections.filter((one) => one === "only first")).toHaveLength(1);
    // An alarm counts it.
    expect(environment.counts["sluice_delivery_backlog_full_total"]).toBe(1);
    await environment.time.advance(1_000);
    expect(environment.selections.filter((one) => one === "only first")).toHaveLength(2);
  });
});
