import { expect, test } from "vitest";
import { buildCall, createFakeConsole } from "../../terminal/console.fixture.ts";
import { runErase } from "./erase.ts";

const asked = { bank: "alpha", month: "2026-09", reason: "ticket 4715", id: "e-1" };

async function erase(answer: object, options: Readonly<Record<string, string | true>>) {
  const { where, asked: requests, text } = createFakeConsole([{ ...answer }]);
  const code = await runErase(buildCall(options), where);
  return { code, text: text(), paths: requests.map(({ url }) => url.replace(/.*\/v1/, "")) };
}

test("an erasure is proposed to a second person, and the line says that nothing has happened yet [D10.114]", async () => {
  const proposed = { schema: "DecisionProposed", id: "e-1", state: "proposed", expiresAt: "2026-11-21T06:00:00.000Z" };
  const { code, text, paths } = await erase(proposed, asked);
  expect([code, paths]).toEqual([0, ["/banks/alpha/erasure/2026-09"]]);
  expect(text).toContain("erasure of alpha 2026-09: proposed as e-1, and without effect until another person confirms it");
});

test("a dry run says how much it is", async () => {
  const answer = { schema: "Erasure", action: "e-1", bank: "alpha", month: "2026-09", isDryRun: true, transactions: 12, isErased: false };
  const { code, text } = await erase(answer, { ...asked, "dry-run": true });
  expect([code, text]).toEqual([0, "erasure of alpha 2026-09: would erase what 12 transactions say of persons; nothing was sent\n"]);
});

test("a month that is none is refused before anything is sent", async () => {
  await expect(erase({}, { ...asked, month: "September" })).rejects.toMatchObject({ code: "cli.no-month" });
});
