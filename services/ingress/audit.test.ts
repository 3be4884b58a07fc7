import { inspect } from "node:util";
import { sampleBank, sampleHeldToken, sampleToken } from "@sluice/testkit";
import { expect, test } from "vitest";
import { debitBody, postBody, sampleParties, startTestIngress } from "./ingress.fixture.ts";

const path = "/transactions/outbound/direct-debit";

test("who came and who was refused is in the audit, with address and id of the credential, and never the token [D10.60]", async () => {
  const { requested, audit, time } = await startTestIngress();
  for (let number = 0; number < 3; number += 1) await requested(path, postBody(debitBody));
  await requested(path, postBody(debitBody, { authorization: "Bearer canary-guess" }));
  await requested("/scheme/inbound/direct-debit", postBody(debitBody));
  await time.advance(1_000);
  const credential = expect.stringMatching(/^[0-9a-f]{12}$/) as unknown;
  expect(audit()).toEqual([
    ["started", { version: sampleParties.version, hash: sampleParties.hash }],
    ["sign-in", { caller: "first", credential, address: null }],
    ["refused", { status: 401, operation: "outboundDirectDebit", caller: null, credential: null, address: null }],
    ["refused", { status: 403, operation: "inboundDirectDebit", caller: "first", credential, address: null }],
  ]);
  const written = JSON.stringify(audit());
  for (const secret of ["canary-guess", sampleToken("first"), "Mokoena", "62001872440"]) expect(written).not.toContain(secret);
});

test("a token that has ended is refused with a code of its own, and named by its id in the audit and the log [D10.87]", async () => {
  const { ingress, requested, audit, time, environment } = await startTestIngress();
  const dated = { ...sampleHeldToken("canary-dated", time.nowMs() + 60_000), id: "first-2027" };
  const banks = sampleParties.banks.map((bank) => (bank.id === "first" ? { ...bank, tokens: [...bank.tokens, dated] } : bank));
  ingress.replaceConfiguration({ ...sampleParties, banks });
  const send = () => requested(path, postBody(debitBody, { authorization: "Bearer canary-dated" }));
  expect((await send()).status).toBe(202);
  await time.advance(61_000);
  const refused = await send();
  expect([refused.status, refused.headers.get("connection")]).toEqual([401, "close"]);
  expect(refused.headers.get("www-authenticate")).toBe('Bearer error="invalid_token", error_description="token-expired"');
  expect(await refused.json()).toMatchObject({ schema: "ErrorDetail", message: "Token expired" });
  await time.advance(1_000);
  const known = { caller: "first", credential: "first-2027", address: null };
  expect(audit().slice(2)).toEqual([
    ["sign-in", known],
    ["refused", { status: 401, operation: "outboundDirectDebit", ...known, reason: "token-expired" }],
  ]);
  const { lines } = environment;
  const line = lines.findLast(({ event }) => event === "ingress.answered");
  expect(line?.fields).toMatchObject({ status: 401, caller: "first", tokenId: "first-2027", refusal: "token-expired" });
  expect(inspect([audit(), lines], { depth: null, maxArrayLength: null })).not.toContain("canary");
});

test("a bank that is removed and one that is added are in the audit as ids and ids of tokens [D10.60]", async () => {
  const { ingress, audit, time } = await startTestIngress();
  const next = { ...sampleParties, version: "two", banks: [sampleParties.banks[0]!, sampleBank({ id: "third" })] };
  ingress.replaceConfiguration(next);
  await time.advance(1_000);
  const added = expect.stringMatching(/^bank third: added: tokens [0-9a-f]{12}$/) as unknown;
  expect(audit().slice(1)).toEqual([
    ["configuration", { version: "two", hash: sampleParties.hash, of: 2, changes: ["bank second: removed", added] }],
  ]);
});

test("I14: while the audit cannot be written messages are answered as fast as before [D10.63]", async () => {
  const took: number[] = [];
  for (const auditFate of [{ kind: "append" }, { kind: "lose-request" }] as const) {
    const { requested, environment, time, journal } = await startTestIngress();
    environment.auditFate = auditFate;
    const fromMs = time.nowMs();
    for (let number = 0; number < 20; number += 1) expect((await requested(path, postBody(debitBody))).status).toBe(202);
    took.push(time.nowMs() - fromMs);
    expect(journal()).toHaveLength(20);
  }
  expect(took[1]).toBeLessThan((took[0] ?? 0) + 50);
});
