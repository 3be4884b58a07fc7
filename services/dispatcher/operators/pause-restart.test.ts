// A pause over restarts, take-overs and rewinds: what an owner may try follows from the topic and the partition's
// document.

import { groups, topics } from "@sluice/contracts";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId, buildStop, type DispatcherEnvironment } from "../dispatcher.fixture.ts";

const minuteMs = 60_000;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const all = (count: number) => numbers(count).map((number) => ({ messageIdentification: dispatchMessageId(number) }));

/**
 * Refuses a message whose owner cannot mark the refusal as appended; then its bank is paused, and a new owner comes.
 */
async function refuseUnreported({ isRedriven = false, isDayOver = false } = {}): Promise<DispatcherEnvironment> {
  const environment = createDispatcherEnvironment();
  const first = await environment.start();
  environment.answers(({ attempt }) => (attempt === 1 ? 422 : 202));
  await environment.dispatch(...all(1));
  await environment.until(() => environment.ended().length === 1);
  await environment.time.advance(1_000);
  await first.stop();
  const [message] = await environment.parked("deliveries");
  await environment.during(environment.store.deliveries.update({ ...message!, ended: "refusing" }, message!.version));
  await environment.pause();
  if (isRedriven) await environment.redrive({});
  if (isDayOver) await environment.dayReconciled();
  await environment.start();
  return environment;
}

