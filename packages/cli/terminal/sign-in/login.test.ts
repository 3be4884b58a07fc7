// A person signs in on a command line at a real provider, over real HTTP, and asks a server that judges the tokens with
// the console's own code.

import { mkdtempSync, readFileSync, rmSync, statSync, chmodSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineTime, silentLogger, sleep } from "@sluice/kernel";
import { createMetrics, createTokens, identifyAtCommandLine } from "@sluice/service";
import { openAccessTokens } from "@sluice/service/access-tokens";
import { createClientKey, sampleOperator, twoFactors } from "@sluice/testkit";
import { startOperatorProvider } from "@sluice/testkit/operator-provider";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildCall } from "../console.fixture.ts";
import { controlClient } from "../control-client.ts";
import { addProfile } from "../profiles.ts";
import { runLogin, runLogout } from "../../verbs/shell/login.ts";
import { enterCode } from "./code-entry.fixture.ts";
import { createProofKeyPem, makeProof } from "./proof-key.ts";
import { providerClient } from "./provider-client.ts";
import { readSignIn, keptSignInPath, requireSignIn, writeSignIn } from "./kept-sign-in.ts";

const audience = "urn:sluice:control";
let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "sluice-login-"))));
afterEach(() => rmSync(folder, { recursive: true }));

interface Opened extends AsyncDisposable {
  readonly issuer: string;
  readonly url: string;
  readonly profilesFile: string;
  readonly seen: { authorization: string; proof: string }[];
}

/** A provider, and a server that answers `/control/v1/me` with the operator whose access token came. */
async function open({ expectedAudience = audience } = {}): Promise<Opened> {
  const provider = await startOperatorProvider({
    port: 0,
    tls: null,
    clientId: "console",
    clientKeyPem: createClientKey(),
    origins: ["http://localhost:1"],
    people: [{ subject: "s-thandi", name: "Thandi" }],
    commandLine: { clientId: "sluice-cli", audience, accessTokenLifeS: 300 },
  });
  const { issuer } = provider;
  const seen: { authorization: string; proof: string }[] = [];
  const server = createServer((request, response) => {
    const { authorization = "", dpop = "" } = request.headers;
    const proof = String(dpop);
    seen.push({ authorization, proof });
    const address = `${origin}${request.url ?? ""}`;
    const answer = async (): Promise<void> => {
      const found = await tokens.identify({ authorization, proof, method: request.method ?? "", url: address, certificate: null });
      response.writeHead(found.ok ? 200 : 401, { "content-type": "application/json" });
      response.end(JSON.stringify(found.ok ? { id: found.holder.id } : { message: "Refused", detail: found.reason }));
    };
    void answer();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has one
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tokenIssuers = [
    {
      issuer,
      audience: expectedAudience,
      algorithms: ["ES256"] as const,
      keys: { kind: "url", url: `${issuer}/jwks`, caFile: null } as const,
    },
  ];
  const operatorSignIn = {
    issuer,
    clientId: "console",
    keyFile: "",
    keyId: null,
    origin,
    algorithms: ["ES256"] as const,
    acrValues: [twoFactors],
    rolesClaim: null,
    bankClaim: null,
    schemesClaim: null,
    commandLineClient: "sluice-cli",
    caFile: null,
    takesTokens: true,
  };
  const operators = [sampleOperator({ id: "thandi", tokens: [], subject: "s-thandi" })];
  const accessTokens = openAccessTokens(tokenIssuers, {
    time: machineTime,
    logger: silentLogger,
    metrics: createMetrics({ withProcess: false }),
    tokenPorts: { loadKeySet: async () => await (await fetch(`${issuer}/jwks`)).text(), origins: [origin] },
  });
  const nowMs = () => machineTime.nowMs();
  const tokens = createTokens(operators, nowMs, accessTokens, (judged, { certificate }) =>
    identifyAtCommandLine(judged, { operatorSignIn, operators }, certificate, nowMs()),
  );
  const profilesFile = join(folder, "sluice", "profiles.json");
  addProfile(profilesFile, {
    name: "prod",
    url: origin,
    tokenFile: null,
    signIn: { issuer, clientId: "sluice-cli", audience },
    caFile: null,
  });
  return {
    issuer,
    url: origin,
    profilesFile,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
      await provider.close();
    },
  };
}

async function login({ profilesFile }: Pick<Opened, "profilesFile">, factors: 1 | 2 = 2, options: Readonly<Record<string, true>> = {}) {
  const written: string[] = [];
  const entered: Promise<string>[] = [];
  const where = {
    out: (text: string) => void written.push(text),
    fetch,
    profilesFile,
    say: (text: string) => void entered.push(enterCode(text, "s-thandi", factors)),
    sleep: (ms: number) => sleep(machineTime, Math.min(ms, 200)),
  };
  const code = await runLogin(buildCall(options, "prod"), where);
  await Promise.all(entered);
  return { code, text: written.join("\n") };
}

async function askMe({ profilesFile }: Pick<Opened, "profilesFile">): Promise<unknown> {
  const terminal = { out: () => {}, write: () => {}, environment: {}, upControlUrl: () => Promise.resolve(null), fetch, profilesFile };
  return (await (await controlClient(buildCall({ profile: "prod" }), terminal)).get("/me"))["id"];
}

test("a person signs in with a code, and asks with a token that is bound to a key [D10.134]", async () => {
  await using opened = await open();
  const { text } = await login(opened);
  expect(text).toMatch(/^profile prod is signed in; its token ends at \S+, and is refreshed before$/);
  expect(await askMe(opened)).toBe("thandi");
  const path = keptSignInPath(opened.profilesFile, "prod");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(opened.profilesFile, "utf8")).not.toContain(readSignIn(path)!.accessToken);
  const [{ authorization, proof } = { authorization: "", proof: "" }] = opened.seen;
  expect([authorization.split(" ")[0], proof.split(".")]).toEqual(["DPoP", expect.objectContaining({ length: 3 })]);
  const stolen = await fetch(`${opened.url}/control/v1/me`, { headers: { authorization: authorization.replace("DPoP", "Bearer") } });
  const replayed = await fetch(`${opened.url}/control/v1/me`, { headers: { authorization, dpop: proof } });
  expect([await stolen.json(), await replayed.json()]).toMatchObject([{ detail: "proof-missing" }, { detail: "proof-repeated" }]);
});

