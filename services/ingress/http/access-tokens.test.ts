// Every address of ingress, over TLS on a real port, with every way to come with an access token: one that is the
// caller's own, and each that is stolen, changed, ended, repeated or for somebody else.

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { servedOperations } from "@sluice/contracts";
import { machineTime, silentLogger, tokenAlgorithms, type TokenClient } from "@sluice/kernel";
import { type HttpListener, listen, listenLimitsDefault } from "@sluice/service";
import {
  type Certificate,
  certificateSha256,
  createCertificateAuthority,
  createProofKey,
  createTestIssuer,
  encodeBody,
  sampleBank,
  sampleConnector,
  signWithSecret,
  tokenAudience,
  withHead,
} from "@sluice/testkit";
import { afterAll, expect, test } from "vitest";
import { startTestIngress, sampleParties } from "../ingress.fixture.ts";

const nowMs = (): number => machineTime.nowMs();
const authority = createCertificateAuthority("Ours", nowMs());
const counting = { fromMs: Date.UTC(2020, 0), toMs: Date.UTC(2048, 0) };
const own = authority.issue({ name: "own", ...counting });
const ended = authority.issue({ name: "own", fromMs: Date.UTC(2020, 0), toMs: Date.UTC(2021, 0) });
const others = authority.issue({ name: "others", ...counting });
const shown = authority.issue({ name: "listener", hosts: ["127.0.0.1"] });
const [issuer, stranger] = await Promise.all([createTestIssuer(nowMs), createTestIssuer(nowMs)]);
const [key, otherKey] = await Promise.all([createProofKey(nowMs), createProofKey(nowMs)]);

const boundTo = ({ certificatePem }: Certificate) => ({
  cnf: { "x5t#S256": Buffer.from(certificateSha256(certificatePem), "hex").toString("base64url") },
});
const toOwn = boundTo(own);
const toKey = { cnf: { jkt: key.thumbprint } };

interface Coming {
  readonly certificate?: Certificate;
  readonly scheme?: "DPoP";
  readonly token: string;
  readonly proof?: string;
}

interface Way {
  readonly name: string;
  /** Null: the caller is let in. */
  readonly refusal: string | null;
  come(asked: { readonly method: string; readonly url: string }): Promise<Coming>;
}

const byCertificate = (name: string, refusal: string | null, token: () => Promise<string>, certificate: Certificate | null = own): Way => ({
  name,
  refusal,
  come: async () => ({ token: await token(), ...(certificate === null ? {} : { certificate }) }),
});

const byProof = (name: string, refusal: string | null, prove: (proven: Parameters<typeof key.prove>[0]) => Promise<string>): Way => ({
  name,
  refusal,
  async come(asked) {
    const token = await issuer.issue(toKey);
    return { token, scheme: "DPoP", proof: await prove({ ...asked, token }) };
  },
});

const endedS = Math.floor(nowMs() / 1_000) - 60;
const signatureOf = (token: string): string => token.split(".")[2] ?? "";
const ways: readonly Way[] = [
  byCertificate("its token and certificate", null, () => issuer.issue(toOwn)),
  byCertificate("its token, no certificate", "certificate-missing", () => issuer.issue(toOwn), null),
  byCertificate("its token, another's certificate", "certificate-not-bound", () => issuer.issue(toOwn), others),
  byCertificate("its token, a certificate that has ended", "certificate-expired", () => issuer.issue(boundTo(ended)), ended),
  byCertificate("a token that has ended", "token-expired", () => issuer.issue({ ...toOwn, exp: endedS })),
  byCertificate("a token for another audience", "wrong-audience", () => issuer.issue({ ...toOwn, aud: "https://else.example" })),
  byCertificate("a token that is bound to nothing", "token-not-bound", () => issuer.issue()),
  byCertificate("another client's token", "unknown", () => issuer.issue({ ...toOwn, client_id: "of-nobody" })),
  byCertificate("a token of another issuer", "unknown", () => issuer.issue({ ...toOwn, iss: "https://else.example" })),
  byCertificate("a token that another key has signed", "unknown", () => stranger.issue(toOwn)),
  byCertificate("an ID token", "unknown", () => issuer.issue(toOwn, { typ: "JWT" })),
  byCertificate("alg none", "unknown", async () => withHead(await issuer.issue(toOwn), { alg: "none", typ: "at+jwt" })),
  byCertificate("alg none and the signature", "unknown", async () => {
    const token = await issuer.issue(toOwn);
    return withHead(token, { alg: "none", typ: "at+jwt" }, signatureOf(token));
  }),
  byCertificate("another alg", "unknown", async () => {
    const token = await issuer.issue(toOwn);
    return withHead(token, { alg: "PS256", typ: "at+jwt", kid: "one" }, signatureOf(token));
  }),
  byCertificate("the public key as a shared secret", "unknown", () =>
    signWithSecret({ iss: issuer.issuer, aud: tokenAudience, client_id: "own", ...toOwn }, Buffer.from(issuer.keySet)),
  ),
  byProof("its token and a proof", null, (proven) => key.prove(proven)),
  byProof("a proof of another key", "proof-refused", (proven) => otherKey.prove(proven)),
  byProof("a proof for another address", "proof-refused", ({ url, ...proven }) => key.prove({ ...proven, url: `${url}/else` })),
  byProof("a proof for another method", "proof-refused", (proven) => key.prove(proven, { htm: "PUT" })),
  byProof("a proof for another token", "proof-refused", async (proven) => key.prove({ ...proven, token: await issuer.issue(toKey) })),
  byProof("an old proof", "proof-refused", (proven) => key.prove(proven, { iat: endedS })),
  byProof("a proof that was used", "proof-repeated", (proven) => key.prove(proven, { jti: "used" })),
  {
    name: "its token without a proof",
    refusal: "proof-missing",
    come: async () => ({ token: await issuer.issue(toKey) }),
  },
];

