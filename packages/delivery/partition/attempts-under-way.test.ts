// How long a hand-over waits for what is under way.

import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { AttemptsUnderWay } from "./attempts-under-way.ts";

interface Case {
  readonly of: string;
  readonly isProbe: boolean;
  /** Milliseconds from the attempt's begin to its answer; null: none comes. */
  readonly answerMs: number | null;
  /** Milliseconds that the hand-over waits; it begins ten seconds after the attempt. */
  readonly waitMs: number;
}

const ageMs = 10_000;
const cases: readonly Case[] = [
  { of: "an old attempt that is answered a second later", isProbe: false, answerMs: ageMs + 1_000, waitMs: 1_000 },
  { of: "an old attempt that is never answered", isProbe: false, answerMs: null, waitMs: 2_000 },
  { of: "an old probe of a silent receiver", isProbe: true, answerMs: null, waitMs: 0 },
];

test.each(cases)("I16: a hand-over waits $waitMs ms for $of [D10.40]", async ({ isProbe, answerMs, waitMs }) => {
  const time = createVirtualTime({ startAtMs: 0 });
  const attempts = new AttemptsUnderWay();
  const answered = new Promise<void>((resolve) => {
    if (answerMs !== null) time.after(answerMs, resolve);
  });
  attempts.add({ startedMs: time.monotonicMs(), isProbe, answered, settled: answered });
  await time.advance(ageMs);
  const startedMs = time.monotonicMs();
  let endedMs = Number.NaN;
  void attempts.handOver(time).then(() => (endedMs = time.monotonicMs()));
  await time.advance(5_000);
  expect(endedMs - startedMs).toBe(waitMs);
});

test("I16: a probe that has just begun is waited for like any attempt [D10.40]", async () => {
  const time = createVirtualTime({ startAtMs: 0 });
  const attempts = new AttemptsUnderWay();
  const answered = new Promise<void>((resolve) => void time.after(1_700, resolve));
  attempts.add({ startedMs: time.monotonicMs(), isProbe: true, answered, settled: answered });
  let endedMs = Number.NaN;
  void attempts.handOver(time).then(() => (endedMs = time.monotonicMs()));
  await time.advance(5_000);
  expect(endedMs).toBe(1_700);
});
