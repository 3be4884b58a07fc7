import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createAccessTrail, subjectsMax, trailWindowMs } from "./access-trail.ts";
import type { AuditContent } from "./entry.ts";

function openTrail() {
  const time = createVirtualTime({ startAtMs: 0 });
  const entries: [string, AuditContent][] = [];
  const trail = createAccessTrail({ time }, { note: (kind, content) => void entries.push([kind, content]) });
  return { time, entries, trail };
}

test("the same refusal is one entry at once, and one with the count at the end of its window", async () => {
  const { time, entries, trail } = openTrail();
  for (let number = 0; number < 7; number += 1) trail.note("refused", { status: 401, address: "192.0.2.1" });
  trail.note("refused", { status: 401, address: "192.0.2.2" });
  expect(entries).toEqual([
    ["refused", { status: 401, address: "192.0.2.1" }],
    ["refused", { status: 401, address: "192.0.2.2" }],
  ]);
  await time.advance(trailWindowMs);
  expect(entries.slice(2)).toEqual([["refused", { status: 401, address: "192.0.2.1", again: 6 }]]);
});

test("I15: strangers with many addresses have a bounded number of entries, and all of them are counted", async () => {
  const { entries, trail } = openTrail();
  const strangers = 10_000;
  for (let number = 0; number < strangers; number += 1) trail.note("refused", { status: 401, address: `2001:db8::${number}` });
  trail.note("sign-in", { caller: "first" });
  trail.stop();
  expect(entries.at(subjectsMax.refused)).toEqual(["sign-in", { caller: "first" }]);
  expect(entries.at(-1)).toEqual(["refused", { others: true, again: strangers - subjectsMax.refused }]);
  expect(entries).toHaveLength(subjectsMax.refused + 2);
});
