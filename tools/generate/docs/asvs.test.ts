import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findMistakes, generateAsvs } from "./asvs.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const chapters = { V1: "One" };

test("docs/security/asvs.md agrees with its source", () => {
  expect(generateAsvs(root, true)).toEqual([]);
});

test("a requirement without a row, and a row without a requirement, are named", () => {
  const rows = [
    { ids: ["V1.1.1"], is: "open" },
    { ids: ["V1.3.1"], is: "none" },
  ];
  expect(findMistakes({ chapters, sections: { "V1.1": "12" }, rows }, () => true)).toEqual([
    "V1.1.2 has no row",
    "the row of V1.3.1 stands for nothing",
  ]);
});

test("what is said to be shown names a path that exists", () => {
  const rows = [
    { ids: ["V1.1.1"], is: "shown" },
    { ids: ["V1.1.2"], is: "partly", by: ["gone.test.ts"] },
    { ids: ["V1.1"], is: "good" },
  ];
  expect(findMistakes({ chapters, sections: { "V1.1": "123" }, rows }, () => false)).toEqual([
    "V1.1.1: nothing is named that shows it",
    "V1.1.2: there is no gone.test.ts",
    "V1.1: good is no verdict",
  ]);
});
