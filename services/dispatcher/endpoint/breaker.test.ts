import { groups } from "@sluice/contracts";
import { createMetrics } from "@sluice/service";
import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import {
  buildCreditDispatch,
  createDispatcherEnvironment,
  dispatchMessageId,
  buildStop,
  type DispatcherEnvironment,
} from "../dispatcher.fixture.ts";

const minuteMs = 60_000;
const many = (count: number, from = 1, bank = "first") =>
  Array.from({ length: count }, (_, index) => ({ messageIdentification: dispatchMessageId(from + index), bank }));
const events = (environment: DispatcherEnvironment, name: string) => environment.logged.filter(({ event }) => event === name);
const timesSince = (environment: DispatcherEnvironment, fromMs: number): number[] =>
  environment.received.filter(({ atMs }) => atMs >= fromMs).map(({ atMs }) => atMs);
const gapsBetween = (times: readonly number[]): number[] => times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));

/** Lets the bank `first` answer 503 to twenty messages, so that its breaker opens. */
async function openBreaker(options: Parameters<typeof createDispatcherEnvironment>[0] = {}, count = 20) {
  const environment = createDispatcherEnvironment(options);
  const process = await environment.start();
  environment.answers(() => 503);
  await environment.dispatch(...many(count));
  await environment.until(() => events(environment, "breaker.opened").length === 1);
  await environment.time.advance(2_000);
  return { environment, process };
}

