import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createJournalProbe } from "./journal-probe.ts";
import { brokerUnavailable } from "./faults.ts";
import type { PartitionEnds } from "./port.ts";

const ends: PartitionEnds = { logStart: 0n, logEnd: 0n };

/** A journal of three partitions, of which each answers, refuses or hangs. */
function setUp() {
  const time = createVirtualTime({ startAtMs: 0 });
  const leaders: ("answers" | "is away" | "hangs")[] = ["answers", "answers", "answers"];
  const asked: number[] = [];
  const hanging: (() => void)[] = [];
  async function answer({ partition }: { readonly partition: number }): Promise<PartitionEnds> {
    asked.push(partition);
    if (leaders[partition] === "is away") throw brokerUnavailable("it has no leader");
    if (leaders[partition] === "hangs") await new Promise<void>((resolve) => hanging.push(resolve));
    return ends;
  }
  const messaging = { ends: async (places: readonly { readonly partition: number }[]) => await Promise.all(places.map(answer)) };
  const probe = createJournalProbe({ time, messaging, partitionCount: leaders.length });
  async function look(): Promise<readonly number[]> {
    await time.advance(5_000);
    probe.silent();
    await time.advance(1);
    return probe.silent();
  }
  return { time, leaders, asked, hanging, probe, look };
}

test("#1: each partition is asked at most every five seconds, however often somebody looks", async () => {
  const { time, asked, probe } = setUp();
  for (let count = 0; count < 40; count += 1) {
    expect(probe.silent()).toEqual([]);
    await time.advance(250);
  }
  expect(asked).toEqual([0, 1, 2, 0, 1, 2]);
});

test("#2: partitions without a leader are named until they have one, and the others are not", async () => {
  const { leaders, look } = setUp();
  leaders[1] = "is away";
  expect(await look()).toEqual([1]);
  leaders.fill("is away");
  expect(await look()).toEqual([0, 1, 2]);
  leaders.fill("answers");
  expect(await look()).toEqual([]);
});

test("#2: a leader that hangs is silent after five seconds, is not asked a second time, and holds up no other", async () => {
  const { time, leaders, asked, hanging, look } = setUp();
  leaders[2] = "hangs";
  expect(await look()).toEqual([]);
  expect(await look()).toEqual([2]);
  leaders[0] = "is away";
  expect(await look()).toEqual([0, 2]);
  expect(asked.filter((partition) => partition === 2)).toHaveLength(1);
  leaders.fill("answers");
  for (const answered of hanging) answered();
  await time.advance(1);
  expect(await look()).toEqual([]);
});
