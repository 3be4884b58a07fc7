// A whole sign-in against a provider in memory, and each thing that can be wrong with it.

import { generateKeyPairSync } from "node:crypto";
import { type SignInProvider, silentLogger } from "@sluice/kernel";
import { createTestIssuer, createVirtualTime, seededRandom, signWithSecret, withHead } from "@sluice/testkit";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { expect, test } from "vitest";
import { createMetrics } from "../telemetry/prometheus-metrics.ts";
import type { SignInFlow } from "./sign-in-flows.ts";
import { createSignIn, type ProviderQuestion } from "./sign-in.ts";

const startAtMs = Date.UTC(2026, 10, 27, 20);
const issuer = "https://login.example";
const provider: SignInProvider = {
  issuer,
  clientId: "console",
  keyFile: "key.pem",
  keyId: "k1",
  origin: "https://console.example",
  algorithms: ["PS256", "ES256"],
  acrValues: ["two", "three"],
  rolesClaim: "roles",
  bankClaim: null,
  schemesClaim: null,
  commandLineClient: null,
  caFile: null,
  takesTokens: true,
};
const description = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  end_session_endpoint: `${issuer}/end`,
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
};
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const pem = privateKey.export({ format: "pem", type: "pkcs8" });

type Claims = Readonly<Record<string, unknown>>;

async function open(
  over: { readonly described?: object; readonly isAway?: boolean; readonly token?: (claims: Claims) => Promise<string> } = {},
) {
  const time = createVirtualTime({ startAtMs });
  const keys = await createTestIssuer(() => time.nowMs(), issuer);
  const asked: ProviderQuestion[] = [];
  const metrics = createMetrics({ withProcess: false });
  const state = {
    provider: provider as SignInProvider | null,
    isAway: over.isAway ?? false,
    areKeysAway: false,
    status: 200,
    pushed: { status: 201, body: '{"request_uri":"urn:r:1"}' },
  };
  let claims: Claims = {};
  const signIn = createSignIn({
    time,
    random: seededRandom("sign-in"),
    logger: silentLogger,
    metrics,
    provider: () => state.provider,
    readFile: async () => await Promise.resolve(pem),
    loadKeySet: async () => await (state.areKeysAway ? Promise.reject(new Error("away")) : Promise.resolve(keys.keySet)),
    async ask(question) {
      asked.push(question);
      if (state.isAway) throw new Error("away");
      if (question.method === "GET") return { status: 200, body: JSON.stringify({ ...description, ...over.described }) };
      if (question.url === `${issuer}/par`) return state.pushed;
      if (state.status !== 200) return { status: state.status, body: '{"error":"invalid_grant"}' };
      const token = await (over.token ?? ((given) => keys.issue(given, { typ: "JWT" })))(claims);
      return { status: 200, body: JSON.stringify({ id_token: token, access_token: "a" }) };
    },
  });

  async function begin() {
    const begun = await signIn.begin("/days", "127.0.0.1");
    if (begun === null) throw new Error("the provider is away");
    const query = new URL(begun.location).searchParams;
    return { flow: begun.flow, location: begun.location, query, state: query.get("state") ?? "", nonce: query.get("nonce") ?? "" };
  }

  /** Signs in with these changes of the ID token and of what the browser brings. */
  async function run(changed: Claims = {}, answer: Readonly<Record<string, string | undefined>> = {}) {
    const begun = await begin();
    claims = { aud: "console", sub: "s-1", client_id: undefined, acr: "two", nonce: begun.nonce, roles: ["read"], ...changed };
    const brought = Object.entries({ code: "c", state: begun.state, iss: issuer, ...answer });
    const given = brought.filter((one): one is [string, string] => one[1] !== undefined);
    return await signIn.finish(begun.flow, new URLSearchParams(given));
  }

  /** What a scrape shows of the provider, once what it began has ended. */
  async function scrape(): Promise<readonly string[]> {
    await metrics.text();
    await time.advance(0);
    return (await metrics.text()).split("\n").filter((line) => line.startsWith("sluice_sign_in_provider_not_read{"));
  }

  return { time, keys, signIn, asked, state, begin, run, scrape };
}

test("a browser is sent to the provider with a challenge, and its code is redeemed with what only we know [D10.110]", async () => {
  const { run, asked, begin } = await open();
  const { query, location } = await begin();
  expect(location.startsWith(`${issuer}/authorize?`)).toBe(true);
  expect(Object.fromEntries(query)).toMatchObject({
    response_type: "code",
    client_id: "console",
    redirect_uri: "https://console.example/sign-in/callback",
    scope: "openid",
    code_challenge_method: "S256",
    acr_values: "two three",
  });
  expect(await run()).toMatchObject({
    kind: "signed-in",
    next: "/days",
    person: { issuer, clientId: "console", subject: "s-1", acr: "two", narrowing: { roles: ["read"], bank: null, schemes: null } },
  });
  const form = new URLSearchParams(asked.at(-1)?.body);
  expect(form.get("code_verifier")).toMatch(/^[0-9a-f]{64}$/);
  expect(query.get("code_challenge")).toMatch(/^[\w-]{43}$/);
  const assertion = form.get("client_assertion") ?? "";
  expect(decodeProtectedHeader(assertion)).toEqual({ alg: "ES256", kid: "k1" });
  expect(decodeJwt(assertion)).toMatchObject({ iss: "console", sub: "console", aud: issuer, exp: startAtMs / 1_000 + 60 });
});

