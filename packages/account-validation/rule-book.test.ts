import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  type AccountQuestion,
  checkAccount,
  createCdvData,
  createUkModulusData,
  type ExactQuestion,
  explainAccount,
  orderRuleVersions,
  type RuleBook,
  type RuleName,
  shippedCdvData,
  shippedRules,
} from "./index.ts";
import { ruleVersionOn } from "./rule-book.ts";
import { readValacdos } from "./uk-modulus/read-valacdos.ts";
import { valacdosText } from "./uk-modulus/uk-modulus.fixture.ts";

const question: AccountQuestion = {
  rule: "za-cdv",
  branch: "051001",
  account: "10004291601",
  accountTypeCode: "CACC",
  direction: "debit",
  refuseOn: "high",
  onDate: "2026-11-20",
};
const exact: ExactQuestion = { ...question, version: null, accountType: null };

/** Rules that refuse every number of the branch from 2027 on, and accept all again from 2028 on. */
const strict = createCdvData({
  version: "strict",
  rows: shippedCdvData.rows.map((row) => ({ ...row, fudge: row.fudge + 5, exception: null })),
  notVerifiable: [],
});
const book: RuleBook = {
  ...shippedRules,
  "za-cdv": orderRuleVersions([
    { version: "third", effectiveFrom: "2028-01-01", origin: "imported", data: shippedCdvData },
    ...shippedRules["za-cdv"],
    { version: "second", effectiveFrom: "2027-01-01", origin: "imported", data: strict },
  ]),
};

test("a rule that no check is known for is never answered by another rule's check", () => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a name that the type checker would refuse
  const rule = "invented" as RuleName;
  expect(() => checkAccount({ ...question, rule }, { ...shippedRules, [rule]: shippedRules["za-cdv"] })).toThrow(TypeError);
});

test("the version in force on the day of the question decides, and is named", () => {
  const on = (onDate: string) => checkAccount({ ...question, onDate }, book);
  expect(on("2026-12-31")).toEqual({ result: "valid", rule: "za-cdv", version: "1", reason: null });
  expect(on("2027-01-01")).toEqual({ result: "invalid", rule: "za-cdv", version: "second", reason: "check-digit" });
  expect(on("2027-12-31")).toMatchObject({ version: "second" });
  expect(on("2028-01-01")).toMatchObject({ version: "third", result: "valid" });
  expect(book["za-cdv"].map(({ version, effectiveTo }) => [version, effectiveTo])).toEqual([
    ["1", "2027-01-01"],
    ["second", "2028-01-01"],
    ["third", null],
  ]);
});

test("an old decision is computed again with its version, whatever is in force now", () => {
  const again = explainAccount({ ...exact, onDate: "2030-01-01", version: "second" }, book);
  expect(again.answer).toEqual(checkAccount({ ...question, onDate: "2027-06-01" }, book));
  expect(explainAccount({ ...exact, version: "never-was" }, book).answer).toMatchObject({ version: "none", result: "not-verifiable" });
});

test("of two versions from one date the later in the book is in force, and the earlier still has its name", () => {
  const corrected = {
    ...book,
    "za-cdv": orderRuleVersions([
      ...book["za-cdv"],
      { version: "corrected", effectiveFrom: "2027-01-01", origin: "imported" as const, data: shippedCdvData },
    ]),
  };
  expect(checkAccount({ ...question, onDate: "2027-01-01" }, corrected).version).toBe("corrected");
  expect(explainAccount({ ...exact, version: "second" }, corrected).answer.result).toBe("invalid");
});

test("on any date at most one version is in force, and it is the last one that took effect", () => {
  const date = fc.integer({ min: 0, max: 30 }).map((day) => `2027-01-${String(day + 1).padStart(2, "0")}`);
  const property = fc.property(fc.array(date, { maxLength: 8 }), date, (starts, asked) => {
    const versions = orderRuleVersions(
      starts.map((effectiveFrom, index) => ({ version: String(index), effectiveFrom, origin: "imported" as const, data: null })),
    );
    const inForce = versions.filter(
      ({ effectiveFrom, effectiveTo }) => effectiveFrom <= asked && (effectiveTo === null || asked < effectiveTo),
    );
    const latest = starts
      .filter((start) => start <= asked)
      .toSorted()
      .at(-1);
    expect(inForce.length).toBe(latest === undefined ? 0 : 1);
    expect(ruleVersionOn(versions, asked)).toEqual(inForce[0] ?? null);
    expect(ruleVersionOn(versions, asked)?.effectiveFrom).toBe(latest);
  });
  expect(() => fc.assert(property, { numRuns: 500 })).not.toThrow();
});

test("rule uk-modulus decides only with an imported table", () => {
  const uk = { ...question, rule: "uk-modulus", branch: "107999", account: "88837493" } as const;
  expect(checkAccount(uk, shippedRules)).toEqual({ result: "not-verifiable", rule: "uk-modulus", version: "none", reason: "no-rule" });
  const data = createUkModulusData({ ...readValacdos(valacdosText).content, substitutions: null });
  const withTable = {
    ...shippedRules,
    "uk-modulus": orderRuleVersions([{ version: "t", effectiveFrom: "2026-01-01", origin: "imported" as const, data }]),
  };
  expect(checkAccount(uk, withTable)).toEqual({ result: "invalid", rule: "uk-modulus", version: "t", reason: "check-digit" });
  expect(checkAccount({ ...uk, onDate: "2025-12-31" }, withTable).version).toBe("none");
});

test("an IBAN is answered with its library's version", () => {
  expect(checkAccount({ ...question, rule: "iban", account: "GB29NWBK60161331926819" }, shippedRules)).toMatchObject({
    result: "valid",
    version: expect.stringMatching(/^ibantools-/),
  });
});

test("an explanation's steps lead to its answer: digits, weights, products, remainder", () => {
  const { answer, steps } = explainAccount(exact, shippedRules);
  expect(answer.result).toBe("valid");
  expect(steps.map(({ step }) => step)).toEqual(["number", "type", "row", "weighing", "weighing"]);
  expect(steps.slice(-2)).toEqual([
    {
      step: "weighing",
      test: "base",
      digits: "10004291601",
      weights: [1, 1, 9, 8, 7, 6, 5, 4, 3, 2, 1],
      products: [1, 0, 0, 0, 28, 12, 45, 4, 18, 0, 1],
      fudge: 0,
      total: 109,
      modulus: 11,
      remainder: 10,
    },
    expect.objectContaining({ test: "exception m", total: 121, remainder: 0 }),
  ]);
});

test("explaining and checking are one computation", () => {
  const account = fc.integer({ min: 1, max: 99_999_999_999 }).map(String);
  const branch = fc.constantFrom("051001", "100943", "250655", "430000", "632005", "470010", "440000", "450105", null);
  const property = fc.property(account, branch, fc.constantFrom("CACC", "SVGS", "LOAN", null), (number, at, accountTypeCode) => {
    const one = { ...question, account: number, branch: at, accountTypeCode };
    expect(explainAccount({ ...one, version: null, accountType: null }, shippedRules).answer).toEqual(checkAccount(one, shippedRules));
  });
  expect(() => fc.assert(property, { numRuns: 500 })).not.toThrow();
});

test("the data that ships as za-cdv 1 never changes", () => {
  const bytes = readFileSync(new URL("../../data/za-cdv.json", import.meta.url));
  const pinned: Readonly<Record<string, string>> = { "1": "740186c80f51f35b2b5b3e615a77ef0fbfb9c0dd626edd9baf1cbde0de71c658" };
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(pinned[shippedCdvData.version]);
});
