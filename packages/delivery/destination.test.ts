import { createVirtualTime } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { answerAt, destinationOf, startAtMs } from "./destination.fixture.ts";
import type { Answered, Destination } from "./destination.ts";

const secondMs = 1_000;

/** An address with something to try, or nothing, and when it was. */
function setup() {
  const time = createVirtualTime({ startAtMs });
  const probedAtMs: number[] = [];
  const seen = { hasHead: true, changes: 0 };
  const destination = destinationOf({
    time,
    agreed: { nowMs: () => time.nowMs() },
    events: {
      held: () => {},
      released: () => {},
      changed: () => void (seen.changes += 1),
      probe: () => {
        if (seen.hasHead) probedAtMs.push(time.nowMs() - startAtMs);
        return seen.hasHead;
      },
    },
  });
  const answer = (over: Partial<Answered>): void => destination.answered(answerAt(time.monotonicMs(), over));
  return { time, destination, probedAtMs, seen, answer };
}

function open(destination: Destination, answer: (over: Partial<Answered>) => void): void {
  for (let number = 1; number <= 10; number += 1) answer({ uetr: `u${number}` });
  expect(destination.isBreakerOpen).toBe(true);
}

describe("a probe and a gate", () => {
  it("I12: a probe that found nothing to try, and is due since, waits for a gate that comes meanwhile", async () => {
    const { time, destination, probedAtMs, seen, answer } = setup();
    seen.hasHead = false;
    open(destination, answer);
    await time.advance(12 * secondMs);
    // An attempt that began before the breaker opened is answered now.
    answer({ retryAfter: "60" });
    seen.hasHead = true;
    destination.probeIfDue();
    expect(probedAtMs).toEqual([]);
    await time.advance(61 * secondMs);
    expect(probedAtMs).toEqual([72 * secondMs]);
  });

  it("I12: a gate that ends before the next probe is due brings none sooner", async () => {
    const { time, destination, probedAtMs, answer } = setup();
    open(destination, answer);
    await time.advance(secondMs);
    answer({ retryAfter: "2" });
    await time.advance(20 * secondMs);
    expect(probedAtMs).toEqual([10 * secondMs]);
  });
});

describe("its standing", () => {
  it("is said once a minute while it acknowledges, so that what another process wrote of it does not stay; not while nothing is sent", async () => {
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
  it("I12: ends the gate that stood then, and not one that the bank has asked for since", async () => {
    const { time, destination, answer } = setup();
    const resumedAtMs = time.nowMs();
    await time.advance(secondMs);
    answer({ status: 429, retryAfter: "60" });
    expect(destination.holdOf(null)).toBe("gate");
    // A lane that lags behind reads it only now.
    destination.recalled(resumedAtMs);
    expect(destination.holdOf(null)).toBe("gate");
    destination.recalled(time.nowMs() + secondMs);
    expect(destination.holdOf(null)).toBe(null);
  });
});
