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

describe("order per key (I4)", () => {
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
    world.answers(() => ({ status: 503, retryAfter: "600" }));
    await world.dispatch({ messageIdentification: messageId(1, "A") });
    await world.until(() => world.received.length === 1);
    await world.time.advance(1_000);
    await first.stop();
    await world.dispatch({ messageIdentification: messageId(1, "D") }, { messageIdentification: messageId(2, "D") });
    world.answers(() => 202);
    await world.start();
    await world.until(() => world.endedIds().has(messageId(2, "D")));
    await world.time.advance(minuteMs);
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

  it("I3, I4, I16: whatever the bank answers and whenever processes end, all is delivered in order with the same bytes", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.array(
          fc.constantFrom<Reply>(202, 202, 503, 500, 429, "silent", 422, { status: 202, afterMs: 6_000 }, { status: 503, retryAfter: "3" }),
          { minLength: 5, maxLength: 40 },
        ),
        fc.array(fc.integer({ min: 50, max: 8_000 }), { maxLength: 3 }),
        fc.constantFrom(4, 8, 10_000),
        async (seed, replies, endsMs, pageMessagesMax) => {
          const world = dispatcherWorld({ seed, lanes: 2, bounds: { pageMessagesMax, scanMessagesMax: 3 } });
          const random = seededRandom(seed);
          let given = 0;
          world.answers(() => (given < replies.length ? (replies[given++] ?? 202) : 202));
          let process = await world.start();
          await dispatchAll(world, [1, 2, 3, 4]);
          for (const afterMs of endsMs) {
            await world.time.advance(afterMs);
            if (random.fraction() < 0.5) process.kill();
            else await process.stop();
            process = await world.start();
          }
          const ids = [1, 2, 3, 4].flatMap(keyOf);
          await world.until(() => ids.every((id) => world.endedIds().has(id)), 30 * minuteMs);
          await world.time.advance(2_000);
          expect([1, 2, 3, 4].flatMap((number) => disorder(world.received, keyOf(number)))).toEqual([]);
          expect(changedBytes(world.received)).toEqual([]);
          expect((await world.parked("deliveries")).filter(({ ended }) => ended === null)).toEqual([]);
          expect(world.failures).toEqual([]);
        },
      ),
      { numRuns: 40, seed: 20261121 },
    );
  });
});

describe("who owns the lane", () => {
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

  it("a lane that another owner has taken in the store is given up, loudly, and its position is not written", async () => {
    const world = dispatcherWorld();
    const { running } = await world.start();
    await world.dispatch({ messageIdentification: messageId(1) });
    await world.until(() => world.endedIds().size === 1);
    await world.time.advance(1_000);
    const other = await world.during(world.store.lanes.takeOver("dispatcher", 0));
    world.answers(() => 503);
    await world.dispatch({ messageIdentification: messageId(2) });
    await world.time.advance(5_000);
    const attempts = world.received.length;
    await world.time.advance(minuteMs);
    expect(world.received).toHaveLength(attempts);
    expect(world.logged.some(({ event }) => event === "lane.fenced")).toBe(true);
    expect(running.readiness().isReady).toBe(false);
    expect((await world.during(world.store.lanes.list("dispatcher")))[0]).toMatchObject({ epoch: other.epoch, position: 1n });
  });
});
