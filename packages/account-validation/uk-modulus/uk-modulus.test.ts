import * as fc from "fast-check";
import { expect, test } from "vitest";
import { weigh, weighByDigits } from "../check-digits.ts";
import { readScsubtab } from "./read-scsubtab.ts";
import { readValacdos } from "./read-valacdos.ts";
import { checkUkModulus } from "./uk-modulus.ts";
import { createUkModulusData } from "./data.ts";
import { scsubtabText, ukVectors, valacdosText } from "./uk-modulus.fixture.ts";

const { rows } = readValacdos(valacdosText).content;
const data = createUkModulusData({ rows, ...readScsubtab(scsubtabText).content });

function asked(branch: string | null, account: string, given = data): string {
  const { result, reason } = checkUkModulus({ branch, account }, given);
  return reason === null ? result : `${result} ${reason}`;
}

test.each(ukVectors)("published vector $number: $promise [D6 uk-modulus]", ({ sortCode, account, isValid }) => {
  expect(asked(sortCode, account)).toBe(isValid ? "valid" : "invalid check-digit");
});

test("a sort code without a row is presumed valid: not verifiable", () => {
  expect(asked("499273", "12345678")).toBe("not-verifiable no-rule");
  expect(asked(null, "12345678")).toBe("not-verifiable unknown-branch");
  expect(asked("08-99-99", "66374958")).toBe("not-verifiable unknown-branch");
});

test("a text that is no account number is invalid, and a length that banks cut in different ways is not verifiable", () => {
  expect(asked("089999", "6637495x")).toBe("invalid not-numeric");
  expect(asked("089999", "00000000")).toBe("invalid zero");
  expect(asked("089999", "12345678901")).toBe("invalid too-long");
  for (const account of ["12345", "123456789", "1234567890"]) expect(asked("089999", account)).toBe("not-verifiable no-rule");
});

test("numbers of six and seven digits are padded with zeros in front", () => {
  const property = fc.property(fc.integer({ min: 100_000, max: 9_999_999 }), (number) => {
    const account = String(number);
    return asked("107999", account) === asked("107999", account.padStart(8, "0"));
  });
  expect(() => fc.assert(property)).not.toThrow();
});

test("exception 5 without a substitution file is not verifiable, whatever the number", () => {
  const without = createUkModulusData({ rows, substitutions: null });
  for (const account of ["07806039", "07806030"]) expect(asked("938611", account, without)).toBe("not-verifiable no-rule");
});

test("exception 14 tries again only where the last digit is 0, 1 or 9", () => {
  const isRight = (account: string): boolean => asked("107999", account) === "valid";
  const property = fc.property(fc.integer({ min: 1, max: 99_999_999 }), (number) => {
    const account = String(number).padStart(8, "0");
    const isAccepted = isRight(account) || (/[019]$/.test(account) && (isRight(`0${account.slice(0, 7)}`) || /^0+.$/.test(account)));
    return (asked("180002", account) === "valid") === isAccepted;
  });
  expect(() => fc.assert(property, { numRuns: 500 })).not.toThrow();
});

test("exception 8 weighs sort code 090126 in place of the one given", () => {
  const eight = rows.filter(({ exception }) => exception === 8).map((row) => ({ ...row, sortCodes: ["000000", "999999"] as const }));
  const anywhere = createUkModulusData({ rows: eight, substitutions: null });
  for (const sortCode of ["086090", "123456", "999999"]) {
    expect(asked(sortCode, "06774744", anywhere)).toBe("valid");
    expect(asked(sortCode, "06774745", anywhere)).toBe("invalid check-digit");
  }
});

test("a remainder is never negative, also where weights are", () => {
  expect(weigh("00000000000009", { test: "", weights: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1], modulus: 11, fudge: 0 })).toBe(2);
});

test("double alternate adds the digits of each product: 9 × 2 counts as 9, 9 × 7 as 9, 128 × 9 as 9", () => {
  const of = (weight: number): number => weighByDigits("9", { test: "", weights: [weight], modulus: 10, fudge: 0 });
  expect([of(2), of(7), of(128), of(-2)]).toEqual([9, 9, 9, 1]);
});

test("an unknown exception decides nothing", () => {
  const unknown = createUkModulusData({ rows: rows.map((row) => ({ ...row, exception: 15 })), substitutions: {} });
  for (const { sortCode, account } of ukVectors) expect(asked(sortCode, account, unknown)).toBe("not-verifiable no-rule");
});

test("a wrong digit is found by modulus 11 wherever its weight is not 0", () => {
  const property = fc.property(
    fc.integer({ min: 1, max: 99_999_999 }),
    fc.integer({ min: 0, max: 7 }),
    fc.integer({ min: 0, max: 9 }),
    (number, position, digit) => {
      const account = String(number).padStart(8, "0");
      const wrong = `${account.slice(0, position)}${digit}${account.slice(position + 1)}`;
      fc.pre(wrong !== account && !/^0+$/.test(wrong) && asked("107999", account) === "valid");
      return asked("107999", wrong) === "invalid check-digit";
    },
  );
  expect(() => fc.assert(property, { numRuns: 200 })).not.toThrow();
});
