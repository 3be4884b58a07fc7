import { topics } from "@sluice/contracts";
import { createMemoryLog, type ProduceFate } from "@sluice/messaging";
import { silentLog } from "@sluice/telemetry";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { createJournalAppender, type AppendOutcome } from "./journal-appender.ts";

const startAtMs = Date.UTC(2026, 10, 20, 6);
const record = { topic: topics.journal, partition: 0, key: null, value: new Uint8Array([1]), headers: {} };

/** An appender whose clock is off by `skewMs`, over a memory log whose fate for each batch the test may set. */
function givenAppender() {
  const time = createVirtualTime({ startAtMs });
  const world: { skewMs: number; fate: ProduceFate } = { skewMs: 0, fate: { kind: "append" } };
  const messaging = createMemoryLog({
    time,
    random: seededRandom(1),
    topics: { [topics.journal]: 1, [topics.probe]: 1 },
    hooks: { produce: () => world.fate },
  });
  const clock = { ...time, nowMs: () => time.nowMs() + world.skewMs };
  const appender = createJournalAppender({ time: clock, log: silentLog, messaging });
  const inJournal = (): number => messaging.records({ topic: topics.journal, partition: 0 }).length;
  const inProbes = (): number => messaging.records({ topic: topics.probe, partition: 0 }).length;
  /** Appends and answers the outcome with how long it took. */
  async function appended(): Promise<AppendOutcome & { readonly tookMs: number }> {
    const startedMs = time.monotonicMs();
    let done: (AppendOutcome & { readonly tookMs: number }) | null = null;
    void appender.append(record).then((outcome) => (done = { ...outcome, tookMs: time.monotonicMs() - startedMs }));
    await time.run({ until: () => done !== null, stepsMax: 10_000 });
    return done!;
  }
  return { time, world, messaging, appender, appended, inJournal, inProbes };
}

describe("the journal appender", () => {
  it("is open once a first probe was acknowledged, and says appended with the place that the log gave", async () => {
    const { time, appender, appended, inJournal } = givenAppender();
    expect(appender.obstacle()).toBe("starting");
    expect(await appender.append(record)).toEqual({ kind: "unavailable", obstacle: "starting" });
    await time.advance(50);
    expect(appender.obstacle()).toBeNull();
    expect(await appended()).toMatchObject({ kind: "appended", partition: 0, offset: 0n });
    expect(inJournal()).toBe(1);
  });

  it("lets a caller wait for a second, then says that the outcome is unknown, and refuses the next ones at once", async () => {
    const { time, messaging, appended, inJournal } = givenAppender();
    await time.advance(50);
    messaging.setBroker(false);
    const first = await appended();
    expect(first).toMatchObject({ kind: "unknown", tookMs: 1_000 });
    expect(await appended()).toMatchObject({ kind: "unavailable", obstacle: "broker", tookMs: 0 });
    expect(inJournal()).toBe(0);
  });

  it("opens again by itself within seconds of the broker's return, and nothing that it called unavailable was appended", async () => {
    const { time, messaging, appender, appended, inJournal } = givenAppender();
    await time.advance(50);
    messaging.setBroker(false);
    await appended();
    for (let turn = 0; turn < 60; turn += 1) {
      await appended();
      await time.advance(500);
    }
    messaging.setBroker(true);
    await time.advance(3_000);
    expect(appender.obstacle()).toBeNull();
    const before = inJournal();
    expect(before).toBeLessThanOrEqual(1);
    expect(await appended()).toMatchObject({ kind: "appended" });
    expect(inJournal()).toBe(before + 1);
  });

  it("probes a second apart while it is closed, one probe at a time", async () => {
    const { time, world, appended, inProbes } = givenAppender();
    await time.advance(50);
    world.fate = { kind: "lose-answer" };
    expect(await appended()).toMatchObject({ kind: "unknown" });
    const before = inProbes();
    await time.advance(10_000);
    expect(inProbes() - before).toBeGreaterThanOrEqual(8);
    expect(inProbes() - before).toBeLessThanOrEqual(11);
  });

  it("says unavailable, not unknown, where the broker refused the record", async () => {
    const { time, world, appended } = givenAppender();
    await time.advance(50);
    world.fate = { kind: "refuse" };
    expect(await appended()).toMatchObject({ kind: "unavailable", obstacle: "broker" });
  });

  it("takes nothing while its clock is more than two seconds off, and opens when it is right again", async () => {
    for (const skewMs of [2_500, -2_500, 3_600_000]) {
      const { time, world, appender, appended, inJournal } = givenAppender();
      await time.advance(50);
      world.skewMs = skewMs;
      expect(appender.obstacle()).toBe("clock");
      expect(await appended()).toMatchObject({ kind: "unavailable", obstacle: "clock" });
      expect(inJournal()).toBe(0);
      await time.advance(5_000);
      expect(appender.obstacle()).toBe("clock");
      world.skewMs = 1_500;
      await time.advance(2_000);
      expect(await appended()).toMatchObject({ kind: "appended" });
    }
  });

  it("does not open at all with a wrong clock", async () => {
    const { time, world, appender } = givenAppender();
    world.skewMs = 30_000;
    await time.advance(5_000);
    expect(appender.obstacle()).toBe("clock");
  });

  it("asks the broker every ten seconds while nobody calls, and so notices that it is away", async () => {
    const { time, messaging, appender, inProbes } = givenAppender();
    await time.advance(35_000);
    expect(inProbes()).toBe(4);
    messaging.setBroker(false);
    await time.advance(12_000);
    expect(appender.obstacle()).toBe("broker");
  });

  it("stops without leaving a timer behind", async () => {
    const { time, appender, messaging } = givenAppender();
    await time.advance(50);
    const stopped = appender.stop();
    await time.advance(100);
    await stopped;
    await messaging.close();
    expect(appender.obstacle()).toBe("stopping");
    expect(time.pending()).toBe(0);
  });
});
