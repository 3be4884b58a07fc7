import * as fc from "fast-check";
import { expect, test } from "vitest";
import { checkZaCdv } from "./za-cdv.ts";
import { type CdvRow, createCdvData, shippedCdvData } from "./data.ts";
import { readCim900 } from "./read-cim900.ts";

interface Group {
  readonly type: number;
  readonly weights: readonly number[];
  readonly fudge?: number;
  readonly modulus: number;
  readonly accepts?: string;
  readonly indicator?: string;
  readonly exception?: string;
}

const two = (number: number): string => String(number).padStart(2, "0");

function groupText({ type, weights, fudge = 0, modulus, accepts = "000000", indicator = "4", exception = "  " }: Group): string {
  return `${type}${weights.map(two).join("")}${two(fudge)}${two(modulus)}${accepts}${indicator}${exception.padEnd(2)}A`;
}

function lineText(branch: string, groups: readonly string[], member = "A MEMBER"): string {
  const head = `01${branch}${"A BRANCH".padEnd(30)}${member.padEnd(30)}`.padEnd(76);
  return `${`${head}000042`.padEnd(272)}${"SOUTH AFRICA".padEnd(35)}`.padEnd(724) + groups.join("").padEnd(333);
}

const weights = [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1];
const group = groupText({ type: 1, weights, modulus: 10 });

test("positions are those of the file's description: branch at 3, groups of 37 from 725, 1,057 in all", () => {
  const line = lineText("250655", [group]);
  expect([line.length, line.slice(2, 8), line.slice(38, 46), line.slice(76, 82), line.slice(272, 284), line.slice(724, 725)]).toEqual([
    1_057,
    "250655",
    "A MEMBER",
    "000042",
    "SOUTH AFRICA",
    "1",
  ]);
  const { content, refused } = readCim900(line);
  expect(refused).toEqual([]);
  expect(content.rows).toEqual([
    {
      bank: "A MEMBER",
      branchRanges: [["250655", "250655"]],
      accountTypes: [1],
      weights,
      fudge: 0,
      modulus: 10,
      exception: null,
      accountIndicator: 4,
      digitsAsGiven: null,
      confidence: "high",
      condition: null,
      accepts: null,
    },
  ]);
});

test("all nine groups are read, with weights above 9, fudge, exception, indicator and the accepted remainder", () => {
  const groups = [1, 2, 3, 4, 6, 1, 2, 3, 4].map((type, index) =>
    groupText({
      type,
      weights: [29, 13, 10, 0, 0, 0, 0, 0, 0, 0, index + 1],
      fudge: index,
      modulus: 11,
      accepts: "010101",
      indicator: "2",
      exception: "F",
    }),
  );
  const { content, rowsRead } = readCim900(lineText("123456", groups));
  expect(rowsRead).toBe(9);
  expect(content.rows.map(({ accountTypes }) => accountTypes[0])).toEqual([1, 2, 3, 4, 6, 1, 2, 3, 4]);
  expect(content.rows[8]).toMatchObject({
    weights: [29, 13, 10, 0, 0, 0, 0, 0, 0, 0, 9],
    fudge: 8,
    exception: "f",
    accountIndicator: 2,
    accepts: { remainder: 1, position: 1, digits: [0, 1] },
  });
});

test("a line that is not understood is refused with its number, and no half of its branch is kept", () => {
  const good = lineText("100001", [group]);
  const wrong = [
    lineText("10000x", [group]),
    lineText("100002", [group]).slice(0, 1_056),
    lineText("100003", [group, group.replace(/^1/, "x")]),
    lineText("100004", [group, ` ${group.slice(1)}`]),
    lineText("100005", [groupText({ type: 1, weights, modulus: 1 })]),
  ];
  const { content, refused, linesRead } = readCim900(["HEADER", good, "", ...wrong, ""].join("\r\n"));
  expect(linesRead).toBe(7);
  expect(refused).toEqual([
    { line: 1, reason: "6 characters, not 1057" },
    { line: 4, reason: "no branch code of six digits at 3–8" },
    { line: 5, reason: "1056 characters, not 1057" },
    { line: 6, reason: "group 2: not a type, 11 weights of two digits, fudge, modulus and the rest" },
    { line: 7, reason: "group 2: parameters without an account type" },
    { line: 8, reason: "group 1: a modulus of 1" },
  ]);
  expect(content.rows.map(({ branchRanges }) => branchRanges)).toEqual([[["100001", "100001"]]]);
});

