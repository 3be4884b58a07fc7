import { groups } from "@sluice/contracts";
import { createMetrics } from "@sluice/telemetry";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { credit, dispatcherWorld, messageId, stopOf, type DispatcherWorld } from "./dispatcher.fixture.ts";

const minuteMs = 60_000;
const many = (count: number, from = 1, bank = "first") =>
  Array.from({ length: count }, (_, index) => ({ messageIdentification: messageId(from + index), bank }));
const events = (world: DispatcherWorld, name: string) => world.logged.filter(({ event }) => event === name);
const timesSince = (world: DispatcherWorld, fromMs: number): number[] =>
  world.received.filter(({ atMs }) => atMs >= fromMs).map(({ atMs }) => atMs);
const gapsOf = (times: readonly number[]): number[] => times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));

/** The bank `first` answers 503 to twenty messages, and its breaker has opened. */
async function down(options: Parameters<typeof dispatcherWorld>[0] = {}, count = 20) {
  const world = dispatcherWorld(options);
  const process = await world.start();
  world.answers(() => 503);
  await world.dispatch(...many(count));
  await world.until(() => events(world, "breaker.opened").length === 1);
  await world.time.advance(2_000);
  return { world, process };
}

describe("a breaker that opened", { timeout: 30_000 }, () => {
  it("I7: has one message tried every 10 s and no other, new ones neither, and the store is not asked meanwhile", async () => {
    const { world } = await down();
    const fromMs = world.time.nowMs();
    const asked: string[] = [];
    world.hooks.store.fault = ({ operation }) => {
      if (operation.startsWith("deliveries")) asked.push(operation);
      return "none";
    };
    await world.time.advance(10 * minuteMs);
    const times = timesSince(world, fromMs);
    expect(times.length).toBeGreaterThanOrEqual(59);
    expect(times.length).toBeLessThanOrEqual(60);
    expect(Math.min(...gapsOf(times))).toBeGreaterThanOrEqual(10_000);
    // Each probe reads its message and writes what came of it: nothing else is asked.
    expect(asked.length).toBe(2 * times.length);
    await world.dispatch(...many(5, 100));
    await world.time.advance(2_000);
    for (const { messageIdentification: id } of many(5, 100)) expect(world.attemptsOf(id)).toEqual([]);
    expect((await world.parked("deliveries")).length).toBe(25);
  });

  it("I16: one message that the receiver chokes on does not keep it open: probes go round, the oldest first", async () => {
    const { world } = await down({ banks: [sampleBank({ id: "first", connections: 1 })] });
    const fromMs = world.time.nowMs();
    await world.time.advance(45_000);
    const probed = world.received.filter(({ atMs }) => atMs >= fromMs).map(({ id }) => id);
    expect(new Set(probed).size).toBe(probed.length);
    expect(probed).toEqual(probed.toSorted());
    world.answers(({ id }) => (id === messageId(1) ? 500 : 202));
    await world.until(() => world.endedIds().size === 19, 30_000);
  });

  it("the first acknowledgement closes it: all is due at once, whatever it waited for, the oldest first, few at a time and then more", async () => {
    const { world } = await down({ banks: [sampleBank({ id: "first", connections: 8 })] }, 60);
    await world.time.advance(minuteMs);
    world.answers(() => ({ status: 202, afterMs: 50 }));
    const before = world.received.length;
    await world.until(() => events(world, "breaker.closed").length === 1, 15_000);
    const closedAtMs = world.time.nowMs();
    await world.until(() => world.endedIds().size === 60, 5_000);
    const drained = world.received.slice(before);
    const first = drained[1];
    expect((first?.atMs ?? Number.POSITIVE_INFINITY) - closedAtMs).toBeLessThan(1_000);
    const rest = drained.slice(1).map(({ id }) => id);
    expect(rest.slice(0, 20)).toEqual(rest.slice(0, 20).toSorted());
    const atOnce = (untilMs: number) => drained.filter(({ atMs }) => atMs > closedAtMs && atMs <= untilMs).length;
    expect(atOnce(closedAtMs + 45)).toBeLessThanOrEqual(3);
    expect(atOnce(closedAtMs + 400)).toBeGreaterThan(16);
  });

  it("has a probe at once when our credentials for that bank are replaced, and no other attempt", async () => {
    const { world } = await down();
    await world.time.advance(1_000);
    const fromMs = world.time.nowMs();
    world.renewCredentials("second");
    await world.time.advance(100);
    expect(timesSince(world, fromMs)).toEqual([]);
    world.renewCredentials("first");
    await world.time.advance(100);
    expect(timesSince(world, fromMs).length).toBe(1);
    world.answers(() => 202);
    world.renewCredentials("first");
    await world.until(() => world.endedIds().size === 20, 2_000);
  });

  it("what comes while it drains waits behind; then the fast path is free again", async () => {
    const { world } = await down({ banks: [sampleBank({ id: "first", connections: 2 })] }, 80);
    world.answers(() => ({ status: 202, afterMs: 100 }));
    await world.until(() => events(world, "breaker.closed").length === 1, 15_000);
    await world.dispatch(...many(1, 500));
    await world.until(() => world.endedIds().size === 81, 10_000);
    const order = world.received.filter(({ status }) => status === 202).map(({ id }) => id);
    expect(order.indexOf(messageId(500))).toBeGreaterThan(60);
    await world.dispatch(...many(1, 501));
    await world.until(() => world.endedIds().has(messageId(501)), 1_000);
    expect((await world.parked("deliveries")).map(({ id }) => id)).toEqual([]);
  });

  it("stays open over a restart, with a probe at once, and over one while the bank came back", async () => {
    const { world, process } = await down();
    await process.stop();
    await world.time.advance(5 * minuteMs);
    const before = world.received.length;
    const second = await world.start();
    await world.time.advance(5_000);
    expect(world.received).toHaveLength(before + 1);
    second.kill();
    world.answers(() => 202);
    await world.start();
    await world.until(() => world.endedIds().size === 20, 30_000);
    expect(events(world, "breaker.opened")).toHaveLength(1);
    expect(events(world, "breaker.still-open")).toHaveLength(2);
  });

  it("over 10 refusals in a row: one message is given up every 10 s, not all of them at once", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 1 })] });
    await world.start();
    world.answers(() => 422);
    await world.dispatch(...many(30));
    await world.until(() => events(world, "breaker.opened").length === 1);
    await world.time.advance(1_000);
    const refused = world.ended().length;
    expect(refused).toBeLessThan(12);
    await world.time.advance(minuteMs);
    expect(world.ended().length - refused).toBe(6);
    world.answers(() => 202);
    await world.until(() => world.endedIds().size === 30, minuteMs);
  });

  it("409 on first attempts opens nothing: the bank has seen the messages before", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(() => 409);
    await world.dispatch(...many(40));
    await world.until(() => world.ended().length === 40, 30_000);
    expect(events(world, "breaker.opened")).toEqual([]);
  });

  it("opens over answers about the address too, and then asks once a minute: nothing there mends by itself", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(() => 404);
    await world.dispatch(...many(30));
    await world.until(() => events(world, "breaker.opened").length === 1);
    await world.time.advance(2_000);
    const fromMs = world.time.nowMs();
    await world.time.advance(10 * minuteMs);
    const times = timesSince(world, fromMs);
    expect(times.length).toBeGreaterThanOrEqual(9);
    expect(Math.min(...gapsOf(times))).toBeGreaterThanOrEqual(minuteMs);
  });

  it("I5: is named in the answer to a stop, and not when it has closed", async () => {
    const { world } = await down();
    await world.stop(stopOf(1));
    await world.until(() => world.ended().some(({ outcome }) => outcome === "STOPPED"));
    world.answers(() => 202);
    await world.until(() => world.endedIds().size === 20, 30_000);
    await world.stop(stopOf(2));
    await world.until(() => world.ended().filter(({ outcome }) => outcome === "STOPPED").length === 2);
    const stops = world.ended().filter(({ outcome }) => outcome === "STOPPED");
    expect(stops.map(({ messageIdentification, breakerOpen }) => [messageIdentification, breakerOpen])).toEqual([
      [messageId(1), true],
      [messageId(2), false],
    ]);
  });

  it("is the probe's when nothing is left to try: the next message that comes", async () => {
    const { world } = await down({}, 12);
    for (let number = 1; number <= 12; number += 1) await world.stop(stopOf(number));
    await world.until(() => world.ended().length === 12);
    await world.time.advance(minuteMs);
    world.answers(() => 202);
    await world.dispatch(...many(1, 300));
    await world.until(() => world.endedIds().has(messageId(300)), 2_000);
    expect(events(world, "breaker.closed")).toHaveLength(1);
  });

  it("I14: is one address's: another bank, and another address of the same bank, go on", async () => {
    const banks = [
      sampleBank({ id: "first", operationUrls: { inboundDirectDebit: "http://debits.invalid/in" } }),
      sampleBank({ id: "second" }),
    ];
    const { world } = await down({ banks });
    world.answers(({ operation, bank }) => (bank === "first" && operation !== "inboundDirectDebit" ? 503 : 202));
    await world.dispatch({ messageIdentification: messageId(200, "D") }, { messageIdentification: messageId(201), bank: "second" });
    await world.until(() => world.endedIds().size === 2, 1_000);
    expect(world.endedIds()).toEqual(new Set([messageId(200, "D"), messageId(201)]));
  });

  it("a resume that twelve lanes read is one probe", async () => {
    const { world } = await down({ lanes: 12 }, 60);
    await world.pause();
    await world.time.advance(minuteMs);
    const before = world.received.length;
    await world.resume();
    await world.time.advance(8_000);
    expect(world.received).toHaveLength(before + 1);
  });

  it("is probed no sooner where a probe's lane closes under way", async () => {
    const { world, process } = await down();
    world.answers(() => "silent");
    const before = world.received.length;
    await world.until(() => world.received.length === before + 1, 15_000);
    const atMs = world.time.nowMs();
    world.log.rebalance(groups.dispatcher);
    await world.until(() => world.received.length === before + 2, 60_000);
    expect(world.time.nowMs() - atMs).toBeGreaterThanOrEqual(9_000);
    expect(process.isAlive()).toBe(true);
  });

  it("I12: an operator's pause holds the probes as well; a resume makes one due at once", async () => {
    const { world } = await down();
    await world.pause();
    await world.time.advance(5_000);
    const before = world.received.length;
    await world.time.advance(10 * minuteMs);
    expect(world.received).toHaveLength(before);
    world.answers(() => 202);
    await world.resume();
    await world.until(() => world.endedIds().size === 20, 5_000);
  });
});