describe("an open breaker", { timeout: 30_000 }, () => {
  it("I7: lets one message be tried every 10 s and no other, not even new ones, and the store is not read meanwhile [D3.48]", async () => {
    const { environment } = await openBreaker();
    const fromMs = environment.time.nowMs();
    const asked: string[] = [];
    environment.hooks.store.fault = ({ operation }) => {
      // A look at the store reads versions of rows, and no message.
      if (operation.startsWith("deliveries") && operation !== "deliveries.versions") asked.push(operation);
      return "none";
    };
    await environment.time.advance(10 * minuteMs);
    const times = timesSince(environment, fromMs);
    expect(times.length).toBeGreaterThanOrEqual(59);
    expect(times.length).toBeLessThanOrEqual(60);
    expect(Math.min(...gapsBetween(times))).toBeGreaterThanOrEqual(10_000);
    // Each probe reads its message and writes the result: no other call goes to the store.
    expect(asked.length).toBe(2 * times.length);
    await environment.dispatch(...many(5, 100));
    await environment.time.advance(2_000);
    for (const { messageIdentification: id } of many(5, 100)) expect(environment.attemptsOf(id)).toEqual([]);
    expect((await environment.parked("deliveries")).length).toBe(25);
  });

  it("I16: does not stay open because of messages that always fail: probes are in turn the newest untried one and the next of all [D3.49]", async () => {
    const { environment } = await openBreaker({ banks: [sampleBank({ id: "first", connections: 1 })] });
    const fromMs = environment.time.nowMs();
    await environment.time.advance(45_000);
    const probed = environment.received.filter(({ atMs }) => atMs >= fromMs).map(({ id }) => id);
    expect(probed).toEqual([20, 1, 19, 2].map((number) => dispatchMessageId(number)));
    environment.answers(({ id }) => (id === dispatchMessageId(1) ? 500 : 202));
    await environment.until(() => environment.endedIds().size === 19, 30_000);
  });

  it("closes at the first acknowledgement: everything is due at once, the oldest first, few at a time and then more [D3.50] [D3.51]", async () => {
    const { environment } = await openBreaker({ banks: [sampleBank({ id: "first", connections: 8 })] }, 60);
    await environment.time.advance(minuteMs);
    environment.answers(() => ({ status: 202, afterMs: 50 }));
    const before = environment.received.length;
    await environment.until(() => events(environment, "breaker.closed").length === 1, 15_000);
    const closedAtMs = environment.time.nowMs();
    await environment.until(() => environment.endedIds().size === 60, 5_000);
    const drained = environment.received.slice(before);
    const first = drained[1];
    expect((first?.atMs ?? Number.POSITIVE_INFINITY) - closedAtMs).toBeLessThan(1_000);
    const rest = drained.slice(1).map(({ id }) => id);
    expect(rest.slice(0, 20)).toEqual(rest.slice(0, 20).toSorted());
    const atOnce = (untilMs: number) => drained.filter(({ atMs }) => atMs > closedAtMs && atMs <= untilMs).length;
    expect(atOnce(closedAtMs + 45)).toBeLessThanOrEqual(3);
    expect(atOnce(closedAtMs + 400)).toBeGreaterThan(16);
  });

  it("probes at once when our credentials for that bank are replaced, and makes no other attempt", async () => {
    const { environment } = await openBreaker();
    await environment.time.advance(1_000);
    const fromMs = environment.time.nowMs();
    environment.renewCredentials("second");
    await environment.time.advance(100);
    expect(timesSince(environment, fromMs)).toEqual([]);
    environment.renewCredentials("first");
    await environment.time.advance(100);
    expect(timesSince(environment, fromMs).length).toBe(1);
    environment.answers(() => 202);
    environment.renewCredentials("first");
    await environment.until(() => environment.endedIds().size === 20, 2_000);
  });

  it("lets new messages wait behind the backlog while it drains; then the fast path is free again", async () => {
    const { environment } = await openBreaker({ banks: [sampleBank({ id: "first", connections: 2 })] }, 80);
    environment.answers(() => ({ status: 202, afterMs: 100 }));
    await environment.until(() => events(environment, "breaker.closed").length === 1, 15_000);
    await environment.dispatch(...many(1, 500));
    await environment.until(() => environment.endedIds().size === 81, 10_000);
    const order = environment.received.filter(({ status }) => status === 202).map(({ id }) => id);
    expect(order.indexOf(dispatchMessageId(500))).toBeGreaterThan(60);
    await environment.dispatch(...many(1, 501));
    await environment.until(() => environment.endedIds().has(dispatchMessageId(501)), 1_000);
    expect((await environment.parked("deliveries")).map(({ id }) => id)).toEqual([]);
  });

  it("stays open over a restart, with a probe at once, also if the bank came back meanwhile", async () => {
    const { environment, process } = await openBreaker();
    await process.stop();
    await environment.time.advance(5 * minuteMs);
    const before = environment.received.length;
    const second = await environment.start();
    await environment.time.advance(5_000);
    expect(environment.received).toHaveLength(before + 1);
    second.kill();
    environment.answers(() => 202);
    await environment.start();
    await environment.until(() => environment.endedIds().size === 20, 30_000);
    expect(events(environment, "breaker.opened")).toHaveLength(1);
    expect(events(environment, "breaker.still-open")).toHaveLength(2);
  });

  it("gives up one message every 10 s after 10 refusals in a row, not all of them at once", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first", connections: 1 })] });
    await environment.start();
    environment.answers(() => 422);
    await environment.dispatch(...many(30));
    await environment.until(() => events(environment, "breaker.opened").length === 1);
    await environment.time.advance(1_000);
    const refused = environment.ended().length;
    expect(refused).toBeLessThan(12);
    await environment.time.advance(minuteMs);
    expect(environment.ended().length - refused).toBe(6);
    environment.answers(() => 202);
    await environment.until(() => environment.endedIds().size === 30, minuteMs);
  });

  it("does not open after 409 on first attempts: the bank has seen the messages before", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(() => 409);
    await environment.dispatch(...many(40));
    await environment.until(() => environment.ended().length === 40, 30_000);
    expect(events(environment, "breaker.opened")).toEqual([]);
  });

  it("opens after answers about the address too, and then probes once a minute: such an error does not go away by itself [D3.46]", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(() => 404);
    await environment.dispatch(...many(30));
    await environment.until(() => events(environment, "breaker.opened").length === 1);
    await environment.time.advance(2_000);
    const fromMs = environment.time.nowMs();
    await environment.time.advance(10 * minuteMs);
    const times = timesSince(environment, fromMs);
    expect(times.length).toBeGreaterThanOrEqual(9);
    expect(Math.min(...gapsBetween(times))).toBeGreaterThanOrEqual(minuteMs);
  });

  it("I5: is named in the answer to a stop while it is open, and not once it has closed", async () => {
    const { environment } = await openBreaker();
    await environment.stop(buildStop(1));
    await environment.until(() => environment.ended().some(({ outcome }) => outcome === "STOPPED"));
    // The acknowledgement of a delivery is its answer; a refused one is answered by the stop.
    environment.answers(({ id }) => (id === dispatchMessageId(2) ? 422 : 202));
    await environment.until(() => environment.endedIds().size === 20, 30_000);
    await environment.stop(buildStop(2));
    await environment.until(() => environment.ended().filter(({ outcome }) => outcome === "STOPPED").length === 2);
    const stops = environment.ended().filter(({ outcome }) => outcome === "STOPPED");
    expect(stops.map(({ messageIdentification, isBreakerOpen }) => [messageIdentification, isBreakerOpen])).toEqual([
      [dispatchMessageId(1), true],
      [dispatchMessageId(2), false],
    ]);
  });

  it("probes with the next message that comes when nothing is left to try", async () => {
    const { environment } = await openBreaker({}, 12);
    for (let number = 1; number <= 12; number += 1) await environment.stop(buildStop(number));
    await environment.until(() => environment.ended().length === 12);
    await environment.time.advance(minuteMs);
    environment.answers(() => 202);
    await environment.dispatch(...many(1, 300));
    await environment.until(() => environment.endedIds().has(dispatchMessageId(300)), 2_000);
    expect(events(environment, "breaker.closed")).toHaveLength(1);
  });

  it("I14: holds for one address: another bank, and another address of the same bank, continue [D3.41] [D3.42]", async () => {
    const banks = [
      sampleBank({ id: "first", operationUrls: { inboundDirectDebit: "http://debits.invalid/in" } }),
      sampleBank({ id: "second" }),
    ];
    const { environment } = await openBreaker({ banks });
    environment.answers(({ operation, receiverId }) => (receiverId === "first" && operation !== "inboundDirectDebit" ? 503 : 202));
    await environment.dispatch(
      { messageIdentification: dispatchMessageId(200, "D") },
      { messageIdentification: dispatchMessageId(201), bank: "second" },
    );
    await environment.until(() => environment.endedIds().size === 2, 1_000);
    expect(environment.endedIds()).toEqual(new Set([dispatchMessageId(200, "D"), dispatchMessageId(201)]));
  });

  it("makes one probe after a resume that twelve partitions read", async () => {
    const { environment } = await openBreaker({ partitionCount: 12 }, 60);
    await environment.pause();
    await environment.time.advance(minuteMs);
    const before = environment.received.length;
    await environment.resume();
    await environment.time.advance(8_000);
    expect(environment.received).toHaveLength(before + 1);
  });

  it("is probed no sooner if the partition of a probe closes during it", async () => {
    const { environment, process } = await openBreaker();
    environment.answers(() => "silent");
    const before = environment.received.length;
    await environment.until(() => environment.received.length === before + 1, 15_000);
    const atMs = environment.time.nowMs();
    environment.broker.rebalance(groups.dispatcher);
    await environment.until(() => environment.received.length === before + 2, 60_000);
    expect(environment.time.nowMs() - atMs).toBeGreaterThanOrEqual(9_000);
    expect(process.isAlive()).toBe(true);
  });

  it("I12: makes no probes during an operator's pause; a resume makes one due at once", async () => {
    const { environment } = await openBreaker();
    await environment.pause();
    await environment.time.advance(5_000);
    const before = environment.received.length;
    await environment.time.advance(10 * minuteMs);
    expect(environment.received).toHaveLength(before);
    environment.answers(() => 202);
    await environment.resume();
    await environment.until(() => environment.endedIds().size === 20, 5_000);
  });
});

