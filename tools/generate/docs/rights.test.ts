import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { generateRights } from "./rights.ts";

test("docs/security/rights.md agrees with its sources", () => {
  expect(generateRights(fileURLToPath(new URL("../../..", import.meta.url)), true)).toEqual([]);
});
