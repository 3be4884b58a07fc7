// The frame of every page, without a browser.

import { expect, test } from "vitest";
import { openDecisionEnvironment } from "../../decisions/decisions.fixture.ts";
import { openReader } from "../browser.fixture.ts";

test.each(["/search", "/reconciliation"])(
  "%s names the environment, leads to the calendar, and offers the banks in its filter",
  async (path) => {
    const reader = openReader(await openDecisionEnvironment({ environment: "production" }));
    await reader.signIn();
    const { text } = await reader.ask(path);
    expect([text.includes('title="environment">production<'), text.includes('href="/calendar"')]).toEqual([true, true]);
    expect([/name="bank"[^>]* list="receivers"/.test(text), text.includes('<option value="second">')]).toEqual([true, true]);
  },
);

test("without a name of the environment the frame shows none", async () => {
  const reader = openReader(await openDecisionEnvironment());
  await reader.signIn();
  expect((await reader.ask("/banks")).text).not.toContain('title="environment"');
});