describe("Retry-After", { timeout: 30_000 }, () => {
  it("I12: suspends the whole address: nothing else of the bank is tried before it ends, then everything is, what was never tried first", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first" }), sampleBank({ id: "second" })] });
    await environment.start();
    environment.answers(({ id, attempt }) => (id === dispatchMessageId(1) && attempt === 1 ? { status: 429, retryAfter: "120" } : 202));
    await environment.dispatch(...many(1));
    await environment.until(() => environment.received.length === 1);
    await environment.time.advance(100);
    const backedOffAtMs = environment.time.nowMs();
    await environment.dispatch(...many(10, 2), { messageIdentification: dispatchMessageId(50), bank: "second" });
    await environment.time.advance(119_000);
    expect(environment.received.filter(({ receiverId }) => receiverId === "first")).toHaveLength(1);
    expect(environment.endedIds()).toEqual(new Set([dispatchMessageId(50)]));
    await environment.until(() => environment.endedIds().size === 12, 5_000);
    expect(environment.time.nowMs() - backedOffAtMs).toBeLessThan(122_000);
    const order = environment.received.filter(({ receiverId: bank }) => bank === "first").map(({ id }) => id);
    const untried = Array.from({ length: 10 }, (_, index) => dispatchMessageId(index + 2));
    expect(order.slice(1)).toEqual([...untried, dispatchMessageId(1)]);
  });

  it("I12: does not outlast a message's own deadline: the message is tried at its last possible start", async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    environment.answers(({ id }) => (id === dispatchMessageId(1) ? { status: 503, retryAfter: "600" } : 202));
    await environment.dispatch(...many(1));
    await environment.until(() => environment.received.length === 1);
    await environment.time.advance(100);
    const stopsAtMs = environment.time.nowMs() + 30_000;
    await environment.dispatch(buildCreditDispatch(2, stopsAtMs));
    await environment.until(() => environment.attemptsOf(dispatchMessageId(2, "C")).length === 1, 31_000);
    const [tried] = environment.attemptsOf(dispatchMessageId(2, "C"));
    expect(stopsAtMs - (tried?.atMs ?? 0)).toBeGreaterThan(4_900);
    expect(stopsAtMs - (tried?.atMs ?? 0)).toBeLessThan(5_200);
  });

  it("survives a restart", async () => {
    const environment = createDispatcherEnvironment();
    const first = await environment.start();
    environment.answers(() => ({ status: 429, retryAfter: "300" }));
    await environment.dispatch(...many(1));
    await environment.until(() => environment.received.length === 1);
    await environment.time.advance(1_000);
    await first.stop();
    environment.answers(() => 202);
    await environment.start();
    await environment.dispatch(...many(5, 2));
    await environment.time.advance(4 * minuteMs);
    expect(environment.received).toHaveLength(1);
    await environment.until(() => environment.endedIds().size === 6, 2 * minuteMs);
  });

  it("is logged once when it ends", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first", concurrency: "fixed" })] });
    await environment.start();
    environment.answers(({ attempt }) => (attempt === 1 ? { status: 503, retryAfter: "60" } : 202));
    await environment.dispatch(...many(1));
    await environment.time.advance(59_000);
    expect([events(environment, "endpoint.retry-after").length, events(environment, "endpoint.unthrottled").length]).toEqual([1, 0]);
    await environment.until(() => environment.endedIds().size === 1, 5_000);
    expect(events(environment, "endpoint.unthrottled")).toHaveLength(1);
  });

  it("delays a probe until it ends", async () => {
    const { environment } = await openBreaker();
    environment.answers(() => ({ status: 503, retryAfter: "90" }));
    const before = environment.received.length;
    await environment.until(() => environment.received.length === before + 1, 15_000);
    const backedOffAtMs = environment.time.nowMs();
    environment.answers(() => 202);
    await environment.until(() => environment.received.length === before + 2, 2 * minuteMs);
    expect(environment.time.nowMs() - backedOffAtMs).toBeGreaterThanOrEqual(90_000);
    expect(environment.time.nowMs() - backedOffAtMs).toBeLessThan(91_000);
  });
});

