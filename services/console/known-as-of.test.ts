import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createKnownAsOf } from "./known-as-of.ts";

const uetr = "7d5fb0b2-61a5-4c2e-9d3c-0d6c5a1b2c3d";

/** The log answers where it ends `tookMs` after it has looked; the scheduler's position is read anew at each question. */
function given(tookMs: number, logEnd: bigint, position: () => bigint) {
  const time = createVirtualTime({ startAtMs: 1_000_000 });
  const seen = { lookedAtMs: 0, positionsRead: 0 };
  const knownAsOf = createKnownAsOf({
    time,
    laneCount: 1,
    agreedTime: { nowMs: () => time.nowMs() },
    messaging: {
      ends: async (partitions) => {
        seen.lookedAtMs = time.nowMs();
        await new Promise<void>((resolve) => void time.after(tookMs, resolve));
        return partitions.map((partition) => ({ ...partition, logStart: 0n, logEnd, committed: null }));
      },
    },
    lanes: {
      list: (service) => {
        seen.positionsRead += 1;
        return Promise.resolve([{ service, partition: 0, epoch: 1, position: position(), state: null, build: 0, hold: null }]);
      },
    },
  });
  async function ask(): Promise<number | null> {
    const answer: { value: number | null | undefined } = { value: undefined };
    void knownAsOf.of(uetr).then((value) => (answer.value = value));
    await time.run({ until: () => answer.value !== undefined, stepsMax: 10_000 });
    return answer.value ?? null;
  }
  return { time, seen, ask };
}

test("T is of before the log was asked where it ends: what was appended while it answered is not said to be known", async () => {
  const { seen, ask } = given(300, 5n, () => 5n);
  expect(await ask()).toBe(seen.lookedAtMs);
});

test("T is given only once the position has reached that end, and not beyond a second", async () => {
  let position = 4n;
  const { time, seen, ask } = given(0, 5n, () => position);
  time.after(500, () => (position = 5n));
  expect(await ask()).toBe(seen.lookedAtMs);
  position = 4n;
  const askedMs = time.monotonicMs();
  expect(await ask()).toBeNull();
  expect(time.monotonicMs() - askedMs).toBeLessThanOrEqual(1_000);
  expect(seen.positionsRead).toBeGreaterThan(5);
});

test("a log that does not answer within a second leaves it untold", async () => {
  const { time, ask } = given(5_000, 5n, () => 5n);
  const askedMs = time.monotonicMs();
  expect(await ask()).toBeNull();
  expect(time.monotonicMs() - askedMs).toBe(1_000);
});
