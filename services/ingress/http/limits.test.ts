import type { ClientConnection } from "@sluice/service";
import { sampleBank, sampleHeldToken, sampleToken } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { debitBody, authorizationFor, startTestIngress, postBody, sampleParties } from "../ingress.fixture.ts";

const path = "/transactions/outbound/direct-debit";

function limited(limits: { readonly requestsPerSecond?: number; readonly inboundConnections?: number }) {
  return { ...sampleParties, banks: [sampleBank({ id: "first", ...limits }), sampleBank({ id: "second", branch: "250656" })] };
}

function connection(): ClientConnection & { close(): void } {
  const actions: (() => void)[] = [];
  return {
    remoteAddress: "192.0.2.1",
    onClose: (action) => void actions.push(action),
    authenticated: () => {},
    close: () => actions.splice(0).forEach((action) => action()),
  };
}

describe("a caller beyond its rate", () => {
  it("gets 429 with Retry-After a moment later, unread and unstored, and is accepted again after a second", async () => {
    const { requested, time, journal } = await startTestIngress(limited({ requestsPerSecond: 5 }));
    const answers: Response[] = [];
    for (let count = 0; count < 5; count += 1) answers.push(await requested(path, postBody(debitBody)));
    const beforeMs = time.monotonicMs();
    const refused = await requested(path, postBody(debitBody, { "content-type": "text/plain" }));
    expect([refused.status, refused.headers.get("retry-after"), Math.round(time.monotonicMs() - beforeMs)]).toEqual([429, "1", 200]);
    expect(await refused.json()).toMatchObject({ schema: "ErrorDetail" });
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([202]);
    expect(journal()).toHaveLength(5);
    await time.advance(1_000);
    expect((await requested(path, postBody(debitBody))).status).toBe(202);
  });

  it("makes no other caller wait, and only a bounded number of its answers is delayed", async () => {
    const { ingress, requested, settled } = await startTestIngress(limited({ requestsPerSecond: 1 }));
    const flood = Array.from({ length: 500 }, () => ingress.fetch(new Request(`http://ingress${path}`, postBody(debitBody))));
    const first = await Promise.race(flood.slice(400));
    expect(first.status).toBe(429);
    const other = await requested(path, postBody(debitBody, authorizationFor("second")));
    expect(other.status).toBe(403);
    const codes = (await settled(Promise.all(flood))).map(({ status }) => status);
    expect(codes.filter((code) => code === 429)).toHaveLength(499);
  });
});

describe("a caller with more connections than it may hold", () => {
  it("gets 429 on the further one, which is closed; the others go on, and closing one makes room again", async () => {
    const { requested, journal } = await startTestIngress(limited({ inboundConnections: 2 }));
    const [one, two, three] = [connection(), connection(), connection()];
    const status = async (used: ClientConnection) => (await requested(path, postBody(debitBody), used)).status;
    expect([await status(one), await status(two), await status(one)]).toEqual([202, 202, 202]);
    const refused = await requested(path, postBody(debitBody), three);
    expect([refused.status, refused.headers.get("retry-after"), refused.headers.get("connection")]).toEqual([429, "1", "close"]);
    one.close();
    expect(await status(three)).toBe(202);
    expect(journal()).toHaveLength(4);
  });
});

describe("callers that are replaced while ingress runs", () => {
  it("are known by the new token only, and have the new rate", async () => {
    const { ingress, requested } = await startTestIngress();
    const tokens = [sampleHeldToken("the-next-token")];
    const banks = sampleParties.banks.map((bank) => (bank.id === "first" ? { ...bank, tokens, requestsPerSecond: 1 } : bank));
    ingress.replaceConfiguration({ ...sampleParties, banks });
    const next = { authorization: "Bearer the-next-token" };
    expect((await requested(path, postBody(debitBody, { authorization: `Bearer ${sampleToken("first")}` }))).status).toBe(401);
    expect((await requested(path, postBody(debitBody, next))).status).toBe(202);
    expect((await requested(path, postBody(debitBody, next))).status).toBe(429);
    expect((await requested(path, postBody(debitBody, authorizationFor("second")))).status).toBe(403);
  });
});

it("I14: documents that anybody reads have a bounded part of the bytes, and messages are accepted beside them", async () => {
  const { requested } = await startTestIngress();
  const answers = await Promise.all(Array.from({ length: 40 }, () => requested("/docs/swagger-ui-bundle.js")));
  const served = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 503);
  expect(served.length + refused.length).toBe(40);
  expect(served.length).toBeLessThanOrEqual(6);
  expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect((await requested("/transactions/outbound/direct-debit", postBody(debitBody))).status).toBe(202);
});
