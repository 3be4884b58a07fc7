import { createMemoryStore, type ParkedMessage, type ParkedStore } from "@sluice/store";
import { silentLogger, silentMetrics } from "@sluice/kernel";
import { createVirtualTime, sampleBank, seededRandom } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { deliveryBounds, type DeliveryBounds } from "../bounds.ts";
import { createEngineContext } from "../context.ts";
import { createDeliveryMetrics } from "../metrics.ts";
import type { AttemptAnswer } from "../endpoint/endpoint.ts";
import { untried, type Delivery } from "../rules.ts";
import { buildAttemptAnswer } from "../endpoint/endpoint.fixture.ts";
import { createEndpointSuspension } from "../endpoint/endpoint-suspension.ts";
import { createDeliveryPartition, getQueue } from "../partition/delivery-partition.ts";
import { scanBacklog } from "./scan.ts";
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

/**
 * A partition whose store holds `stored` and whose page covers nothing yet; the answers of `ofPartition` wait for
 * `answer`.
 */
async function setup(stored: readonly number[], bounds: Partial<DeliveryBounds> = {}, state: ParkedState = due) {
  const time = createVirtualTime({ startAtMs });
  const random = seededRandom(1);
  const { deliveries, partitions, endpointHealth } = createMemoryStore({ time, random });
  const waiting: (() => void)[] = [];
  const leftOut: (readonly string[])[] = [];
  const parked: ParkedStore = {
    ...deliveries,
    async listByPartition(partition, after, limit, banks) {
      const page = await deliveries.listByPartition(partition, after, limit, banks);
      leftOut.push(banks?.exceptReceivers ?? []);
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
    },
    { ...deliveryBounds, ...bounds },
    createDeliveryMetrics(silentMetrics, time),
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
  const messages: ParkedMessage[] = stored.map((sequence) => toParkedMessage(partition, delivery(sequence), state));
  await during(deliveries.insert(messages));
  return {
    partition,
    during,
    time,
    /** The receivers that each read left out. */
    leftOut,
    stored: (...given: readonly [number, string, ParkedState][]) =>
      during(deliveries.insert(given.map(([sequence, bank, of]) => toParkedMessage(partition, delivery(sequence, bank), of)))),
    queue: () => getQueue(context, partition, "first"),
    answered: (over: Partial<AttemptAnswer>) =>
      context.endpoints.forOperation("first", "inboundDirectDebit").recordAnswer(buildAttemptAnswer(time.monotonicMs(), over)),
    page: (bank = "first") => getQueue(context, partition, bank).page,
    scan: () => scanBacklog(context, partition, { messagesMax: 1_000 }),
    park: (sequence: number) => during(park(context, partition, delivery(sequence), due, "spilling")),
    settle: () => time.advance(100),
    /** Lets the oldest unanswered read be answered. */
    answer: async () => {
      waiting.shift()?.();
      await time.advance(100);
    },
  };
}

describe("a scan of the backlog", () => {
  it("fills the page from the store and sets how far the page covers", async () => {
    const environment = await setup([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], { pageMessagesMax: 4 });
    const scanning = environment.scan();
    await environment.settle();
    await environment.answer();
    await scanning;
    expect(environment.page().size).toBe(4);
    expect(environment.page().coveredBelow).toBe(5n);
  });

  it("I16: a message parked after the scan has read past its place is in the page all the same", async () => {
    const environment = await setup([1, 2, 5]);
    const scanning = environment.scan();
    await environment.settle();
    // The store has been read, but the answer has not arrived yet.
    environment.page();
    await environment.park(4);
    await environment.park(9);
    await environment.answer();
    await scanning;
    expect(environment.page().coveredBelow).toBeNull();
    expect([1, 2, 4, 5, 9].map((sequence) => environment.page().has(`m${sequence}`))).toEqual([true, true, true, true, true]);
  });

  it("I16: where not all messages parked meanwhile can be remembered, the page covers no further than the first forgotten one", async () => {
    const environment = await setup([1, 2, 3], { scanArrivalsMax: 1 });
    const scanning = environment.scan();
    await environment.settle();
    environment.page();
    await environment.park(10);
    await environment.park(12);
    await environment.park(11);
    await environment.answer();
    await scanning;
    expect(environment.page().coveredBelow).toBe(11n);
    const again = environment.scan();
    await environment.settle();
    await environment.answer();
    await again;
    expect(environment.page().coveredBelow).toBeNull();
    expect([10, 11, 12].every((sequence) => environment.page().has(`m${sequence}`))).toBe(true);
  });

  it("I14: once a bank's page is full, its further messages do not delay the other banks", async () => {
    const many = Array.from({ length: 40 }, (_, index) => index + 1);
    const environment = await setup(many, { pageMessagesMax: 4, scanMessagesMax: 5 });
    await environment.stored([41, "second", due]);
    const scanning = environment.scan();
    await environment.settle();
    for (let reads = 0; reads < 10; reads += 1) await environment.answer();
    await scanning;
    expect(environment.leftOut).toEqual([[], ["first"]]);
    expect([environment.page().coveredBelow, environment.page("second").coveredBelow]).toEqual([5n, null]);
    expect(environment.page("second").has("m41")).toBe(true);
  });

  it("I14: the messages of a bank whose page has enough do not delay the other banks either", async () => {
    const environment = await setup([1, 2, 3, 4, 5, 6], { pageMessagesMax: 4, scanMessagesMax: 5 });
    const scanning = environment.scan();
    await environment.settle();
    for (let reads = 0; reads < 3; reads += 1) await environment.answer();
    await scanning;
    environment.page("second").setCoveredBelow(0n);
    const again = environment.scan();
    await environment.settle();
    for (let reads = 0; reads < 3; reads += 1) await environment.answer();
    await again;
    expect(environment.leftOut.slice(-2)).toEqual([[], ["first"]]);
  });

  it("#5: a given-up message is known once it was read, even long after the take-over", async () => {
    const environment = await setup([1, 2, 3, 4], { pageMessagesMax: 4, scanMessagesMax: 5 });
    await environment.stored([5, "first", due], [6, "first", { ...due, ended: "refused" }], [7, "first", { ...due, ended: "stopped" }]);
    const scan = async (): Promise<void> => {
      const scanning = environment.scan();
      await environment.settle();
      for (let reads = 0; reads < 3; reads += 1) await environment.answer();
      await scanning;
    };
    await scan();
    expect(["m6", "m7"].map((id) => environment.partition.givenUp.has(id))).toEqual([false, false]);
    for (const id of ["m1", "m2", "m3", "m4"]) environment.page().remove(id);
    await scan();
    expect(["m5", "m6", "m7"].map((id) => environment.partition.givenUp.has(id))).toEqual([false, true, true]);
    expect(environment.partition.givenUp.hasStopped).toBe(true);
  });

  it("changes nothing when the store fails, and the next one starts where the page is", async () => {
    const environment = await setup([1, 2, 3]);
    const scanning = environment.scan();
    await environment.settle();
    environment.partition.lease.close("gone");
    await expect(scanning).rejects.toThrow("gone");
    expect(environment.page().size).toBe(0);
    expect(environment.page().coveredBelow).toBe(0n);
  });

  it("messages that it had read when a breaker closed are due at its end, and drain before a new message is tried", async () => {
    const environment = await setup([1, 2, 3], { scanMessagesMax: 2 }, { ...due, nextAttemptAtMs: startAtMs + 600_000 });
    const queue = environment.queue();
    for (let number = 1; number <= 10; number += 1) environment.answered({ uetr: `u${number}` });
    const scanning = environment.scan();
    await environment.settle();
    await environment.answer();
    environment.answered({ class: "acknowledged", status: 202 });
    await environment.answer();
    await scanning;
    expect(queue.isSpilling).toBe(true);
    expect(queue.page.takeDue(environment.time.monotonicMs())?.id).toBe("m1");
  });
});
