import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { generateRights } from "./rights.ts";
import { generateStoreRights } from "./store-rights.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

test("docs/security/rights.md and docs/security/store-rights.md agree with their sources", () => {
  expect([...generateRights(root, true), ...generateStoreRights(root, true)]).toEqual([]);
});
