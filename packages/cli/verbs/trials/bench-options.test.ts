import { expect, test } from "vitest";
import { readSize } from "./bench-options.ts";

const sizes = { whole: 500_000, short: 100_000 };
const call = (asked: string | null, isShort: boolean) => ({ value: () => asked, flag: () => isShort });

test("a short bench is smaller, and what is asked for by its own option counts more", () => {
  expect(readSize(call(null, false), "messages", sizes)).toBe("500000");
  expect(readSize(call(null, true), "messages", sizes)).toBe("100000");
  expect(readSize(call("7", true), "messages", sizes)).toBe("7");
});
