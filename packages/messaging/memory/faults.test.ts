import { createHash } from "node:crypto";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { describe, expect, test } from "vitest";
import { buildTextRecord, startRecorder, readText } from "../conformance/conformance.fixture.ts";
import type { ReceivedRecord } from "../port.ts";
import { createMemoryBroker, type FetchFate, type MemoryHooks, type ProduceFate } from "./messaging.ts";

const topic = "t";
const startAtMs = 1_800_000_000_000;

function setup(seed: number, hooks: MemoryHooks = {}, brokerNowMs?: () => number) {
  const time = createVirtualTime({ startAtMs, seed });
  const random = seededRandom(seed);
  const broker = createMemoryBroker({ time, random, topics: { [topic]: 3 }, hooks, ...(brokerNowMs && { brokerNowMs }) });
  const during = time.finish;
  async function until(condition: () => boolean): Promise<void> {
    const end = await time.run({ until: condition, stepsMax: 200_000, untilMs: time.nowMs() + 600_000 });
    expect(end.because).toBe("until");
  }
  const texts = (partition: number): string[] => broker.records({ topic, partition }).map(readText);
  return { time, random, broker, during, until, texts };
}

/** Runs a scenario with every kind of fault, and answers the hash of everything observed. */
async function trace(seed: number): Promise<string> {
  const hash = createHash("sha256");
  const fates: ProduceFate[] = [{ kind: "append" }, { kind: "append", delayMs: 20 }, { kind: "unknown" }, { kind: "refuse" }];
  const environment = setup(seed, {
    produce: () => fates[Math.floor(environment.random.fraction() * fates.length)] ?? { kind: "append" },
    observe: (client, operation, key, bytes) =>
      void hash.update(`${environment.time.nowMs()} ${client} ${operation} ${key} `).update(bytes),
  });
  const consumer = await environment.during(startRecorder(environment.broker.client("a"), "g", topic));
  const other = environment.broker.client("b");
  await environment.during(startRecorder(other, "g", topic));
  const producer = await environment.during(environment.broker.client("c").producer("p"));
  const sends = Array.from({ length: 60 }, async (_, index) => {
    await new Promise<void>((resolve) => environment.time.after(environment.random.fraction() * 9000, resolve));
    await producer.send([buildTextRecord(topic, index % 3, `${index}`)]).catch(() => []);
  });
  environment.time.after(3000, () => environment.broker.rebalance("g"));
  environment.time.after(6000, () => other.kill());
  await environment.during(Promise.all(sends));
  await environment.time.advance(20_000);
  expect(consumer.recorded.violations).toEqual([]);
  return hash.digest("hex");
}

