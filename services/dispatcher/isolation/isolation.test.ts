import { topics } from "@sluice/contracts";
import { backOffBoundMs } from "@sluice/delivery";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId, type DispatcherEnvironment } from "../dispatcher.fixture.ts";

const minuteMs = 60_000;
const many = (count: number, bank: string, from = 1) =>
  Array.from({ length: count }, (_, index) => ({ messageIdentification: dispatchMessageId(from + index), bank }));
const tookMs = (environment: DispatcherEnvironment, ids: readonly string[]): number => {
  const appended = new Map(
    environment.broker.records({ topic: topics.dispatch, partition: 0 }).map(({ offset, appendedAtMs }) => [offset, appendedAtMs]),
  );
  const lastMs = Math.max(...ids.map((id) => environment.attemptsOf(id)[0]?.atMs ?? Number.POSITIVE_INFINITY));
  return lastMs - Math.max(...appended.values());
};

describe("isolation (I14)", { timeout: 30_000 }, () => {
  it("I14: a failing UETR delays only itself", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first", connections: 4 })] });
    await environment.start();
    environment.answers(({ id }) => (id === dispatchMessageId(1) || id === dispatchMessageId(2) ? "silent" : 202));
    await environment.dispatch(...many(2, "first"));
    await environment.time.advance(10_000);
    for (let round = 0; round < 20; round += 1) {
      await environment.dispatch(...many(10, "first", 10 + round * 10));
      await environment.time.advance(1_000);
    }
    const good = many(200, "first", 10).map(({ messageIdentification }) => messageIdentification);
    expect(good.every((id) => environment.endedIds().has(id))).toBe(true);
    expect(good.every((id) => environment.attemptsOf(id).length === 1)).toBe(true);
    expect((await environment.parked("deliveries")).map(({ id }) => id)).toEqual([dispatchMessageId(1), dispatchMessageId(2)]);
  });

  it("I14: a bank that hangs delays only itself: another's messages in the same partition leave within seconds, however small the buffer", async () => {
    const environment = createDispatcherEnvironment({
      banks: [sampleBank({ id: "dead", connections: 4 }), sampleBank({ id: "good" })],
      bounds: { bufferedRecordsMax: 200 },
    });
    await environment.start();
    environment.answers(({ receiverId }) => (receiverId === "dead" ? "silent" : 202));
    await environment.dispatch(...many(1_000, "dead", 1_000));
    await environment.dispatch(...many(50, "good"));
    const ids = many(50, "good").map(({ messageIdentification }) => messageIdentification);
    await environment.until(() => ids.every((id) => environment.endedIds().has(id)), 20_000);
    expect(tookMs(environment, ids)).toBeLessThan(2_500);
    await environment.dispatch(...many(5, "good", 60));
    await environment.until(() => environment.endedIds().size === 55, 1_500);
  });

  it("I15: a bank gets no more attempts than it has connections, and no new message waits over 250 ms for a bank that hangs", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first", connections: 3 })] });
    await environment.start();
    await environment.dispatch(...many(1, "first", 100));
    await environment.until(() => environment.endedIds().size === 1);
    await environment.time.advance(6_000);
    environment.answers(() => "silent");
    await environment.dispatch(...many(40, "first"));
    const fromMs = environment.time.nowMs();
    await environment.until(() => environment.received.length === 4);
    await environment.time.advance(700);
    expect(environment.received).toHaveLength(4);
    const parked = await environment.parked("deliveries");
    expect(parked).toHaveLength(37);
    expect(parked.every(({ attempts }) => attempts === 0)).toBe(true);
    expect(environment.time.nowMs() - fromMs).toBeLessThan(1_000);
    await environment.time.advance(10 * minuteMs);
    expect(runningMax(environment)).toBe(3);
  });

  it("I15: a bank uses at most an eighth of a partition's buffer; the rest is parked at once", async () => {
    const environment = createDispatcherEnvironment({
      banks: [sampleBank({ id: "first", connections: 1 })],
      bounds: { bufferedRecordsMax: 80 },
    });
    await environment.start();
    environment.answers(() => ({ status: 202, afterMs: 4_000 }));
    await environment.dispatch(...many(1, "first", 100));
    await environment.until(() => environment.endedIds().size === 1);
    await environment.time.advance(1_000);
    await environment.dispatch(...many(60, "first"));
    await environment.time.advance(200);
    expect(environment.received).toHaveLength(2);
    expect((await environment.parked("deliveries")).length).toBeGreaterThan(40);
    await environment.time.advance(200);
    expect(await environment.parked("deliveries")).toHaveLength(59);
    await environment.until(() => environment.endedIds().size === 61);
  });
});