describe("Retry-After", { timeout: 30_000 }, () => {
  it("I12: holds the whole address: nothing else of the bank is tried before it ends, then all is, the oldest first", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first" }), sampleBank({ id: "second" })] });
    await world.start();
    world.answers(({ id, attempt }) => (id === messageId(1) && attempt === 1 ? { status: 429, retryAfter: "120" } : 202));
    await world.dispatch(...many(1));
    await world.until(() => world.received.length === 1);
    await world.time.advance(100);
    const gatedAtMs = world.time.nowMs();
    await world.dispatch(...many(10, 2), { messageIdentification: messageId(50), bank: "second" });
    await world.time.advance(119_000);
    expect(world.received.filter(({ bank }) => bank === "first")).toHaveLength(1);
    expect(world.endedIds()).toEqual(new Set([messageId(50)]));
    await world.until(() => world.endedIds().size === 12, 5_000);
    expect(world.time.nowMs() - gatedAtMs).toBeLessThan(122_000);
    const order = world.received.filter(({ bank }) => bank === "first").map(({ id }) => id);
    expect(order.slice(1)).toEqual(order.slice(1).toSorted());
  });

  it("I12: does not outlast a message's own end: it is tried at its last possible start", async () => {
    const world = dispatcherWorld();
    await world.start();
    world.answers(({ id }) => (id === messageId(1) ? { status: 503, retryAfter: "600" } : 202));
    await world.dispatch(...many(1));
    await world.until(() => world.received.length === 1);
    await world.time.advance(100);
    const stopsAtMs = world.time.nowMs() + 30_000;
    await world.dispatch(credit(2, stopsAtMs));
    await world.until(() => world.attemptsOf(messageId(2, "C")).length === 1, 31_000);
    const [tried] = world.attemptsOf(messageId(2, "C"));
    expect(stopsAtMs - (tried?.atMs ?? 0)).toBeGreaterThan(4_900);
    expect(stopsAtMs - (tried?.atMs ?? 0)).toBeLessThan(5_200);
  });

  it("stands over a restart", async () => {
    const world = dispatcherWorld();
    const first = await world.start();
    world.answers(() => ({ status: 429, retryAfter: "300" }));
    await world.dispatch(...many(1));
    await world.until(() => world.received.length === 1);
    await world.time.advance(1_000);
    await first.stop();
    world.answers(() => 202);
    await world.start();
    await world.dispatch(...many(5, 2));
    await world.time.advance(4 * minuteMs);
    expect(world.received).toHaveLength(1);
    await world.until(() => world.endedIds().size === 6, 2 * minuteMs);
  });

  it("its end is logged, once", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", concurrency: "fixed" })] });
    await world.start();
    world.answers(({ attempt }) => (attempt === 1 ? { status: 503, retryAfter: "60" } : 202));
    await world.dispatch(...many(1));
    await world.time.advance(59_000);
    expect([events(world, "bank.gated").length, events(world, "bank.unthrottled").length]).toEqual([1, 0]);
    await world.until(() => world.endedIds().size === 1, 5_000);
    expect(events(world, "bank.unthrottled")).toHaveLength(1);
  });

  it("puts a probe off until it ends", async () => {
    const { world } = await down();
    world.answers(() => ({ status: 503, retryAfter: "90" }));
    const before = world.received.length;
    await world.until(() => world.received.length === before + 1, 15_000);
    const gatedAtMs = world.time.nowMs();
    world.answers(() => 202);
    await world.until(() => world.received.length === before + 2, 2 * minuteMs);
    expect(world.time.nowMs() - gatedAtMs).toBeGreaterThanOrEqual(90_000);
    expect(world.time.nowMs() - gatedAtMs).toBeLessThan(91_000);
  });
});