test("a token near its end is refreshed before use, once by however many processes [D10.134]", async () => {
  await using opened = await open();
  await login(opened);
  const path = keptSignInPath(opened.profilesFile, "prod");
  const first = readSignIn(path)!;
  writeSignIn(path, { ...first, expiresAtMs: machineTime.nowMs() + 1_000 });
  expect(await Promise.all([askMe(opened), askMe(opened), askMe(opened)])).toEqual(["thandi", "thandi", "thandi"]);
  const next = readSignIn(path)!;
  expect([next.accessToken === first.accessToken, next.keyPem === first.keyPem]).toEqual([false, true]);
  expect(new Set(opened.seen.map(({ authorization }) => authorization))).toEqual(new Set([`DPoP ${next.accessToken}`]));
});

test("logout forgets and revokes: the refresh token counts no more, and the next call says what to do [D10.134]", async () => {
  await using opened = await open();
  await login(opened);
  const kept = readSignIn(keptSignInPath(opened.profilesFile, "prod"))!;
  const written: string[] = [];
  const where = { out: (text: string) => void written.push(text), fetch, profilesFile: opened.profilesFile };
  expect(await runLogout(buildCall({ json: true }, "prod"), where)).toBe(0);
  expect(JSON.parse(written.join(""))).toEqual({ schema: "SignedOut", profile: "prod", wasSignedIn: true, isRevoked: true });
  await expect(askMe(opened)).rejects.toThrow("nobody is signed in for profile prod: ./sluice login prod");
  const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: kept.refreshToken ?? "", client_id: "sluice-cli" });
  const dpop = makeProof(kept.keyPem, { method: "POST", url: `${opened.issuer}/token`, token: null, nonce: null }, machineTime.nowMs());
  const refused = await fetch(`${opened.issuer}/token`, { method: "POST", body, headers: { dpop } });
  expect(await refused.json()).toMatchObject({ error: "invalid_grant" });
});

test("a sign-in with a password alone gives tokens that no console takes [D10.134]", async () => {
  await using opened = await open();
  await login(opened, 1, { json: true });
  await expect(askMe(opened)).rejects.toThrow("401 Refused: unknown");
});