describe("a busy bank", { timeout: 30_000 }, () => {
  it("I14: does not delay another bank in the same partition, however well it keeps up", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "busy", connections: 4 }), sampleBank({ id: "other" })] });
    await environment.start();
    environment.answers(({ receiverId }) => ({ status: 202, afterMs: receiverId === "busy" ? 30 : 5 }));
    await environment.dispatch(...many(1, "other", 5_000));
    await environment.until(() => environment.endedIds().size === 1);
    await environment.dispatch(...many(3_000, "busy"));
    await environment.dispatch(...many(10, "other", 6_000));
    const ids = many(10, "other", 6_000).map(({ messageIdentification }) => messageIdentification);
    await environment.until(() => ids.every((id) => environment.attemptsOf(id).length > 0), 60_000);
    expect(tookMs(environment, ids)).toBeLessThan(3_000);
  });

  it("is waited for if it is the only one in its partition: none of its messages goes through the store", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "busy", connections: 4 })] });
    await environment.start();
    environment.answers(() => ({ status: 202, afterMs: 30 }));
    let parked = 0;
    environment.hooks.store.fault = ({ operation }) => {
      if (operation === "deliveries.insert") parked += 1;
      return "none";
    };
    await environment.dispatch(...many(1_000, "busy"));
    await environment.until(() => environment.received.length === 1_000, 60_000);
    expect(parked).toBe(0);
  });
});