const opened: HttpListener[] = [];
afterAll(() => Promise.all(opened.map((listener) => listener.close(0))));

const issuers = [
  { issuer: issuer.issuer, audience: tokenAudience, algorithms: tokenAlgorithms, keys: { kind: "file", path: "" } },
] as const;
const loadKeySet = async (): Promise<string> => await Promise.resolve(issuer.keySet);

const origin = "https://sluice.example";

/** Ingress in the machine's time, because signatures are checked in it. */
async function open(kind: "bank" | "connector", more: { readonly loadKeySet?: () => Promise<string> } = {}) {
  const clients: readonly TokenClient[] = [{ issuer: issuer.issuer, clientId: "own" }];
  const given = { clients, tokens: [] };
  const banks = kind === "bank" ? [sampleBank({ id: "first", ...given })] : sampleParties.banks;
  const connectors = kind === "bank" ? [] : [sampleConnector(given)];
  const configuration = { ...sampleParties, banks, connectors, tokenIssuers: issuers };
  const tokenPorts = { loadKeySet, origins: [origin], ...more };
  const environment = await startTestIngress(configuration, null, { time: machineTime, tokenPorts });
  const listener = await listen({
    fetch: (asked, connection) => environment.ingress.fetch(asked, connection),
    host: "127.0.0.1",
    port: 0,
    limits: listenLimitsDefault,
    logger: silentLogger,
    tls: {
      clientCertificates: "asked",
      current: () => ({
        certificate: Buffer.from(shown.certificatePem),
        key: Buffer.from(shown.keyPem),
        clientAuthorities: [authority.pem],
      }),
      onRenewal: () => ({ [Symbol.dispose]: () => {} }),
    },
  });
  opened.push(listener);
  return { ...environment, port: listener.port };
}

const body = encodeBody({});

async function ask(port: number, path: string, way: Way) {
  const { certificate, scheme = "Bearer", token, proof } = await way.come({ method: "POST", url: `${origin}${path}` });
  const asked = request(`https://127.0.0.1:${port}${path}`, {
    ca: authority.pem,
    agent: false,
    method: "POST",
    headers: {
      authorization: `${scheme} ${token}`,
      ...(proof === undefined ? {} : { dpop: proof }),
      "content-type": "application/json",
      "content-length": body.byteLength,
    },
    ...(certificate === undefined ? {} : { cert: certificate.certificatePem, key: certificate.keyPem }),
  });
  asked.end(body);
  const [answer]: IncomingMessage[] = await once(asked, "response");
  answer?.resume();
  const challenge = answer?.headers["www-authenticate"] ?? null;
  return {
    status: answer?.statusCode,
    reason: challenge === null ? null : (/error_description="([^"]+)"/.exec(challenge)?.[1] ?? "unknown"),
  };
}

const environments = { bank: open("bank"), connector: open("connector") };
const routes = servedOperations
  .filter(({ service }) => service === "ingress")
  .flatMap(({ caller, paths }) => paths.map((path) => ({ path, kind: caller === "bank" ? ("bank" as const) : ("connector" as const) })));
const cases = routes.flatMap(({ path, kind }) => ways.map((way) => ({ path, kind, way, name: way.name })));

test("every address of ingress has every way to come", () => {
  expect(cases.length).toBe(routes.length * ways.length);
  expect(routes.length).toBeGreaterThanOrEqual(9);
});

test.each(cases)("$path with $name [D10.89]", async ({ path, kind, way }) => {
  const { port } = await environments[kind];
  if (way.refusal === "proof-repeated") await ask(port, path, way);
  // A caller that is let in learns that the body does not fit.
  expect(await ask(port, path, way)).toEqual({ status: way.refusal === null ? 400 : 401, reason: way.refusal });
});

test("while the issuer's keys are away a caller with its token is answered 503, and no other caller is [D10.89]", async () => {
  const { port } = await open("bank", { loadKeySet: () => Promise.reject(new Error("away")) });
  expect(await ask(port, routes[0]!.path, ways[0]!)).toEqual({ status: 503, reason: null });
});

test("who was refused is in the audit with caller and the issuer's id of the token, and never as one who signed in [D10.89]", async () => {
  const { port, audit, ingress } = await open("bank");
  const path = routes.find(({ kind }) => kind === "bank")!.path;
  const issue = () => issuer.issue({ ...toOwn, client_id: "own", jti: "token-1" });
  await ask(port, path, byCertificate("", "", issue, null));
  await ask(port, path, byCertificate("", "", issue, others));
  await ask(port, path, byCertificate("", null, issue));
  await ingress.stop();
  const known = expect.objectContaining({ caller: "first", credential: "token-1" }) as unknown;
  expect(audit().slice(1, 4)).toEqual([
    ["refused", known],
    ["refused", known],
    ["sign-in", known],
  ]);
});
