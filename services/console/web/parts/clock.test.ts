// Times as a person reads them.

import { expect, test } from "vitest";
import { showDistance, showSentence, showTime } from "./clock.ts";

const clock = { zone: "Africa/Johannesburg", nowMs: Date.UTC(2026, 10, 20, 6) };

async function textOf(content: unknown): Promise<string> {
  return String(await content).replaceAll(/<[^>]*>/g, "");
}

test("a time is shown in the scheme's zone, with UTC beside it", async () => {
  expect(await textOf(showTime("2026-11-20T14:00:00.000Z", clock))).toBe("16:00 14:00 UTC");
  expect(await textOf(showTime("2026-11-20T14:00:05.250Z", clock))).toBe("16:00:05 14:00:05 UTC");
});

test("another date than today's in that zone is named, also where UTC has today's", async () => {
  expect(await textOf(showTime("2026-11-20T22:30:00.000Z", clock))).toBe("Sat 21 Nov 00:30 22:30 UTC");
});

test("each instant in a sentence is shown so, and the rest of it as text", async () => {
  const sentence = "Paused since 2026-11-20T05:00:00.000Z: <b>. Nothing is sent until 2026-11-20T08:00:00Z.";
  expect(await textOf(showSentence(sentence, clock))).toBe(
    "Paused since 07:00 05:00 UTC: &lt;b&gt;. Nothing is sent until 10:00 08:00 UTC.",
  );
});

test.each([
  ["2026-11-20T05:59:51.000Z", "9 s ago"],
  ["2026-11-20T06:00:59.000Z", "in 59 s"],
  ["2026-11-20T06:01:00.000Z", "in 1 min"],
  ["2026-11-20T09:13:00.000Z", "in 3 h 13 min"],
  ["2026-11-24T06:00:00.000Z", "in 4 d"],
])("%s is %s", (at, text) => {
  expect(showDistance(at, clock)).toBe(text);
});
