// The documentation site below `/help`, in a folder of this test.

import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDecisionEnvironment } from "../../decisions/decisions.fixture.ts";
import { sampleConfiguration, sampleOperator } from "@sluice/testkit";
import { openReader } from "../browser.fixture.ts";
import { createHelpSite } from "./help-site.ts";

const script = 'document.title = "Sluice"';
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-help-"));
  mkdirSync(join(folder, "site", "docs"), { recursive: true });
  writeFileSync(join(folder, "secret.txt"), "secret");
  writeFileSync(join(folder, "site", "index.html"), `<title>x</title><script src="a.js"></script><script>${script}</script>`);
  writeFileSync(join(folder, "site", "docs", "glossary.html"), "<h1>Glossary</h1>");
  writeFileSync(join(folder, "site", "a.js"), "1");
  writeFileSync(join(folder, "site", "key.pem"), "key");
  symlinkSync(join(folder, "secret.txt"), join(folder, "site", "link.txt"));
});

afterAll(() => rmSync(folder, { recursive: true }));

const operators = [sampleOperator(), sampleOperator({ id: "first-person", roles: ["read"], bank: "first" })];

async function openHelp(helpFolder: string | null, operator?: string) {
  const environment = await openDecisionEnvironment({ operators }, { helpFolder });
  const reader = openReader(environment);
  await reader.signIn(operator);
  return { reader, environment };
}

test("a signed-in operator reads the site below /help, under a policy that allows its own scripts alone [D9 help]", async () => {
  const { reader } = await openHelp(join(folder, "site"));
  const page = await reader.ask("/help/");
  expect([page.status, page.headers.get("content-type"), page.text.includes(script)]).toEqual([200, "text/html; charset=utf-8", true]);
  const hash = createHash("sha256").update(script).digest("base64");
  expect(page.headers.get("content-security-policy")).toContain(`script-src 'self' 'sha256-${hash}';`);
  expect(page.headers.get("content-security-policy")).not.toMatch(/script-src[^;]*unsafe/);
  expect((await reader.ask("/help/docs/glossary.html")).text).toBe("<h1>Glossary</h1>");
  expect((await reader.ask("/help/a.js")).headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect((await reader.ask("/help")).headers.get("location")).toBe("/help/");
  const own = (await reader.ask("/banks")).headers.get("content-security-policy");
  expect(own).toContain("script-src 'self';");
});

test("it is neither for a bank's person nor for an operator whose token was taken away [D9 help] [D9 bank-view]", async () => {
  const site = join(folder, "site");
  const ofBank = await openHelp(site, "first-person");
  const refused = await ofBank.reader.ask("/help/docs/glossary.html");
  expect([refused.status, refused.text.includes("own operators"), refused.text.includes("Glossary")]).toEqual([403, true, false]);
  const { reader, environment } = await openHelp(site);
  environment.desk.replaceConfiguration(sampleConfiguration({ operators: operators.slice(1) }));
  expect((await reader.ask("/help/docs/glossary.html")).headers.get("location")).toMatch(/^\/sign-in/);
});

test.each(["../secret.txt", "link.txt", "key.pem", "docs", "docs/..%2findex.html", ".git/x.txt", "no.html"])("%s is not read", (path) => {
  const site = createHelpSite(join(folder, "site"));
  expect([site.read(path), site.read(decodeURIComponent(path))]).toEqual([null, null]);
});

test("without a session nothing of it is read, and without a site the page says how to get one", async () => {
  const { reader } = await openHelp(null);
  const missing = await reader.ask("/help/");
  expect([missing.status, missing.text.includes("SLUICE_HELP_FOLDER")]).toEqual([404, true]);
  const environment = await openDecisionEnvironment({}, { helpFolder: join(folder, "site") });
  const stranger = await openReader(environment).ask("/help/docs/glossary.html");
  expect([stranger.status, stranger.headers.get("location")]).toEqual([303, "/sign-in?next=%2Fhelp%2Fdocs%2Fglossary.html"]);
});

test("where there is a site, pages lead to it, and to the runbook that is about them", async () => {
  const { reader } = await openHelp(join(folder, "site"));
  const { text } = await reader.ask("/banks");
  expect(text).toContain('href="/help/"');
  expect(text).toContain('href="/help/docs/runbooks/a-bank-does-not-answer.html"');
  const without = await openHelp(null);
  expect((await without.reader.ask("/banks")).text).not.toContain('href="/help');
});