describe("how many requests at once", { timeout: 30_000 }, () => {
  /** A bank that answers 429 to all beyond what it bears. */
  function bearing(world: DispatcherWorld, bears: number, tookMs: number) {
    let running = 0;
    const seen = { most: 0, refused: 0 };
    world.answers(() => {
      running += 1;
      seen.most = Math.max(seen.most, running);
      world.time.after(tookMs - 1, () => (running -= 1));
      if (running <= bears) return { status: 202, afterMs: tookMs };
      seen.refused += 1;
      return { status: 429, afterMs: tookMs };
    });
    return seen;
  }

  it("I14: is learnt: a bank that bears four at once is soon given about four, and refuses little", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 64 })] });
    await world.start();
    const seen = bearing(world, 4, 50);
    for (let round = 0; round < 60; round += 1) {
      await world.dispatch(...many(20, 1 + round * 20));
      await world.time.advance(500);
    }
    await world.until(() => world.endedIds().size === 1_200, 10 * minuteMs);
    const before = seen.refused;
    seen.most = 0;
    for (let round = 60; round < 100; round += 1) {
      await world.dispatch(...many(20, 1 + round * 20));
      await world.time.advance(500);
    }
    await world.until(() => world.endedIds().size === 2_000, 10 * minuteMs);
    expect(seen.most).toBeLessThanOrEqual(16);
    expect(seen.refused - before).toBeLessThan(270);
  });

  it("that it is fewer than configured, and all again, is counted and logged each once; what a restart brings back is neither", async () => {
    const metrics = createMetrics({ withProcess: false });
    const world = dispatcherWorld({ metrics, banks: [sampleBank({ id: "first", connections: 4 })] });
    const counted = async (to: string): Promise<string | undefined> =>
      new RegExp(`sluice_delivery_throttle_transitions_total\\{bank="first",address="[^"]+",to="${to}"\\} (\\d+)`).exec(
        await metrics.text(),
      )?.[1];
    const first = await world.start();
    // Known before anything happens: else nobody could see from what it fell.
    const gauges = [
      ["breaker_open", 0],
      ["gate_seconds", 0],
      ["concurrency", 4],
    ] as const;
    for (const [name, value] of gauges)
      expect(await metrics.text()).toMatch(new RegExp(`sluice_delivery_${name}\\{bank="first",[^}]+\\} ${value}\n`));
    bearing(world, 1, 50);
    await world.dispatch(...many(30));
    await world.time.advance(5_000);
    expect([await counted("throttled"), await counted("active")]).toEqual(["1", undefined]);
    await first.stop();
    await world.start();
    await world.time.advance(1_000);
    expect(await counted("throttled")).toBe("1");
    bearing(world, 4, 50);
    await world.dispatch(...many(200, 100));
    await world.until(() => world.endedIds().size === 230, 10 * minuteMs);
    expect([await counted("throttled"), await counted("active")]).toEqual(["1", "1"]);
    expect(events(world, "bank.unthrottled")).toHaveLength(1);
  });

  it("is as configured where it is fixed", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 16, concurrency: "fixed" })] });
    await world.start();
    const seen = bearing(world, 4, 50);
    await world.dispatch(...many(200));
    await world.time.advance(minuteMs);
    expect(seen.most).toBe(16);
    expect(events(world, "bank.throttled")).toEqual([]);
  });

  it("I14: one message that hangs does not lower it while others are acknowledged", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 4 })] });
    await world.start();
    world.answers(({ id }) => (id === messageId(1) ? "silent" : 202));
    await world.dispatch(...many(1));
    for (let round = 0; round < 60; round += 1) {
      await world.dispatch(...many(3, 10 + round * 3));
      await world.time.advance(2_000);
    }
    expect(events(world, "bank.throttled")).toEqual([]);
  });

  it("what was learnt is kept over a restart", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 64 })] });
    const first = await world.start();
    bearing(world, 2, 50);
    await world.dispatch(...many(300));
    await world.time.advance(20_000);
    await first.stop();
    const [kept] = await world.during(world.store.addresses.all("dispatcher"));
    expect(kept?.concurrency).toBeLessThan(32);
    const seen = bearing(world, 64, 50);
    await world.start();
    await world.dispatch(...many(1, 900));
    await world.time.advance(200);
    expect(seen.most).toBeLessThanOrEqual(33);
  });
});

