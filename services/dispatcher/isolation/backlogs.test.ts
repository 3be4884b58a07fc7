// Two backlogs of one partition that do not fit in memory, one far behind the other.

import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId } from "../dispatcher.fixture.ts";

const minuteMs = 60_000;
const many = (count: number, bank: string, from = 1) =>
  Array.from({ length: count }, (_, index) => ({ messageIdentification: dispatchMessageId(from + index), bank }));

describe("a backlog that drains for a long time", () => {
  const banks = [sampleBank({ id: "first", connections: 1, concurrency: "fixed" }), sampleBank({ id: "second" })];
  const bounds = { untriedInMemoryMax: 16, scanMessagesMax: 5, scanSpacingMs: 100, takeOverMessagesMax: 20 };

  it("I14: does not block the fast path of another bank after a take-over that could not read the whole backlog", async () => {
    const environment = createDispatcherEnvironment({ banks, bounds });
    const before = await environment.start();
    environment.answers(() => 503);
    await environment.dispatch(...many(400, "first"));
    await environment.time.advance(minuteMs);
    await before.stop();
    environment.answers(({ receiverId }) => (receiverId === "first" ? { status: 202, afterMs: 500 } : 202));
    await environment.start();
    await environment.time.advance(20_000);
    await environment.dispatch(...many(5, "second", 1_000));
    await environment.until(() => many(5, "second", 1_000).every(({ messageIdentification: id }) => environment.endedIds().has(id)), 5_000);
    expect(environment.endedIds().size).toBeLessThan(200);
    await environment.until(() => environment.endedIds().size === 405, 10 * minuteMs);
  });

  it("I14: does not block another bank's backlog, which came later, from draining", async () => {
    const environment = createDispatcherEnvironment({ banks, bounds });
    await environment.start();
    environment.answers(() => 503);
    await environment.dispatch(...many(900, "first"));
    await environment.dispatch(...many(60, "second", 1_000));
    await environment.time.advance(minuteMs);
    environment.answers(() => 202);
    const seconds = many(60, "second", 1_000);
    await environment.until(() => seconds.every(({ messageIdentification: id }) => environment.endedIds().has(id)), minuteMs);
    expect(environment.endedIds().size).toBeLessThan(600);
    await environment.until(() => environment.endedIds().size === 960, 10 * minuteMs);
  });
});

describe("a backlog of one of 1,000 banks, of which memory holds a twentieth", { timeout: 60_000 }, () => {
  it("I14: leaves at its bank's pace: the next page is read as soon as few messages are left", async () => {
    const banks = ["first", ...Array.from({ length: 999 }, (_, index) => `other-${index}`)].map((id) => sampleBank({ id }));
    const environment = createDispatcherEnvironment({ banks, bounds: { untriedInMemoryMax: 100 } });
    await environment.start();
    environment.answers(() => 503);
    await environment.dispatch(...many(2_000, "first"));
    await environment.time.advance(minuteMs);
    environment.answers(() => ({ status: 202, afterMs: 5 }));
    await environment.until(() => environment.endedIds().size > 0, minuteMs);
    // A page a second would take 20 s.
    await environment.time.advance(6_000);
    expect(environment.endedIds().size).toBe(2_000);
  });
});

describe("a backlog over twelve partitions, of which memory holds a fifth", { timeout: 60_000 }, () => {
  const [messages, connections, answerMs] = [6_000, 16, 5];

  /** Parks the messages of a bank that is down, and returns the seconds in which it takes them once it is back. */
  async function drainSeconds(receivers: number): Promise<number> {
    const others = Array.from({ length: receivers - 1 }, (_, index) => `other-${index}`);
    const banks = ["first", ...others].map((id) => sampleBank({ id, connections, concurrency: "fixed" }));
    const environment = createDispatcherEnvironment({ banks, partitionCount: 12, bounds: { untriedInMemoryMax: 100 } });
    await environment.start();
    environment.answers(() => 503);
    const uetrOf = (number: number): string => `${number.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
    await environment.dispatch(...many(messages, "first").map((message, index) => ({ ...message, uetr: uetrOf(index) })));
    await environment.time.advance(minuteMs);
    const takenAtMs: number[] = [];
    environment.answers(() => {
      takenAtMs.push(environment.time.nowMs());
      return { status: 202, afterMs: answerMs };
    });
    await environment.until(() => takenAtMs.length === messages, 10 * minuteMs);
    return ((takenAtMs.at(-1) ?? 0) - (takenAtMs[0] ?? 0)) / 1_000;
  }

  it("I14: leaves at least at half of its bank's own limit, and as fast with 1,000 banks configured as with one", async () => {
    const [one, thousand] = [await drainSeconds(1), await drainSeconds(1_000)];
    const atTheLimit = (messages * answerMs) / connections / 1_000;
    expect(one).toBeLessThan(2 * atTheLimit);
    expect(thousand).toBeLessThan(1.1 * one);
  });
});

describe("a backlog in a store that is slow to remove", () => {
  it("I14: leaves at the bank's pace, because an acknowledged message gives its place to the next one", async () => {
    const banks = [sampleBank({ id: "first", connections: 4, concurrency: "fixed" })];
    const environment = createDispatcherEnvironment({ banks });
    await environment.start();
    environment.answers(() => 503);
    await environment.dispatch(...many(60, "first"));
    await environment.time.advance(minuteMs);
    environment.hooks.store.fault = ({ operation }) => (operation === "deliveries.remove" ? "slow" : "none");
    environment.hooks.store.slowMs = 5_000;
    environment.answers(() => 202);
    await environment.until(() => environment.endedIds().size > 0, minuteMs);
    await environment.time.advance(1_000);
    // Besides the probe: four slots have eight places, and eight messages end for each slot.
    expect(environment.endedIds().size).toBe(1 + 8 + 32);
    await environment.until(() => environment.endedIds().size === 60, minuteMs);
  });
});
