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

test("thirty views are kept: one more is refused with a sentence, and the same name again takes the place of its own", async () => {
  await using context = await browser.newContext();
  const page = await signIn(context, console);
  const owner = await page.locator("#views").getAttribute("data-owner");
  const kept = Array.from({ length: 31 }, (_, index) => ({ name: `view ${index + 1}`, path: `/search?bank=b${index + 1}` }));
  const write = async (views: readonly object[]) => {
    await page.evaluate(`localStorage.setItem("sluice.views.${owner}", ${JSON.stringify(JSON.stringify(views))})`);
    await page.goto(`${console.address}/banks`);
    await page.locator("#views summary").click();
  };
  const save = async (name: string) => {
    await page.locator("#views input").fill(name);
    await page.locator("#views input").press("Enter");
  };
  const status = page.locator("#views [role=status]");
  // What somebody else wrote there is cut off.
  await write(kept);
  expect(await page.locator("#views a").count()).toBe(30);
  await write(kept.slice(0, 29));
  await save("the thirtieth");
  await status.getByText("Saved: the thirtieth.").waitFor();
  await save("one more");
  await status.getByText("30 views are saved. Remove one first.").waitFor();
  await save("view 7");
  await status.getByText("Saved: view 7.").waitFor();
  expect(await page.locator("#views a").count()).toBe(30);
  expect(await page.locator("#views a").last().getAttribute("href")).toBe("/banks");
  await page.getByRole("button", { name: "Remove view 1", exact: true }).click();
  await save("one more");
  await status.getByText("Saved: one more.").waitFor();
  expect(await page.locator("#views a").allTextContents()).toHaveLength(30);
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