const takesPushed = { pushed_authorization_request_endpoint: `${issuer}/par` };

test("where the provider takes pushed requests the browser carries only the name of one, which we have proven [D10.135]", async () => {
  const { begin, asked } = await open({ described: takesPushed });
  const { location } = await begin();
  expect(location).toBe(`${issuer}/authorize?client_id=console&request_uri=urn%3Ar%3A1`);
  const form = new URLSearchParams(asked.at(-1)?.body);
  expect([asked.at(-1)?.url, form.get("redirect_uri"), form.get("acr_values"), form.get("code_challenge_method")]).toEqual([
    `${issuer}/par`,
    "https://console.example/sign-in/callback",
    "two three",
    "S256",
  ]);
  expect(form.get("state")).toMatch(/^[0-9a-f]{16,}$/);
  expect(decodeJwt(form.get("client_assertion") ?? "")).toMatchObject({ iss: "console", aud: issuer });
});

test.each([
  ["a refusal", { status: 400, body: '{"error":"invalid_request"}' }],
  ["another status", { status: 200, body: '{"request_uri":"urn:r:1"}' }],
  ["no name", { status: 201, body: "{}" }],
  ["a name that is no address", { status: 201, body: '{"request_uri":"a b"}' }],
])("with %s for a pushed request nobody is sent to the provider, also not without it [D10.135]", async (_, pushed) => {
  const { begin, state } = await open({ described: takesPushed });
  state.pushed = pushed;
  await expect(begin()).rejects.toThrow("the provider is away");
});

test.each<[string, Claims]>([
  ["another nonce", { nonce: "other" }],
  ["no nonce", { nonce: undefined }],
  ["another issuer", { iss: "https://other.example" }],
  ["another audience", { aud: "other" }],
  ["a second audience and no azp", { aud: ["console", "other"] }],
  ["another azp", { aud: ["console", "other"], azp: "other" }],
  ["another azp for one audience", { azp: "other" }],
  ["no end", { exp: undefined }],
  ["an end that has passed", { exp: startAtMs / 1_000 - 31 }],
  ["a begin that is far ahead", { nbf: startAtMs / 1_000 + 40 }],
  ["a time that is far ahead", { iat: startAtMs / 1_000 + 40 }],
  ["a time long ago", { iat: startAtMs / 1_000 - 331 }],
  ["no time", { iat: undefined }],
  ["no subject", { sub: undefined }],
  ["a subject with a blank", { sub: "s 1" }],
])("an ID token with %s is refused", async (_, changed) => {
  const { run } = await open();
  expect(await run(changed)).toEqual({ kind: "refused", reason: "token-refused", subject: null });
});

test("an ID token counts within the skew of clocks, and for two audiences with our azp", async () => {
  const { run } = await open();
  expect(await run({ exp: startAtMs / 1_000 - 29 })).toMatchObject({ kind: "signed-in" });
  expect(await run({ iat: startAtMs / 1_000 + 29 })).toMatchObject({ kind: "signed-in" });
  expect(await run({ aud: ["console", "other"], azp: "console" })).toMatchObject({ kind: "signed-in" });
});

test.each<[string, Claims]>([
  ["none", { acr: undefined }],
  ["a lower one", { acr: "one" }],
  ["a list", { acr: ["two"] }],
])("a person who signed in with one factor is refused: acr is %s [D10.110]", async (_, changed) => {
  const { run } = await open();
  expect(await run(changed)).toEqual({ kind: "refused", reason: "acr-refused", subject: "s-1" });
});

test("an ID token without signature, with a shared secret, of another key or of another algorithm is refused", async () => {
  const good = await open();
  const stranger = await createTestIssuer(() => startAtMs, issuer);
  const whole = (claims: Claims) => ({ iss: issuer, iat: startAtMs / 1_000, exp: startAtMs / 1_000 + 300, ...claims });
  const tokens: readonly ((claims: Claims) => Promise<string>)[] = [
    async (claims) => withHead(await good.keys.issue(claims), { alg: "none" }),
    async (claims) => await signWithSecret(whole(claims), new TextEncoder().encode(good.keys.keySet)),
    async (claims) => await stranger.issue(claims, { typ: "JWT" }),
    async (claims) => `${await good.keys.issue(claims)}${"a".repeat(20_000)}`,
  ];
  for (const token of tokens) expect(await (await open({ token })).run()).toMatchObject({ kind: "refused", reason: "token-refused" });
  const other = await open();
  other.state.provider = { ...provider, algorithms: ["PS256"] };
  expect(await other.run()).toMatchObject({ kind: "refused", reason: "token-refused" });
});

