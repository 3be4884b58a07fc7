import { topics } from "@sluice/contracts";
import { createMemoryBroker, type ProduceFate } from "@sluice/messaging";
import { silentLogger, silentMetrics } from "@sluice/kernel";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import type { AppendOutcome } from "./append-outcome.ts";
import { createJournalAppender } from "./journal-appender.ts";

const startAtMs = Date.UTC(2026, 10, 20, 6);
const record = { topic: topics.journal, partition: 0, key: null, value: new Uint8Array([1]), headers: {} };

/** An appender whose clock is off by `skewMs`, over a memory journal; the test can set the fate of each batch. */
function givenAppender(partitions = 1) {
  const time = createVirtualTime({ startAtMs });
  const environment: { skewMs: number; fate: ProduceFate; refused: number | null; refusals: number } = {
    skewMs: 0,
    fate: { kind: "append" },
    refused: null,
    refusals: 0,
  };
  const fateOf = (partition: number | undefined): ProduceFate => {
    if (environment.refused === null || partition !== environment.refused) return environment.fate;
    environment.refusals += 1;
    return { kind: "refuse" };
  };
  const messaging = createMemoryBroker({
    time,
    random: seededRandom(1),
    topics: { [topics.journal]: partitions, [topics.probe]: 1 },
    hooks: { produce: (_client, [first]) => fateOf(first?.topic === topics.journal ? first.partition : undefined) },
  });
  const clock = { ...time, nowMs: () => time.nowMs() + environment.skewMs };
  const closed = { count: -1 };
  const metrics = { ...silentMetrics, gauge: () => ({ set: (count: number) => void (closed.count = count) }) };
  const appender = createJournalAppender({ time: clock, logger: silentLogger, messaging, metrics });
  const inJournal = (): number => messaging.records({ topic: topics.journal, partition: 0 }).length;
  const inProbes = (): number => messaging.records({ topic: topics.probe, partition: 0 }).length;
  /** Appends and answers the outcome with how long it took. */
  async function appended(partition = 0): Promise<AppendOutcome & { readonly tookMs: number }> {
    const startedMs = time.monotonicMs();
    let done: (AppendOutcome & { readonly tookMs: number }) | null = null;
    void appender.append({ ...record, partition }).then((outcome) => (done = { ...outcome, tookMs: time.monotonicMs() - startedMs }));
    await time.run({ until: () => done !== null, stepsMax: 10_000 });
    return done!;
  }
  return { time, environment, messaging, appender, appended, inJournal, inProbes, closed };
}

