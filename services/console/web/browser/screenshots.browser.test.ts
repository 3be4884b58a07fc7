// Makes the screenshots of the documents, in a real browser: into `docs/screenshots` with SLUICE_SCREENSHOTS=make, and
// else only to see that they can be made.

import { mkdirSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hashShownPages, prepareShownDay, shownConfiguration, shownPages } from "../shown-day.fixture.ts";
import { openBrowser, openConsoleOnPort, signIn } from "./chromium.fixture.ts";

const folder = new URL("../../../../docs/screenshots/", import.meta.url);
const isKept = process.env["SLUICE_SCREENSHOTS"] === "make";
const looks = [
  { ending: "", width: 1_280, height: 860, colorScheme: "light" },
  { ending: "-dark", width: 1_280, height: 860, colorScheme: "dark" },
  { ending: "-narrow", width: 360, height: 780, colorScheme: "light" },
] as const;

test("each page has a picture: light, dark and narrow", async () => {
  await using browser = await openBrowser();
  await using console = await openConsoleOnPort(shownConfiguration, prepareShownDay);
  if (isKept) mkdirSync(folder, { recursive: true });
  for (const { ending, width, height, colorScheme } of looks) {
    await using context = await browser.newContext({ viewport: { width, height }, colorScheme });
    const page = await signIn(context, console);
    for (const [name, path] of Object.entries(shownPages)) {
      await page.goto(`${console.address}${path}`);
      const picture = await page.screenshot();
      expect(picture.byteLength).toBeGreaterThan(10_000);
      const isShown = ending === "" || name === "now";
      if (isKept && isShown) writeFileSync(new URL(`${name}${ending}.png`, folder), picture);
    }
  }
  if (isKept) writeFileSync(new URL("hashes.json", folder), `${JSON.stringify(await hashShownPages(), null, 2)}\n`);
});
