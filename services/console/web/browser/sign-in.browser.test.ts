// A person signs in at a real provider in a real browser, and signs out at both.

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Browser } from "playwright-core";
import { openConsoleAtProvider } from "../sign-in/console-at-provider.fixture.ts";
import { findViolations, openBrowser } from "./chromium.fixture.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser.close());

test("an operator signs in at the provider with a second factor, comes to the page that was asked for, and signs out [D10.110]", async () => {
  await using console = await openConsoleAtProvider();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${console.origin}/days`);
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole("link", { name: "Sign in at" }).click();
  await page.getByRole("link", { name: "Thandi, with a second factor" }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  expect(page.url()).toBe(`${console.origin}/days`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${console.provider.issuer}/**`);
  await page.getByRole("button", { name: /Yes, sign me out/ }).click();
  await page.waitForURL(`${console.origin}/sign-in**`);
  await page.goto(`${console.origin}/days`);
  await page.getByRole("link", { name: "Sign in at" }).waitFor();
  await context.close();
});

test("an operator without the second factor stays at the door, and reads why", async () => {
  await using console = await openConsoleAtProvider();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(console.origin);
  await page.getByRole("link", { name: "Sign in at" }).click();
  await page.getByRole("link", { name: "Thandi, with a password alone" }).click();
  await page.getByText("without the second factor").waitFor();
  expect(await findViolations(page)).toEqual([]);
  await context.close();
});
