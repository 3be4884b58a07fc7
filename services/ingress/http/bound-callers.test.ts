// Every address of ingress, over TLS on a real port, with every way to come as a caller that is bound to certificates.

import { servedOperations } from "@sluice/contracts";
import { machineTime, silentLogger } from "@sluice/kernel";
import { listen, listenLimitsDefault, type HttpListener } from "@sluice/service";
import {
  askOverTls,
  type BoundCallers,
  createBoundCallers,
  encodeBody,
  expectedChallenge,
  sampleBank,
  sampleConnector,
} from "@sluice/testkit";
import { afterAll, expect, test } from "vitest";
import { debitBody, startTestIngress, sampleParties } from "../ingress.fixture.ts";

const opened: HttpListener[] = [];
afterAll(() => Promise.all(opened.map((listener) => listener.close(0))));

const bound = {
  bank: createBoundCallers("first", "second", machineTime.nowMs()),
  connector: createBoundCallers("clearing", "rapid", machineTime.nowMs()),
};
const environments = { bank: open(bound.bank), connector: open(bound.connector) };

/** Ingress under a virtual clock, behind a listener that asks for certificates. */
async function open({ own, other, listener: shown, clientAuthorities, listenerAuthority }: BoundCallers) {
  const given = { ...own, requestsPerSecond: 100_000 };
  const banks = [sampleBank({ id: "first", ...given }), sampleBank({ id: "second", branch: "250656", ...other })];
  const connectors = [sampleConnector({ id: "clearing", ...given }), sampleConnector({ id: "rapid", ...other })];
  const isBank = own === bound.bank.own;
  const parties = { ...sampleParties, ...(isBank ? { banks, connectors: [] } : { banks: [sampleBank({ id: "first" })], connectors }) };
  const environment = await startTestIngress(parties);
  const listener = await listen({
    async fetch(request, connection) {
      // The body comes in the machine's time, and everything else happens in the virtual one.
      const body = await request.arrayBuffer();
      const { url, method, headers } = request;
      const whole = new Request(url, { method, headers, ...(body.byteLength === 0 ? {} : { body }) });
      return await environment.settled(environment.ingress.fetch(whole, connection));
    },
    host: "127.0.0.1",
    port: 0,
    limits: listenLimitsDefault,
    logger: silentLogger,
    tls: {
      clientCertificates: "asked",
      current: () => ({ certificate: Buffer.from(shown.certificatePem), key: Buffer.from(shown.keyPem), clientAuthorities }),
      onRenewal: () => ({ [Symbol.dispose]: () => {} }),
    },
  });
  opened.push(listener);
  return { ...environment, server: { port: listener.port, authority: listenerAuthority } };
}

const routes = servedOperations
  .filter(({ service }) => service === "ingress")
  .flatMap(({ caller, paths }) => paths.map((path) => ({ path, kind: caller === "bank" ? ("bank" as const) : ("connector" as const) })));
const cases = routes.flatMap(({ path, kind }) => bound[kind].callers.map((caller) => ({ path, kind, caller, name: caller.name })));

test("every address of ingress has every caller", () => {
  expect(cases.length).toBe(routes.length * bound.bank.callers.length);
  expect(routes.length).toBeGreaterThanOrEqual(9);
});

test.each(cases)("$path with $name [D10.88] [D10 caller]", async ({ path, kind, caller }) => {
  const { server } = await environments[kind];
  // A caller that is let in learns that the body does not fit.
  const answer = await askOverTls(server, caller, { method: "POST", path, body: encodeBody({}) });
  expect(answer).toEqual({ status: caller.refusal === null ? 400 : 401, challenge: expectedChallenge(caller) });
});

test("who was refused for the certificate is in the audit with caller, token and certificate, and never as one who signed in [D10.88]", async () => {
  const { server, audit, time, journal } = await open(bound.bank);
  const caller = (name: string) => bound.bank.callers.find((one) => one.name === name)!;
  const send = async (name: string) =>
    await askOverTls(server, caller(name), { method: "POST", path: "/transactions/outbound/direct-debit", body: debitBody });
  await send("its token, no certificate");
  await send("its token, another caller's certificate");
  expect(journal()).toHaveLength(0);
  expect((await send("its token, its name by its authority")).status).toBe(202);
  expect(journal()).toHaveLength(1);
  await time.advance(1_000);
  const hex = expect.stringMatching(/^[0-9a-f]{12}$/) as unknown;
  const known = { caller: "first", credential: hex, address: "127.0.0.1" };
  const refused = { status: 401, operation: "outboundDirectDebit", ...known };
  expect(audit().slice(1)).toEqual([
    ["refused", { ...refused, reason: "certificate-missing" }],
    ["refused", { ...refused, certificate: hex, reason: "certificate-not-bound" }],
    ["sign-in", { ...known, certificate: hex }],
  ]);
});
