import { groups, topics } from "@sluice/contracts";
import type { ScriptedAnswer, ReceivedRequest } from "@sluice/delivery/delivery-environment";
import { sampleBank, seededRandom } from "@sluice/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId, dispatchUetr, type DispatcherEnvironment } from "../dispatcher.fixture.ts";

const minuteMs = 60_000;
const sequence = ["A", "R", "D"] as const;

/** Lists violations of I4: first attempts before the message before it was acknowledged (or refused for good). */
function findDisorder(received: readonly ReceivedRequest[], ids: readonly string[]): string[] {
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

/** Lists violations of I3: messages whose bytes changed between attempts. */
function changedBytes(received: readonly ReceivedRequest[]): string[] {
  const bodies = new Map<string, string>();
  return received.filter(({ id, body }) => (bodies.get(id) ?? bodies.set(id, body).get(id)) !== body).map(({ id }) => id);
}

const messagesOfKey = (number: number): string[] => sequence.map((letter) => dispatchMessageId(number, letter));
const dispatchAll = async (environment: DispatcherEnvironment, numbers: readonly number[]): Promise<void> => {
  for (const letter of sequence)
    await environment.dispatch(...numbers.map((number) => ({ messageIdentification: dispatchMessageId(number, letter) })));
};

describe("order per key (I4)", { timeout: 30_000 }, () => {
  it("I4: a message is first tried after the one before it was acknowledged, through spill, drain and restart", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    environment.answers(({ attempt }) => (attempt < 5 ? 503 : 202));
    await dispatchAll(environment, [1, 2, 3]);
    await environment.until(() => environment.received.length > 8);
    await first.stop();
    await environment.start();
    await environment.until(() => environment.endedIds().size === 9);
    expect([1, 2, 3].flatMap((number) => findDisorder(environment.received, messagesOfKey(number)))).toEqual([]);
    expect(changedBytes(environment.received)).toEqual([]);
    expect(environment.received.filter(({ status }) => status === 202)).toHaveLength(9);
    await environment.time.advance(1_000);
    expect(await environment.parked("deliveries")).toEqual([]);
  });

  it("I4: a new owner knows what is parked before it hands out the first record", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    // An answer about the address: retried after at least a minute.
    environment.answers(() => 404);
    await environment.dispatch({ messageIdentification: dispatchMessageId(1, "A") });
    await environment.until(() => environment.received.length === 1);
    await environment.time.advance(1_000);
    await first.stop();
    await environment.dispatch({ messageIdentification: dispatchMessageId(1, "D") }, { messageIdentification: dispatchMessageId(2, "D") });
    environment.answers(() => 202);
    await environment.start();
    await environment.until(() => environment.endedIds().has(dispatchMessageId(2, "D")), 20_000);
    await environment.time.advance(minuteMs / 2);
    expect(environment.attemptsOf(dispatchMessageId(1, "D"))).toEqual([]);
    await environment.until(() => environment.endedIds().size === 3);
    expect(findDisorder(environment.received, [dispatchMessageId(1, "A"), dispatchMessageId(1, "D")])).toEqual([]);
  });

  it("a partition continues at its own position, not at the group's: a restored store is repaired by replay", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) }, { messageIdentification: dispatchMessageId(2) });
    await environment.until(() => environment.endedIds().size === 2);
    await first.stop();
    expect(environment.broker.committedOffset(groups.dispatcher, { topic: topics.dispatch, partition: 0 })).toBe(2n);
    await environment.restoreTo(1n);
    await environment.start();
    await environment.until(() => environment.received.length === 3);
    await environment.time.advance(1_000);
    expect(environment.received.map(({ id }) => id)).toEqual([dispatchMessageId(1), dispatchMessageId(2), dispatchMessageId(2)]);
  });

  it("I1: a process under which the store is restored to an older point ends, and its successor reads the topic again from there", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) }, { messageIdentification: dispatchMessageId(2) });
    await environment.until(() => environment.endedIds().size === 2);
    await environment.time.advance(1_000);
    await environment.restoreTo(1n);
    await environment.dispatch({ messageIdentification: dispatchMessageId(3) });
    await environment.until(() => environment.failures.length > 0, 30_000);
    expect(environment.failures).toMatchObject([{ code: "delivery.store-gone-back" }]);
    expect((await environment.during(environment.store.partitions.list("dispatcher")))[0]).toMatchObject({ position: 1n });
  });

  it("a message with a key of its own delays nothing, and nothing delays it", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(({ id }) => (id.startsWith("X") || id === dispatchMessageId(2) ? "silent" : 202));
    const own = `X${"a".repeat(34)}`;
    await environment.dispatch(
      { messageIdentification: own, uetr: dispatchUetr(1), deliveryKey: own },
      { messageIdentification: dispatchMessageId(1) },
    );
    await environment.dispatch(
      { messageIdentification: dispatchMessageId(2) },
      { messageIdentification: `Y${"b".repeat(34)}`, uetr: dispatchUetr(2), deliveryKey: `Y${"b".repeat(34)}` },
    );
    await environment.until(() => environment.endedIds().size === 2, 2_000);
    expect(environment.endedIds()).toEqual(new Set([dispatchMessageId(1), `Y${"b".repeat(34)}`]));
  });

  it("I3, I4, I16: everything is delivered in order and unchanged, whatever banks answer, store and broker fail at, processes end or banks are paused", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.array(fc.constantFrom(...replies), { minLength: 5, maxLength: 40 }),
        fc.array(fc.tuple(fc.integer({ min: 50, max: 8_000 }), fc.constantFrom(...troubles)), { maxLength: 5 }),
        fc.constantFrom(4, 8, 10_000),
        fc.constantFrom(0, 0, 0.1, 0.3),
        async (seed, given, ends, untriedInMemoryMax, faultShare) => {
          const environment = createDispatcherEnvironment({ seed, partitionCount: 2, bounds: { untriedInMemoryMax, scanMessagesMax: 3 } });
          const random = seededRandom(seed);
          let requests = 0;
          environment.answers(() => given[requests++] ?? 202);
          const draw = <T>(faults: readonly T[], none: T): T =>
            random.fraction() < faultShare ? (faults[Math.floor(random.fraction() * faults.length)] ?? none) : none;
          let process = await environment.start();
          let pauses = 0;
          let isPaused = false;
          const pauseOrResume = async (): Promise<void> => {
            isPaused = !isPaused;
            if (isPaused) await environment.pause((pauses += 1));
            else await environment.resume(pauses);
          };
          await dispatchAll(environment, [1, 2, 3, 4]);
          environment.hooks.store.fault = () => draw(["down", "slow", "ambiguous", "torn"] as const, "none");
          environment.hooks.log.produce = (client) =>
            client === "test"
              ? { kind: "append" }
              : { kind: draw(["refuse", "lose-answer", "lose-request", "unknown"] as const, "append") };
          for (const [afterMs, trouble] of ends) {
            await environment.time.advance(afterMs);
            if (trouble === "pause or resume") await pauseOrResume();
            else if (trouble === "rebalance") environment.broker.rebalance(groups.dispatcher);
            else if (trouble === "cut") process.client.cut(9_000);
            else {
              if (trouble === "kill") process.kill();
              if (trouble === "stop") await process.stop();
              process = await environment.start();
            }
          }
          environment.hooks.store.fault = () => "none";
          environment.hooks.log.produce = () => ({ kind: "append" });
          if (isPaused) await pauseOrResume();
          const ids = [1, 2, 3, 4].flatMap(messagesOfKey);
          await environment.until(() => ids.every((id) => environment.endedIds().has(id)), 30 * minuteMs);
          // A write of an owner that lost its partition may come late; the next owner finds what it left, and repeats
          // it.
          await environment.start();
          await environment.time.advance(20_000);
          expect([1, 2, 3, 4].flatMap((number) => findDisorder(environment.received, messagesOfKey(number)))).toEqual([]);
          expect(changedBytes(environment.received)).toEqual([]);
          expect((await environment.parked("deliveries")).filter(({ ended }) => ended === null).map(({ id }) => id)).toEqual([]);
          expect(environment.failures).toEqual([]);
        },
      ),
      { numRuns: 40, seed: 20261121 },
    );
  });
});