describe("the journal appender", () => {
  it("accepts records once a first probe was acknowledged, and returns the position that the broker gave", async () => {
    const { time, appender, appended, inJournal } = givenAppender();
    expect(appender.unavailableReason()).toBe("starting");
    expect(await appender.append(record)).toEqual({ kind: "unavailable", reason: "starting" });
    await time.advance(50);
    expect(appender.unavailableReason()).toBeNull();
    expect(await appended()).toMatchObject({ kind: "appended", partition: 0, offset: 0n });
    expect(inJournal()).toBe(1);
  });

  it("lets a caller wait for a second, then returns unknown, and refuses the next records at once", async () => {
    const { time, messaging, appended, inJournal } = givenAppender();
    await time.advance(50);
    messaging.setBroker(false);
    const first = await appended();
    expect(first).toMatchObject({ kind: "unknown", tookMs: 1_000 });
    expect(await appended()).toMatchObject({ kind: "unavailable", reason: "broker", tookMs: 0 });
    expect(inJournal()).toBe(0);
  });

  it("lets a caller wait for less than a second, and holds that against nobody", async () => {
    const { time, environment, appender } = givenAppender();
    await time.advance(50);
    environment.fate = { kind: "append", delayMs: 700 };
    const outcomes: AppendOutcome[] = [];
    void appender.append(record, 500).then((outcome) => outcomes.push(outcome));
    await time.advance(500);
    expect(outcomes).toMatchObject([{ kind: "unknown" }]);
    expect(appender.unavailableReason()).toBeNull();
    await time.advance(1_000);
    expect(appender.unavailableReason()).toBeNull();
  });

  it("accepts records again within seconds of the broker's return, and has appended nothing that it called unavailable", async () => {
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
    expect(appender.unavailableReason()).toBeNull();
    const before = inJournal();
    expect(before).toBeLessThanOrEqual(1);
    expect(await appended()).toMatchObject({ kind: "appended" });
    expect(inJournal()).toBe(before + 1);
  });

  it("closes all partitions within a second of the first failure while the broker is away", async () => {
    const { time, messaging, appender, appended } = givenAppender(3);
    await time.advance(50);
    messaging.setBroker(false);
    expect(await appended(0)).toMatchObject({ kind: "unknown", tookMs: 1_000 });
    expect(appender.unavailableReason()).toBeNull();
    await time.advance(1_000);
    expect(appender.unavailableReason()).toBe("broker");
    for (const partition of [0, 1, 2]) expect(await appended(partition)).toMatchObject({ reason: "broker", tookMs: 0 });
  });

  it("returns unavailable, not unknown, if the broker refused the record", async () => {
    const { time, environment, appended } = givenAppender();
    await time.advance(50);
    environment.fate = { kind: "refuse" };
    expect(await appended()).toMatchObject({ kind: "unavailable", reason: "partition" });
  });

  it("I14: a partition without a leader closes that partition alone, until its leader is back [D10.58]", async () => {
    const { time, messaging, appender, appended, closed } = givenAppender(3);
    await time.advance(50);
    messaging.setLeader({ topic: topics.journal, partition: 1 }, false);
    expect(await appended(1)).toMatchObject({ kind: "unavailable", reason: "partition" });
    for (let turn = 0; turn < 30; turn += 1) {
      expect(await appended(1)).toMatchObject({ kind: "unavailable", reason: "partition", tookMs: 0 });
      for (const other of [0, 2]) expect(await appended(other)).toMatchObject({ kind: "appended", partition: other });
      await time.advance(500);
    }
    expect([appender.unavailableReason(), appender.closedPartitions(), closed.count]).toEqual([null, [1], 1]);
    messaging.setLeader({ topic: topics.journal, partition: 1 }, true);
    await time.advance(2_000);
    expect(await appended(1)).toMatchObject({ kind: "appended", partition: 1, offset: 0n });
    expect([appender.closedPartitions(), closed.count]).toEqual([[], 0]);
  });

  it("I14: a live leader that refuses a partition gets about one record of it a second, and the others are served [D10.76]", async () => {
    const { time, environment, appender, appended } = givenAppender(3);
    await time.advance(50);
    environment.refused = 1;
    const seconds = 10;
    for (let turn = 0; turn < seconds * 20; turn += 1) {
      expect(await appended(1)).toMatchObject({ kind: "unavailable", reason: "partition" });
      expect(await appended(2)).toMatchObject({ kind: "appended" });
      await time.advance(50);
    }
    expect([environment.refusals <= seconds + 2, appender.unavailableReason()]).toEqual([true, null]);
    environment.refused = null;
    // A caller sends again after a second (#3).
    await time.advance(1_000);
    expect(await appended(1)).toMatchObject({ kind: "appended", partition: 1 });
  });

  it("I14: a partition whose append hangs costs its own callers a second, and the others nothing", async () => {
    const { time, environment, appender, appended } = givenAppender(2);
    await time.advance(50);
    environment.fate = { kind: "append", delayMs: 5_000 };
    expect(await appended(1)).toMatchObject({ kind: "unknown", tookMs: 1_000 });
    expect(await appended(1)).toMatchObject({ kind: "unavailable", reason: "partition", tookMs: 0 });
    expect(appender.unavailableReason()).toBeNull();
    environment.fate = { kind: "append" };
    // What waits may still get there: nothing is accepted behind it.
    await time.advance(3_000);
    expect(appender.closedPartitions()).toEqual([1]);
    await time.advance(5_000);
    expect(await appended(1)).toMatchObject({ kind: "appended" });
  });

  it("I14: without a leader of the probe's partition it starts and goes on, one record before all others", async () => {
    const { time, messaging, appender, appended } = givenAppender(2);
    messaging.setLeader({ topic: topics.probe, partition: 0 }, false);
    await time.advance(2_000);
    expect(appender.unavailableReason()).toBeNull();
    const [first, second] = [appender.append({ ...record, partition: 1 }), appender.append(record)];
    await time.advance(100);
    expect(await first).toMatchObject({ kind: "appended" });
    expect(await second).toMatchObject({ kind: "unavailable", reason: "starting" });
    await time.advance(60_000);
    expect(appender.unavailableReason()).toBeNull();
    expect(await appended()).toMatchObject({ kind: "appended" });
  });

  it("accepts nothing while its clock is more than two seconds off, and accepts records when it is right again", async () => {
    for (const skewMs of [2_500, -2_500, 3_600_000]) {
      const { time, environment, appender, appended, inJournal } = givenAppender();
      await time.advance(50);
      environment.skewMs = skewMs;
      expect(appender.unavailableReason()).toBe("clock");
      expect(await appended()).toMatchObject({ kind: "unavailable", reason: "clock" });
      expect(inJournal()).toBe(0);
      await time.advance(5_000);
      expect(appender.unavailableReason()).toBe("clock");
      environment.skewMs = 1_500;
      await time.advance(2_000);
      expect(await appended()).toMatchObject({ kind: "appended" });
    }
  });

  it("never accepts records with a wrong clock", async () => {
    const { time, environment, appender } = givenAppender();
    environment.skewMs = 30_000;
    await time.advance(5_000);
    expect(appender.unavailableReason()).toBe("clock");
  });

  it("probes the broker every ten seconds while nobody calls, and so notices that it is away", async () => {
    const { time, messaging, appender, inProbes } = givenAppender();
    await time.advance(35_000);
    expect(inProbes()).toBe(4);
    messaging.setBroker(false);
    await time.advance(12_000);
    expect(appender.unavailableReason()).toBe("broker");
  });

  it("stops without leaving a timer behind", async () => {
    const { time, appender, messaging } = givenAppender();
    await time.advance(50);
    const stopped = appender.stop();
    await time.advance(100);
    await stopped;
    await messaging.close();
    expect(appender.unavailableReason()).toBe("stopping");
    expect(time.pending()).toBe(0);
  });
});
