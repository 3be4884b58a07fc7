import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runSearch } from "../verbs/reading/search.ts";
import { buildCall, createFakeConsole } from "./console.fixture.ts";
import { runProfileAdd, runProfileRemove } from "../verbs/shell/profile.ts";
import { addProfile, profilesPath, readProfiles, removeProfile } from "./profiles.ts";

let folder = "";
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "sluice-profiles-"))));
afterEach(() => rmSync(folder, { recursive: true }));

function openProd() {
  const path = join(folder, "sluice", "profiles.json");
  const tokenFile = join(folder, "prod.token");
  writeFileSync(tokenFile, "token-of-prod\n");
  addProfile(path, { name: "prod", url: "https://console.example", tokenFile, signIn: null, caFile: null });
  return path;
}

async function search(options: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>> = {}) {
  const console = createFakeConsole([{ rows: [] }], environment);
  await runSearch(buildCall(options), { ...console.where, profilesFile: join(folder, "sluice", "profiles.json") });
  return console.asked.map(({ url, authorization }) => [new URL(url).origin, authorization]);
}

test("a profile reaches its console with the token of its file, which is not in the profile", async () => {
  const path = openProd();
  expect(await search({ profile: "prod" })).toEqual([["https://console.example", "Bearer token-of-prod"]]);
  expect(readFileSync(path, "utf8")).not.toContain("token-of-prod");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("what is nearer to the call wins: --console, --profile, SLUICE_CONTROL_URL, SLUICE_PROFILE, what is up", async () => {
  openProd();
  const environment = { SLUICE_PROFILE: "prod", SLUICE_OPERATOR_TOKEN: "mine" };
  const other = { ...environment, SLUICE_CONTROL_URL: "https://other.example" };
  expect(await search({ profile: "prod", console: "https://named.example" }, other)).toEqual([["https://named.example", "Bearer mine"]]);
  expect(await search({ profile: "prod" }, other)).toEqual([["https://console.example", "Bearer token-of-prod"]]);
  expect(await search({}, other)).toEqual([["https://other.example", "Bearer mine"]]);
  expect(await search({}, environment)).toEqual([["https://console.example", "Bearer token-of-prod"]]);
  expect(await search({})).toEqual([["http://127.0.0.1:8082", "Bearer sample-operator-token"]]);
});

test("an unknown profile is refused with the names that there are, and nothing is asked", async () => {
  openProd();
  await expect(search({ profile: "prd" })).rejects.toThrow("there is no profile prd; there are prod");
});

test("a token file that is missing or empty is named", async () => {
  openProd();
  writeFileSync(join(folder, "prod.token"), "\n");
  await expect(search({ profile: "prod" })).rejects.toThrow("the token of profile prod cannot be read from");
});

test("a profile is replaced by one with its name, and can be removed", () => {
  const path = openProd();
  addProfile(path, { name: "prod", url: "https://new.example", tokenFile: "t", signIn: null, caFile: "ca" });
  expect(readProfiles(path)).toEqual([{ name: "prod", url: "https://new.example", tokenFile: "t", signIn: null, caFile: "ca" }]);
  removeProfile(path, "prod");
  expect(readProfiles(path)).toEqual([]);
  expect(() => addProfile(path, { name: "../x", url: "", tokenFile: "", signIn: null, caFile: null })).toThrow("no name of a profile");
});

test("a file that is no file of profiles is refused", () => {
  writeFileSync(join(folder, "p.json"), "[]");
  expect(() => readProfiles(join(folder, "p.json"))).toThrow("is not a file of profiles");
});

test("the file is below XDG_CONFIG_HOME, else in the home folder", () => {
  expect(profilesPath({ XDG_CONFIG_HOME: "/c" })).toBe("/c/sluice/profiles.json");
  expect(profilesPath({})).toMatch(/\/\.config\/sluice\/profiles\.json$/);
});

test("a program reads which profile was added, and which is forgotten", () => {
  const profilesFile = join(folder, "p.json");
  const reported: unknown[] = [];
  const where = { profilesFile, out: (text: string) => reported.push(JSON.parse(text)) };
  runProfileAdd(buildCall({ url: "https://console.example/x", "token-file": "t", json: true }, "prod"), where);
  expect(readProfiles(profilesFile).map(({ name }) => name)).toEqual(["prod"]);
  runProfileRemove(buildCall({ json: true }, "prod"), where);
  expect(readProfiles(profilesFile)).toEqual([]);
  expect(reported).toEqual([
    { schema: "ProfileAdded", name: "prod", url: "https://console.example" },
    { schema: "ProfileRemoved", name: "prod" },
  ]);
});
