import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { learntBefore, lowered, raised, ramped, unlearnt, type Concurrency } from "./concurrency.ts";

const timeout = (startedMs: number, nowMs: number) => ({ startedMs, nowMs, isTimeout: true });
const asked = (startedMs: number, nowMs: number) => ({ startedMs, nowMs, isTimeout: false });

/** After that many acknowledgements while all of the limit is in use. */
function grown(before: Concurrency, acknowledgements: number, connections = 64): Concurrency {
  let state = before;
  for (let count = 0; count < acknowledgements; count += 1) state = raised(state, Math.floor(state.limit), connections);
  return state;
}

describe("how many requests at once", () => {
  it("I14: starts at all connections, is halved once in a round trip, and never falls below one", () => {
    const start = unlearnt(64);
    const once = lowered(start, asked(0, 1_000));
    expect(once.limit).toBe(32);
    expect(lowered(once, asked(999, 1_500))).toBe(once);
    let state = once;
    for (let nowMs = 2_000; nowMs < 30_000; nowMs += 1_000) state = lowered(state, asked(nowMs, nowMs));
    expect(state.limit).toBe(1);
  });

  it("I14: time-outs leave two: one hanging message does not take all there is", () => {
    let state = unlearnt(64);
    for (let nowMs = 0; nowMs < 30_000; nowMs += 1_000) state = lowered(state, timeout(nowMs, nowMs));
    expect(state.limit).toBe(2);
    expect(lowered(lowered(unlearnt(64), asked(0, 0)), timeout(0, 0)).limit).toBeGreaterThan(1);
    expect(lowered(unlearnt(1), timeout(0, 0)).limit).toBe(1);
  });

  it("grows by one in a round of acknowledgements, and only while all of it is in use", () => {
    const state = lowered(unlearnt(64), asked(0, 0));
    expect(Math.floor(grown(state, 32).limit)).toBe(32);
    expect(Math.floor(grown(state, 34).limit)).toBe(33);
    expect(raised(state, 30, 64)).toBe(state);
    expect(grown(state, 10_000).limit).toBe(64);
  });

  it("after a breaker closed it begins with two and doubles in a round, up to what was learnt", () => {
    const learnt = learntBefore(32, 64);
    const state = ramped(learnt);
    expect(state).toMatchObject({ limit: 2, threshold: 32 });
    expect(grown(state, 2).limit).toBe(4);
    expect(grown(state, 30).limit).toBe(32);
    expect(Math.floor(grown(state, 62).limit)).toBe(32);
  });

  it("what a restart brings back stays within the connections configured now", () => {
    expect(learntBefore(64, 16).limit).toBe(16);
    expect(learntBefore(0, 16).limit).toBe(1);
    expect(learntBefore(7, 16).limit).toBe(7);
  });

  it("I15: whatever answers come, it stays between one and the connections", () => {
    const steps = fc.array(fc.constantFrom("ack", "timeout", "429", "close"), { maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), steps, (connections, given) => {
        let state = unlearnt(connections);
        for (const [nowMs, step] of given.entries()) {
          if (step === "ack") state = raised(state, Math.floor(state.limit), connections);
          else state = step === "close" ? ramped(state) : lowered(state, { startedMs: nowMs, nowMs, isTimeout: step === "timeout" });
          expect(state.limit).toBeGreaterThanOrEqual(1);
          expect(state.limit).toBeLessThanOrEqual(connections);
          expect(state.threshold).toBeLessThanOrEqual(connections);
        }
      }),
      { numRuns: 200 },
    );
  });
});
