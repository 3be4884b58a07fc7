import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { restoredConcurrency, lowerLimit, raiseLimit, rampLimit, initialConcurrency, type LearntConcurrency } from "./concurrency.ts";

const timeout = (startedMs: number, nowMs: number) => ({ startedMs, nowMs, isTimeout: true });
const asked = (startedMs: number, nowMs: number) => ({ startedMs, nowMs, isTimeout: false });

/** The limit after that many acknowledgements while all of it is in use. */
function grown(before: LearntConcurrency, acknowledgements: number, connections = 64): LearntConcurrency {
  let state = before;
  for (let count = 0; count < acknowledgements; count += 1) state = raiseLimit(state, Math.floor(state.limit), connections);
  return state;
}

describe("the limit of requests at once", () => {
  it("I14: it starts at all connections, is halved once in a round trip, and never falls below one", () => {
    const start = initialConcurrency(64);
    const once = lowerLimit(start, asked(0, 1_000));
    expect(once.limit).toBe(32);
    expect(lowerLimit(once, asked(999, 1_500))).toBe(once);
    let state = once;
    for (let nowMs = 2_000; nowMs < 30_000; nowMs += 1_000) state = lowerLimit(state, asked(nowMs, nowMs));
    expect(state.limit).toBe(1);
  });

  it("I14: time-outs leave two requests, so that one hanging message does not take them all", () => {
    let state = initialConcurrency(64);
    for (let nowMs = 0; nowMs < 30_000; nowMs += 1_000) state = lowerLimit(state, timeout(nowMs, nowMs));
    expect(state.limit).toBe(2);
    expect(lowerLimit(lowerLimit(initialConcurrency(64), asked(0, 0)), timeout(0, 0)).limit).toBeGreaterThan(1);
    expect(lowerLimit(initialConcurrency(1), timeout(0, 0)).limit).toBe(1);
  });

  it("grows by one in a round of acknowledgements, and only while all of it is in use", () => {
    const state = lowerLimit(initialConcurrency(64), asked(0, 0));
    expect(Math.floor(grown(state, 32).limit)).toBe(32);
    expect(Math.floor(grown(state, 34).limit)).toBe(33);
    expect(raiseLimit(state, 30, 64)).toBe(state);
    expect(grown(state, 10_000).limit).toBe(64);
  });

  it("after a breaker closed it begins with two and doubles each round, up to what was learnt", () => {
    const learnt = restoredConcurrency(32, 64);
    const state = rampLimit(learnt);
    expect(state).toMatchObject({ limit: 2, threshold: 32 });
    expect(grown(state, 2).limit).toBe(4);
    expect(grown(state, 30).limit).toBe(32);
    expect(Math.floor(grown(state, 62).limit)).toBe(32);
  });

  it("a limit restored after a restart stays within the connections configured now", () => {
    expect(restoredConcurrency(64, 16).limit).toBe(16);
    expect(restoredConcurrency(0, 16).limit).toBe(1);
    expect(restoredConcurrency(7, 16).limit).toBe(7);
  });

  it("I15: whatever answers come, it stays between one and the connections", () => {
    const steps = fc.array(fc.constantFrom("ack", "timeout", "429", "close"), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), steps, (connections, given) => {
        let state = initialConcurrency(connections);
        for (const [nowMs, step] of given.entries()) {
          if (step === "ack") state = raiseLimit(state, Math.floor(state.limit), connections);
          else state = step === "close" ? rampLimit(state) : lowerLimit(state, { startedMs: nowMs, nowMs, isTimeout: step === "timeout" });
          expect(state.limit).toBeGreaterThanOrEqual(1);
          expect(state.limit).toBeLessThanOrEqual(connections);
          expect(state.threshold).toBeLessThanOrEqual(connections);
        }
      }),
      { numRuns: 200 },
    );
  });
});