const replies: readonly ScriptedAnswer[] = [
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
/** A second process joins (`join`), or the first one ends. */
const troubles = ["kill", "stop", "join", "rebalance", "cut", "pause or resume"] as const;

describe("the lease of a partition", { timeout: 30_000 }, () => {
  it("allows no attempt while the coordinator has not answered for half the session time-out", async () => {
    const environment = createDispatcherEnvironment();
    const { client } = await environment.start();
    environment.answers(() => 503);
    await environment.dispatch({});
    await environment.until(() => environment.received.length === 3);
    const cutAtMs = environment.time.nowMs();
    client.cut(5_500);
    await environment.time.advance(5_400);
    const late = environment.received.filter(({ atMs }) => atMs > cutAtMs + 3_000);
    expect(late).toEqual([]);
    environment.answers(() => 202);
    await environment.until(() => environment.endedIds().size === 1);
  });

  it.each([1, 2, 3])("I3: allows no first attempt to a frozen owner that gets a free slot when it thaws; seed %d", async (seed) => {
    const environment = createDispatcherEnvironment({ seed, banks: [sampleBank({ id: "first", connections: 1 })] });
    const { client, name, freeze } = await environment.start();
    environment.answers(() => ({ status: 202, afterMs: 100 }));
    const [answered, waiting] = [dispatchMessageId(1), dispatchMessageId(2)];
    await environment.dispatch({ messageIdentification: answered }, { messageIdentification: waiting });
    await environment.until(() => environment.received.length === 1);
    await environment.time.advance(50);
    client.cut(30_000);
    freeze(10_000);
    await environment.start();
    await environment.until(() => environment.endedIds().size === 2);
    await environment.time.advance(minuteMs);
    expect(environment.received.filter((request) => request.process === name)).toMatchObject([{ id: answered }]);
    expect(environment.attemptsOf(waiting)).toHaveLength(1);
  });

  it("goes to the next owner if the owner was cut off for longer than its session, and nothing is lost", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first", connections: 2 })] });
    const { client } = await environment.start();
    environment.answers(({ attempt }) => (attempt < 3 ? 503 : 202));
    await dispatchAll(environment, [1, 2, 3]);
    await environment.time.advance(300);
    client.cut(30_000);
    await environment.start();
    await environment.until(() => environment.endedIds().size === 9, 2 * minuteMs);
    await environment.time.advance(minuteMs);
    expect([1, 2, 3].flatMap((number) => findDisorder(environment.received, messagesOfKey(number)))).toEqual([]);
    expect(await environment.parked("deliveries")).toEqual([]);
  });

  it("is given up with an error line when another owner took it in the store, and taken again if the group still assigns the partition", async () => {
    const environment = createDispatcherEnvironment();
    const { running } = await environment.start();
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) });
    await environment.until(() => environment.endedIds().size === 1);
    await environment.time.advance(1_000);
    const late = await environment.during(environment.store.partitions.takeOver("dispatcher", 0));
    environment.answers(() => 503);
    await environment.dispatch({ messageIdentification: dispatchMessageId(2) });
    await environment.until(() => environment.logged.some(({ event }) => event === "partition.fenced"));
    const attempts = environment.received.length;
    expect(running.readiness().isReady).toBe(false);
    expect((await environment.during(environment.store.partitions.list("dispatcher")))[0]).toMatchObject({
      epoch: late.epoch,
      position: 1n,
    });
    await environment.time.advance(3_000);
    expect(environment.received).toHaveLength(attempts);
    environment.answers(() => 202);
    await environment.until(() => environment.endedIds().size === 2, 30_000);
    await environment.time.advance(10_000);
    expect(running.readiness().isReady).toBe(true);
    expect((await environment.during(environment.store.partitions.list("dispatcher")))[0]).toMatchObject({
      epoch: late.epoch + 1,
      position: 2n,
    });
    expect(await environment.parked("deliveries")).toEqual([]);
  });
});
