import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findProfileMistakes, generateFapi } from "./fapi.ts";

test("docs/security/fapi.md agrees with its source, and all that shows a row is there", () => {
  expect(generateFapi(fileURLToPath(new URL("../../..", import.meta.url)), true)).toEqual([]);
});

test("a row without evidence, a reason or a verdict is named, and so is a path that does not exist", () => {
  const rows = [
    { asks: "one", is: "kept" },
    { asks: "two", is: "partly", says: "a half", by: ["gone.test.ts"] },
    { asks: "three", is: "open" },
    { asks: "four", is: "good", says: "good" },
    { asks: "five", is: "operator", says: "theirs" },
  ];
  expect(findProfileMistakes([{ section: "1", rows }], () => false)).toEqual([
    "one: nothing is named that shows it",
    "two: there is no gone.test.ts",
    "three: nothing says why",
    "four: good is no verdict",
  ]);
});
