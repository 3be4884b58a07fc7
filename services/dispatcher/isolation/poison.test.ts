// Messages that a bank answers with 500 for ever, beside others that it takes at once.

import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId, type DispatcherEnvironment } from "../dispatcher.fixture.ts";

const minuteMs = 60_000;
const poisonFrom = 500_000;
const poison = (count: number, bank = "first", from = poisonFrom) =>
  Array.from({ length: count }, (_, index) => ({ messageIdentification: dispatchMessageId(from + index), bank }));
const good = (count: number, bank = "first", from = 1) =>
  Array.from({ length: count }, (_, index) => ({ messageIdentification: dispatchMessageId(from + index), bank }));
const isPoison = (id: string): boolean => Number(id.slice(20, 32)) >= poisonFrom;
const manyBanks = (count: number) => [
  sampleBank({ id: "first" }),
  ...Array.from({ length: count - 1 }, (_, index) => sampleBank({ id: `other-${index}` })),
];

/** Sends one good message every `everyMs`, and returns how long each waited; null for one that was not delivered. */
async function trickle(environment: DispatcherEnvironment, count: number, everyMs: number): Promise<readonly (number | null)[]> {
  const sentAtMs: number[] = [];
  for (let number = 1; number <= count; number += 1) {
    sentAtMs.push(environment.time.nowMs());
    await environment.dispatch(...good(1, "first", number));
    await environment.time.advance(everyMs);
  }
  await environment.time.advance(minuteMs);
  return sentAtMs.map((atMs, index) => {
    const taken = environment.attemptsOf(dispatchMessageId(index + 1)).find(({ status }) => status === 202);
    return taken === undefined ? null : taken.atMs - atMs;
  });
}

const late = (waits: readonly (number | null)[]): readonly (number | null)[] =>
  waits.filter((waitMs) => waitMs === null || waitMs > minuteMs);

describe("I14: a bank that fails some messages for ever takes every other within a minute", { timeout: 120_000 }, () => {
  it.each([
    [30, 60, 20_000],
    [100, 120, 5_000],
    [300, 120, 1_000],
  ])("with %i failing messages", async (count, goods, everyMs) => {
    const environment = createDispatcherEnvironment({ banks: manyBanks(2), partitionCount: 4 });
    environment.answers(({ id }) => (isPoison(id) ? 500 : 202));
    await environment.start();
    await environment.dispatch(...poison(count));
    await environment.time.advance(minuteMs);
    expect(late(await trickle(environment, goods, everyMs))).toEqual([]);
  });

  it("with 1,500 failing messages that stand before them", async () => {
    const environment = createDispatcherEnvironment({ banks: manyBanks(2), partitionCount: 4 });
    environment.answers(({ id }) => (isPoison(id) ? 500 : 202));
    await environment.start();
    await environment.dispatch(...poison(1_500));
    await environment.dispatch(...good(50));
    const goods = good(50).map(({ messageIdentification }) => messageIdentification);
    await environment.until(() => goods.every((id) => environment.endedIds().has(id)), minuteMs + 30_000);
    expect(late(await trickle(environment, 20, 1_000))).toEqual([]);
  });

  it("with 300 failing messages, after a silence in which each of the others was tried once", async () => {
    const environment = createDispatcherEnvironment({ banks: manyBanks(2), partitionCount: 4 });
    let isSilent = false;
    environment.answers(({ id }) => {
      if (isSilent) return "silent";
      return isPoison(id) ? 500 : 202;
    });
    await environment.start();
    await environment.dispatch(...poison(300));
    // While it acknowledges others, each failing message is tried more than three times.
    await trickle(environment, 240, 1_000);
    isSilent = true;
    const caught = good(10, "first", 1_000);
    const ids = caught.map(({ messageIdentification }) => messageIdentification);
    await environment.dispatch(...caught);
    await environment.time.advance(minuteMs);
    expect(ids.filter((id) => environment.attemptsOf(id).length > 0).length).toBeGreaterThan(5);
    isSilent = false;
    await environment.until(() => ids.every((id) => environment.endedIds().has(id)), minuteMs);
  });

  it.each([
    [20, 130, 570],
    [100, 26, 174],
    [1_000, 3, 27],
  ])("after an outage, with %i banks configured and %i failing before %i others", async (banks, failing, others) => {
    const environment = createDispatcherEnvironment({ banks: manyBanks(banks) });
    environment.answers(() => 503);
    await environment.start();
    await environment.dispatch(...poison(failing));
    await environment.dispatch(...good(others));
    await environment.time.advance(5 * minuteMs);
    environment.answers(({ id }) => (isPoison(id) ? 500 : 202));
    await environment.time.advance(2 * minuteMs);
    const taken = good(others).filter(({ messageIdentification: id }) => environment.endedIds().has(id));
    expect(taken.length).toBe(others);
  });
});

