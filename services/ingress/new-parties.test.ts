import { sampleBank, sampleConnector } from "@sluice/testkit";
import { expect, test } from "vitest";
import { authorizationFor, debitBody, postBody, sampleParties, startTestIngress } from "./ingress.fixture.ts";
import { newPartyDelayMs } from "./new-parties.ts";

const path = "/transactions/outbound/direct-debit";
const added = sampleBank({ id: "added", branch: "250700" });
const withAdded = { ...sampleParties, banks: [...sampleParties.banks, added] };

async function setUp() {
  const environment = await startTestIngress();
  const statusOf = async (party: string) => (await environment.requested(path, postBody(debitBody, authorizationFor(party)))).status;
  return { ...environment, statusOf };
}

test("I16: a bank that is added may send without a restart, once all services know it, and others go on meanwhile [D10.28]", async () => {
  const { ingress, time, statusOf } = await setUp();
  ingress.replaceConfiguration(withAdded);
  expect([await statusOf("added"), await statusOf("first")]).toEqual([401, 202]);
  await time.advance(newPartyDelayMs);
  // Known now: its token is accepted, and only the agent of the sample debit is another bank's.
  expect([await statusOf("added"), await statusOf("first")]).toEqual([403, 202]);
});

test("each new party waits from when it was first seen, and a known one changes at once", async () => {
  const { ingress, time, statusOf } = await setUp();
  ingress.replaceConfiguration(withAdded);
  await time.advance(newPartyDelayMs - 1_000);
  const later = sampleConnector({ id: "later" });
  const [first, second] = sampleParties.banks;
  ingress.replaceConfiguration({
    ...withAdded,
    banks: [{ ...first!, tokens: [] }, second!, added],
    connectors: [...sampleParties.connectors, later],
  });
  expect([await statusOf("first"), await statusOf("added"), await statusOf("later")]).toEqual([401, 401, 401]);
  await time.advance(1_000);
  expect([await statusOf("added"), await statusOf("later")]).toEqual([403, 401]);
  await time.advance(newPartyDelayMs);
  expect([await statusOf("added"), await statusOf("later")]).toEqual([403, 403]);
});

test("I14: a bank that is removed can no longer call, at once, and waits again when it comes back", async () => {
  const { ingress, time, statusOf } = await setUp();
  ingress.replaceConfiguration({ ...sampleParties, banks: sampleParties.banks.slice(1) });
  // The agent of the sample debit is no bank's any more.
  expect([await statusOf("first"), await statusOf("second")]).toEqual([401, 422]);
  ingress.replaceConfiguration(sampleParties);
  expect(await statusOf("first")).toBe(401);
  await time.advance(newPartyDelayMs);
  expect(await statusOf("first")).toBe(202);
});

test("a stopped ingress takes no new party over", async () => {
  const { ingress, time, statusOf, settled } = await setUp();
  ingress.replaceConfiguration(withAdded);
  await settled(ingress.stop());
  await time.advance(newPartyDelayMs);
  expect(await statusOf("added")).toBe(401);
});
