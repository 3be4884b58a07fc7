import { silentLogger, tokenAlgorithms } from "@sluice/kernel";
import { createProofKey, createTestIssuer, createVirtualTime, signWithSecret, tokenAudience as audience, withHead } from "@sluice/testkit";
import { expect, test } from "vitest";
import type { PeerCertificate } from "../callers/peer-certificate.ts";
import { createMetrics } from "../telemetry/prometheus-metrics.ts";
import { type AccessTokens, openAccessTokens } from "./access-tokens.ts";

const startAtMs = Date.UTC(2026, 10, 24, 20);
const method = "POST";
const url = "https://sluice.example/transactions/outbound/direct-debit";
const sha256 = "ab".repeat(32);
const own: PeerCertificate = {
  id: sha256.slice(0, 12),
  sha256,
  notBeforeMs: 0,
  notAfterMs: startAtMs + 3_600_000,
  uris: [],
  dnsNames: [],
  authoritySha256: [],
};
const other: PeerCertificate = { ...own, id: "cd".repeat(6), sha256: "cd".repeat(32) };
const toOwn = { cnf: { "x5t#S256": Buffer.from(sha256, "hex").toString("base64url") } };

async function open(more: { readonly origins?: readonly string[]; readonly algorithms?: readonly "PS256"[] } = {}) {
  const time = createVirtualTime({ startAtMs });
  const nowMs = () => time.nowMs();
  const issuer = await createTestIssuer(nowMs);
  const stranger = await createTestIssuer(nowMs);
  const configured = {
    issuer: issuer.issuer,
    audience,
    algorithms: more.algorithms ?? tokenAlgorithms,
    keys: { kind: "file", path: "" },
  } as const;
  const tokenPorts = { loadKeySet: async () => await Promise.resolve(issuer.keySet), origins: more.origins ?? ["https://sluice.example"] };
  const metrics = createMetrics({ withProcess: false });
  const tokens = openAccessTokens([configured], { time, logger: silentLogger, metrics, tokenPorts });
  if (tokens === null) throw new Error("none");
  const key = await createProofKey(nowMs);
  const toKey = { cnf: { jkt: key.thumbprint } };
  return { time, issuer, stranger, tokens, key, toKey, otherKey: await createProofKey(nowMs), configured };
}

async function judge(tokens: AccessTokens, token: string, shown: { certificate?: PeerCertificate; proof?: string; url?: string } = {}) {
  const scheme = shown.proof === undefined ? "bearer" : "dpop";
  const judged = await tokens.judge(scheme, token, { method, url, proof: null, certificate: null, ...shown });
  return judged.kind === "refused" ? judged.reason : judged.kind;
}

test("a token counts with the certificate that it is bound to, and with no other, also if the token was stolen [D10.89]", async () => {
  const { issuer, tokens, time } = await open();
  const token = await issuer.issue({ ...toOwn, jti: "id-1" });
  const client = { issuer: issuer.issuer, clientId: "own" };
  const shown = { method, url, proof: null, certificate: own };
  expect(await tokens.judge("bearer", token, shown)).toMatchObject({ kind: "good", client, tokenId: "id-1" });
  expect(await judge(tokens, token)).toBe("certificate-missing");
  expect(await judge(tokens, token, { certificate: other })).toBe("certificate-not-bound");
  await time.advance(304_000);
  expect(await judge(tokens, token, { certificate: own })).toBe("good");
  await time.advance(2_000);
  expect(await judge(tokens, token, { certificate: own })).toBe("token-expired");
});

test("a token that is bound to nothing is refused, and so is one for another audience", async () => {
  const { issuer, tokens } = await open();
  expect(await judge(tokens, await issuer.issue(), { certificate: own })).toBe("token-not-bound");
  expect(await judge(tokens, await issuer.issue({ cnf: {} }), { certificate: own })).toBe("token-not-bound");
  expect(await judge(tokens, await issuer.issue({ ...toOwn, aud: "https://other.example" }), { certificate: own })).toBe("wrong-audience");
  expect(await judge(tokens, await issuer.issue({ ...toOwn, aud: [audience, "https://other.example"] }), { certificate: own })).toBe(
    "good",
  );
});

