import type { Bank } from "@sluice/config";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId, type DispatcherEnvironment } from "../dispatcher.fixture.ts";

const many = (count: number, bank: string, from: number) =>
  Array.from({ length: count }, (_, index) => ({ messageIdentification: dispatchMessageId(from + index), bank }));

const first = sampleBank({ id: "first", connections: 4 });
const dead = sampleBank({ id: "dead", branch: "250656" });

function opened(environment: DispatcherEnvironment): readonly unknown[] {
  return environment.logged.filter(({ event }) => event === "breaker.opened" || event === "breaker.closed").map(({ event }) => event);
}

function assignments(environment: DispatcherEnvironment): number {
  return environment.logged.filter(({ event }) => event === "partition.taken").length;
}

/** Runs the dispatcher with a healthy bank and one whose breaker is open with a backlog. */
async function setUp() {
  const environment = createDispatcherEnvironment({ banks: [first, dead], partitionCount: 2 });
  const { running } = await environment.start();
  environment.answers(({ receiverId }) => (receiverId === "dead" ? 503 : 202));
  await environment.dispatch(...many(30, "dead", 1_000));
  await environment.until(() => opened(environment).length === 1);
  await environment.time.advance(1_000);
  const replaceBanks = (...banks: readonly Bank[]): void => running.replaceConfiguration(environment.withReceivers({ banks }));
  return { environment, replaceBanks };
}

describe("receivers that are replaced while the dispatcher runs", { timeout: 60_000 }, () => {
  it("I14: a bank that is added gets its messages at once; no partition is taken again, and no other bank's breaker changes", async () => {
    const { environment, replaceBanks } = await setUp();
    const taken = assignments(environment);
    const attemptsOnDead = () => environment.received.filter(({ receiverId }) => receiverId === "dead").length;
    const before = attemptsOnDead();
    replaceBanks(first, dead, sampleBank({ id: "added", branch: "250657" }));
    await environment.time.advance(500);
    expect(attemptsOnDead()).toBe(before);
    await environment.dispatch(...many(5, "added", 2_000), ...many(5, "first", 3_000));
    await environment.until(() => environment.endedIds().size === 10, 5_000);
    expect([assignments(environment), opened(environment)]).toEqual([taken, ["breaker.opened"]]);
    expect(environment.received.filter(({ receiverId }) => receiverId === "added").every(({ attempt }) => attempt === 1)).toBe(true);
    // Its probes go on as if nothing had happened.
    await environment.time.advance(30_000);
    expect(attemptsOnDead() - before).toBeGreaterThanOrEqual(2);
    expect(attemptsOnDead() - before).toBeLessThanOrEqual(4);
  });

  it("I16: what came for a bank before it was added leaves once it is, in order", async () => {
    const { environment, replaceBanks } = await setUp();
    await environment.dispatch(...many(5, "added", 2_000));
    await environment.time.advance(20_000);
    expect(environment.received.filter(({ receiverId }) => receiverId === "added")).toEqual([]);
    replaceBanks(first, dead, sampleBank({ id: "added", branch: "250657" }));
    await environment.until(() => environment.endedIds().size === 5, 10_000);
    expect(new Set(environment.ended().map(({ outcome }) => outcome))).toEqual(new Set(["ACKNOWLEDGED"]));
  });

  it("I16: a backlog leaves at once when its bank gets an address that works, each message once, and others' attempts go on", async () => {
    const { environment, replaceBanks } = await setUp();
    environment.answers(() => 202);
    replaceBanks(first, { ...dead, baseUrl: "http://elsewhere.invalid" });
    await environment.dispatch(...many(5, "first", 3_000));
    await environment.until(() => environment.endedIds().size === 35, 5_000);
    const acknowledged = environment.received.filter(({ status }) => status === 202).map(({ id }) => id);
    expect(acknowledged).toHaveLength(new Set(acknowledged).size);
    await environment.time.advance(5_000);
    expect(await environment.parked("deliveries")).toEqual([]);
    expect(opened(environment)).toEqual(["breaker.opened"]);
  });

  it("I14: a bank that changes its number of connections keeps its open breaker, and another bank's learnt state is not touched", async () => {
    const { environment, replaceBanks } = await setUp();
    const probes = () => environment.received.filter(({ receiverId }) => receiverId === "dead").length;
    const before = probes();
    replaceBanks({ ...first, connections: 2 }, { ...dead, connections: 2 });
    await environment.time.advance(30_000);
    expect(probes() - before).toBeLessThanOrEqual(5);
    let most = 0;
    let running = 0;
    environment.answers(({ receiverId }) => {
      if (receiverId !== "first") return 503;
      running = environment.received.filter((request) => request.receiverId === "first" && request.endedAtMs === null).length;
      most = Math.max(most, running);
      return { status: 202, afterMs: 100 };
    });
    await environment.dispatch(...many(20, "first", 3_000));
    await environment.until(() => environment.endedIds().size === 20, 30_000);
    expect(most).toBe(2);
    expect(opened(environment)).toEqual(["breaker.opened"]);
  });

  it("I14: a bank that is removed is not called any more; its messages stay parked, and others' leave", async () => {
    const { environment, replaceBanks } = await setUp();
    replaceBanks(first);
    const before = environment.received.length;
    await environment.dispatch(...many(5, "first", 3_000));
    await environment.until(() => environment.endedIds().size === 5, 5_000);
    await environment.time.advance(60_000);
    expect(environment.received.length).toBe(before + 5);
    expect((await environment.parked("deliveries")).filter(({ receiverId }) => receiverId === "dead")).toHaveLength(30);
  });

  it("I14: a configuration that is the same in other objects touches nothing", async () => {
    const { environment, replaceBanks } = await setUp();
    const before = environment.received.length;
    replaceBanks({ ...first, name: "Another name", tokens: [] }, { ...dead });
    await environment.time.advance(1_000);
    expect(environment.received.length - before).toBeLessThanOrEqual(1);
    expect(opened(environment)).toEqual(["breaker.opened"]);
  });

  it("I16: messages that fail often, and wait for the one slot of the former address, leave by the new one", async () => {
    const one = sampleBank({ id: "one", branch: "250657", connections: 1 });
    const environment = createDispatcherEnvironment({ banks: [one], partitionCount: 1 });
    const { running } = await environment.start();
    const isGood = (id: string): boolean => Number(id.slice(20, 32)) >= 2_000;
    environment.answers(({ id }) => ({ status: isGood(id) ? 202 : 500, afterMs: 400 }));
    await environment.dispatch(...many(6, "one", 1_000));
    // Good messages in between keep the breaker closed.
    for (let number = 0; number < 60; number += 1) {
      await environment.dispatch(...many(1, "one", 2_000 + number));
      await environment.time.advance(5_000);
    }
    await environment.pause(1, "one");
    await environment.time.advance(5_000);
    // With the resume all are due. One is tried; the next has its place and waits, because the slot for failing ones
    // rests.
    await environment.resume(1, "one");
    const isFailing = ({ id, endedAtMs }: { id: string; endedAtMs: number | null }): boolean => !isGood(id) && endedAtMs === null;
    await environment.until(() => environment.received.some(isFailing), 60_000);
    await environment.time.advance(450);
    expect(environment.received.some(isFailing)).toBe(false);
    environment.answers(() => 202);
    running.replaceConfiguration(environment.withReceivers({ banks: [{ ...one, baseUrl: "http://elsewhere.invalid" }] }));
    await environment.until(() => environment.endedIds().size === 66, 60_000);
    await environment.time.advance(5_000);
    expect(await environment.parked("deliveries")).toEqual([]);
  });
});
