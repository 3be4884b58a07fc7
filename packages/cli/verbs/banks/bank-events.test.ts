// `./sluice bank events` over a console with given answers.

import { expect, test } from "vitest";
import { buildCall, createFakeConsole } from "../../terminal/console.fixture.ts";
import { runBankEvents } from "./bank-events.ts";

const span = { from: "2026-11-19T00:00:00Z", to: "2026-11-20T00:00:00Z" };
const counts = { done: 1_204, underWay: 0, waiting: 2, refused: 1, stopped: 0, expired: 0, notPosted: 0 };
const row = { webhookId: "event-3", uetr: "u-1", stageVersion: 3, at: "2026-11-19T06:00:00.000Z", status: "refused" };

test("the counts of a time, the postings that are not done, and where to go on", async () => {
  const console = createFakeConsole([
    { schema: "OwnEvents", count: 1_207, transactions: 301, counts, rows: [row], rowsCount: 3, next: "1:7" },
  ]);
  expect(await runBankEvents(buildCall(span, "first"), console.where)).toBe(0);
  const url = new URL(console.asked[0]?.url ?? "");
  expect([url.pathname, Object.fromEntries(url.searchParams)]).toEqual(["/control/v1/banks/first/events", span]);
  const text = console.text();
  expect(text).toMatch(/2026-11-19 06:00:00Z +u-1 +3 +refused +event-3/);
  expect(text).toContain("1207 events of 301 transactions, 1204 done, 2 waiting, 1 refused");
  expect(text).toContain("more events: --after 1:7");
});

test("with a format it writes the file as the console sends it", async () => {
  const console = createFakeConsole(["webhookId\r\nevent-3\r\n"]);
  expect(await runBankEvents(buildCall({ ...span, format: "csv" }, "first"), console.where)).toBe(0);
  const url = new URL(console.asked[0]?.url ?? "");
  expect([url.pathname, Object.fromEntries(url.searchParams)]).toEqual([
    "/control/v1/banks/first/events/export",
    { ...span, format: "csv" },
  ]);
  expect(console.text()).toContain("event-3");
});