test.each([
  ["another issuer's key under its name", async ({ stranger }) => await stranger.issue(toOwn)],
  ["another issuer", async ({ issuer }) => await issuer.issue({ ...toOwn, iss: "https://else.example" })],
  ["an ID token's type", async ({ issuer }) => await issuer.issue(toOwn, { typ: "JWT" })],
  ["no type", async ({ issuer }) => await issuer.issue(toOwn, { typ: undefined })],
  ["no end", async ({ issuer }) => await issuer.issue({ ...toOwn, exp: undefined })],
  ["no client", async ({ issuer }) => await issuer.issue({ ...toOwn, client_id: undefined })],
  ["no id", async ({ issuer }) => await issuer.issue({ ...toOwn, jti: undefined })],
  ["a begin that has not come", async ({ issuer }) => await issuer.issue({ ...toOwn, nbf: startAtMs / 1_000 + 60 })],
  ["a binding that is no thumbprint", async ({ issuer }) => await issuer.issue({ cnf: { "x5t#S256": "short" } })],
  ["a key of its own in its head", async ({ issuer }) => await issuer.issue(toOwn, { kid: "of-nobody", jku: "https://evil.example" })],
  ["alg none", async ({ issuer }) => withHead(await issuer.issue(toOwn), { alg: "none", typ: "at+jwt" })],
  [
    "alg none and a signature",
    async ({ issuer }) => {
      const token = await issuer.issue(toOwn);
      return withHead(token, { alg: "none", typ: "at+jwt" }, token.split(".")[2]);
    },
  ],
  [
    "another alg over the same signature",
    async ({ issuer }) => {
      const token = await issuer.issue(toOwn);
      return withHead(token, { alg: "PS256", typ: "at+jwt", kid: "one" }, token.split(".")[2]);
    },
  ],
  [
    "the public key as a shared secret",
    async ({ issuer }) => await signWithSecret({ iss: issuer.issuer, aud: audience, ...toOwn }, Buffer.from(issuer.keySet)),
  ],
  [
    "a changed content",
    async ({ issuer }) => (await issuer.issue(toOwn)).replace(/\.(.)/, (_, first: string) => `.${first === "e" ? "f" : "e"}`),
  ],
  ["too many characters", async ({ issuer }) => await issuer.issue({ ...toOwn, more: "x".repeat(8_192) })],
  ["two parts", async () => await Promise.resolve("a.b")],
] satisfies readonly (readonly [string, (given: Awaited<ReturnType<typeof open>>) => Promise<string>])[])(
  "a token with %s is that of nobody [D10.89]",
  async (_, make) => {
    const given = await open();
    expect(await judge(given.tokens, await make(given), { certificate: own })).toBe("unknown");
  },
);

test("an algorithm that the setting does not name is refused, though the signature is good", async () => {
  const { issuer, tokens } = await open({ algorithms: ["PS256"] });
  expect(await judge(tokens, await issuer.issue(toOwn), { certificate: own })).toBe("unknown");
});

test("a token that is bound to a key counts with a new proof for each request [D10.89]", async () => {
  const { issuer, tokens, key, toKey } = await open();
  const token = await issuer.issue(toKey);
  const proof = await key.prove({ method, url, token });
  expect(await judge(tokens, token, { proof })).toBe("good");
  expect(await judge(tokens, token, { proof })).toBe("proof-repeated");
  expect(await judge(tokens, token, { proof: await key.prove({ method, url: `${url}?a=1#b`, token }) })).toBe("good");
  expect(await judge(tokens, token)).toBe("proof-missing");
  expect(await judge(tokens, await issuer.issue(toOwn), { proof, certificate: own })).toBe("proof-refused");
});

test.each([
  ["another method", { htm: "GET" }, {}],
  ["another address", { htu: "https://sluice.example/transactions/credits-final" }, {}],
  ["another host", { htu: url.replace("sluice", "else") }, {}],
  ["no address", { htu: undefined }, {}],
  ["another token", { ath: "x".repeat(43) }, {}],
  ["no id", { jti: undefined }, {}],
  ["an id without end", { jti: "x".repeat(300) }, {}],
  ["an old time", { iat: startAtMs / 1_000 - 36 }, {}],
  ["a time to come", { iat: startAtMs / 1_000 + 6 }, {}],
  ["another type", {}, { typ: "JWT" }],
  ["an extension that must be understood", {}, { crit: ["more"], more: 1 }],
])("a proof with %s is refused, and another key's too [D10.89]", async (_, claims, header) => {
  const { issuer, tokens, key, toKey, otherKey } = await open();
  const token = await issuer.issue(toKey);
  const proof = await key.prove({ method, url, token }, claims, header).catch(() => "not to be signed");
  expect(await judge(tokens, token, { proof })).toBe("proof-refused");
  expect(await judge(tokens, token, { proof: await otherKey.prove({ method, url, token }) })).toBe("proof-refused");
});

test("a proof names one of our origins, whatever host the request claims", async () => {
  const { issuer, tokens, key, toKey } = await open({ origins: ["https://sluice.example"] });
  const token = await issuer.issue(toKey);
  const elsewhere = url.replace("sluice", "else");
  expect(await judge(tokens, token, { url: elsewhere, proof: await key.prove({ method, url: elsewhere, token }) })).toBe("proof-refused");
  const unsaid = await open({ origins: [] });
  const other = await unsaid.issuer.issue(unsaid.toKey);
  expect(await judge(unsaid.tokens, other, { proof: await unsaid.key.prove({ method, url, token: other }) })).toBe("proof-refused");
  const behind = "http://10.0.0.1:8080/transactions/outbound/direct-debit";
  expect(await judge(tokens, token, { url: behind, proof: await key.prove({ method, url, token }) })).toBe("good");
});

test("a token of both kinds needs both", async () => {
  const { issuer, tokens, key, toKey } = await open();
  const token = await issuer.issue({ cnf: { ...toOwn.cnf, ...toKey.cnf } });
  const prove = async () => await key.prove({ method, url, token });
  expect(await judge(tokens, token, { proof: await prove() })).toBe("certificate-missing");
  expect(await judge(tokens, token, { certificate: own })).toBe("proof-missing");
  expect(await judge(tokens, token, { certificate: own, proof: await prove() })).toBe("good");
});

test("an issuer that is taken away issued nothing", async () => {
  const { issuer, tokens } = await open();
  const token = await issuer.issue(toOwn);
  tokens.replace([]);
  expect(await judge(tokens, token, { certificate: own })).toBe("unknown");
});
