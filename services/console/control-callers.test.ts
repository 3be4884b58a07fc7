import { createHash } from "node:crypto";
import { sampleOperator, sampleToken } from "@sluice/testkit";
import { expect, test } from "vitest";
import { givenConsole, uetr } from "./given.ts";

const sha = (token: string): string => createHash("sha256").update(token).digest("hex");
const bearer = (token: string) => ({ operator: null, headers: { authorization: `Bearer ${token}` } });

test("banks and connectors are nobody on the control API, and operators nobody on the banks' side", async () => {
  const { control, ask } = await givenConsole();
  for (const id of ["first", "second", "clearing"]) expect((await control("/banks", bearer(sampleToken(id)))).status).toBe(401);
  expect((await ask(`/transactions/${uetr}`, "operator")).status).toBe(401);
  expect((await control("/banks")).status).toBe(200);
});

test("operators' tokens and roles are replaced without a restart: both tokens while one replaces the other, then the new one alone", async () => {
  const { control, desk } = await givenConsole();
  const both = [sha(sampleToken("operator")), sha("next")];
  desk.replaceOperators([sampleOperator({ tokenSha256: both })]);
  for (const token of [sampleToken("operator"), "next"]) expect((await control("/banks", bearer(token))).status).toBe(200);
  desk.replaceOperators([sampleOperator({ tokenSha256: [sha("next")] })]);
  expect((await control("/banks", bearer(sampleToken("operator")))).status).toBe(401);
  expect((await control("/banks", bearer("next"))).status).toBe(200);
  desk.replaceOperators([sampleOperator({ tokenSha256: [sha("next")], roles: ["read"] })]);
  expect((await control("/banks/first/pause", { ...bearer("next"), body: { reason: "r" }, method: "POST" })).status).toBe(403);
});

test("who is added while it runs can ask, and who is taken away cannot", async () => {
  const { control, desk } = await givenConsole();
  desk.replaceOperators([sampleOperator({ id: "newcomer" })]);
  expect((await control("/banks", { operator: "newcomer" })).status).toBe(200);
  expect((await control("/banks")).status).toBe(401);
});

test("a stopped console appends nothing", async () => {
  const { control, desk, settled, messaging } = await givenConsole();
  await settled(desk.stop());
  expect((await control("/banks/first/pause", { body: { reason: "r" } })).status).toBe(503);
  expect(messaging.records({ topic: "sluice.journal.v1", partition: 0 })).toEqual([]);
});
