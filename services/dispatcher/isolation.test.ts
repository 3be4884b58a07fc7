import { topics } from "@sluice/contracts";
import { backOffBoundMs } from "@sluice/delivery";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { dispatcherWorld, messageId, type DispatcherWorld } from "./dispatcher.fixture.ts";

const minuteMs = 60_000;
const many = (count: number, bank: string, from = 1) =>
  Array.from({ length: count }, (_, index) => ({ messageIdentification: messageId(from + index), bank }));
const tookMs = (world: DispatcherWorld, ids: readonly string[]): number => {
  const appended = new Map(
    world.log.records({ topic: topics.dispatch, partition: 0 }).map(({ offset, appendedAtMs }) => [offset, appendedAtMs]),
  );
  const lastMs = Math.max(...ids.map((id) => world.attemptsOf(id)[0]?.atMs ?? Number.POSITIVE_INFINITY));
  return lastMs - Math.max(...appended.values());
};

describe("isolation (I14)", { timeout: 30_000 }, () => {
  it("I14: a failing UETR holds only itself", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 4 })] });
    await world.start();
    world.answers(({ id }) => (id === messageId(1) || id === messageId(2) ? "silent" : 202));
    await world.dispatch(...many(2, "first"));
    await world.time.advance(10_000);
    for (let round = 0; round < 20; round += 1) {
      await world.dispatch(...many(10, "first", 10 + round * 10));
      await world.time.advance(1_000);
    }
    const good = many(200, "first", 10).map(({ messageIdentification }) => messageIdentification);
    expect(good.every((id) => world.endedIds().has(id))).toBe(true);
    expect(good.every((id) => world.attemptsOf(id).length === 1)).toBe(true);
    expect((await world.parked("deliveries")).map(({ id }) => id)).toEqual([messageId(1), messageId(2)]);
  });

  it("I14: a bank that hangs holds only itself: another's messages in the same lane leave within seconds, however small the lane's buffer", async () => {
    const world = dispatcherWorld({
      banks: [sampleBank({ id: "dead", connections: 4 }), sampleBank({ id: "good" })],
      bounds: { bufferedRecordsMax: 200 },
    });
    await world.start();
    world.answers(({ bank }) => (bank === "dead" ? "silent" : 202));
    await world.dispatch(...many(1_000, "dead", 1_000));
    await world.dispatch(...many(50, "good"));
    const ids = many(50, "good").map(({ messageIdentification }) => messageIdentification);
    await world.until(() => ids.every((id) => world.endedIds().has(id)), 20_000);
    expect(tookMs(world, ids)).toBeLessThan(2_500);
    await world.dispatch(...many(5, "good", 60));
    await world.until(() => world.endedIds().size === 55, 1_500);
  });

  it("I15: no more attempts run towards a bank than it has connections, and no new message waits over 250 ms for one that takes nothing", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 3 })] });
    await world.start();
    await world.dispatch(...many(1, "first", 100));
    await world.until(() => world.endedIds().size === 1);
    await world.time.advance(6_000);
    world.answers(() => "silent");
    await world.dispatch(...many(40, "first"));
    const fromMs = world.time.nowMs();
    await world.until(() => world.received.length === 4);
    await world.time.advance(700);
    expect(world.received).toHaveLength(4);
    const parked = await world.parked("deliveries");
    expect(parked).toHaveLength(37);
    expect(parked.every(({ attempts }) => attempts === 0)).toBe(true);
    expect(world.time.nowMs() - fromMs).toBeLessThan(1_000);
    await world.time.advance(10 * minuteMs);
    expect(runningMax(world)).toBe(3);
  });

  it("I15: a bank has at most an eighth of a lane's buffer in hand; the rest is parked at once", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 1 })], bounds: { bufferedRecordsMax: 80 } });
    await world.start();
    world.answers(() => ({ status: 202, afterMs: 4_000 }));
    await world.dispatch(...many(1, "first", 100));
    await world.until(() => world.endedIds().size === 1);
    await world.time.advance(1_000);
    await world.dispatch(...many(60, "first"));
    await world.time.advance(200);
    expect(world.received).toHaveLength(2);
    expect((await world.parked("deliveries")).length).toBeGreaterThan(40);
    await world.time.advance(200);
    expect(await world.parked("deliveries")).toHaveLength(59);
    await world.until(() => world.endedIds().size === 61);
  });
});

