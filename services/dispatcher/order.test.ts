import { groups, topics } from "@sluice/contracts";
import type { Reply, Received } from "@sluice/delivery/delivery-world";
import { sampleBank, seededRandom } from "@sluice/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dispatcherWorld, messageId, uetr, type DispatcherWorld } from "./dispatcher.fixture.ts";

const minuteMs = 60_000;
const sequence = ["A", "R", "D"] as const;

/** I4: what breaks the order of a key: a first attempt before the one before it was acknowledged (or refused for good). */
function disorder(received: readonly Received[], ids: readonly string[]): string[] {
  const found: string[] = [];
  for (const [index, id] of ids.entries()) {
    const before = ids[index - 1];
    const first = received.find((request) => request.id === id);
    if (before === undefined || first === undefined) continue;
    const isDone = received.some(
      (request) =>
        request.id === before && isEnd(request.status) && request.atMs <= first.atMs && received.indexOf(request) < received.indexOf(first),
    );
    if (!isDone) found.push(`${id} at ${first.atMs} before the end of ${before}`);
  }
  return found;
}

function isEnd(status: number | null): boolean {
  return status === 202 || status === 422;
}

/** I3 */
function changedBytes(received: readonly Received[]): string[] {
  const bodies = new Map<string, string>();
  return received.filter(({ id, body }) => (bodies.get(id) ?? bodies.set(id, body).get(id)) !== body).map(({ id }) => id);
}

const keyOf = (number: number): string[] => sequence.map((letter) => messageId(number, letter));
const dispatchAll = async (world: DispatcherWorld, numbers: readonly number[]): Promise<void> => {
  for (const letter of sequence) await world.dispatch(...numbers.map((number) => ({ messageIdentification: messageId(number, letter) })));
};

describe("order per key (I4)", { timeout: 30_000 }, () => {
  it("I4: the next message is first tried after the one before was acknowledged, through spill, drain and restart", async () => {
    const world = dispatcherWorld();
    const first = await world.start();
    world.answers(({ attempt }) => (attempt < 5 ? 503 : 202));
    await dispatchAll(world, [1, 2, 3]);
    await world.until(() => world.received.length > 8);
    await first.stop();
    await world.start();
    await world.until(() => world.endedIds().size === 9);
    expect([1, 2, 3].flatMap((number) => disorder(world.received, keyOf(number)))).toEqual([]);
    expect(changedBytes(world.received)).toEqual([]);
    expect(world.received.filter(({ status }) => status === 202)).toHaveLength(9);
    await world.time.advance(1_000);
    expect(await world.parked("deliveries")).toEqual([]);
  });

  it("I4: a new owner knows what is parked before it hands out the first record", async () => {
    const world = dispatcherWorld();
    const first = await world.start();
    // About the address: tried again after a minute at least.
    world.answers(() => 404);
    await world.dispatch({ messageIdentification: messageId(1, "A") });
    await world.until(() => world.received.length === 1);
    await world.time.advance(1_000);
    await first.stop();
    await world.dispatch({ messageIdentification: messageId(1, "D") }, { messageIdentification: messageId(2, "D") });
    world.answers(() => 202);
    await world.start();
    await world.until(() => world.endedIds().has(messageId(2, "D")), 20_000);
    await world.time.advance(minuteMs / 2);
    expect(world.attemptsOf(messageId(1, "D"))).toEqual([]);
    await world.until(() => world.endedIds().size === 3);
    expect(disorder(world.received, [messageId(1, "A"), messageId(1, "D")])).toEqual([]);
  });

  it("a lane goes on at its own position, not at the group's: a store put back is repaired by replay", async () => {
    const world = dispatcherWorld();
    const first = await world.start();
    await world.dispatch({ messageIdentification: messageId(1) }, { messageIdentification: messageId(2) });
    await world.until(() => world.endedIds().size === 2);
    await first.stop();
    expect(world.log.committed(groups.dispatcher, { topic: topics.dispatch, partition: 0 })).toBe(2n);
    const restored = await world.during(world.store.lanes.takeOver("dispatcher", 0));
    await world.during(world.store.lanes.write("dispatcher", 0, restored.epoch, 1n));
    await world.start();
    await world.until(() => world.received.length === 3);
    await world.time.advance(1_000);
    expect(world.received.map(({ id }) => id)).toEqual([messageId(1), messageId(2), messageId(2)]);
  });

  it("a message with an own key holds nothing up, and is held up by nothing", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(({ id }) => (id.startsWith("X") || id === messageId(2) ? "silent" : 202));
    const own = `X${"a".repeat(34)}`;
    await world.dispatch({ messageIdentification: own, uetr: uetr(1), deliveryKey: own }, { messageIdentification: messageId(1) });
    await world.dispatch(
      { messageIdentification: messageId(2) },
      { messageIdentification: `Y${"b".repeat(34)}`, uetr: uetr(2), deliveryKey: `Y${"b".repeat(34)}` },
    );
    await world.until(() => world.endedIds().size === 2, 2_000);
    expect(world.endedIds()).toEqual(new Set([messageId(1), `Y${"b".repeat(34)}`]));
  });

  it("I3, I4, I16: whatever banks answer, whatever store and log fail at, whenever processes end or the bank is paused: all is delivered in order, unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.array(fc.constantFrom(...replies), { minLength: 5, maxLength: 40 }),
        fc.array(fc.tuple(fc.integer({ min: 50, max: 8_000 }), fc.constantFrom(...troubles)), { maxLength: 5 }),
        fc.constantFrom(4, 8, 10_000),
        fc.constantFrom(0, 0, 0.1, 0.3),
        async (seed, given, ends, pageMessagesMax, faultShare) => {
          const world = dispatcherWorld({ seed, lanes: 2, bounds: { pageMessagesMax, scanMessagesMax: 3 } });
          const random = seededRandom(seed);
          let requests = 0;
          world.answers(() => given[requests++] ?? 202);
          const draw = <T>(faults: readonly T[], none: T): T =>
            random.fraction() < faultShare ? (faults[Math.floor(random.fraction() * faults.length)] ?? none) : none;
          let process = await world.start();
          let pauses = 0;
          let isPaused = false;
          const pauseOrResume = async (): Promise<void> => {
            isPaused = !isPaused;
            if (isPaused) await world.pause((pauses += 1));
            else await world.resume(pauses);
          };
          await dispatchAll(world, [1, 2, 3, 4]);
          world.hooks.store.fault = () => draw(["down", "slow", "ambiguous", "torn"] as const, "none");
          world.hooks.log.produce = (client) =>
            client === "test"
              ? { kind: "append" }
              : { kind: draw(["refuse", "lose-answer", "lose-request", "unknown"] as const, "append") };
          for (const [afterMs, trouble] of ends) {
            await world.time.advance(afterMs);
            if (trouble === "pause or resume") await pauseOrResume();
            else if (trouble === "rebalance") world.log.rebalance(groups.dispatcher);
            else if (trouble === "cut") process.client.cut(9_000);
            else {
              if (trouble === "kill") process.kill();
              if (trouble === "stop") await process.stop();
              process = await world.start();
            }
          }
          world.hooks.store.fault = () => "none";
          world.hooks.log.produce = () => ({ kind: "append" });
          if (isPaused) await pauseOrResume();
          const ids = [1, 2, 3, 4].flatMap(keyOf);
          await world.until(() => ids.every((id) => world.endedIds().has(id)), 30 * minuteMs);
          // A write of an owner that lost its lane may come late; whoever takes the lane next finds what it left, and repeats it.
          await world.start();
          await world.time.advance(20_000);
          expect([1, 2, 3, 4].flatMap((number) => disorder(world.received, keyOf(number)))).toEqual([]);
          expect(changedBytes(world.received)).toEqual([]);
          expect((await world.parked("deliveries")).filter(({ ended }) => ended === null).map(({ id }) => id)).toEqual([]);
          expect(world.failures).toEqual([]);
        },
      ),
      { numRuns: 40, seed: 20261121 },
    );
  });
});