describe("a bank that is down for hours", { timeout: 30_000 }, () => {
  it("I4, I15, I16: 4,000 messages wait outside memory and drain in order, with the store read as seldom as pages allow", async () => {
    const world = dispatcherWorld({ banks: [sampleBank({ id: "first", connections: 32 })], bounds: { pageMessagesMax: 500 } });
    await world.start();
    world.answers(() => "silent");
    const total = 4_000;
    for (let from = 1; from <= total; from += 2_000) {
      await world.dispatch(...many(2_000, from));
      await world.time.advance(10_000);
    }
    expect(events(world, "breaker.opened")).toHaveLength(1);
    let reads = 0;
    world.hooks.store.fault = ({ operation }) => {
      if (operation.endsWith("ofLane")) reads += 1;
      return "none";
    };
    await world.time.advance(2 * 60 * minuteMs);
    expect(reads).toBe(0);
    let acknowledged = 0;
    world.answers(() => {
      acknowledged += 1;
      return 202;
    });
    const before = world.received.length;
    await world.until(() => acknowledged === total, 60 * minuteMs);
    await world.time.advance(1_000);
    expect(world.endedIds().size).toBe(total);
    expect(await world.parked("deliveries")).toEqual([]);
    const order = world.received.slice(before + 1).map(({ id }) => Number.parseInt(id.slice(20, 32), 10));
    let disorder = 0;
    let highest = 0;
    for (const number of order) {
      if (number < highest - 64) disorder += 1;
      highest = Math.max(highest, number);
    }
    expect(disorder).toBe(0);
    expect(reads).toBeLessThan(200);
  });
});
