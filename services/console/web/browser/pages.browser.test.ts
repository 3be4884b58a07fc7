// Every page in a real browser: accessible in light and dark, narrow and wide, and safe from what others wrote.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sampleOperator } from "@sluice/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { topics } from "@sluice/contracts";
import type { Browser } from "playwright-core";
import { consoleStartAtMs, consoleUetr, day } from "../../decisions/decisions.fixture.ts";
import { buildConsoleDebit, changeTransaction } from "../../console.fixture.ts";
import { findViolations, openBrowser, openConsoleOnPort, signIn, type ConsoleOnPort } from "./chromium.fixture.ts";

let browser: Browser;
let console: ConsoleOnPort;

const script = '<img src=x onerror="window.wasRun=true"><script>window.wasRun=true</script>';

/** A debit whose report the bank refused with an answer that would run, if a page let it. */
beforeAll(async () => {
  browser = await openBrowser();
  const person = sampleOperator({ id: "first-person", roles: ["read"], bank: "first" });
  console = await openConsoleOnPort({ operators: [sampleOperator(), person] });
  const evidence = {
    attempts: 1,
    anyAnswer: true,
    mayHaveBeenTaken: false,
    httpStatusCode: 422,
    isBreakerOpen: false,
    isReceiverPaused: false,
  };
  const lateAnswers = [{ offset: 3n, atMs: consoleStartAtMs, text: script }];
  const item = {
    day,
    row: 3,
    cause: null,
    state: "ACCEPTED",
    madeAtMs: consoleStartAtMs,
    evidence,
    settledAtMs: null,
    lateAnswers,
    resolution: null,
    note: null,
  } as const;
  const changes = { applied: -1n, bank: "first", businessDate: "2026-11-20", reconciliationDay: day, items: [item] } as const;
  await console.save(changeTransaction(buildConsoleDebit(["RECEIVED", "ACCEPTED", "REPORTED", "HELD"]), changes));
  const dispatch = {
    messageIdentification: "M-1D",
    uetr: consoleUetr,
    deliveryKey: consoleUetr,
    bank: "first",
    operation: "inboundDirectDebit",
    body: new TextEncoder().encode(JSON.stringify({ schema: "DirectDebit", debtor: { legalName: script } })),
    reconciliationDay: day,
    deadlineMs: null,
    causedByOffset: 0n,
    madeAtMs: consoleStartAtMs,
    stopsAtMs: null,
  };
  await console.append(topics.dispatch, consoleUetr, { name: "Dispatch", value: dispatch });
});

afterAll(async () => {
  await browser.close();
  await console.close();
});

const pages = [
  "/",
  "/search",
  "/search?state=HELD",
  "/search?state=HELD&flow=on-us",
  "/reconciliation?proposed=mine&minAge=1h",
  `/transactions/${consoleUetr}`,
  `/transactions/${consoleUetr}/request?offset=0`,
  "/banks",
  "/banks/first",
  "/own/first",
  "/own/first/events?from=2026-11-19&to=2026-11-20",
  `/own/first/transactions/${consoleUetr}`,
  "/days",
  `/days/${day}`,
  "/reconciliation",
  "/proposals",
  "/dead-letters",
  "/services",
  "/system",
  "/topics",
  "/topics/sluice.items.v1",
  "/audit",
  "/calendar",
  "/calendar?closed=2026-11-20",
  "/search?state=HELD&counts=yes",
  "/nothing",
  `/decide/withdrawDebit?uetr=${consoleUetr}`,
  `/decide/resolveItem?uetr=${consoleUetr}`,
  `/decide/noteItem?uetr=${consoleUetr}&day=${day}`,
  "/decide/checkOwnBank?bank=first",
  "/decide/pauseBank?bank=first",
  "/decide/pauseBanks",
  "/decide/resolveItems",
  "/decide/withdrawDebits?state=HELD",
  "/decide/declareCreditsFinal?scheme=ZA_EFT&date=2026-11-20",
  "/decide/extendClose?scheme=ZA_EFT&date=2026-11-20",
  "/decide/openGate?scheme=ZA_EFT&date=2026-11-20&bank=first",
] as const;

test.each(["light", "dark"] as const)("axe finds nothing on any page in %s colours [D9 browser]", async (colorScheme) => {
  await using context = await browser.newContext({ colorScheme, viewport: { width: 1_280, height: 900 } });
  const door = await context.newPage();
  await door.goto(console.address);
  expect(await findViolations(door)).toEqual([]);
  const page = await signIn(context, console);
  for (const path of pages) {
    await page.goto(`${console.address}${path}`);
    expect([path, await findViolations(page)]).toEqual([path, []]);
  }
});

test.each(["light", "dark"] as const)(
  "a bank's own person has its page and no other, in %s colours [D9 bank-view]",
  async (colorScheme) => {
    await using context = await browser.newContext({ colorScheme, viewport: { width: 1_280, height: 900 } });
    const page = await signIn(context, console, "first-person");
    expect(new URL(page.url()).pathname).toBe("/own/first");
    expect(await page.getByRole("navigation", { name: "Pages" }).getByRole("link").allTextContents()).toEqual(["Your bank"]);
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole("searchbox").fill(consoleUetr);
    await page.keyboard.press("Enter");
    await page.getByRole("table", { name: "States" }).waitFor();
    expect([new URL(page.url()).pathname, await findViolations(page)]).toEqual([`/own/first/transactions/${consoleUetr}`, []]);
    await page.goto(`${console.address}/banks/second`);
    await page.getByText("An operator of one bank has only what is below that bank.").waitFor();
    expect(await findViolations(page)).toEqual([]);
  },
);

