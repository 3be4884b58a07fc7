import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCallerMeter, type CallerLimits } from "./caller-limits.ts";
import type { ClientConnection } from "./track-connections.ts";

const first: CallerLimits = { id: "first", requestsPerSecond: 10, inboundConnections: 2 };
const second: CallerLimits = { id: "second", requestsPerSecond: 500, inboundConnections: 64 };

function givenMeter(limits: readonly CallerLimits[] = [first, second]) {
  const clock = { nowMs: 1_000 };
  const meter = createCallerMeter(limits, () => clock.nowMs);
  const taken = (caller: string, tries: number): number =>
    Array.from({ length: tries }, () => meter.takeRequest(caller)).filter((wait) => wait === null).length;
  return { clock, meter, taken };
}

function connection(): ClientConnection & { close(): void } {
  const actions: (() => void)[] = [];
  return {
    remoteAddress: null,
    onClose: (action) => void actions.push(action),
    authenticated: () => {},
    close: () => actions.splice(0).forEach((action) => action()),
  };
}

describe("requests of a caller", () => {
  it("are refused beyond its rate, and accepted again at its rate as time passes", () => {
    const { clock, meter, taken } = givenMeter();
    expect(taken("first", 25)).toBe(10);
    expect(meter.takeRequest("first")).toBe(1);
    clock.nowMs += 300;
    expect(taken("first", 25)).toBe(3);
    clock.nowMs += 60_000;
    expect(taken("first", 25)).toBe(10);
  });

  it("do not count for another caller", () => {
    const { taken } = givenMeter();
    expect([taken("first", 1_000), taken("second", 1_000)]).toEqual([10, 500]);
  });

  it("are never refused at a steady rate within the limit, and never more than twice the limit within a second", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 }), (rate, gapsMs) => {
        const steady = givenMeter([{ ...first, requestsPerSecond: rate }]);
        for (let count = 0; count < 50; count += 1) {
          expect(steady.meter.takeRequest("first")).toBeNull();
          steady.clock.nowMs += 1_000 / rate;
        }
        const wild = givenMeter([{ ...first, requestsPerSecond: rate }]);
        const takenAtMs: number[] = [];
        for (const gapMs of gapsMs) {
          wild.clock.nowMs += gapMs;
          for (let count = wild.taken("first", 20); count > 0; count -= 1) takenAtMs.push(wild.clock.nowMs);
        }
        for (const atMs of takenAtMs)
          expect(takenAtMs.filter((other) => other > atMs - 1_000 && other <= atMs).length).toBeLessThanOrEqual(2 * rate);
      }),
    );
  });

  it("are refused if it is unknown", () => {
    expect(givenMeter().meter.takeRequest("third")).toBe(1);
  });

  it("follow new limits at once, and requests already counted stay counted", () => {
    const { clock, meter, taken } = givenMeter();
    expect(taken("first", 4)).toBe(4);
    meter.replace([{ ...first, requestsPerSecond: 100 }]);
    expect(taken("first", 200)).toBe(6);
    clock.nowMs += 1_000;
    expect(taken("first", 200)).toBe(100);
    meter.replace([{ ...first, requestsPerSecond: 5 }]);
    clock.nowMs += 10_000;
    expect(taken("first", 200)).toBe(5);
  });
});

describe("connections of a caller", () => {
  it("are counted once each, from the first request to the close", () => {
    const { meter } = givenMeter();
    const [one, two, three] = [connection(), connection(), connection()];
    expect([one, two, one, three, two].map((used) => meter.takeConnection("first", used))).toEqual([true, true, true, false, true]);
    one.close();
    expect(meter.takeConnection("first", three)).toBe(true);
    expect(meter.takeConnection("first", one)).toBe(false);
    expect(meter.takeConnection("second", one)).toBe(true);
    expect(meter.takeConnection("third", one)).toBe(false);
  });

  it("stay counted while open when limits change", () => {
    const { meter } = givenMeter();
    const [one, two] = [connection(), connection()];
    expect([meter.takeConnection("first", one), meter.takeConnection("first", two)]).toEqual([true, true]);
    meter.replace([{ ...first, inboundConnections: 1 }]);
    expect(meter.takeConnection("first", one)).toBe(true);
    one.close();
    expect(meter.takeConnection("first", connection())).toBe(false);
    two.close();
    expect(meter.takeConnection("first", connection())).toBe(true);
  });
});