describe("a backlog", { timeout: 30_000 }, () => {
  const bounds = { untriedInMemoryMax: 16, scanMessagesMax: 5, scanSpacingMs: 100 };

  it("I15, I16: is read from the store page by page where it does not fit in memory, until everything is delivered", async () => {
    const environment = createDispatcherEnvironment({ bounds });
    await environment.start();
    let isUp = false;
    environment.answers(() => (isUp ? 202 : 503));
    await environment.dispatch(...many(200, "first"));
    await environment.until(() => environment.logged.some(({ event }) => event === "receiver.spilling"));
    await environment.time.advance(minuteMs);
    isUp = true;
    await environment.until(() => environment.endedIds().size === 200, 30 * minuteMs);
    await environment.time.advance(1_000);
    expect(environment.logged.some(({ event }) => event === "receiver.drained")).toBe(true);
    expect(await environment.parked("deliveries")).toEqual([]);
  });

  it("makes new messages of its bank spill behind it without an attempt; once drained they take the fast path again", async () => {
    const environment = createDispatcherEnvironment({ bounds });
    await environment.start();
    let isUp = false;
    environment.answers(({ id }) => (isUp || id === dispatchMessageId(999) ? 202 : 503));
    await environment.dispatch(...many(60, "first"));
    await environment.until(() => environment.logged.some(({ event }) => event === "receiver.spilling"));
    await environment.time.advance(minuteMs);
    await environment.dispatch({ messageIdentification: dispatchMessageId(999) });
    await environment.time.advance(5_000);
    expect((await environment.parked("deliveries")).find(({ id }) => id === dispatchMessageId(999))).toMatchObject({ attempts: 0 });
    expect(environment.attemptsOf(dispatchMessageId(999))).toEqual([]);
    isUp = true;
    await environment.until(() => environment.endedIds().size === 61, 30 * minuteMs);
    await environment.time.advance(minuteMs);
    await environment.dispatch({ messageIdentification: dispatchMessageId(1_000) });
    await environment.until(() => environment.endedIds().size === 62, 1_000);
  });

  it("I4: keeps the order per key if it is larger than memory, and over a restart in the middle of it", async () => {
    const environment = createDispatcherEnvironment({ bounds, seed: 7 });
    const first = await environment.start();
    let isUp = false;
    environment.answers(({ attempt }) => (isUp || attempt > 20 ? 202 : 503));
    for (const letter of ["A", "R", "D"] as const) {
      await environment.dispatch(
        ...Array.from({ length: 30 }, (_, index) => ({ messageIdentification: dispatchMessageId(index + 1, letter) })),
      );
      await environment.time.advance(2_000);
    }
    first.kill();
    const second = await environment.start();
    await environment.time.advance(20_000);
    await second.stop();
    isUp = true;
    await environment.start();
    await environment.until(() => environment.endedIds().size === 90, 60 * minuteMs);
    for (let number = 1; number <= 30; number += 1) {
      const firsts = (["A", "R", "D"] as const).map((letter) =>
        environment.received.findIndex(({ id }) => id === dispatchMessageId(number, letter)),
      );
      expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
    }
  });

  it("is marked at a take-over that has too much to read, which continues reading", async () => {
    const environment = createDispatcherEnvironment({
      bounds: { ...bounds, takeOverMessagesMax: 10 },
      banks: [sampleBank({ id: "first" }), sampleBank({ id: "late" })],
    });
    const first = await environment.start();
    environment.answers(() => 503);
    await environment.dispatch(...many(60, "first"), ...many(3, "late", 100));
    await environment.time.advance(minuteMs);
    await first.stop();
    environment.answers(() => 202);
    await environment.start();
    await environment.dispatch({ messageIdentification: dispatchMessageId(100, "D"), bank: "late" });
    await environment.until(() => environment.endedIds().size === 64, 10 * minuteMs);
    expect(environment.received.findIndex(({ id }) => id === dispatchMessageId(100, "D"))).toBeGreaterThan(
      environment.received.findIndex(({ id, status }) => id === dispatchMessageId(100) && status === 202),
    );
  });

  it("I7: is tried within 15 min also if a wrong clock put its next attempt hours away", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    environment.answers(() => 503);
    await environment.dispatch({});
    await environment.until(() => environment.received.length === 1);
    await environment.time.advance(1);
    await first.stop();
    const [parked] = await environment.parked("deliveries");
    await environment.during(
      environment.store.deliveries.update({ ...parked!, nextAttemptAtMs: environment.time.nowMs() + 5 * 60 * minuteMs }, parked!.version),
    );
    environment.answers(() => 202);
    await environment.start();
    await environment.until(() => environment.endedIds().size === 1, 16 * minuteMs);
    expect(environment.received).toHaveLength(2);
  });

  it("I14: drains in parallel with others: a small one is done while a large one has only begun", async () => {
    const banks = [sampleBank({ id: "first", connections: 256 }), sampleBank({ id: "second" })];
    // The store reads and writes five messages a call: a bank that used it alone would delay the other.
    const environment = createDispatcherEnvironment({ banks, bounds: { bulkMessagesMax: 5 } });
    await environment.start();
    for (const bank of ["first", "second"]) await environment.pause(1, bank);
    await environment.time.advance(500);
    await environment.dispatch(...many(1_000, "first"));
    await environment.dispatch(...many(20, "second", 2_000));
    await environment.time.advance(5_000);
    const fromMs = environment.time.nowMs();
    for (const bank of ["first", "second"]) await environment.resume(1, bank);
    await environment.until(() => environment.endedIds().size === 1_020);
    const lastMs = (bank: string): number => environment.received.findLast((request) => request.receiverId === bank)!.atMs - fromMs;
    expect(lastMs("second")).toBeLessThan(lastMs("first") / 10);
  });

  it("has its due heads tried oldest first", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first", connections: 1 })] });
    const first = await environment.start();
    // Nine messages: a tenth failure would open the breaker.
    environment.answers(() => 404);
    for (let number = 1; number <= 9; number += 1) {
      await environment.dispatch({ messageIdentification: dispatchMessageId(number) });
      await environment.time.advance(50);
    }
    await environment.until(() => environment.received.length === 9);
    await first.stop();
    await environment.time.advance(5 * minuteMs);
    environment.answers(() => 202);
    environment.received.length = 0;
    await environment.start();
    await environment.until(() => environment.endedIds().size === 9);
    expect(environment.received.map(({ id }) => id)).toEqual(many(9, "first").map(({ messageIdentification }) => messageIdentification));
  });
});

