// `./sluice bank history` over a console with given answers.

import { expect, test } from "vitest";
import { buildCall, createFakeConsole } from "../../terminal/console.fixture.ts";
import { runBankHistory } from "./bank-history.ts";

const from = "2026-11-20T06:00:00.000Z";
const history = {
  since: "2026-11-20T05:10:00.000Z",
  isWhole: true,
  addresses: [
    {
      operation: "events",
      service: "event-publisher",
      url: "https://first.test/events",
      slots: [
        { from, acknowledged: 12, p50Ms: 22, p99Ms: 1_052 },
        { from: "2026-11-20T06:15:00.000Z", acknowledged: 1, p50Ms: 7, p99Ms: 8 },
      ],
    },
  ],
  limits: [
    {
      service: "dispatcher",
      address: "https://first.test",
      connections: 16,
      slots: [{ from, concurrency: 2, breakerOpenSeconds: 90, retryAfterSeconds: 0 }],
    },
  ],
};

test("each quarter of an hour of an address is a row, and the console says since when it has watched", async () => {
  const console = createFakeConsole([{ schema: "Series", history }]);
  expect(await runBankHistory(buildCall({}, "first"), console.where)).toBe(0);
  expect(console.asked.map(({ url }) => new URL(url).pathname + new URL(url).search)).toEqual(["/control/v1/series?bank=first"]);
  const text = console.text();
  expect(text).toMatch(/2026-11-20 06:00:00Z +events +https:\/\/first\.test\/events +12 +22 +1052/);
  expect(text).toMatch(/dispatcher +https:\/\/first\.test +2 +16 +1m 30s +-/);
  expect(text).toContain("the console has watched since 2026-11-20 05:10:00Z");
});

test("where nothing was seen it says so, and where some are left out too; --json prints the answer unchanged", async () => {
  const body = { schema: "Series", history: { ...history, addresses: [], limits: [], isWhole: false } };
  const console = createFakeConsole([body]);
  await runBankHistory(buildCall({}, "first"), console.where);
  for (const words of ["nothing was acknowledged", "nothing limited its addresses", "some are left out"])
    expect(console.text()).toContain(words);
  const json = createFakeConsole([body]);
  await runBankHistory(buildCall({ json: true }, "first"), json.where);
  expect(JSON.parse(json.text())).toEqual(body);
});