const replies: readonly Reply[] = [
  202,
  202,
  503,
  500,
  429,
  "silent",
  422,
  { status: 202, afterMs: 2_000 },
  { status: 202, afterMs: 6_000 },
  { status: 503, retryAfter: "3" },
];
/** `join`: a second process comes beside the first. */
const troubles = ["kill", "stop", "join", "rebalance", "cut", "pause or resume"] as const;

describe("who owns the lane", { timeout: 30_000 }, () => {
  it("no attempt begins while the group's coordinator has not answered for half the session time-out", async () => {
    const world = dispatcherWorld();
    const { client } = await world.start();
    world.answers(() => 503);
    await world.dispatch({});
    await world.until(() => world.received.length === 3);
    const cutAtMs = world.time.nowMs();
    client.cut(5_500);
    await world.time.advance(5_400);
    const late = world.received.filter(({ atMs }) => atMs > cutAtMs + 3_000);
    expect(late).toEqual([]);
    world.answers(() => 202);
    await world.until(() => world.endedIds().size === 1);
  });

  it("an owner that was cut off for longer than its session leaves the lane to the next, and nothing is lost", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 2 })] });
    const { client } = await world.start();
    world.answers(({ attempt }) => (attempt < 3 ? 503 : 202));
    await dispatchAll(world, [1, 2, 3]);
    await world.time.advance(300);
    client.cut(30_000);
    await world.start();
    await world.until(() => world.endedIds().size === 9, 2 * minuteMs);
    await world.time.advance(minuteMs);
    expect([1, 2, 3].flatMap((number) => disorder(world.received, keyOf(number)))).toEqual([]);
    expect(await world.parked("deliveries")).toEqual([]);
  });

  it("a lane that another owner has taken in the store is given up, loudly; if the group still says that it is ours, it is taken anew", async () => {
    const world = dispatcherWorld();
    const { running } = await world.start();
    await world.dispatch({ messageIdentification: messageId(1) });
    await world.until(() => world.endedIds().size === 1);
    await world.time.advance(1_000);
    const late = await world.during(world.store.lanes.takeOver("dispatcher", 0));
    world.answers(() => 503);
    await world.dispatch({ messageIdentification: messageId(2) });
    await world.until(() => world.logged.some(({ event }) => event === "lane.fenced"));
    const attempts = world.received.length;
    expect(running.readiness().isReady).toBe(false);
    expect((await world.during(world.store.lanes.list("dispatcher")))[0]).toMatchObject({ epoch: late.epoch, position: 1n });
    await world.time.advance(3_000);
    expect(world.received).toHaveLength(attempts);
    world.answers(() => 202);
    await world.until(() => world.endedIds().size === 2, 30_000);
    await world.time.advance(10_000);
    expect(running.readiness().isReady).toBe(true);
    expect((await world.during(world.store.lanes.list("dispatcher")))[0]).toMatchObject({ epoch: late.epoch + 1, position: 2n });
    expect(await world.parked("deliveries")).toEqual([]);
  });
});
