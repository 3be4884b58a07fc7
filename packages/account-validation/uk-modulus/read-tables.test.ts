import { expect, test } from "vitest";
import { readScsubtab } from "./read-scsubtab.ts";
import { readValacdos } from "./read-valacdos.ts";
import { scsubtabText, valacdosText } from "./uk-modulus.fixture.ts";

const row = "089000 089999 MOD10    0    0    0    0    0    0    7    1    3    7    1    3    7    1";

test("the published form is read: sort codes, method, 14 weights, exception, also negative weights", () => {
  const { content, refused, linesRead, rowsRead } = readValacdos(valacdosText);
  expect([refused, linesRead, rowsRead]).toEqual([[], 25, 25]);
  expect(content.rows[0]).toEqual({
    sortCodes: ["070116", "070116"],
    method: "MOD11",
    weights: [0, 0, 7, 6, 5, 8, 9, 4, 5, 6, 7, 8, 9, -1],
    exception: 12,
  });
  expect(readValacdos("300000 300006 MOD11 0 0 0 0 128 64 32 16 8 4 2 1 0 0").content.rows[0]?.weights[4]).toBe(128);
  expect(readValacdos(`${row}\r\n\r\n`).content.rows).toMatchObject([{ exception: null }]);
});

test.each([
  ["08900 089999 MOD10 0 0 0 0 0 0 7 1 3 7 1 3 7 1", "sort codes"],
  ["089999 089000 MOD10 0 0 0 0 0 0 7 1 3 7 1 3 7 1", "after the last"],
  ["089000 089999 MOD12 0 0 0 0 0 0 7 1 3 7 1 3 7 1", "method"],
  ["089000 089999 MOD10 0 0 0 0 0 0 7 1 3 7 1 3 7", "14 weights"],
  ["089000 089999 MOD10 0 0 0 0 0 0 7 1 3 7 1 3 7 1 5 6", "14 weights"],
  ["089000 089999 MOD10 0 0 0 0 0 0 7 1 3 7 1 3 7 x", "weight"],
  ["089000 089999 MOD10 0 0 0 0 0 0 7 1 3 7 1 3 7 1 0", "exception"],
])("a line that is not of the form is refused with its number: %s", (line, reason) => {
  expect(readValacdos(`${row}\n${line}`).refused).toEqual([{ line: 2, reason: expect.stringContaining(reason) }]);
});

test("a third row for a sort code is refused, and an unknown exception makes a warning", () => {
  expect(readValacdos(`${row}\n${row}\n${row}`).refused).toEqual([{ line: 3, reason: expect.stringContaining("third") }]);
  expect(readValacdos(`${row} 15`).warnings).toEqual([expect.stringContaining("exception 15")]);
});

test("substitutions are read; one that is not two sort codes, or contradicts another, is refused", () => {
  expect(readScsubtab(scsubtabText).content.substitutions).toEqual({ "938600": "938611", "938602": "938343" });
  const { refused, rowsRead } = readScsubtab("938600 938611\n938600 938612\n93860 938611\n938601 938611 x\n938600 938611");
  expect(rowsRead).toBe(1);
  expect(refused.map(({ line }) => line)).toEqual([2, 3, 4]);
});

test("the text of a table never reaches a member of an object", () => {
  expect(readScsubtab("__proto__ 938611").refused).toHaveLength(1);
});
