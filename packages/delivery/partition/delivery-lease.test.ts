import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { silentLogger } from "@sluice/kernel";
import { describe, expect, it } from "vitest";
import { isPartitionClosed, DeliveryLease } from "./delivery-lease.ts";

const heartbeatAgeMaxMs = 3_000;

function setup() {
  const time = createVirtualTime({ startAtMs: 0 });
  const coordinator = { answeredAtMs: 0 };
  const heartbeatAgeMs = (): number => time.monotonicMs() - coordinator.answeredAtMs;
  const lease = new DeliveryLease({ time, random: seededRandom(1), logger: silentLogger, partition: 3, heartbeatAgeMaxMs, heartbeatAgeMs });
  return { time, coordinator, lease };
}

/** Records the outcome, so that no rejection is left without a handler. */
function recordOutcome(work: Promise<unknown>): { came: unknown } {
  const outcome: { came: unknown } = { came: "waiting" };
  work.then(
    (value) => (outcome.came = value),
    (error: unknown) => (outcome.came = isPartitionClosed(error) ? "partition closed" : error),
  );
  return outcome;
}

describe("the lease of a partition", () => {
  it("#1: no work begins while the coordinator's last answer is too old, and it begins at once when a new one has come", async () => {
    const { time, coordinator, lease } = setup();
    await time.advance(heartbeatAgeMaxMs);
    let begun = 0;
    const writing = recordOutcome(lease.retryUntilDone("a write", () => Promise.resolve((begun += 1))));
    await time.advance(60_000);
    expect({ begun, isKnown: lease.isConfirmed }).toEqual({ begun: 0, isKnown: false });
    coordinator.answeredAtMs = time.monotonicMs();
    await time.advance(200);
    expect({ begun, ...writing }).toEqual({ begun: 1, came: 1 });
  });

  it("#2: work under way in a partition that closes is abandoned at once, and its outcome has no effect", async () => {
    const { time, lease } = setup();
    const { promise, resolve } = Promise.withResolvers<string>();
    const attempt = recordOutcome(lease.whileOpen(promise));
    const write = recordOutcome(lease.retryUntilDone("a write", () => promise));
    lease.close("its epoch is over");
    await time.settle();
    expect([attempt.came, write.came]).toEqual(["partition closed", "partition closed"]);
    resolve("late");
    await time.settle();
    expect([attempt.came, write.came]).toEqual(["partition closed", "partition closed"]);
    const begunLate = recordOutcome(lease.whileOpen(Promise.resolve(1)));
    await time.settle();
    expect(begunLate.came).toBe("partition closed");
  });

  it("#3: a write is repeated until it is acknowledged; after three tries it is reported as a trouble", async () => {
    const { time, coordinator, lease } = setup();
    let tries = 0;
    const write = async (): Promise<string> => {
      tries += 1;
      coordinator.answeredAtMs = time.monotonicMs();
      if (tries <= 4) throw new Error("not now");
      return "written";
    };
    const writing = recordOutcome(lease.retryUntilDone("a write", write));
    const until = async (isReached: () => boolean): Promise<void> => {
      for (let step = 0; step < 1_000 && !isReached(); step += 1) {
        coordinator.answeredAtMs = time.monotonicMs();
        await time.advance(20);
      }
    };
    await until(() => tries === 4);
    expect(lease.trouble).toBe("a write is tried again");
    await until(() => writing.came !== "waiting");
    expect({ tries, ...writing, trouble: lease.trouble }).toEqual({ tries: 5, came: "written", trouble: null });
  });

  it("#3: a write that fails as the partition closes is left to the next owner", async () => {
    const { time, lease } = setup();
    let tries = 0;
    const writing = recordOutcome(lease.retryUntilDone("a write", () => Promise.reject(new Error(`try ${(tries += 1)}`))));
    await time.settle();
    lease.close("its epoch is over");
    await time.advance(10_000);
    expect({ tries, ...writing }).toEqual({ tries: 1, came: "partition closed" });
  });
});