test("two equal lines of a branch count once, and two different ones are both refused", () => {
  const other = groupText({ type: 1, weights, modulus: 11 });
  const text = [lineText("100001", [group]), lineText("100001", [group]), lineText("100002", [group]), lineText("100002", [other])].join(
    "\n",
  );
  const { content, refused } = readCim900(text);
  expect(refused.map(({ line }) => line)).toEqual([2, 3, 4]);
  expect(content.rows.map(({ branchRanges }) => branchRanges)).toEqual([[["100001", "100001"]]]);
});

test("branches of one form share a row, neighbours a range; a branch without a group is known and not verifiable", () => {
  const text = ["100003", "100001", "100002", "100007"].map((branch) => lineText(branch, [group])).join("\n");
  const { content } = readCim900(`${text}\n${lineText("100009", [])}`);
  expect(content.rows.map(({ branchRanges }) => branchRanges)).toEqual([
    [
      ["100001", "100003"],
      ["100007", "100007"],
    ],
  ]);
  expect(content.notVerifiable).toMatchObject([{ branchRanges: [["100009", "100009"]] }]);
  const data = createCdvData({ version: "t", ...content });
  const question = { branch: "100009", account: "1", accountType: 1, direction: "debit", refuseOn: "high", onDate: "2026-11-20" } as const;
  expect(checkZaCdv(question, data)).toEqual({ result: "not-verifiable", reason: "no-rule" });
  expect(checkZaCdv({ ...question, branch: "100008" }, data)).toEqual({ result: "not-verifiable", reason: "unknown-branch" });
});

test("imported data refuses as high does, whatever the operator's setting; two groups of a type are a test and its second", () => {
  const second = groupText({ type: 1, weights: [13, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1], modulus: 11 });
  const data = createCdvData({ version: "t", ...readCim900(lineText("250655", [group, second])).content });
  const results = Array.from({ length: 400 }, (_, n) => {
    const account = String(62_001_872_000 + n);
    return checkZaCdv({ branch: "250655", account, accountType: 1, direction: "debit", refuseOn: "high", onDate: "2026-11-20" }, data)
      .result;
  });
  const shipped = Array.from({ length: 400 }, (_, n) => {
    const account = String(62_001_872_000 + n);
    return checkZaCdv(
      { branch: "250655", account, accountType: 1, direction: "debit", refuseOn: "high", onDate: "2026-11-20" },
      shippedCdvData,
    ).result;
  });
  expect(results).toEqual(shipped);
  expect(new Set(results)).toEqual(new Set(["valid", "invalid"]));
});

test("an unknown exception makes a warning", () => {
  const { warnings } = readCim900(lineText("250655", [groupText({ type: 1, weights, modulus: 10, exception: "Z" })]));
  expect(warnings).toEqual([expect.stringContaining("exception z")]);
});

test("any rows written in the format are read back", () => {
  const weight = fc.integer({ min: 0, max: 99 });
  const groupOf = fc.record({
    type: fc.constantFrom(1, 2, 3, 4, 6),
    weights: fc.array(weight, { minLength: 11, maxLength: 11 }).filter((all) => all.some((one) => one > 0)),
    fudge: weight,
    modulus: fc.constantFrom(0, 10, 11, 97),
  });
  const branches = fc.uniqueArray(fc.integer({ min: 0, max: 999_999 }), { minLength: 1, maxLength: 5 });
  const property = fc.property(branches, fc.array(groupOf, { minLength: 1, maxLength: 9 }), (numbers, groups) => {
    const text = numbers.map((branch) => lineText(String(branch).padStart(6, "0"), groups.map(groupText))).join("\n");
    const { content, refused } = readCim900(text);
    expect(refused).toEqual([]);
    const data = createCdvData({ version: "t", ...content });
    for (const branch of numbers) {
      const rows = data.at(String(branch).padStart(6, "0")).flatMap(({ value }) => (value.kind === "row" ? [value.row] : []));
      for (const type of [1, 2, 3, 4, 6]) expect(ofType(rows, type)).toEqual(groups.filter((one) => one.type === type).map(parameters));
    }
  });
  expect(() => fc.assert(property, { numRuns: 100 })).not.toThrow();
});

function ofType(rows: readonly CdvRow[], type: number) {
  return rows.filter(({ accountTypes }) => accountTypes.includes(type)).map(parameters);
}

function parameters(one: { readonly weights: readonly number[] | null; readonly fudge?: number; readonly modulus: number }) {
  return [one.weights, one.fudge, one.modulus];
}
