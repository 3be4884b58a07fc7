// What the first page says of banks that an operator has paused, without a browser.

import { expect, test } from "vitest";
import { openDecisionEnvironment, planOpenDay } from "../../decisions/decisions.fixture.ts";
import { openReader } from "../browser.fixture.ts";

const nobody = { secondPerson: { actions: [], proposalLifetimeMs: 3_600_000 } } as const;

async function openPaused(until: string | null) {
  const environment = await openDecisionEnvironment(nobody);
  await environment.saveDay(planOpenDay());
  const reader = openReader(environment);
  await reader.signIn();
  const body = { reason: "maintenance of its core system", ...(until === null ? {} : { until }) };
  await environment.control("/banks/first/pause", { body, actionId: "p-1" });
  for (const record of environment.journal()) await environment.judge(record);
  await environment.time.advance(1_000);
  return { environment, text: (await reader.ask("/")).text.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ") };
}

test("a paused bank is on the first page, also while nothing waits for it: by whom, and until when", async () => {
  const { text } = await openPaused("2026-11-20T06:30:00Z");
  expect([/first is paused until 08:30 06:30 UTC, by operator/.test(text), text.includes("Nothing needs a person now.")]).toEqual([
    true,
    false,
  ]);
});

test("a bank whose pause has no end is said to wait for somebody who resumes it", async () => {
  expect((await openPaused(null)).text).toContain("first is paused until somebody resumes it, by operator");
});

test("a pause that is over is not on the first page", async () => {
  const { environment } = await openPaused("2026-11-20T06:30:00Z");
  await environment.time.advance(31 * 60_000);
  const reader = openReader(environment);
  await reader.signIn();
  expect((await reader.ask("/")).text.includes("first is paused")).toBe(false);
});