describe("I14: a backlog drains as fast with 1,000 banks configured as with one", { timeout: 120_000 }, () => {
  it.each([1, 1_000])("with %i", async (banks) => {
    const environment = createDispatcherEnvironment({ banks: manyBanks(banks) });
    environment.answers(() => 503);
    await environment.start();
    await environment.dispatch(...good(1_000));
    await environment.time.advance(minuteMs);
    environment.answers(() => 202);
    await environment.until(() => environment.endedIds().size === 1_000, 15_000);
    await environment.time.advance(1_000);
    expect(await environment.parked("deliveries")).toEqual([]);
  });
});

describe("I14: an endpoint that is down does not hide what waits for another of the same bank", { timeout: 120_000 }, () => {
  it("delivers the debits while 800 reports wait for an address that is dead", async () => {
    const bank = sampleBank({ id: "first", operationUrls: { outboundDirectDebitResponse: "https://reports.example" } });
    const environment = createDispatcherEnvironment({ banks: [bank, ...manyBanks(100).slice(1)] });
    environment.answers(({ operation }) => (operation === "inboundDirectDebit" ? 202 : 503));
    const before = await environment.start();
    await environment.dispatch(...good(800));
    await environment.time.advance(minuteMs);
    const debits = Array.from({ length: 20 }, (_, index) => ({ messageIdentification: dispatchMessageId(2_000 + index, "D") }));
    await environment.dispatch(...debits);
    await environment.time.advance(minuteMs);
    expect(debits.filter(({ messageIdentification: id }) => !environment.endedIds().has(id))).toEqual([]);
    // A debit whose report waits before it must not pass it, also where the report is not in memory.
    await environment.dispatch({ messageIdentification: dispatchMessageId(700, "D") });
    await before.stop();
    await environment.start();
    await environment.time.advance(2 * minuteMs);
    expect(environment.attemptsOf(dispatchMessageId(700, "D"))).toEqual([]);
    environment.answers(() => 202);
    await environment.until(() => environment.endedIds().size === 821, 5 * minuteMs);
  });
});

describe("I15: bodies in hand are bounded over all banks", { timeout: 120_000 }, () => {
  it("when 100 banks come back at once", async () => {
    const banks = manyBanks(100);
    const retriesMax = 400;
    const environment = createDispatcherEnvironment({ banks, partitionCount: 4, bounds: { retriesMax } });
    environment.answers(() => 503);
    await environment.start();
    for (const [index, { id }] of banks.entries()) await environment.dispatch(...good(40, id, 1 + index * 100));
    await environment.time.advance(5 * minuteMs);
    const inHand = new Set<string>();
    let most = 0;
    environment.hooks.store.observe = ({ operation, key }) => {
      if (operation === "deliveries.load") for (const id of key.split(",")) inHand.add(id);
      if (operation === "deliveries.remove") for (const id of key.split(",")) inHand.delete(id);
      most = Math.max(most, inHand.size);
    };
    environment.answers(() => ({ status: 202, afterMs: 500 }));
    await environment.time.advance(5 * minuteMs);
    expect(environment.endedIds().size).toBe(4_000);
    // Without a bound over all banks it would be about 1,300. Each bank has one probe besides.
    expect(most).toBeLessThanOrEqual(retriesMax + banks.length);
  });
});