describe("the time of the next attempt", { timeout: 30_000 }, () => {
  it("I12: follows the retry law: full jitter below 1 s, 2 s, 4 s … 60 s, over restarts too", async () => {
    // One message for each of twenty banks: no breaker opens because of one UETR.
    const banks = Array.from({ length: 20 }, (_, index) => `bank-${index}`);
    const environment = createDispatcherEnvironment({ banks: banks.map((id) => sampleBank({ id })) });
    let process = await environment.start();
    environment.answers(() => 503);
    await environment.dispatch(...banks.flatMap((bank, index) => many(1, bank, 1 + index)));
    await environment.time.advance(2 * minuteMs);
    await process.stop();
    process = await environment.start();
    await environment.time.advance(8 * minuteMs);
    const used: number[] = [];
    for (const { messageIdentification: id } of many(20, "first")) {
      const times = environment.attemptsOf(id).map(({ atMs }) => atMs);
      for (let attempt = 1; attempt < times.length; attempt += 1) {
        const gapMs = (times[attempt] ?? 0) - (times[attempt - 1] ?? 0);
        // The exchange, the write and the restart take some time.
        expect(gapMs).toBeLessThanOrEqual(backOffBoundMs(attempt) + 4_000);
        if (attempt >= 7) used.push(gapMs);
      }
    }
    const mean = used.reduce((sum, gapMs) => sum + gapMs, 0) / used.length;
    expect(mean).toBeGreaterThan(20_000);
    expect(mean).toBeLessThan(40_000);
  });

  it("I12: follows Retry-After, clamped, whatever it says", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(({ attempt }) => ({ status: 429, retryAfter: ["30", "0", "1000000000", "never"][attempt - 1] ?? "1" }));
    await environment.dispatch({});
    await environment.until(() => environment.received.length === 5);
    const times = environment.received.map(({ atMs }) => atMs);
    const gaps = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
    expect(gaps[0]).toBeGreaterThanOrEqual(30_000);
    expect(gaps[0]).toBeLessThan(30_200);
    expect(gaps[1]).toBeGreaterThanOrEqual(1_000);
    expect(gaps[1]).toBeLessThan(1_200);
    expect(gaps[2]).toBeGreaterThanOrEqual(15 * minuteMs);
    expect(gaps[2]).toBeLessThan(15 * minuteMs + 200);
    expect(gaps[3]).toBeLessThan(8_200);
  });

  it("I7: is at most 15 min away for a bank with due work, whatever it answers", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(({ attempt }) => (attempt % 3 === 0 ? { status: 503, retryAfter: "99999" } : attempt % 3 === 1 ? 404 : "silent"));
    await environment.dispatch({});
    await environment.time.advance(6 * 60 * minuteMs);
    const times = [...environment.received.map(({ atMs }) => atMs), environment.time.nowMs()];
    for (let index = 1; index < times.length; index += 1)
      expect((times[index] ?? 0) - (times[index - 1] ?? 0)).toBeLessThan(15 * minuteMs + 1_000);
    expect(times.length).toBeGreaterThan(24);
  });

  it("is not delayed by a store that is down for a bank that acknowledges", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    await environment.dispatch(...many(1, "first"));
    await environment.until(() => environment.endedIds().size === 1);
    environment.hooks.store.fault = () => "down";
    await environment.dispatch(...many(19, "first", 2));
    await environment.until(() => environment.endedIds().size === 20, 2_000);
    environment.hooks.store.fault = () => "none";
    await environment.time.advance(30_000);
    expect((await environment.during(environment.store.partitions.list("dispatcher")))[0]?.position).toBe(20n);
  });
});

/** Counts the most attempts that ran at once; each one without a response runs for its time-out. */
function runningMax(environment: DispatcherEnvironment): number {
  const timeoutMs = 5_000;
  const times = environment.received.map(({ atMs }) => atMs);
  return Math.max(...times.map((atMs) => times.filter((other) => other <= atMs && other + timeoutMs > atMs).length));
}