describe("a bank with much to do", { timeout: 30_000 }, () => {
  it("I14: does not hold up another in the same lane, however well it keeps up", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "busy", connections: 4 }), sampleBank({ id: "other" })] });
    await world.start();
    world.answers(({ bank }) => ({ status: 202, afterMs: bank === "busy" ? 30 : 5 }));
    await world.dispatch(...many(1, "other", 5_000));
    await world.until(() => world.endedIds().size === 1);
    await world.dispatch(...many(3_000, "busy"));
    await world.dispatch(...many(10, "other", 6_000));
    const ids = many(10, "other", 6_000).map(({ messageIdentification }) => messageIdentification);
    await world.until(() => ids.every((id) => world.attemptsOf(id).length > 0), 60_000);
    expect(tookMs(world, ids)).toBeLessThan(3_000);
  });

  it("is waited for where it has the lane for itself: nothing of it goes through the store", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "busy", connections: 4 })] });
    await world.start();
    world.answers(() => ({ status: 202, afterMs: 30 }));
    let parked = 0;
    world.hooks.store.fault = ({ operation }) => {
      if (operation === "deliveries.insert") parked += 1;
      return "none";
    };
    await world.dispatch(...many(1_000, "busy"));
    await world.until(() => world.received.length === 1_000, 60_000);
    expect(parked).toBe(0);
  });
});

