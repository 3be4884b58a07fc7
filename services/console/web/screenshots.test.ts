// Whether the screenshots of the documents show the pages as they are. They are made by
// `SLUICE_SCREENSHOTS=make ./sluice test browser`.

import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hashShownPages, renderShownPages, shownPages } from "./shown-day.fixture.ts";

const folder = new URL("../../../docs/screenshots/", import.meta.url);

test("every page that a screenshot shows can be made", async () => {
  const pages = await renderShownPages();
  expect(Object.entries(pages).map(([name, { status }]) => [name, status])).toEqual(Object.keys(shownPages).map((name) => [name, 200]));
});

test("the screenshots are of the pages and of the style sheet as they are now", async () => {
  const made: unknown = JSON.parse(readFileSync(new URL("hashes.json", folder), "utf8"));
  expect(made).toEqual(await hashShownPages());
  for (const name of Object.keys(shownPages)) expect([name, existsSync(new URL(`${name}.png`, folder))]).toEqual([name, true]);
});
