// Saved views in a real browser: docs/adr/0140-a-saved-view-is-a-link-in-the-browser.md.

import { sampleOperator } from "@sluice/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { findViolations, openBrowser, openConsoleOnPort, signIn, type ConsoleOnPort } from "./chromium.fixture.ts";

let browser: Browser;
let console: ConsoleOnPort;

beforeAll(async () => {
  browser = await openBrowser();
  console = await openConsoleOnPort({ operators: [sampleOperator(), sampleOperator({ id: "other", roles: ["read"] })] });
});

afterAll(async () => {
  await browser.close();
  await console.close();
});

test("a page is saved under a name, opened by it from another page, and removed, by keyboard alone [D9 browser]", async () => {
  await using context = await browser.newContext();
  const page = await signIn(context, console);
  await page.goto(`${console.address}/search?state=HELD&bank=first`);
  const views = page.locator("#views");
  await views.locator("summary").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Held of first");
  await page.keyboard.press("Enter");
  await views.getByText("Saved: Held of first.").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.goto(`${console.address}/banks`);
  await page.locator("#views summary").click();
  await page.locator("#views").getByRole("link", { name: "Held of first" }).click();
  await page.waitForURL(`${console.address}/search?state=HELD&bank=first`);
  await page.locator("#views summary").click();
  expect(await page.locator("#views a").getAttribute("aria-current")).toBe("page");
  await page.getByRole("button", { name: "Remove Held of first" }).press("Enter");
  expect(await page.locator("#views a").count()).toBe(0);
});

test("views are an operator's own, and what else lies in the browser becomes no link and no markup", async () => {
  await using context = await browser.newContext();
  const page = await signIn(context, console);
  const owner = await page.locator("#views").getAttribute("data-owner");
  const kept = JSON.stringify([
    { name: "<img src=x onerror=window.wasRun=true>", path: "/days" },
    { name: "elsewhere", path: "//evil.example/" },
    // A browser leaves the tab out before it reads the address.
    { name: "elsewhere behind a tab", path: "/\t/evil.example/" },
    { name: "script", path: "javascript:window.wasRun=true" },
    7,
  ]);
  await page.evaluate(`localStorage.setItem("sluice.views.${owner}", ${JSON.stringify(kept)})`);
  await page.goto(`${console.address}/banks`);
  expect(await page.locator("#views a").allTextContents()).toEqual(["<img src=x onerror=window.wasRun=true>"]);
  expect(await page.evaluate("window.wasRun")).toBeUndefined();
  await page.getByRole("button", { name: "Sign out" }).click();
  const other = await signIn(context, console, "other");
  expect(await other.locator("#views a").count()).toBe(0);
});

test("without script nothing of them is shown, and the page can be read", async () => {
  await using context = await browser.newContext({ javaScriptEnabled: false });
  const page = await signIn(context, console);
  await page.goto(`${console.address}/banks`);
  expect(await page.locator("#views").isVisible()).toBe(false);
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Banks and connectors");
});