test.each<[string, Readonly<Record<string, string | undefined>>, string]>([
  ["another state", { state: "other" }, "flow-unknown"],
  ["no state", { state: undefined }, "flow-unknown"],
  ["another issuer", { iss: "https://other.example" }, "token-refused"],
  ["no issuer, though the provider names it", { iss: undefined }, "token-refused"],
  ["no code", { code: undefined }, "token-refused"],
  ["a refusal of the provider", { error: "access_denied", code: undefined }, "provider-refused"],
])("a browser that brings %s is refused, and its code is not redeemed", async (_, answer, reason) => {
  const { run, asked } = await open();
  expect(await run({}, answer)).toMatchObject({ kind: "refused", reason });
  expect(asked.some(({ method }) => method === "POST")).toBe(false);
});

test("a flow of another browser, of nobody, or of before a change of the provider is not gone on with", async () => {
  const { begin, signIn, state } = await open();
  const [mine, theirs, former]: { flow: SignInFlow["id"]; state: string }[] = [await begin(), await begin(), await begin()];
  const brought = (of: { state: string } | undefined) => new URLSearchParams({ code: "c", state: of?.state ?? "", iss: issuer });
  expect(await signIn.finish(mine!.flow, brought(theirs))).toMatchObject({ reason: "flow-unknown" });
  expect(await signIn.finish(null, brought(theirs))).toMatchObject({ reason: "flow-unknown" });
  state.provider = { ...provider, clientId: "other" };
  expect(await signIn.finish(former!.flow, brought(former))).toMatchObject({ reason: "flow-unknown" });
});

test("claims of roles that cannot be read are refused", async () => {
  const { run } = await open();
  expect(await run({ roles: [1] })).toEqual({ kind: "refused", reason: "claims-refused", subject: "s-1" });
});

test.each<[string, object]>([
  ["names another issuer", { issuer: `${issuer}/` }],
  ["has an address in clear", { token_endpoint: "http://login.example/token" }],
  ["has no keys", { jwks_uri: undefined }],
  ["does not know S256", { code_challenge_methods_supported: ["plain"] }],
  ["is too long", { more: "a".repeat(70_000) }],
])("a provider whose description %s is not used", async (_, described) => {
  const { signIn } = await open({ described });
  expect(await signIn.begin("/", null)).toBeNull();
});

test("a provider that is away is asked again only after a while, and its description is kept", async () => {
  const { signIn, asked, state, time } = await open({ isAway: true });
  for (let time = 0; time < 10; time += 1) expect(await signIn.begin("/", null)).toBeNull();
  expect(asked.length).toBe(1);
  state.isAway = false;
  await time.advance(5_000);
  for (let time = 0; time < 10; time += 1) expect(await signIn.begin("/", null)).not.toBeNull();
  expect(asked.length).toBe(2);
});

const showing = (value: number): readonly string[] => [`sluice_sign_in_provider_not_read{issuer="${issuer}"} ${value}`];

test("the gauge of the provider rises while its description cannot be read, though nobody signs in, and falls again", async () => {
  const { scrape, state, time, asked } = await open();
  expect(await scrape()).toEqual(showing(0));
  const readOnce = asked.length;
  expect([readOnce, await scrape(), asked.length]).toEqual([1, showing(0), readOnce]);
  state.isAway = true;
  await time.advance(300_000);
  expect(await scrape()).toEqual(showing(1));
  state.isAway = false;
  await time.advance(5_000);
  expect(await scrape()).toEqual(showing(0));
});

test("the gauge of the provider rises while its keys cannot be read, and falls again", async () => {
  const { scrape, state, time } = await open();
  state.areKeysAway = true;
  await scrape();
  expect(await scrape()).toEqual(showing(1));
  state.areKeysAway = false;
  await time.advance(30_000);
  await scrape();
  expect(await scrape()).toEqual(showing(0));
});

test("without a provider there is no gauge of one, and nothing is asked", async () => {
  const { scrape, state, asked } = await open();
  state.provider = null;
  expect([await scrape(), asked]).toEqual([[], []]);
});

test("a provider that is away while a code is redeemed, or refuses it, is no fault of the person", async () => {
  const { run, state, begin, signIn } = await open();
  state.status = 400;
  expect(await run()).toEqual({ kind: "away" });
  const begun = await begin();
  state.isAway = true;
  expect(await signIn.finish(begun.flow, new URLSearchParams({ code: "c", state: begun.state, iss: issuer }))).toEqual({ kind: "away" });
});

test("a person who signs out is sent to the provider, which knows the way back", async () => {
  const { signIn } = await open();
  const url = new URL((await signIn.endSession()) ?? "");
  expect([url.origin + url.pathname, url.searchParams.get("post_logout_redirect_uri")]).toEqual([
    `${issuer}/end`,
    "https://console.example/sign-in",
  ]);
  expect(await (await open({ described: { end_session_endpoint: undefined } })).signIn.endSession()).toBeNull();
});
