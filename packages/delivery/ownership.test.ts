import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { silentLog } from "@sluice/telemetry";
import { describe, expect, it } from "vitest";
import { isLaneClosed, Ownership } from "./ownership.ts";

const heartbeatAgeMaxMs = 3_000;

function setup() {
  const time = createVirtualTime({ startAtMs: 0 });
  const coordinator = { answeredAtMs: 0 };
  const heartbeatAgeMs = (): number => time.monotonicMs() - coordinator.answeredAtMs;
  const ownership = new Ownership({ time, random: seededRandom(1), log: silentLog, partition: 3, heartbeatAgeMaxMs, heartbeatAgeMs });
  return { time, coordinator, ownership };
}

/** Settles with what became of it, so that nothing is left without a handler. */
function outcomeOf(work: Promise<unknown>): { came: unknown } {
  const outcome: { came: unknown } = { came: "waiting" };
  work.then(
    (value) => (outcome.came = value),
    (error: unknown) => (outcome.came = isLaneClosed(error) ? "lane closed" : error),
  );
  return outcome;
}

describe("whose lane it is", () => {
  it("#1: nothing is begun while the coordinator has not answered of late, and at once when it has", async () => {
    const { time, coordinator, ownership } = setup();
    await time.advance(heartbeatAgeMaxMs);
    let begun = 0;
    const writing = outcomeOf(ownership.untilDone("a write", () => Promise.resolve((begun += 1))));
    await time.advance(60_000);
    expect({ begun, isKnown: ownership.isKnown }).toEqual({ begun: 0, isKnown: false });
    coordinator.answeredAtMs = time.monotonicMs();
    await time.advance(200);
    expect({ begun, ...writing }).toEqual({ begun: 1, came: 1 });
  });

  it("#2: what is under way in a lane that closes is abandoned at once, and reaches nothing afterwards", async () => {
    const { time, ownership } = setup();
    const { promise, resolve } = Promise.withResolvers<string>();
    const attempt = outcomeOf(ownership.whileOpen(promise));
    const write = outcomeOf(ownership.untilDone("a write", () => promise));
    ownership.close("its epoch is over");
    await time.settle();
    expect([attempt.came, write.came]).toEqual(["lane closed", "lane closed"]);
    resolve("late");
    await time.settle();
    expect([attempt.came, write.came]).toEqual(["lane closed", "lane closed"]);
    const begunLate = outcomeOf(ownership.whileOpen(Promise.resolve(1)));
    await time.settle();
    expect(begunLate.came).toBe("lane closed");
  });

  it("#3: a write is tried until it is acknowledged; after three tries that is said", async () => {
    const { time, coordinator, ownership } = setup();
    let tries = 0;
    const write = async (): Promise<string> => {
      tries += 1;
      coordinator.answeredAtMs = time.monotonicMs();
      if (tries <= 4) throw new Error("not now");
      return "written";
    };
    const writing = outcomeOf(ownership.untilDone("a write", write));
    const until = async (isReached: () => boolean): Promise<void> => {
      for (let step = 0; step < 1_000 && !isReached(); step += 1) {
        coordinator.answeredAtMs = time.monotonicMs();
        await time.advance(20);
      }
    };
    await until(() => tries === 4);
    expect(ownership.trouble).toBe("a write is tried again");
    await until(() => writing.came !== "waiting");
    expect({ tries, ...writing, trouble: ownership.trouble }).toEqual({ tries: 5, came: "written", trouble: null });
  });

  it("#3: a write that fails as the lane closes is left to the next owner", async () => {
    const { time, ownership } = setup();
    let tries = 0;
    const writing = outcomeOf(ownership.untilDone("a write", () => Promise.reject(new Error(`try ${(tries += 1)}`))));
    await time.settle();
    ownership.close("its epoch is over");
    await time.advance(10_000);
    expect({ tries, ...writing }).toEqual({ tries: 1, came: "lane closed" });
  });
});