describe("memory messaging under a virtual clock", () => {
  test("a seed always gives the same run, and another seed a different one", async () => {
    const first = await trace(7);
    expect(await trace(7)).toBe(first);
    expect(await trace(8)).not.toBe(first);
  });

  test("an idle broker arms no timer", async () => {
    const environment = setup(1);
    const { consumer } = await environment.during(startRecorder(environment.broker.client("a"), "g", topic));
    await environment.time.advance(30_000);
    expect(environment.time.pending()).toBe(0);
    expect(consumer.heartbeatAgeMs()).toBeLessThan(1500);
  });

  test("append times follow the broker's clock, not the clients', and never go back", async () => {
    let brokerMs = startAtMs + 3_600_000;
    const environment = setup(2, {}, () => brokerMs);
    const producer = await environment.during(environment.broker.producer("p"));
    await environment.during(producer.send([buildTextRecord(topic, 0, "a")]));
    brokerMs -= 60_000;
    const [second] = await environment.during(producer.send([buildTextRecord(topic, 0, "b")]));
    expect(second?.appendedAtMs).toBe(startAtMs + 3_600_000);
  });

  test("a throttled reader gets nothing, and goes on when it is over; a leader that is behind ends a reading early", async () => {
    let fate: FetchFate = "nothing";
    const environment = setup(2, { fetch: () => fate });
    const { recorded } = await environment.during(startRecorder(environment.broker.client("a"), "g", topic));
    const producer = await environment.during(environment.broker.producer("p"));
    const records = Array.from({ length: 20 }, (_, index) => buildTextRecord(topic, 0, `${index}`));
    await environment.during(producer.send(records));
    const reading = (): Promise<readonly ReceivedRecord[]> => Array.fromAsync(environment.broker.read({ topic, partition: 0 }, 0n, 20n));
    const whole = reading();
    await environment.time.advance(5_000);
    expect(recorded.records).toEqual([]);
    fate = "answer";
    expect(await environment.during(whole)).toHaveLength(20);
    await environment.until(() => recorded.records.length === 20);
    fate = "behind";
    expect((await environment.during(reading())).length).toBeLessThan(20);
    fate = "nothing";
    await expect(environment.during(reading())).rejects.toMatchObject({ code: "messaging.read-incomplete", isRetryable: true });
  });

  test.for<["refuse" | "lose-request" | "lose-answer", string, string[]]>([
    ["refuse", "messaging.refused", []],
    ["lose-request", "messaging.unknown-outcome", []],
    ["lose-answer", "messaging.unknown-outcome", ["a"]],
  ])("a batch whose fate is %s rejects with %s, and is appended or not accordingly", async ([kind, code, left]) => {
    const environment = setup(3, { produce: () => ({ kind }) });
    const producer = await environment.during(environment.broker.producer("p"));
    await expect(environment.during(producer.send([buildTextRecord(topic, 0, "a")]))).rejects.toMatchObject({ code, isRetryable: true });
    expect(environment.texts(0)).toEqual(left);
  });

  test("a batch that lands late lies behind what was sent after it, also if its client is gone", async () => {
    const fates: ProduceFate[] = [{ kind: "land-late", afterMs: 30_000 }];
    const environment = setup(4, { produce: () => fates.shift() ?? { kind: "append" } });
    const client = environment.broker.client("frozen");
    const producer = await environment.during(client.producer("p"));
    const sent = environment.during(producer.send([buildTextRecord(topic, 0, "a")]));
    await expect(sent).rejects.toMatchObject({ code: "messaging.unknown-outcome" });
    client.kill();
    const next = await environment.during(environment.broker.producer("q"));
    await environment.during(next.send([buildTextRecord(topic, 0, "b")]));
    await environment.time.advance(30_000);
    expect(environment.texts(0)).toEqual(["b", "a"]);
  });

  test("a batch of unknown outcome is appended or not at random, partition by partition", async () => {
    const outcomes = new Set<string>();
    for (let seed = 0; seed < 40; seed += 1) {
      const environment = setup(seed, { produce: () => ({ kind: "unknown" }) });
      const producer = await environment.during(environment.broker.producer("p"));
      const sent = environment.during(producer.send([buildTextRecord(topic, 0, "a"), buildTextRecord(topic, 1, "b")]));
      await expect(sent).rejects.toMatchObject({ code: "messaging.unknown-outcome" });
      outcomes.add([...environment.texts(0), ...environment.texts(1)].join());
    }
    expect([...outcomes].toSorted()).toEqual(["", "a", "a,b", "b"]);
  });

  test("while the broker is down sends wait, then fail; consumers continue by themselves once it is back", async () => {
    const environment = setup(4);
    const { recorded, consumer } = await environment.during(startRecorder(environment.broker.client("a"), "g", topic));
    await environment.until(() => recorded.epochs.size === 3);
    const producer = await environment.during(environment.broker.producer("p"));
    environment.broker.setBroker(false);
    const soon = producer.send([buildTextRecord(topic, 0, "a")]);
    await environment.time.advance(3000);
    environment.broker.setBroker(true);
    expect(await environment.during(soon)).toHaveLength(1);
    await environment.until(() => recorded.records.length === 1);
    environment.broker.setBroker(false);
    await expect(environment.during(producer.send([buildTextRecord(topic, 0, "b")]))).rejects.toMatchObject({
      code: "messaging.unknown-outcome",
    });
    await expect(environment.during(environment.broker.ends([{ topic, partition: 0 }]))).rejects.toMatchObject({
      code: "messaging.unavailable",
    });
    expect(consumer.heartbeatAgeMs()).toBeGreaterThan(10_000);
    environment.broker.setBroker(true);
    await environment.during(producer.send([buildTextRecord(topic, 0, "c")]));
    await environment.until(() => recorded.records.length === 2);
    expect(environment.texts(0)).toEqual(["a", "c"]);
    expect(consumer.heartbeatAgeMs()).toBeLessThan(1500);
    expect(recorded.assigned).toHaveLength(3);
  });

  test("a killed client receives nothing more, and its partitions are silent until its session ends", async () => {
    const environment = setup(5);
    const victim = environment.broker.client("victim");
    const first = await environment.during(startRecorder(victim, "g", topic));
    await environment.until(() => first.recorded.epochs.size === 3);
    const second = await environment.during(startRecorder(environment.broker.client("other"), "g", topic));
    await environment.until(() => second.recorded.epochs.size > 0 && first.recorded.epochs.size > 0);
    const sent = (await environment.during(victim.producer("p"))).send([buildTextRecord(topic, 0, "a")]);
    let isSettled = false;
    void sent.finally(() => (isSettled = true));
    const held = first.recorded.epochs.size;
    const killedAtMs = environment.time.monotonicMs();
    victim.kill();
    await environment.until(() => second.recorded.epochs.size === 3);
    const silentMs = environment.time.monotonicMs() - killedAtMs;
    expect(silentMs).toBeGreaterThan(3000);
    expect(silentMs).toBeLessThan(8000);
    expect(first.recorded.epochs.size).toBe(held);
    expect(isSettled).toBe(false);
    expect(first.recorded.violations).toEqual([]);
  });

  test("a batch that a killed client had in flight is appended or not at random", async () => {
    const outcomes = new Set<string>();
    for (let seed = 0; seed < 30; seed += 1) {
      const environment = setup(seed);
      const victim = environment.broker.client("victim");
      const producer = await environment.during(victim.producer("p"));
      void producer.send([buildTextRecord(topic, 0, "a")]);
      await environment.time.advance(2);
      victim.kill();
      await environment.time.advance(100);
      outcomes.add(environment.texts(0).join());
    }
    expect([...outcomes].toSorted()).toEqual(["", "a"]);
  });

  test("a client cut off beyond its session loses its partitions, does not notice, and learns it once it is back", async () => {
    const environment = setup(6);
    const zombie = environment.broker.client("zombie");
    const first = await environment.during(startRecorder(zombie, "g", topic));
    const second = await environment.during(startRecorder(environment.broker.client("other"), "g", topic));
    await environment.until(() => first.recorded.epochs.size > 0 && second.recorded.epochs.size > 0);
    const producer = await environment.during(zombie.producer("p"));
    const before = new Map(first.recorded.epochs);
    zombie.cut(60_000);
    const late = producer.send([buildTextRecord(topic, 0, "late")]);
    await environment.until(() => second.recorded.epochs.size === 3);
    expect(first.recorded.epochs).toEqual(before);
    expect(first.consumer.heartbeatAgeMs()).toBeGreaterThan(3000);
    const [place] = before;
    const partition = place?.[0] ?? 0;
    const staleCommit = first.consumer.commit({ topic, partition }, 5n, place?.[1] ?? 0);
    await environment.during(late);
    expect(environment.texts(0)).toEqual(["late"]);
    await environment.during(staleCommit);
    expect(environment.broker.committedOffset("g", { topic, partition })).toBe(null);
    await environment.until(() => first.recorded.epochs.size > 0 && second.recorded.epochs.size < 3);
    for (const [held, epoch] of first.recorded.epochs) expect(epoch).toBeGreaterThan(before.get(held) ?? 0);
    expect([...first.recorded.violations, ...second.recorded.violations]).toEqual([]);
  });
});
