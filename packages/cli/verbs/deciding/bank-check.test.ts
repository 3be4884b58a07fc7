// A check of a bank's addresses, against a console with given answers.

import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { buildCall, createFakeConsole } from "../../terminal/console.fixture.ts";
import { createBankCheck } from "./bank-check.ts";

const requested = { schema: "CheckRequested", action: "c-1", bank: "sample", requestedAt: "2026-11-20T06:00:00.000Z" };
const reached = { action: "c-1", at: "2026-11-20T06:00:01.000Z", tookMs: 12, httpStatusCode: 405, reason: null };
const endpoint = (service: string, check: object | null) => ({ service, address: "https://bank.example", check });
const bankWith = (...endpoints: readonly object[]) => ({ schema: "Bank", status: { bank: "sample", endpoints } });

async function check(...answers: readonly object[]) {
  const time = createVirtualTime({ startAtMs: 0, seed: 1 });
  const { where, asked, text } = createFakeConsole(answers.map((answer) => ({ ...answer })));
  const running = createBankCheck(time)(buildCall({ reason: "before it goes live", id: "c-1" }, "sample"), where);
  let isOver = false;
  void running.finally(() => (isOver = true));
  await time.run({ until: () => isOver, stepsMax: 10_000, untilMs: 60_000 });
  return { code: await running, text: text(), paths: asked.map(({ url }) => url.replace(/.*\/v1/, "")) };
}

test("each address says whether it was reached, once both services have called theirs [D10 check]", async () => {
  const both = bankWith(endpoint("dispatcher", reached), endpoint("event-publisher", { ...reached, httpStatusCode: 200 }));
  const { code, text, paths } = await check(requested, bankWith(endpoint("dispatcher", reached), endpoint("event-publisher", null)), both);
  expect(paths).toEqual(["/banks/sample/check", "/banks/sample", "/banks/sample"]);
  expect([code, text.split("\n")]).toEqual([
    0,
    [
      "https://bank.example (dispatcher): reached, HTTP 405 in 12 ms",
      "https://bank.example (event-publisher): reached, HTTP 200 in 12 ms",
      "",
    ],
  ]);
});

test("an address that is not reached is exit 1 with the reason, one that nobody called in time is exit 5", async () => {
  const refused = await check(requested, bankWith(endpoint("dispatcher", { ...reached, httpStatusCode: null, reason: "ECONNREFUSED" })));
  expect([refused.code, refused.text]).toEqual([1, "https://bank.example (dispatcher): NOT REACHED, ECONNREFUSED in 12 ms\n"]);
  const late = await check(requested, bankWith(endpoint("dispatcher", { ...reached, action: "earlier" })));
  expect([late.code, late.text]).toEqual([5, "https://bank.example (dispatcher): not called within 15 s\n"]);
});
