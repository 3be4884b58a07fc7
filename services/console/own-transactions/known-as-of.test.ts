import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createKnownAsOf } from "./known-as-of.ts";

const uetr = "7d5fb0b2-61a5-4c2e-9d3c-0d6c5a1b2c3d";

/** The broker answers with its end after `tookMs`; the scheduler's position is read again for each question. */
function createSubject(tookMs: number, logEnd: bigint, position: () => bigint) {
  const time = createVirtualTime({ startAtMs: 1_000_000 });
  const seen = { lookedAtMs: 0, positionsRead: 0 };
  const knownAsOf = createKnownAsOf({
    time,
    partitionCount: 1,
    brokerClock: { nowMs: () => time.nowMs() },
    messaging: {
      ends: async (partitions) => {
        seen.lookedAtMs = time.nowMs();
        await new Promise<void>((resolve) => void time.after(tookMs, resolve));
        return partitions.map((partition) => ({ ...partition, logStart: 0n, logEnd, committed: null }));
      },
    },
    partitions: {
      list: (service) => {
        seen.positionsRead += 1;
        return Promise.resolve([
          {
            service,
            partition: 0,
            epoch: 1,
            owners: [],
            position: position(),
            state: null,
            build: 0,
            lastBuild: 0,
            log: null,
            rebuildLock: null,
            rebuild: null,
            unproven: null,
          },
        ]);
      },
    },
  });
  async function ask(): Promise<number | null> {
    const answer: { value: number | null | undefined } = { value: undefined };
    void knownAsOf.timeFor(uetr).then((value) => (answer.value = value));
    await time.run({ until: () => answer.value !== undefined, stepsMax: 10_000 });
    return answer.value ?? null;
  }
  return { time, seen, ask };
}

test("T is read before the broker is asked for the end: a record that is appended during the answer is not covered", async () => {
  const { seen, ask } = createSubject(300, 5n, () => 5n);
  expect(await ask()).toBe(seen.lookedAtMs);
});

test("T is returned only after the position has reached that end, within a second", async () => {
  let position = 4n;
  const { time, seen, ask } = createSubject(0, 5n, () => position);
  time.after(500, () => (position = 5n));
  expect(await ask()).toBe(seen.lookedAtMs);
  position = 4n;
  const askedMs = time.monotonicMs();
  expect(await ask()).toBeNull();
  expect(time.monotonicMs() - askedMs).toBeLessThanOrEqual(1_000);
  expect(seen.positionsRead).toBeGreaterThan(5);
});

test("if the broker does not answer within a second T is not known", async () => {
  const { time, ask } = createSubject(5_000, 5n, () => 5n);
  const askedMs = time.monotonicMs();
  expect(await ask()).toBeNull();
  expect(time.monotonicMs() - askedMs).toBe(1_000);
});
