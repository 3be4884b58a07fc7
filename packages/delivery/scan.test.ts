import { createMemoryStore, type ParkedMessage, type ParkedStore } from "@sluice/store";
import { silentLog, silentMetrics } from "@sluice/telemetry";
import { createVirtualTime, sampleBank, seededRandom } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { deliveryBounds, type DeliveryBounds } from "./bounds.ts";
import { createContext } from "./context.ts";
import { deliveryMetrics } from "./delivery-metrics.ts";
import type { Answered } from "./destination.ts";
import { untried, type Delivery } from "./delivery.ts";
import { answerAt } from "./destination.fixture.ts";
import { laneEvents } from "./held.ts";
import { newLane, queueOf } from "./lane.ts";
import { scan } from "./scan.ts";
import { park, parkedOf, type ParkedState } from "./spill.ts";

const startAtMs = Date.UTC(2026, 10, 20, 8);
const delivery = (sequence: number, bank = "first"): Delivery => ({
  id: `m${sequence}`,
  uetr: `u${sequence}`,
  bank,
  operation: "inboundDirectDebit",
  stageVersion: null,
  deliveryKey: `u${sequence}`,
  sequence: BigInt(sequence),
  body: new Uint8Array(),
  headers: {},
  closesWith: null,
  stopsAtMs: null,
  deadlineMs: null,
  record: new Uint8Array(),
  traceparent: null,
});
const due = { progress: untried, nextAttemptAtMs: startAtMs, ended: null };

/** A lane whose store holds `stored`, and whose page covers nothing yet; the answers of `ofLane` wait for `answer`. */
async function setup(stored: readonly number[], bounds: Partial<DeliveryBounds> = {}, state: ParkedState = due) {
  const time = createVirtualTime({ startAtMs });
  const random = seededRandom(1);
  const { deliveries, lanes, addresses } = createMemoryStore({ time, random });
  const waiting: (() => void)[] = [];
  const leftOut: (readonly string[])[] = [];
  const parked: ParkedStore = {
    ...deliveries,
    async ofLane(lane, after, limit, banks) {
      const page = await deliveries.ofLane(lane, after, limit, banks);
      leftOut.push(banks?.butOf ?? []);
      await new Promise<void>((resolve) => waiting.push(resolve));
      return page;
    },
  };
  const unused = (): never => {
    throw new Error("not used");
  };
  const context = createContext(
    {
      time,
      random,
      log: silentLog,
      gateway: { post: unused, close: unused },
      producer: { send: unused },
      parked,
      lanes,
      addresses,
      agreed: { nowMs: () => time.nowMs(), observe: () => {} },
      receivers: [sampleBank({ id: "first" }), sampleBank({ id: "second" })],
      rules: { service: "test", acknowledges: unused, delivery: unused, recordsOf: unused, isExpiredKept: false },
      serde: { learn: unused },
      heartbeatAgeMs: () => 0,
      logEnds: unused,
    },
    { ...deliveryBounds, ...bounds },
    deliveryMetrics(silentMetrics),
    () => false,
    laneEvents(
      () => context,
      () => [lane],
    ),
  );
  const lane = newLane(context, 0, 1, null);
  const during = async <T>(promise: Promise<T>): Promise<T> => {
    await time.advance(100);
    return await promise;
  };
  const messages: ParkedMessage[] = stored.map((sequence) => parkedOf(lane, delivery(sequence), state));
  await during(deliveries.insert(messages));
  return {
    lane,
    during,
    time,
    /** Banks that each read was made without. */
    leftOut,
    stored: (...given: readonly [number, string, ParkedState][]) =>
      during(deliveries.insert(given.map(([sequence, bank, of]) => parkedOf(lane, delivery(sequence, bank), of)))),
    queue: () => queueOf(context, lane, "first"),
    answered: (over: Partial<Answered>) =>
      context.destinations.of("first", "inboundDirectDebit").answered(answerAt(time.monotonicMs(), over)),
    page: (bank = "first") => queueOf(context, lane, bank).page,
    scan: () => scan(context, lane, { messagesMax: 1_000 }),
    park: (sequence: number) => during(park(context, lane, delivery(sequence), due, "spilling")),
    settle: () => time.advance(100),
    /** Lets the oldest unanswered read be answered. */
    answer: async () => {
      waiting.shift()?.();
      await time.advance(100);
    },
  };
}