describe("a backlog", { timeout: 30_000 }, () => {
  const bounds = { pageMessagesMax: 16, scanMessagesMax: 5, scanSpacingMs: 100 };

  it("I15, I16: what does not fit in memory is read again from the store, page by page, until all is delivered", async () => {
    const world = dispatcherWorld({ bounds });
    await world.start();
    let isUp = false;
    world.answers(() => (isUp ? 202 : 503));
    await world.dispatch(...many(200, "first"));
    await world.until(() => world.logged.some(({ event }) => event === "bank.spilling"));
    await world.time.advance(minuteMs);
    isUp = true;
    await world.until(() => world.endedIds().size === 200, 30 * minuteMs);
    await world.time.advance(1_000);
    expect(world.logged.some(({ event }) => event === "bank.drained")).toBe(true);
    expect(await world.parked("deliveries")).toEqual([]);
  });

  it("while a bank has a backlog its new messages spill behind it without an attempt; when it has drained they take the fast path again", async () => {
    const world = dispatcherWorld({ bounds });
    await world.start();
    let isUp = false;
    world.answers(({ id }) => (isUp || id === messageId(999) ? 202 : 503));
    await world.dispatch(...many(60, "first"));
    await world.until(() => world.logged.some(({ event }) => event === "bank.spilling"));
    await world.time.advance(minuteMs);
    await world.dispatch({ messageIdentification: messageId(999) });
    await world.time.advance(5_000);
    expect((await world.parked("deliveries")).find(({ id }) => id === messageId(999))).toMatchObject({ attempts: 0 });
    expect(world.attemptsOf(messageId(999))).toEqual([]);
    isUp = true;
    await world.until(() => world.endedIds().size === 61, 30 * minuteMs);
    await world.time.advance(minuteMs);
    await world.dispatch({ messageIdentification: messageId(1_000) });
    await world.until(() => world.endedIds().size === 62, 1_000);
  });

  it("I4: order per key holds where the backlog is larger than memory, and over a restart in the middle of it", async () => {
    const world = dispatcherWorld({ bounds, seed: 7 });
    const first = await world.start();
    let isUp = false;
    world.answers(({ attempt }) => (isUp || attempt > 20 ? 202 : 503));
    for (const letter of ["A", "R", "D"] as const) {
      await world.dispatch(...Array.from({ length: 30 }, (_, index) => ({ messageIdentification: messageId(index + 1, letter) })));
      await world.time.advance(2_000);
    }
    first.kill();
    const second = await world.start();
    await world.time.advance(20_000);
    await second.stop();
    isUp = true;
    await world.start();
    await world.until(() => world.endedIds().size === 90, 60 * minuteMs);
    for (let number = 1; number <= 30; number += 1) {
      const firsts = (["A", "R", "D"] as const).map((letter) => world.received.findIndex(({ id }) => id === messageId(number, letter)));
      expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
    }
  });

  it("a take-over that has too much to read marks the banks as backlogged and goes on reading", async () => {
    const world = dispatcherWorld({
      bounds: { ...bounds, takeOverMessagesMax: 10 },
      banks: [sampleBank({ id: "first" }), sampleBank({ id: "late" })],
    });
    const first = await world.start();
    world.answers(() => 503);
    await world.dispatch(...many(60, "first"), ...many(3, "late", 100));
    await world.time.advance(minuteMs);
    await first.stop();
    world.answers(() => 202);
    await world.start();
    await world.dispatch({ messageIdentification: messageId(100, "D"), bank: "late" });
    await world.until(() => world.endedIds().size === 64, 10 * minuteMs);
    expect(world.received.findIndex(({ id }) => id === messageId(100, "D"))).toBeGreaterThan(
      world.received.findIndex(({ id, status }) => id === messageId(100) && status === 202),
    );
  });

  it("I7: a message parked under a wrong clock, with its next attempt hours away, is tried within 15 min", async () => {
    const world = dispatcherWorld();
    const first = await world.start();
    world.answers(() => 503);
    await world.dispatch({});
    await world.until(() => world.received.length === 1);
    await world.time.advance(1);
    await first.stop();
    const [parked] = await world.parked("deliveries");
    await world.during(world.store.deliveries.update({ ...parked!, nextAttemptAtMs: world.time.nowMs() + 5 * 60 * minuteMs }));
    world.answers(() => 202);
    await world.start();
    await world.until(() => world.endedIds().size === 1, 16 * minuteMs);
    expect(world.received).toHaveLength(2);
  });

  it("I14: banks that drain at the same time drain side by side: one with little is done while one with much has begun", async () => {
    const banks = [sampleBank({ id: "first", connections: 256 }), sampleBank({ id: "second" })];
    // The store reads and writes five messages a call: who had it for itself would keep the other waiting.
    const world = dispatcherWorld({ banks, bounds: { bulkMessagesMax: 5 } });
    await world.start();
    for (const bank of ["first", "second"]) await world.pause(1, bank);
    await world.time.advance(500);
    await world.dispatch(...many(1_000, "first"));
    await world.dispatch(...many(20, "second", 2_000));
    await world.time.advance(5_000);
    const fromMs = world.time.nowMs();
    for (const bank of ["first", "second"]) await world.resume(1, bank);
    await world.until(() => world.endedIds().size === 1_020);
    const lastMs = (bank: string): number => world.received.findLast((request) => request.bank === bank)!.atMs - fromMs;
    expect(lastMs("second")).toBeLessThan(lastMs("first") / 10);
  });

  it("due heads are tried oldest first", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 1 })] });
    const first = await world.start();
    // Nine: the tenth would open the breaker.
    world.answers(() => 404);
    for (let number = 1; number <= 9; number += 1) {
      await world.dispatch({ messageIdentification: messageId(number) });
      await world.time.advance(50);
    }
    await world.until(() => world.received.length === 9);
    await first.stop();
    await world.time.advance(5 * minuteMs);
    world.answers(() => 202);
    world.received.length = 0;
    await world.start();
    await world.until(() => world.endedIds().size === 9);
    expect(world.received.map(({ id }) => id)).toEqual(many(9, "first").map(({ messageIdentification }) => messageIdentification));
  });
});