test.each([360, 768, 3_840])("no page is wider than a screen of %i pixels", async (width) => {
  await using context = await browser.newContext({ viewport: { width, height: 900 } });
  const page = await signIn(context, console);
  for (const path of pages) {
    await page.goto(`${console.address}${path}`);
    const wide = await page.evaluate("document.documentElement.scrollWidth");
    expect([path, Number(wide) <= width]).toEqual([path, true]);
  }
});

test("the tables of processes and endpoints need no scrolling at 1280 pixels", async () => {
  await using context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  const page = await signIn(context, console);
  for (const [path, name] of [
    ["/services", "Processes"],
    ["/banks/first", "Endpoints"],
    ["/own/first", "Endpoints"],
  ] as const) {
    await page.goto(`${console.address}${path}`);
    await page.getByRole("region", { name, exact: true }).waitFor();
    const table = `document.querySelector('[aria-label="${name}"]')`;
    expect([path, name, await page.evaluate(`${table}.scrollWidth - ${table}.clientWidth`)]).toEqual([path, name, 0]);
  }
});

test("what a bank wrote runs nowhere, and no page breaks its own policy", async () => {
  await using context = await browser.newContext();
  const page = await signIn(context, console);
  const said: string[] = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(error.message));
  for (const path of pages.filter((one) => one !== "/nothing")) {
    await page.goto(`${console.address}${path}`);
    expect([path, await page.evaluate("window.wasRun")]).toEqual([path, undefined]);
  }
  await page.goto(`${console.address}/transactions/${consoleUetr}`);
  await page.getByText(script).first().waitFor();
  expect(said).toEqual([]);
});

test("every page can be read without script", async () => {
  await using context = await browser.newContext({ javaScriptEnabled: false });
  const page = await signIn(context, console);
  for (const path of pages) {
    await page.goto(`${console.address}${path}`);
    expect([path, await page.getByRole("heading", { level: 1 }).isVisible()]).toEqual([path, true]);
  }
});

test("a calendar file is compared, mended and compared again, without script [D9 browser]", async () => {
  await using context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 360, height: 900 } });
  const page = await signIn(context, console);
  await page.goto(`${console.address}/calendar`);
  const text = page.getByRole("textbox", { name: /^Calendar file/ });
  const compare = async () => await page.getByRole("button", { name: "Compare the file" }).click();
  await text.fill("schemes:\n  - { calendar: nowhere }\n");
  await compare();
  await page.getByRole("cell", { name: "no such calendar" }).waitFor();
  expect(await text.inputValue()).toBe("schemes:\n  - { calendar: nowhere }\n");
  const file = 'schemes: [{ processing: [{ opens: "08:00", closes: "15:00" }] }]';
  await page.getByLabel(/^Or a file/).setInputFiles({ name: "new.yaml", mimeType: "application/yaml", buffer: Buffer.from(file) });
  await compare();
  await page.getByRole("table", { name: /^ZA_EFT: dates that the file changes/ }).waitFor();
  expect(await text.inputValue()).toBe(file);
});

test.each(["nowhere", "za-every-day"])(
  "axe finds nothing on the comparison with a file that names %s, and it fits a phone",
  async (calendar) => {
    await using context = await browser.newContext({ viewport: { width: 360, height: 900 } });
    const page = await signIn(context, console);
    await page.goto(`${console.address}/calendar`);
    await page.getByRole("textbox", { name: /^Calendar file/ }).fill(`schemes: [{ calendar: ${calendar} }]`);
    await page.getByRole("button", { name: "Compare the file" }).click();
    await page.locator("#difference").waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(Number(await page.evaluate("document.documentElement.scrollWidth"))).toBeLessThanOrEqual(360);
  },
);

test("a page leads to its runbook below /help, whose own inline script runs there, and no other does [D9 help]", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-help-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  const head = '<!doctype html><html lang="en"><head><title>Help</title><link rel="icon" href="data:," /></head>';
  const own = `${head}<body><main><h1>Help</h1></main><script>document.querySelector("h1").textContent = "Help, searched"</script></body></html>`;
  writeFileSync(join(folder, "index.html"), own);
  await using helped = await openConsoleOnPort({}, undefined, folder);
  await using context = await browser.newContext();
  const page = await signIn(context, helped);
  const said: string[] = [];
  page.on("console", (message) => said.push(message.text()));
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Help" }).click();
  await page.getByRole("heading", { level: 1, name: "Help, searched" }).waitFor();
  expect([said, await findViolations(page)]).toEqual([[], []]);
  const other = "document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.wasRun = true' }))";
  expect(await page.evaluate(`${other}; window.wasRun`)).toBeUndefined();
  await page.goto(`${helped.address}/banks`);
  await page.getByText("The same by command or API").click();
  const runbook = page.getByRole("link", { name: "docs/runbooks/a-bank-does-not-answer.md" });
  expect(await runbook.getAttribute("href")).toBe("/help/docs/runbooks/a-bank-does-not-answer.html");
});
