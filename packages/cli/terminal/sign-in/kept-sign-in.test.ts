// When a sign-in is refreshed, and that nothing of it stays after a logout, over real HTTP.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { machineTime, sleep } from "@sluice/kernel";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runLogout } from "../../verbs/shell/login.ts";
import { buildCall } from "../console.fixture.ts";
import { addProfile } from "../profiles.ts";
import { keptSignInPath, readSignIn, requireSignIn, writeSignIn } from "./kept-sign-in.ts";
import { createProofKeyPem } from "./proof-key.ts";
import { openScriptedProvider, type ScriptedAnswer, type ScriptedCall } from "./scripted-provider.fixture.ts";

let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "sluice-kept-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const refreshed: ScriptedAnswer = { members: { access_token: "new", token_type: "DPoP", expires_in: 300, refresh_token: "r-2" } };
const taken: ScriptedAnswer = { members: {} };

/** Somebody is signed in whose token ends in so many milliseconds. */
async function openKept(leftMs: number, answer: (call: ScriptedCall) => ScriptedAnswer | Promise<ScriptedAnswer>) {
  const provider = await openScriptedProvider(answer);
  const { issuer, ports, calls } = provider;
  const profilesFile = join(folder, "profiles.json");
  const profile = {
    name: "prod",
    url: "https://console.example",
    tokenFile: null,
    signIn: { issuer, clientId: "sluice-cli", audience: "urn:a" },
    caFile: null,
  };
  addProfile(profilesFile, profile);
  const path = keptSignInPath(profilesFile, "prod");
  const first = { issuer, keyPem: createProofKeyPem(), accessToken: "old", expiresAtMs: leftMs, refreshToken: "r-1" };
  writeSignIn(path, first);
  return {
    path,
    first,
    require: async () => (await requireSignIn(profile, profilesFile, ports)).accessToken,
    logout: async (pause = (ms: number) => ports.sleep(ms)) => {
      const written: string[] = [];
      await runLogout(buildCall({ json: true }, "prod"), { ...ports, sleep: pause, out: (text) => void written.push(text), profilesFile });
      const said: unknown = JSON.parse(written.join(""));
      return said;
    },
    revoked: () => calls.filter(({ path: asked }) => asked === "/revoke").map(({ form }) => form.get("token")),
    /** What is left beside the file of profiles. */
    left: () => readdirSync(dirname(path)).filter((name) => name !== "profiles.json"),
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

test.each([
  [30_001, "old"],
  [30_000, "new"],
])("a token that ends in %i ms is used as %s [D10.134]", async (leftMs, token) => {
  await using opened = await openKept(leftMs, () => refreshed);
  expect(await opened.require()).toBe(token);
});

test("logout forgets first: at the provider's question nothing is kept any more, whatever it answers [D10.134]", async () => {
  const kept: boolean[] = [];
  await using opened = await openKept(300_000, () => {
    kept.push(existsSync(opened.path));
    return "cut";
  });
  expect(await opened.logout()).toMatchObject({ wasSignedIn: true, isRevoked: false });
  expect([kept, opened.left()]).toEqual([[false], []]);
});

/** A refresh whose answer waits for `answer`. */
async function openRefreshing() {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<ScriptedAnswer>();
  const opened = await openKept(1_000, ({ path }) => {
    if (path !== "/token") return taken;
    asked.resolve();
    return answered.promise;
  });
  const refreshing = opened.require();
  refreshing.catch(() => {});
  await asked.promise;
  return { ...opened, refreshing, answer: answered.resolve };
}

test("a logout beside a refresh under way leaves nothing, and both refresh tokens are revoked [D10.134]", async () => {
  await using opened = await openRefreshing();
  const leaving = opened.logout();
  await expect.poll(() => existsSync(opened.path)).toBe(false);
  opened.answer(refreshed);
  await expect(opened.refreshing).rejects.toThrow("nobody is signed in for profile prod");
  expect(await leaving).toMatchObject({ wasSignedIn: true });
  expect(opened.left()).toEqual([]);
  expect(new Set(opened.revoked())).toEqual(new Set(["r-1", "r-2"]));
});

test("a login beside a refresh under way is not replaced by what was refreshed [D10.134]", async () => {
  await using opened = await openRefreshing();
  const second = { ...opened.first, keyPem: createProofKeyPem(), accessToken: "second", expiresAtMs: 300_000, refreshToken: "s" };
  writeSignIn(opened.path, second);
  opened.answer(refreshed);
  expect(await opened.refreshing).toBe("second");
  expect([readSignIn(opened.path), opened.revoked()]).toEqual([second, ["r-2"]]);
});

test("a logout waits for a refresh that is just writing, and takes away what it wrote [D10.134]", async () => {
  await using opened = await openKept(300_000, () => taken);
  mkdirSync(`${opened.path}.lock`);
  const leaving = opened.logout((ms) => sleep(machineTime, ms));
  await expect.poll(() => opened.revoked()).toEqual(["r-1"]);
  writeSignIn(opened.path, { ...opened.first, refreshToken: "r-2" });
  rmSync(`${opened.path}.lock`, { recursive: true });
  expect(await leaving).toMatchObject({ wasSignedIn: true, isRevoked: true });
  expect([opened.left(), opened.revoked()]).toEqual([[], ["r-1", "r-2"]]);
});

test("what a process that died has left of a sign-in goes with the logout [D10.134]", async () => {
  await using opened = await openKept(300_000, () => taken);
  writeFileSync(`${opened.path}.new`, "tokens", { mode: 0o600 });
  mkdirSync(`${opened.path}.lock`);
  expect(await opened.logout()).toMatchObject({ wasSignedIn: true, isRevoked: true });
  expect([opened.left(), opened.revoked()]).toEqual([["prod.sign-in.json.lock"], ["r-1"]]);
});