test("a console that wants another audience says so", async () => {
  await using opened = await open({ expectedAudience: "urn:else" });
  await login(opened);
  await expect(askMe(opened)).rejects.toThrow("401 Refused: wrong-audience");
});

test("what the provider refuses is said with what to change", async () => {
  await using opened = await open();
  const profileOf = (signIn: object) => ({
    name: "prod",
    url: opened.url,
    tokenFile: null,
    caFile: null,
    signIn: { issuer: opened.issuer, clientId: "sluice-cli", audience, ...signIn },
  });
  addProfile(opened.profilesFile, profileOf({ audience: "urn:else" }));
  await expect(login(opened)).rejects.toThrow("no token for that audience (--audience) (invalid_target)");
  addProfile(opened.profilesFile, profileOf({ clientId: "nobody" }));
  await expect(login(opened)).rejects.toThrow("does not know this client (--client-id) (invalid_client)");
  addProfile(opened.profilesFile, profileOf({ issuer: `${opened.issuer}/else` }));
  await expect(login(opened)).rejects.toThrow("is no provider of OpenID Connect, or not this one");
  addProfile(opened.profilesFile, profileOf({ issuer: "http://127.0.0.1:1" }));
  await expect(login(opened)).rejects.toThrow("the provider does not answer at http://127.0.0.1:1");
});

/** The machine's end of a provider that answers as `answer` does. */
function answeredBy(answer: (url: string) => Response) {
  return { fetch: (url: string) => Promise.try(() => answer(url)), nowMs: () => 0, sleep: () => Promise.resolve() };
}

const settingsOf = (issuer: string) => ({ issuer, clientId: "sluice-cli", audience });

test("a provider without TLS that is not on this machine is not asked, because anybody on the way could answer", async () => {
  const asked: string[] = [];
  const ports = answeredBy((url) => {
    asked.push(url);
    return Response.json({ issuer: "http://login.example", token_endpoint: "https://else.example/token" });
  });
  const client = providerClient(ports, settingsOf("http://login.example"), createProofKeyPem());
  await expect(client.refresh("r")).rejects.toThrow("http://login.example is no safe address of a provider: it needs https");
  expect(asked).toEqual([]);
});

test("an answer without an end is read to its bound alone, and one that breaks off is said", async () => {
  let parts = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      parts += 1;
      if (parts > 100) controller.close();
      else controller.enqueue(new Uint8Array(32_768).fill(32));
    },
  });
  const refresh = async (body: ReadableStream<Uint8Array>) => {
    const ports = answeredBy(() => new Response(body));
    return await providerClient(ports, settingsOf("https://login.example"), createProofKeyPem()).refresh("r");
  };
  await expect(refresh(endless)).rejects.toThrow("is no provider of OpenID Connect");
  expect(parts).toBeLessThan(10);
  const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("cut")) });
  await expect(refresh(broken)).rejects.toMatchObject({
    code: "cli.provider-away",
    message: "the provider does not answer at https://login.example: cut",
  });
});

test("a refreshed sign-in counts, also where another process has taken this one for dead", async () => {
  const profilesFile = join(folder, "profiles.json");
  const path = keptSignInPath(profilesFile, "prod");
  const issuer = "https://login.example";
  writeSignIn(path, { issuer, keyPem: createProofKeyPem(), accessToken: "old", expiresAtMs: 0, refreshToken: "r" });
  const ports = answeredBy((url) => {
    rmSync(`${path}.lock`, { recursive: true, force: true });
    const isToken = url.endsWith("/token");
    return Response.json(
      isToken ? { access_token: "new", token_type: "DPoP", expires_in: 300 } : { issuer, token_endpoint: `${issuer}/token` },
    );
  });
  const profile = { name: "prod", url: "https://console.example", tokenFile: null, signIn: settingsOf(issuer), caFile: null };
  expect((await requireSignIn(profile, profilesFile, ports)).accessToken).toBe("new");
  expect(readSignIn(path)?.accessToken).toBe("new");
});

test("a file that others can read is not used", async () => {
  await using opened = await open();
  await login(opened);
  chmodSync(keptSignInPath(opened.profilesFile, "prod"), 0o644);
  await expect(askMe(opened)).rejects.toThrow("can be read by others");
});