describe("the limit of concurrent requests", { timeout: 30_000 }, () => {
  /** A bank that answers 429 to requests beyond its limit. */
  function bearing(environment: DispatcherEnvironment, bears: number, tookMs: number) {
    let running = 0;
    const seen = { most: 0, refused: 0 };
    environment.answers(() => {
      running += 1;
      seen.most = Math.max(seen.most, running);
      environment.time.after(tookMs - 1, () => (running -= 1));
      if (running <= bears) return { status: 202, afterMs: tookMs };
      seen.refused += 1;
      return { status: 429, afterMs: tookMs };
    });
    return seen;
  }

  it("I14: is learnt: a bank that handles four at once soon gets about four, and refuses few", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first", connections: 64 })] });
    await environment.start();
    const seen = bearing(environment, 4, 50);
    for (let round = 0; round < 60; round += 1) {
      await environment.dispatch(...many(20, 1 + round * 20));
      await environment.time.advance(500);
    }
    await environment.until(() => environment.endedIds().size === 1_200, 10 * minuteMs);
    const before = seen.refused;
    seen.most = 0;
    for (let round = 60; round < 100; round += 1) {
      await environment.dispatch(...many(20, 1 + round * 20));
      await environment.time.advance(500);
    }
    await environment.until(() => environment.endedIds().size === 2_000, 10 * minuteMs);
    expect(seen.most).toBeLessThanOrEqual(16);
    expect(seen.refused - before).toBeLessThan(270);
  });

  it("is counted and logged once when it falls below the configured one and once when it is back; a restored limit is neither", async () => {
    const metrics = createMetrics({ withProcess: false });
    const environment = createDispatcherEnvironment({ metrics, banks: [sampleBank({ id: "first", connections: 4 })] });
    const counted = async (to: string): Promise<string | undefined> =>
      new RegExp(`sluice_delivery_throttle_transitions_total\\{to="${to}"\\} (\\d+)`).exec(await metrics.text())?.[1];
    const first = await environment.start();
    expect(await metrics.text()).not.toContain('receiver="first"');
    bearing(environment, 1, 50);
    await environment.dispatch(...many(30));
    await environment.time.advance(5_000);
    expect([await counted("throttled"), await counted("active")]).toEqual(["1", undefined]);
    await first.stop();
    await environment.start();
    await environment.time.advance(1_000);
    expect(await counted("throttled")).toBe("1");
    bearing(environment, 4, 50);
    await environment.dispatch(...many(200, 100));
    await environment.until(() => environment.endedIds().size === 230, 10 * minuteMs);
    expect([await counted("throttled"), await counted("active")]).toEqual(["1", "1"]);
    expect(events(environment, "endpoint.unthrottled")).toHaveLength(1);
  });

  it("is the configured one if it is fixed", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first", connections: 16, concurrency: "fixed" })] });
    await environment.start();
    const seen = bearing(environment, 4, 50);
    await environment.dispatch(...many(200));
    await environment.time.advance(minuteMs);
    expect(seen.most).toBe(16);
    expect(events(environment, "endpoint.throttled")).toEqual([]);
  });

  it("I14: is not lowered by one hanging message while others are acknowledged", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first", connections: 4 })] });
    await environment.start();
    environment.answers(({ id }) => (id === dispatchMessageId(1) ? "silent" : 202));
    await environment.dispatch(...many(1));
    for (let round = 0; round < 60; round += 1) {
      await environment.dispatch(...many(3, 10 + round * 3));
      await environment.time.advance(2_000);
    }
    expect(events(environment, "endpoint.throttled")).toEqual([]);
  });

  it("survives a restart as it was learnt", async () => {
    const environment = createDispatcherEnvironment({ banks: [sampleBank({ id: "first", connections: 64 })] });
    const first = await environment.start();
    bearing(environment, 2, 50);
    await environment.dispatch(...many(300));
    await environment.time.advance(20_000);
    await first.stop();
    const [kept] = await environment.during(environment.store.endpointHealth.all("dispatcher"));
    expect(kept?.concurrency).toBeLessThan(32);
    const seen = bearing(environment, 64, 50);
    await environment.start();
    await environment.dispatch(...many(1, 900));
    await environment.time.advance(200);
    expect(seen.most).toBeLessThanOrEqual(33);
  });
});

