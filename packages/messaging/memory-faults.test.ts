import { createHash } from "node:crypto";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { describe, expect, test } from "vitest";
import { outgoing, recorder, textOf } from "./conformance-ground.ts";
import type { MemoryHooks, ProduceFate } from "./memory-messaging.ts";
import { createMemoryLog } from "./memory-messaging.ts";

const topic = "t";
const startAtMs = 1_800_000_000_000;

function setup(seed: number, hooks: MemoryHooks = {}, brokerNowMs?: () => number) {
  const time = createVirtualTime({ startAtMs, seed });
  const random = seededRandom(seed);
  const log = createMemoryLog({ time, random, topics: { [topic]: 3 }, hooks, ...(brokerNowMs && { brokerNowMs }) });
  async function during<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = (): void => void (isSettled = true);
    promise.then(settle, settle);
    await time.run({ until: () => isSettled, stepsMax: 100_000 });
    return await promise;
  }
  async function until(condition: () => boolean): Promise<void> {
    const end = await time.run({ until: condition, stepsMax: 200_000, untilMs: time.nowMs() + 600_000 });
    expect(end.because).toBe("until");
  }
  const texts = (partition: number): string[] => log.records({ topic, partition }).map(textOf);
  return { time, random, log, during, until, texts };
}

/** A run with everything in it; answers the hash of all that was observed. */
async function trace(seed: number): Promise<string> {
  const hash = createHash("sha256");
  const fates: ProduceFate[] = [{ kind: "append" }, { kind: "append", delayMs: 20 }, { kind: "unknown" }, { kind: "refuse" }];
  const world = setup(seed, {
    produce: () => fates[Math.floor(world.random.fraction() * fates.length)] ?? { kind: "append" },
    observe: (client, operation, key, bytes) => void hash.update(`${world.time.nowMs()} ${client} ${operation} ${key} `).update(bytes),
  });
  const consumer = await world.during(recorder(world.log.client("a"), "g", topic));
  const other = world.log.client("b");
  await world.during(recorder(other, "g", topic));
  const producer = await world.during(world.log.client("c").producer("p"));
  const sends = Array.from({ length: 60 }, async (_, index) => {
    await new Promise<void>((resolve) => world.time.after(world.random.fraction() * 9000, resolve));
    await producer.send([outgoing(topic, index % 3, `${index}`)]).catch(() => []);
  });
  world.time.after(3000, () => world.log.rebalance("g"));
  world.time.after(6000, () => other.kill());
  await world.during(Promise.all(sends));
  await world.time.advance(20_000);
  expect(consumer.seen.broken).toEqual([]);
  return hash.digest("hex");
}

