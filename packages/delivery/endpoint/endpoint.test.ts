import type { AttemptAnswer } from "./attempt-answer.ts";
import { createVirtualTime } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { buildAttemptAnswer, createTestEndpoint, endpointStartMs } from "./endpoint.fixture.ts";
import type { Endpoint } from "./endpoint.ts";

const secondMs = 1_000;

/** An endpoint with or without a message to try, and the times at which it was tried. */
function setup() {
  const time = createVirtualTime({ startAtMs: endpointStartMs });
  const probedAtMs: number[] = [];
  const seen = { hasHead: true, changes: 0 };
  const endpoint = createTestEndpoint({
    time,
    brokerClock: { nowMs: () => time.nowMs() },
    events: {
      suspended: () => {},
      released: () => {},
      changed: () => void (seen.changes += 1),
      probe: () => {
        if (seen.hasHead) probedAtMs.push(time.nowMs() - endpointStartMs);
        return seen.hasHead;
      },
    },
  });
  const answer = (over: Partial<AttemptAnswer>): void => endpoint.recordAnswer(buildAttemptAnswer(time.monotonicMs(), over));
  return { time, destination: endpoint, probedAtMs, seen, answer };
}

function open(endpoint: Endpoint, answer: (over: Partial<AttemptAnswer>) => void): void {
  for (let number = 1; number <= 10; number += 1) answer({ uetr: `u${number}` });
  expect(endpoint.isBreakerOpen).toBe(true);
}

describe("a probe and a Retry-After", () => {
  it("I12: a due probe that found no message waits for a Retry-After that comes meanwhile", async () => {
    const { time, destination: endpoint, probedAtMs, seen, answer } = setup();
    seen.hasHead = false;
    open(endpoint, answer);
    await time.advance(12 * secondMs);
    // An attempt that began before the breaker opened is answered now.
    answer({ retryAfter: "60" });
    seen.hasHead = true;
    endpoint.probeIfDue();
    expect(probedAtMs).toEqual([]);
    await time.advance(61 * secondMs);
    expect(probedAtMs).toEqual([72 * secondMs]);
  });

  it("I12: a Retry-After that ends before the next probe is due does not bring the probe forward", async () => {
    const { time, destination: endpoint, probedAtMs, answer } = setup();
    open(endpoint, answer);
    await time.advance(secondMs);
    answer({ retryAfter: "2" });
    await time.advance(20 * secondMs);
    expect(probedAtMs).toEqual([10 * secondMs]);
  });
});

describe("the health of an endpoint", () => {
  it("has when its breaker opened and closed, the newest 20 times, over a restart too", async () => {
    const { time, destination: endpoint, answer } = setup();
    const openAndClose = async (): Promise<void> => {
      open(endpoint, answer);
      await time.advance(secondMs);
      answer({ class: "acknowledged", status: 202 });
      await time.advance(660 * secondMs);
    };
    await openAndClose();
    const health = endpoint.health("dispatcher");
    expect(health?.changes).toEqual([
      { atMs: endpointStartMs, reason: "transient" },
      { atMs: endpointStartMs + secondMs, reason: null },
    ]);
    const restarted = createTestEndpoint();
    if (health !== null) restarted.restore(health);
    expect(restarted.health("dispatcher")?.changes).toEqual(health?.changes);
    for (let nth = 1; nth <= 12; nth += 1) await openAndClose();
    expect(endpoint.health("dispatcher")?.changes).toHaveLength(20);
  });

  it("is written once a minute while the endpoint acknowledges, so that another process's value is replaced; not while nothing is sent", async () => {
    const { time, seen, answer } = setup();
    for (let second = 0; second < 150; second += 1) {
      answer({ class: "acknowledged", status: 202 });
      await time.advance(secondMs);
    }
    expect(seen.changes).toBe(2);
    await time.advance(600 * secondMs);
    expect(seen.changes).toBe(2);
    answer({ class: "acknowledged", status: 202 });
    expect(seen.changes).toBe(3);
  });
});

describe("a resume", () => {
  it("I12: it ends a Retry-After asked for before it, and not one that the bank has asked for since", async () => {
    const { time, destination: endpoint, answer } = setup();
    const resumedAtMs = time.nowMs();
    await time.advance(secondMs);
    answer({ status: 429, retryAfter: "60" });
    expect(endpoint.blockReason(null)).toBe("retry-after");
    // A partition that lags behind reads the resume only now.
    endpoint.resume(resumedAtMs);
    expect(endpoint.blockReason(null)).toBe("retry-after");
    endpoint.resume(time.nowMs() + secondMs);
    expect(endpoint.blockReason(null)).toBe(null);
  });
});