describe("when the next attempt comes", { timeout: 30_000 }, () => {
  it("I12: real attempts keep the law: full jitter below 1 s, 2 s, 4 s … 60 s, over restarts too", async () => {
    // A message for each of twenty banks: no breaker opens over one UETR.
    const banks = Array.from({ length: 20 }, (_, index) => `bank-${index}`);
    const world = dispatcherWorld({ banks: banks.map((id) => sampleBank({ id })) });
    let process = await world.start();
    world.answers(() => 503);
    await world.dispatch(...banks.flatMap((bank, index) => many(1, bank, 1 + index)));
    await world.time.advance(2 * minuteMs);
    await process.stop();
    process = await world.start();
    await world.time.advance(8 * minuteMs);
    const used: number[] = [];
    for (const { messageIdentification: id } of many(20, "first")) {
      const times = world.attemptsOf(id).map(({ atMs }) => atMs);
      for (let attempt = 1; attempt < times.length; attempt += 1) {
        const gapMs = (times[attempt] ?? 0) - (times[attempt - 1] ?? 0);
        // The exchange, the write and the restart take their time.
        expect(gapMs).toBeLessThanOrEqual(backOffBoundMs(attempt) + 4_000);
        if (attempt >= 7) used.push(gapMs);
      }
    }
    const mean = used.reduce((sum, gapMs) => sum + gapMs, 0) / used.length;
    expect(mean).toBeGreaterThan(20_000);
    expect(mean).toBeLessThan(40_000);
  });

  it("I12: Retry-After is kept, clamped, whatever it says", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(({ attempt }) => ({ status: 429, retryAfter: ["30", "0", "1000000000", "never"][attempt - 1] ?? "1" }));
    await world.dispatch({});
    await world.until(() => world.received.length === 5);
    const times = world.received.map(({ atMs }) => atMs);
    const gaps = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
    expect(gaps[0]).toBeGreaterThanOrEqual(30_000);
    expect(gaps[0]).toBeLessThan(30_200);
    expect(gaps[1]).toBeGreaterThanOrEqual(1_000);
    expect(gaps[1]).toBeLessThan(1_200);
    expect(gaps[2]).toBeGreaterThanOrEqual(15 * minuteMs);
    expect(gaps[2]).toBeLessThan(15 * minuteMs + 200);
    expect(gaps[3]).toBeLessThan(8_200);
  });

  it("I7: a bank with due work is attempted at least every 15 min, whatever it answers", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(({ attempt }) => (attempt % 3 === 0 ? { status: 503, retryAfter: "99999" } : attempt % 3 === 1 ? 404 : "silent"));
    await world.dispatch({});
    await world.time.advance(6 * 60 * minuteMs);
    const times = [...world.received.map(({ atMs }) => atMs), world.time.nowMs()];
    for (let index = 1; index < times.length; index += 1)
      expect((times[index] ?? 0) - (times[index - 1] ?? 0)).toBeLessThan(15 * minuteMs + 1_000);
    expect(times.length).toBeGreaterThan(24);
  });

  it("the store being down does not hold up a bank that acknowledges", async () => {
    const world = dispatcherWorld();
    await world.start();
    await world.dispatch(...many(1, "first"));
    await world.until(() => world.endedIds().size === 1);
    world.hooks.store.fault = () => "down";
    await world.dispatch(...many(19, "first", 2));
    await world.until(() => world.endedIds().size === 20, 2_000);
    world.hooks.store.fault = () => "none";
    await world.time.advance(30_000);
    expect((await world.during(world.store.lanes.list("dispatcher")))[0]?.position).toBe(20n);
  });
});

/** The most attempts that ran at once: each silent one runs for its time-out. */
function runningMax(world: DispatcherWorld): number {
  const timeoutMs = 5_000;
  const times = world.received.map(({ atMs }) => atMs);
  return Math.max(...times.map((atMs) => times.filter((other) => other <= atMs && other + timeoutMs > atMs).length));
}
