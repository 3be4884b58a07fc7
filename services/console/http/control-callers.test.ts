import { createHash } from "node:crypto";
import { sampleOperator, sampleToken } from "@sluice/testkit";
import { expect, test } from "vitest";
import { openConsoleEnvironment, consoleUetr } from "../console.fixture.ts";

const sha = (token: string): string => createHash("sha256").update(token).digest("hex");
const bearer = (token: string) => ({ operator: null, headers: { authorization: `Bearer ${token}` } });

test("banks and connectors are unknown on the control API, and operators on the banks' side", async () => {
  const { control, ask } = await openConsoleEnvironment();
  for (const id of ["first", "second", "clearing"]) expect((await control("/banks", bearer(sampleToken(id)))).status).toBe(401);
  expect((await ask(`/transactions/${consoleUetr}`, "operator")).status).toBe(401);
  expect((await control("/banks")).status).toBe(200);
});

test("operators' tokens and roles are replaced without a restart: two tokens work during the change, then only the new one", async () => {
  const { control, desk } = await openConsoleEnvironment();
  const both = [sha(sampleToken("operator")), sha("next")];
  desk.replaceOperators([sampleOperator({ tokenSha256: both })]);
  for (const token of [sampleToken("operator"), "next"]) expect((await control("/banks", bearer(token))).status).toBe(200);
  desk.replaceOperators([sampleOperator({ tokenSha256: [sha("next")] })]);
  expect((await control("/banks", bearer(sampleToken("operator")))).status).toBe(401);
  expect((await control("/banks", bearer("next"))).status).toBe(200);
  desk.replaceOperators([sampleOperator({ tokenSha256: [sha("next")], roles: ["read"] })]);
  expect((await control("/banks/first/pause", { ...bearer("next"), body: { reason: "r" }, method: "POST" })).status).toBe(403);
});

test("an operator who is added while the console runs can ask, and one who is removed cannot", async () => {
  const { control, desk } = await openConsoleEnvironment();
  desk.replaceOperators([sampleOperator({ id: "newcomer" })]);
  expect((await control("/banks", { operator: "newcomer" })).status).toBe(200);
  expect((await control("/banks")).status).toBe(401);
});

test("a stopped console appends nothing", async () => {
  const { control, desk, settled, messaging } = await openConsoleEnvironment();
  await settled(desk.stop());
  expect((await control("/banks/first/pause", { body: { reason: "r" } })).status).toBe(503);
  expect(messaging.records({ topic: "sluice.journal.v1", partition: 0 })).toEqual([]);
});