describe("a bank that is down for hours", { timeout: 30_000 }, () => {
  it("I4, I15, I16: has 4,000 messages wait outside memory and drain in order, with no more store reads than pages", async () => {
    const environment = createDispatcherEnvironment({
      banks: [sampleBank({ id: "first", connections: 32 })],
      bounds: { untriedInMemoryMax: 500 },
    });
    await environment.start();
    environment.answers(() => "silent");
    const total = 4_000;
    for (let from = 1; from <= total; from += 2_000) {
      await environment.dispatch(...many(2_000, from));
      await environment.time.advance(10_000);
    }
    expect(events(environment, "breaker.opened")).toHaveLength(1);
    let reads = 0;
    environment.hooks.store.fault = ({ operation }) => {
      if (operation === "deliveries.listByPartition") reads += 1;
      return "none";
    };
    await environment.time.advance(2 * 60 * minuteMs);
    // Every other probe is a message that was never tried, and those in memory are used up now and then.
    expect(reads).toBeLessThan(5);
    reads = 0;
    const untried = (await environment.parked("deliveries")).filter(({ attempts }) => attempts === 0).map(({ id }) => id);
    const isUntried = new Set(untried);
    let acknowledged = 0;
    environment.answers(() => {
      acknowledged += 1;
      return 202;
    });
    const before = environment.received.length;
    await environment.until(() => acknowledged === total, 60 * minuteMs);
    await environment.time.advance(1_000);
    expect(environment.endedIds().size).toBe(total);
    expect(await environment.parked("deliveries")).toEqual([]);
    const drained = environment.received.slice(before + 1).filter(({ id, attempt }) => isUntried.has(id) && attempt === 1);
    const order = drained.map(({ id }) => Number.parseInt(id.slice(20, 32), 10));
    let disorder = 0;
    let highest = 0;
    for (const number of order) {
      if (number < highest - 64) disorder += 1;
      highest = Math.max(highest, number);
    }
    expect(disorder).toBe(0);
    expect(reads).toBeGreaterThan(5);
    expect(reads).toBeLessThan(100);
  });
});
