import { sampleBank, sampleToken } from "@sluice/testkit";
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