describe("memory messaging under a virtual clock", () => {
  test("one seed is one run, another seed another", async () => {
    const first = await trace(7);
    expect(await trace(7)).toBe(first);
    expect(await trace(8)).not.toBe(first);
  });

  test("an idle log arms no timer", async () => {
    const world = setup(1);
    const { consumer } = await world.during(recorder(world.log.client("a"), "g", topic));
    await world.time.advance(30_000);
    expect(world.time.pending()).toBe(0);
    expect(consumer.heartbeatAgeMs()).toBeLessThan(1500);
  });

  test("append times follow the broker's clock, not the clients', and never go back", async () => {
    let brokerMs = startAtMs + 3_600_000;
    const world = setup(2, {}, () => brokerMs);
    const producer = await world.during(world.log.producer("p"));
    await world.during(producer.send([outgoing(topic, 0, "a")]));
    brokerMs -= 60_000;
    const [second] = await world.during(producer.send([outgoing(topic, 0, "b")]));
    expect(second?.appendedAtMs).toBe(startAtMs + 3_600_000);
  });

  test.for<[ProduceFate["kind"], string, string[]]>([
    ["refuse", "messaging.refused", []],
    ["lose-request", "messaging.unknown-outcome", []],
    ["lose-answer", "messaging.unknown-outcome", ["a"]],
  ])("a batch whose fate is to %s rejects with %s, and lies in the log or not", async ([kind, code, left]) => {
    const world = setup(3, { produce: () => ({ kind }) });
    const producer = await world.during(world.log.producer("p"));
    await expect(world.during(producer.send([outgoing(topic, 0, "a")]))).rejects.toMatchObject({ code, isRetryable: true });
    expect(world.texts(0)).toEqual(left);
  });

  test("a batch of unknown outcome is written partition by partition, by a coin", async () => {
    const outcomes = new Set<string>();
    for (let seed = 0; seed < 40; seed += 1) {
      const world = setup(seed, { produce: () => ({ kind: "unknown" }) });
      const producer = await world.during(world.log.producer("p"));
      const sent = world.during(producer.send([outgoing(topic, 0, "a"), outgoing(topic, 1, "b")]));
      await expect(sent).rejects.toMatchObject({ code: "messaging.unknown-outcome" });
      outcomes.add([...world.texts(0), ...world.texts(1)].join());
    }
    expect([...outcomes].toSorted()).toEqual(["", "a", "a,b", "b"]);
  });

  test("while the broker is down sends wait, then fail; consumers go on by themselves when it is back", async () => {
    const world = setup(4);
    const { seen, consumer } = await world.during(recorder(world.log.client("a"), "g", topic));
    await world.until(() => seen.held.size === 3);
    const producer = await world.during(world.log.producer("p"));
    world.log.setBroker(false);
    const soon = producer.send([outgoing(topic, 0, "a")]);
    await world.time.advance(3000);
    world.log.setBroker(true);
    expect(await world.during(soon)).toHaveLength(1);
    await world.until(() => seen.records.length === 1);
    world.log.setBroker(false);
    await expect(world.during(producer.send([outgoing(topic, 0, "b")]))).rejects.toMatchObject({ code: "messaging.unknown-outcome" });
    await expect(world.during(world.log.ends([{ topic, partition: 0 }]))).rejects.toMatchObject({ code: "messaging.unavailable" });
    expect(consumer.heartbeatAgeMs()).toBeGreaterThan(10_000);
    world.log.setBroker(true);
    await world.during(producer.send([outgoing(topic, 0, "c")]));
    await world.until(() => seen.records.length === 2);
    expect(world.texts(0)).toEqual(["a", "c"]);
    expect(consumer.heartbeatAgeMs()).toBeLessThan(1500);
    expect(seen.assigned).toHaveLength(3);
  });

  test("a killed client hears nothing more, and its partitions are silent until its session ends", async () => {
    const world = setup(5);
    const victim = world.log.client("victim");
    const first = await world.during(recorder(victim, "g", topic));
    await world.until(() => first.seen.held.size === 3);
    const second = await world.during(recorder(world.log.client("other"), "g", topic));
    await world.until(() => second.seen.held.size > 0 && first.seen.held.size > 0);
    const sent = (await world.during(victim.producer("p"))).send([outgoing(topic, 0, "a")]);
    let isSettled = false;
    void sent.finally(() => (isSettled = true));
    const held = first.seen.held.size;
    const killedAtMs = world.time.monotonicMs();
    victim.kill();
    await world.until(() => second.seen.held.size === 3);
    const silentMs = world.time.monotonicMs() - killedAtMs;
    expect(silentMs).toBeGreaterThan(3000);
    expect(silentMs).toBeLessThan(8000);
    expect(first.seen.held.size).toBe(held);
    expect(isSettled).toBe(false);
    expect(first.seen.broken).toEqual([]);
  });

  test("what a killed client had under way is appended or not, by a coin", async () => {
    const outcomes = new Set<string>();
    for (let seed = 0; seed < 30; seed += 1) {
      const world = setup(seed);
      const victim = world.log.client("victim");
      const producer = await world.during(victim.producer("p"));
      void producer.send([outgoing(topic, 0, "a")]);
      await world.time.advance(2);
      victim.kill();
      await world.time.advance(100);
      outcomes.add(world.texts(0).join());
    }
    expect([...outcomes].toSorted()).toEqual(["", "a"]);
  });

  test("a client cut off beyond its session loses its partitions, acts on in ignorance, and learns it when it is back", async () => {
    const world = setup(6);
    const zombie = world.log.client("zombie");
    const first = await world.during(recorder(zombie, "g", topic));
    const second = await world.during(recorder(world.log.client("other"), "g", topic));
    await world.until(() => first.seen.held.size > 0 && second.seen.held.size > 0);
    const producer = await world.during(zombie.producer("p"));
    const before = new Map(first.seen.held);
    zombie.cut(60_000);
    const late = producer.send([outgoing(topic, 0, "late")]);
    await world.until(() => second.seen.held.size === 3);
    expect(first.seen.held).toEqual(before);
    expect(first.consumer.heartbeatAgeMs()).toBeGreaterThan(3000);
    const [place] = before;
    const partition = place?.[0] ?? 0;
    const staleCommit = first.consumer.commit({ topic, partition }, 5n, place?.[1] ?? 0);
    await world.during(late);
    expect(world.texts(0)).toEqual(["late"]);
    await world.during(staleCommit);
    expect(world.log.committed("g", { topic, partition })).toBe(null);
    await world.until(() => first.seen.held.size > 0 && second.seen.held.size < 3);
    for (const [held, epoch] of first.seen.held) expect(epoch).toBeGreaterThan(before.get(held) ?? 0);
    expect([...first.seen.broken, ...second.seen.broken]).toEqual([]);
  });
});