describe("a pause over restarts", { timeout: 30_000 }, () => {
  it.each(["stop", "kill"] as const)("%s: the next owner knows the pause, and its resume, before it tries anything", async (end) => {
    const environment = createDispatcherEnvironment();
    let process = await environment.start();
    environment.answers(() => 503);
    await environment.dispatch(...all(3));
    await environment.until(() => environment.received.length >= 3);
    await environment.pause();
    await environment.time.advance(5_000);
    const attempts = environment.received.length;
    environment.answers(() => 202);
    if (end === "kill") process.kill();
    else await process.stop();
    process = await environment.start();
    await environment.time.advance(30 * minuteMs);
    expect(environment.received).toHaveLength(attempts);
    if (end === "kill") process.kill();
    else await process.stop();
    await environment.resume();
    await environment.start();
    await environment.until(() => environment.endedIds().size === 3, 30_000);
  });

  it("a pause that came while no process ran holds from the first attempt on, whatever records are before it", async () => {
    const banks = [sampleBank({ id: "first" }), sampleBank({ id: "second" })];
    const environment = createDispatcherEnvironment({ banks, bounds: { bufferedRecordsMax: 4 } });
    const first = await environment.start();
    environment.answers(({ receiverId }) => (receiverId === "second" ? 202 : 503));
    await environment.dispatch(...all(3));
    await environment.until(() => environment.received.length >= 3);
    await first.stop();
    const attempts = environment.received.length;
    await environment.time.advance(5 * minuteMs);
    await environment.dispatch(
      ...numbers(300).map((number) => ({ messageIdentification: dispatchMessageId(number + 10), bank: "second" })),
    );
    await environment.pause();
    await environment.start();
    await environment.time.advance(30 * minuteMs);
    expect(environment.received.filter(({ receiverId: bank }) => bank === "first")).toHaveLength(attempts);
  });

  it("messages with a wait of 15 minutes are due once the bank is resumed, also for an owner that comes after that", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    environment.answers(() => ({ status: 503, retryAfter: "900" }));
    await environment.dispatch(...all(1));
    await environment.until(() => environment.received.length === 1);
    await environment.pause();
    await environment.time.advance(1_000);
    await first.stop();
    await environment.resume();
    environment.answers(() => 202);
    await environment.start();
    await environment.until(() => environment.endedIds().size === 1, 15_000);
    expect(environment.received).toHaveLength(2);
  });

  it("messages beyond the memory are due once the bank is resumed too", async () => {
    const environment = createDispatcherEnvironment({ bounds: { untriedInMemoryMax: 4 } });
    await environment.start();
    environment.answers(() => ({ status: 503, retryAfter: "900" }));
    await environment.dispatch(...all(12));
    await environment.until(() => environment.received.length === 12);
    await environment.pause();
    await environment.time.advance(minuteMs);
    environment.answers(() => 202);
    await environment.resume();
    await environment.until(() => environment.endedIds().size === 12, 20_000);
    expect(environment.received).toHaveLength(24);
  });

  it("a refusal that was written and not appended is appended while the bank is paused", async () => {
    const environment = await refuseUnreported();
    await environment.until(() => environment.ended().length === 2, 30_000);
    expect(environment.ended().map(({ outcome, isReceiverPaused }) => [outcome, isReceiverPaused])).toEqual([
      ["REFUSED", false],
      ["REFUSED", true],
    ]);
    expect(environment.received).toHaveLength(1);
  });

  it("a refusal whose day is over meanwhile is appended all the same", async () => {
    const environment = await refuseUnreported({ isDayOver: true });
    await environment.until(() => environment.ended().length === 2, 30_000);
    await environment.time.advance(1_000);
    expect((await environment.parked("deliveries")).map(({ ended }) => ended)).toEqual(["refused"]);
    expect(environment.received).toHaveLength(1);
  });

  it("a refused message that is redriven then has its refusal appended first, and is tried when the bank is resumed", async () => {
    const environment = await refuseUnreported({ isRedriven: true });
    await environment.until(() => environment.ended().length === 2, 30_000);
    await environment.time.advance(1_000);
    const calls: string[] = [];
    environment.hooks.store.observe = ({ operation }) => void calls.push(operation);
    await environment.time.advance(30 * minuteMs);
    // A look at the store reads versions of rows, and no message.
    expect(calls.filter((operation) => operation.startsWith("deliveries") && operation !== "deliveries.versions")).toEqual([]);
    expect(environment.received).toHaveLength(1);
    await environment.resume();
    await environment.until(() => environment.ended().length === 3, 1_000);
    expect(environment.ended().map(({ outcome }) => outcome)).toEqual(["REFUSED", "REFUSED", "ACKNOWLEDGED"]);
  });

  it("markers that are read again change nothing: the newest number counts", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    for (const number of [1, 2]) {
      await environment.pause(number);
      await environment.resume(number);
    }
    await environment.pause(3);
    await environment.time.advance(1_000);
    await first.stop();
    await environment.restoreTo(1n);
    await environment.start();
    await environment.dispatch(...all(1));
    await environment.time.advance(minuteMs);
    expect(environment.received).toEqual([]);
    await environment.resume(3);
    await environment.until(() => environment.endedIds().size === 1);
  });

  it("a partition that moves to another process stays paused, and a stop there reports the pause", async () => {
    const environment = createDispatcherEnvironment({ partitionCount: 4 });
    await environment.start();
    await environment.pause();
    await environment.dispatch(...all(8));
    await environment.time.advance(1_000);
    await environment.start();
    environment.broker.rebalance(groups.dispatcher);
    await environment.time.advance(30_000);
    await environment.dispatch(...numbers(8).map((number) => ({ messageIdentification: dispatchMessageId(number, "D") })));
    await environment.time.advance(minuteMs);
    expect(environment.received).toEqual([]);
    for (const number of numbers(8)) await environment.stop(buildStop(number));
    await environment.until(() => environment.ended().length === 8);
    expect(new Set(environment.ended().map(({ isReceiverPaused }) => isReceiverPaused))).toEqual(new Set([true]));
    await environment.resume();
    await environment.until(() => environment.ended().length === 16);
    expect(new Set(environment.records(topics.journal, "DeliveryEnded").map(({ outcome }) => outcome))).toEqual(
      new Set(["STOPPED", "ACKNOWLEDGED"]),
    );
  });
});