describe("a scan of what is parked", () => {
  it("fills the page from the store and says how far it covers", async () => {
    const world = await setup([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], { pageMessagesMax: 4 });
    const scanning = world.scan();
    await world.settle();
    await world.answer();
    await scanning;
    expect(world.page().size).toBe(4);
    expect(world.page().coveredBelow).toBe(5n);
  });

  it("I16: what is parked after it was read past is in the page all the same", async () => {
    const world = await setup([1, 2, 5]);
    const scanning = world.scan();
    await world.settle();
    // The store has been read; nothing of it has been answered yet.
    world.page();
    await world.park(4);
    await world.park(9);
    await world.answer();
    await scanning;
    expect(world.page().coveredBelow).toBeNull();
    expect([1, 2, 4, 5, 9].map((sequence) => world.page().has(`m${sequence}`))).toEqual([true, true, true, true, true]);
  });

  it("I16: where it cannot remember all that is parked meanwhile, it covers no further than the first that it forgot", async () => {
    const world = await setup([1, 2, 3], { scanLateMax: 1 });
    const scanning = world.scan();
    await world.settle();
    world.page();
    await world.park(10);
    await world.park(12);
    await world.park(11);
    await world.answer();
    await scanning;
    expect(world.page().coveredBelow).toBe(11n);
    const again = world.scan();
    await world.settle();
    await world.answer();
    await again;
    expect(world.page().coveredBelow).toBeNull();
    expect([10, 11, 12].every((sequence) => world.page().has(`m${sequence}`))).toBe(true);
  });

  it("I14: once a bank's page is full, what else it has parked does not lie between the lane and the other banks", async () => {
    const many = Array.from({ length: 40 }, (_, index) => index + 1);
    const world = await setup(many, { pageMessagesMax: 4, scanMessagesMax: 5 });
    await world.stored([41, "second", due]);
    const scanning = world.scan();
    await world.settle();
    for (let reads = 0; reads < 10; reads += 1) await world.answer();
    await scanning;
    expect(world.leftOut).toEqual([[], ["first"]]);
    expect([world.page().coveredBelow, world.page("second").coveredBelow]).toEqual([5n, null]);
    expect(world.page("second").has("m41")).toBe(true);
  });

  it("I14: nor does what a bank has parked whose page has enough", async () => {
    const world = await setup([1, 2, 3, 4, 5, 6], { pageMessagesMax: 4, scanMessagesMax: 5 });
    const scanning = world.scan();
    await world.settle();
    for (let reads = 0; reads < 3; reads += 1) await world.answer();
    await scanning;
    world.page("second").cover(0n);
    const again = world.scan();
    await world.settle();
    for (let reads = 0; reads < 3; reads += 1) await world.answer();
    await again;
    expect(world.leftOut.slice(-2)).toEqual([[], ["first"]]);
  });

  it("#5: what was given up is known once it was read, also when that is long after the take-over", async () => {
    const world = await setup([1, 2, 3, 4], { pageMessagesMax: 4, scanMessagesMax: 5 });
    await world.stored([5, "first", due], [6, "first", { ...due, ended: "refused" }], [7, "first", { ...due, ended: "stopped" }]);
    const scan = async (): Promise<void> => {
      const scanning = world.scan();
      await world.settle();
      for (let reads = 0; reads < 3; reads += 1) await world.answer();
      await scanning;
    };
    await scan();
    expect(["m6", "m7"].map((id) => world.lane.givenUp.has(id))).toEqual([false, false]);
    for (const id of ["m1", "m2", "m3", "m4"]) world.page().remove(id);
    await scan();
    expect(["m5", "m6", "m7"].map((id) => world.lane.givenUp.has(id))).toEqual([false, true, true]);
    expect(world.lane.givenUp.keepsStopped).toBe(true);
  });

  it("changes nothing when the store fails, and the next one starts where the page is", async () => {
    const world = await setup([1, 2, 3]);
    const scanning = world.scan();
    await world.settle();
    world.lane.ownership.close("gone");
    await expect(scanning).rejects.toThrow("gone");
    expect(world.page().size).toBe(0);
    expect(world.page().coveredBelow).toBe(0n);
  });

  it("what it had read when a breaker closed is due at its end, and drains before anything new is tried", async () => {
    const world = await setup([1, 2, 3], { scanMessagesMax: 2 }, { ...due, nextAttemptAtMs: startAtMs + 600_000 });
    const queue = world.queue();
    for (let number = 1; number <= 10; number += 1) world.answered({ uetr: `u${number}` });
    const scanning = world.scan();
    await world.settle();
    await world.answer();
    world.answered({ class: "acknowledged", status: 202 });
    await world.answer();
    await scanning;
    expect(queue.isSpilling).toBe(true);
    expect(queue.page.takeDue(world.time.monotonicMs())?.id).toBe("m1");
  });
});
