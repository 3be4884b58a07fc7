import { sampleBank, sampleConfiguration, sampleConnector, sampleHeldToken, sampleOperator, sampleToken } from "@sluice/testkit";
import { expect, test } from "vitest";
import { openConsoleEnvironment, consoleUetr } from "../console.fixture.ts";

const bearer = (token: string) => ({ operator: null, headers: { authorization: `Bearer ${token}` } });

test("banks and connectors are unknown on the control API, and operators on the banks' side", async () => {
  const { control, ask } = await openConsoleEnvironment();
  for (const id of ["first", "second", "clearing"]) expect((await control("/banks", bearer(sampleToken(id)))).status).toBe(401);
  expect((await ask(`/transactions/${consoleUetr}`, "operator")).status).toBe(401);
  expect((await control("/banks")).status).toBe(200);
});

test("operators' tokens and roles are replaced without a restart: two tokens work during the change, then only the new one", async () => {
  const { control, desk } = await openConsoleEnvironment();
  const [former, next] = [sampleToken("operator"), "next"].map((token) => sampleHeldToken(token));
  desk.replaceConfiguration(sampleConfiguration({ operators: [sampleOperator({ tokens: [former!, next!] })] }));
  for (const token of [sampleToken("operator"), "next"]) expect((await control("/banks", bearer(token))).status).toBe(200);
  desk.replaceConfiguration(sampleConfiguration({ operators: [sampleOperator({ tokens: [next!] })] }));
  expect((await control("/banks", bearer(sampleToken("operator")))).status).toBe(401);
  expect((await control("/banks", bearer("next"))).status).toBe(200);
  desk.replaceConfiguration(sampleConfiguration({ operators: [sampleOperator({ tokens: [next!], roles: ["read"] })] }));
  expect((await control("/banks/first/pause", { ...bearer("next"), body: { reason: "r" }, method: "POST" })).status).toBe(403);
});

test("an operator's token that has ended is refused on the control API, and a bank's on the banks' side [D10.87]", async () => {
  const { control, ask, desk, time } = await openConsoleEnvironment();
  const endsAtMs = time.nowMs() + 60_000;
  const dated = (id: string) => ({ id, tokens: [{ ...sampleHeldToken(sampleToken(id), endsAtMs), id: `${id}-2027` }] });
  const operators = [sampleOperator(dated("operator"))];
  desk.replaceConfiguration(sampleConfiguration({ banks: [sampleBank(dated("first"))], operators }));
  const statuses = async () => [(await control("/banks")).status, (await ask(`/transactions/${consoleUetr}`, "first")).status];
  const before = await statuses();
  await time.advance(60_001);
  expect([before[0], await statuses()]).toEqual([200, [401, 401]]);
  const refused = await control("/banks");
  expect(refused.headers.get("www-authenticate")).toContain("token-expired");
});

test("an operator who is added while the console runs can ask, and one who is removed cannot", async () => {
  const { control, desk } = await openConsoleEnvironment();
  desk.replaceConfiguration(sampleConfiguration({ operators: [sampleOperator({ id: "newcomer" })] }));
  expect((await control("/banks", { operator: "newcomer" })).status).toBe(200);
  expect((await control("/banks")).status).toBe(401);
});

test("a stopped console appends nothing", async () => {
  const { control, desk, settled, messaging } = await openConsoleEnvironment();
  await settled(desk.stop());
  expect((await control("/banks/first/pause", { body: { reason: "r" } })).status).toBe(503);
  expect(messaging.records({ topic: "sluice.journal.v1", partition: 0 })).toEqual([]);
});

test("I16: a bank that is added while the console runs is listed, can ask, and can be paused; the others stay as they are", async () => {
  const { ask, control, desk } = await openConsoleEnvironment();
  const listed = async () => ((await (await control("/banks")).json()) as { rows: { bank: string }[] }).rows.map(({ bank }) => bank);
  const pause = async (bank: string) => (await control(`/banks/${bank}/pause`, { body: { reason: "r" }, method: "POST" })).status;
  expect([await listed(), await pause("added")]).toEqual([["clearing", "first", "second"], 404]);
  desk.replaceConfiguration(
    sampleConfiguration({
      banks: [sampleBank({ id: "first" }), sampleBank({ id: "added", branch: "250657" })],
      connectors: [sampleConnector()],
      operators: [sampleOperator()],
    }),
  );
  expect([await listed(), await pause("added"), await pause("second")]).toEqual([["added", "clearing", "first"], 202, 404]);
  expect((await ask(`/transactions/${consoleUetr}`, "second")).status).toBe(401);
  expect((await ask(`/transactions/${consoleUetr}`, "added")).status).toBe((await ask(`/transactions/${consoleUetr}`, "first")).status);
});
