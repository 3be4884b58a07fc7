import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { type Attack, findAttackMistakes, generateAttacks } from "./attacks.ts";

const file = 'test("what is there", () => {});';
const good: Attack = {
  id: "A1",
  attack: "somebody asks",
  broke: "nothing",
  now: "held",
  tests: [{ in: "a.test.ts", named: "what is there" }],
  before: "red",
  why: "it was answered",
};
const read = (path: string): string | null => (path === "a.test.ts" ? file : null);

test("docs/security/attacks.md agrees with its source, and each test that it names is there", () => {
  expect(generateAttacks(fileURLToPath(new URL("../../..", import.meta.url)), true)).toEqual([]);
});

test("a test that is not there, or has another title, is named", () => {
  const tests = [
    { in: "gone.test.ts", named: "what is there" },
    { in: "a.test.ts", named: "what is" },
  ];
  expect(findAttackMistakes([good], read)).toEqual([]);
  expect(findAttackMistakes([{ ...good, tests }], read)).toEqual(["A1: there is no gone.test.ts", 'A1: a.test.ts has no test "what is"']);
});

test("a row without tests, a reason or a known state is named, and so is an id that comes twice", () => {
  const rows: readonly Attack[] = [
    { ...good, tests: [] },
    { ...good, now: "open" },
    { ...good, id: "A2", now: "well", says: "well", before: "unknown", why: "" },
  ];
  expect(findAttackMistakes(rows, read)).toEqual([
    "A1 is there twice",
    "A1: no test is named",
    "A1: nothing says what is missing",
    "A2: well is no state",
    "A2: unknown is no state of before",
    "A2: nothing says how it was before",
  ]);
});
