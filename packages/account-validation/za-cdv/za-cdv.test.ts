import * as fc from "fast-check";
import { expect, test } from "vitest";
import shipped from "../../../data/za-cdv.json" with { type: "json" };
import { padAccount, weigh } from "../check-digits.ts";
import {
  type AccountQuestion,
  type CdvData,
  type CdvRow,
  checkAccount,
  createCdvData,
  isRefusal,
  shippedCdvData,
  shippedRules,
} from "../index.ts";
import { checkZaCdv, accountTypesAt } from "./za-cdv.ts";

const onDate = "2026-11-20";
const codes = new Map([
  [1, "CACC"],
  [2, "SVGS"],
  [3, "TRAN"],
  [4, "LOAN"],
]);

function asked(
  branch: string | null,
  account: string,
  accountTypeCode: string | null = "CACC",
  over: Partial<AccountQuestion> = {},
): string {
  const answer = checkAccount(
    { rule: "za-cdv", branch, account, accountTypeCode, direction: "debit", refuseOn: "high", onDate, ...over },
    shippedRules,
  );
  expect([answer.rule, answer.version]).toEqual(["za-cdv", "1"]);
  return answer.reason === null ? answer.result : `${answer.result} ${answer.reason}`;
}

function remainder(digits: string, weights: readonly number[], modulus: number, fudge: number): number {
  return weigh(digits, { test: "", weights, modulus, fudge });
}

/** Builds a number of the row's form whose check digit is right, or wrong by `error`. */
function numbered(row: CdvRow, stem: string, error = 0): string | undefined {
  const last = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].find(
    (digit) => remainder(padAccount(`${stem}${digit}`)!, row.weights!, row.modulus, row.fudge) === error,
  );
  return last === undefined ? undefined : `${stem}${last}`;
}

const row = (bank: string): CdvRow => shippedCdvData.rows.find((one) => one.bank === bank)!;

test.each(shipped.testVectors.map((vector) => [vector.bank, vector.branch, vector.account, vector] as const))(
  "published vector: %s %s %s [4 step-3] [D6 za-cdv]",
  (_, branch, account, vector) => {
    const code = codes.get(vector.accountType)!;
    const credit = vector.valid ? "valid" : "invalid check-digit";
    expect(asked(branch, account, code, { direction: "credit" })).toBe(credit);
    expect(asked(branch, account, code, { direction: "debit" })).toBe("debit" in vector ? "warning direction" : credit);
  },
);

test("a text that is no account number is invalid at any branch", () => {
  for (const branch of ["250655", "999998", "123", null]) {
    expect(asked(branch, "6200187244x")).toBe("invalid not-numeric");
    expect(asked(branch, "")).toBe("invalid not-numeric");
    expect(asked(branch, "-1")).toBe("invalid not-numeric");
    expect(asked(branch, "٣٤٥")).toBe("invalid not-numeric");
    expect(asked(branch, "00000000000")).toBe("invalid zero");
    expect(asked(branch, "12345678901234")).toBe("invalid too-long");
  }
});

test("a missing or unknown branch, a type without a row, or an entry that says so makes a number not verifiable", () => {
  expect(asked(null, "1")).toBe("not-verifiable unknown-branch");
  expect(asked("62", "1")).toBe("not-verifiable unknown-branch");
  expect(asked("350000", "1")).toBe("not-verifiable no-rule");
  expect(asked("400000", "1", "CACC")).toBe("not-verifiable no-rule");
  expect(asked("810000", "1")).toBe("not-verifiable unknown-branch");
  expect(asked("430000", "80000000797", "CACC")).toBe("not-verifiable account-type");
  expect(asked("250655", "62001872440", "TRAN")).toBe("not-verifiable account-type");
});

test("the narrowest range wins; at equal ranges a row beats an entry that says not verifiable", () => {
  expect(asked("223626", "62001872440", "CACC")).toBe("not-verifiable no-rule");
  expect(asked("223627", "62001872440", "CACC")).toBe("valid");
  expect(asked("101609", "1903481333", "SVGS")).toBe("not-verifiable no-rule");
  expect(asked("101609", "8000000000001", "LOAN")).toBe("not-verifiable no-rule");
  expect(asked("060067", "123456789", "CACC")).toBe("not-verifiable no-rule");
});

test("Standard Bank: the base test, and exception m for 11 digits of branch 051001 starting with 1", () => {
  const standard = row("Standard Bank of South Africa");
  expect(asked("051001", "10004291601")).toBe("valid");
  expect(asked("051001", "10004291603")).toBe("invalid check-digit");
  expect(asked("000205", "10004291601")).toBe("not-verifiable no-rule");
  const nine = numbered(standard, "12345678") ?? numbered(standard, "12345679")!;
  expect(asked("000205", nine)).toBe("valid");
  expect(asked("000205", `00${nine}`)).toBe("valid");
  expect(asked("000205", `0${nine}`)).toBe("not-verifiable no-rule");
  expect(asked("000205", numbered(standard, "12345678", 2)!)).toBe("invalid check-digit");
  const weightsOfM = [13, 12, 9, 8, 7, 6, 5, 4, 3, 2, 1];
  const onlyByM = (first: string): string =>
    Array.from({ length: 200 }, (_, n) => `${first}${String(n).padStart(10, "0")}`).find(
      (one) => remainder(one, weightsOfM, 11, 0) === 0 && remainder(one, standard.weights!, 11, 0) !== 0,
    )!;
  expect(asked("051001", onlyByM("1"))).toBe("valid");
  expect(asked("051001", onlyByM("2"))).toBe("invalid check-digit");
});

test("Nedbank current: ten digits starting with 1; others are not verifiable", () => {
  expect(asked("100943", "1903481333")).toBe("valid");
  expect(asked("100943", "1903481334")).toBe("invalid check-digit");
  expect(asked("100943", "2903481333")).toBe("not-verifiable no-rule");
  expect(asked("100943", "190348133")).toBe("not-verifiable no-rule");
});

test("African Bank: exception v refuses debits of numbers starting with 3, 8 or 9, and no others", () => {
  const african = row("African Bank");
  const answers = ["1", "2", "3", "4", "5", "6", "7", "8", "9"].map((first) =>
    asked("430000", numbered(african, `${first}000000010`)!, "SVGS"),
  );
  const refused = "warning direction";
  expect(answers).toEqual(["valid", "valid", refused, "valid", "valid", "valid", "valid", refused, refused]);
  expect(asked("430000", numbered(african, "9000000001")!, null)).toBe(refused);
});

test("First National Bank: a current account may pass the second test; a savings account may not", () => {
  const second = row("First National Bank, type 1 second test");
  const first = row("First National Bank / FirstRand");
  const number = Array.from({ length: 50 }, (_, n) => numbered(second, `62${String(n).padStart(8, "0")}`)).find(
    (one) => one !== undefined && remainder(one, first.weights!, 10, 0) !== 0,
  )!;
  expect(asked("250655", number, "CACC")).toBe("valid");
  expect(asked("250655", number, "SVGS")).toBe("invalid check-digit");
  expect(asked("250655", number, null)).toBe("valid");
  expect(asked("250655", "62001872441", "CACC")).toBe("invalid check-digit");
  expect(asked("250655", "6200187244", "CACC")).toBe("not-verifiable no-rule");
});

test("only invalid, or a warning of direction, refuses a debit", () => {
  expect(isRefusal({ result: "invalid", reason: "check-digit" })).toBe(true);
  expect(isRefusal({ result: "warning", reason: "direction" })).toBe(true);
  expect(isRefusal({ result: "valid", reason: null })).toBe(false);
  expect(isRefusal({ result: "not-verifiable", reason: "check-digit" })).toBe(false);
});

test("a number that fails a row of medium confidence is refused only if the operator asks for it", () => {
  const capitec = row("Capitec Bank");
  expect(asked("470010", numbered(capitec, "123456789") ?? numbered(capitec, "123456788")!)).toBe("valid");
  const bad = numbered(capitec, "123456789", 3)!;
  expect(asked("470010", bad)).toBe("not-verifiable check-digit");
  expect(asked("470010", bad, "CACC", { refuseOn: "medium" })).toBe("invalid check-digit");
});

test("an account indicator of 0 asks for no check, 1 allows zero", () => {
  const with_ = (accountIndicator: number): CdvData =>
    createCdvData({ ...shippedCdvData, rows: [{ ...row("Capitec Bank"), accountIndicator }] });
  const question = { branch: "470010", account: "0", accountType: 1, direction: "debit", refuseOn: "medium", onDate } as const;
  expect(checkZaCdv(question, with_(0))).toEqual({ result: "not-verifiable", reason: "no-rule" });
  expect(checkZaCdv(question, with_(1))).toEqual({ result: "valid", reason: null });
  expect(checkZaCdv(question, with_(4))).toEqual({ result: "invalid", reason: "zero" });
});

test("a row of low or conflicting confidence decides nothing", () => {
  for (const confidence of ["low", "conflict"] as const) {
    const data = createCdvData({ ...shippedCdvData, rows: [{ ...row("Capitec Bank"), confidence }] });
    const answers = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) =>
      checkZaCdv({ branch: "470010", account: `123456789${digit}`, accountType: 1, direction: "debit", refuseOn: "medium", onDate }, data),
    );
    expect(new Set(answers.map(({ result }) => result))).toEqual(new Set(["not-verifiable"]));
  }
});

const digitText = (least: number, most: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: least, maxLength: most }).map((digits) => digits.join(""));
const weighted = shippedCdvData.rows.filter((one) => one.weights !== null);

function replaced(digits: string, position: number, digit: number): string {
  return `${digits.slice(0, position)}${digit}${digits.slice(position + 1)}`;
}

test("padding changes nothing: leading zeros leave the check digits as they are", () => {
  const property = fc.property(fc.constantFrom(...weighted), digitText(1, 11), fc.integer({ min: 0, max: 5 }), (one, account, zeros) => {
    const of = (text: string): number => remainder(padAccount(text)!, one.weights!, one.modulus, one.fudge);
    return of(account) === of(`${"0".repeat(zeros)}${account}`);
  });
  expect(() => fc.assert(property, { numRuns: 500 })).not.toThrow();
});

test("one wrong digit is noticed wherever its weight can be inverted by the modulus", () => {
  const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
  const property = fc.property(
    fc.constantFrom(...weighted),
    digitText(11, 11),
    fc.integer({ min: 0, max: 10 }),
    fc.integer({ min: 1, max: 9 }),
    (one, digits, position, change) => {
      fc.pre(gcd(one.weights![position]!, one.modulus) === 1);
      const wrong = `${digits.slice(0, position)}${(Number(digits[position]) + change) % 10}${digits.slice(position + 1)}`;
      const of = (text: string): number => remainder(text, one.weights!, one.modulus, one.fudge);
      return of(digits) !== of(wrong);
    },
  );
  expect(() => fc.assert(property, { numRuns: 500 })).not.toThrow();
});

test("one wrong digit goes unnoticed exactly where the modulus divides change × weight, as with 2 and 4 at a weight of 5 by 10", () => {
  const property = fc.property(
    fc.constantFrom(...weighted),
    digitText(11, 11),
    fc.integer({ min: 0, max: 10 }),
    fc.integer({ min: 0, max: 9 }),
    (one, digits, position, digit) => {
      const wrong = replaced(digits, position, digit);
      const of = (text: string): number => remainder(text, one.weights!, one.modulus, one.fudge);
      const change = (digit - Number(digits[position])) * one.weights![position]!;
      return (of(digits) === of(wrong)) === (change % one.modulus === 0);
    },
  );
  expect(() => fc.assert(property, { numRuns: 500 })).not.toThrow();
});

test("swapped digits are noticed exactly where the modulus does not divide difference of digits × difference of weights", () => {
  const property = fc.property(
    fc.constantFrom(...weighted),
    digitText(11, 11),
    fc.integer({ min: 0, max: 10 }),
    fc.integer({ min: 0, max: 10 }),
    (one, digits, first, second) => {
      const swapped = replaced(replaced(digits, first, Number(digits[second])), second, Number(digits[first]));
      const of = (text: string): number => remainder(text, one.weights!, one.modulus, one.fudge);
      const difference = (Number(digits[first]) - Number(digits[second])) * (one.weights![first]! - one.weights![second]!);
      return (of(digits) !== of(swapped)) === (difference % one.modulus !== 0);
    },
  );
  expect(() => fc.assert(property, { numRuns: 500 })).not.toThrow();
});

test("modulus 11 notices all neighbours swapped where their weights differ", () => {
  const modulus11 = weighted.filter(({ modulus }) => modulus === 11);
  for (const { weights } of modulus11) {
    const differ = weights!.slice(1).map((weight, index) => (weight - weights![index]!) % 11 !== 0);
    for (const [index, isDifferent] of differ.entries()) {
      for (let a = 0; a < 10; a += 1) {
        for (let b = 0; b < 10; b += 1) {
          const digits = (x: number, y: number): string => replaced(replaced("12345678901", index, x), index + 1, y);
          const isNoticed = remainder(digits(a, b), weights!, 11, 0) !== remainder(digits(b, a), weights!, 11, 0);
          if (isNoticed !== (isDifferent && a !== b)) throw new Error(`${weights!.join()} at ${index}: ${a}${b}`);
        }
      }
    }
  }
  expect(modulus11.length).toBeGreaterThan(8);
});

test("weights above 9 count in full: 10 and 13 at their digit add 10 and 13", () => {
  const { weights } = row("First National Bank, type 1 second test");
  expect(weights!.slice(0, 2)).toEqual([13, 10]);
  expect(remainder("10000000000", weights!, 11, 0)).toBe(2);
  expect(remainder("01000000000", weights!, 11, 0)).toBe(10);
  expect(remainder("09000000000", weights!, 11, 0)).toBe(2);
  expect(remainder("90000000000", weights!, 11, 0)).toBe(7);
});

test("an unknown type is the best over the types of the branch, and every answer is one of the four with its reason", () => {
  const order = ["invalid", "warning", "not-verifiable", "valid"];
  const branches = fc.oneof(
    fc.constantFrom("051001", "100943", "250655", "430000", "632005", "470010", "223626", "760000"),
    fc.integer({ min: 0, max: 999_999 }).map((branch) => String(branch).padStart(6, "0")),
  );
  const property = fc.property(
    branches,
    digitText(7, 13),
    fc.constantFrom("debit" as const, "credit" as const),
    (branch, account, direction) => {
      const checkAs = (accountType: number | null) =>
        checkZaCdv({ branch, account, accountType, direction, refuseOn: "high", onDate }, shippedCdvData);
      const best = checkAs(null);
      const ranks = accountTypesAt(branch, shippedCdvData).map((type) => order.indexOf(checkAs(type).result));
      const isBest = ranks.length === 0 || order.indexOf(best.result) === Math.max(...ranks);
      return isBest && (best.result === "valid") === (best.reason === null) && (direction === "debit" || best.result !== "warning");
    },
  );
  expect(() => fc.assert(property, { numRuns: 1_000 })).not.toThrow();
});

test("padding changes no answer where no row, exception or condition asks for the length as given", () => {
  const free = weighted.filter(
    ({ exception, digitsAsGiven, condition }) => exception === null && digitsAsGiven === null && condition === null,
  );
  expect(free.length).toBeGreaterThan(4);
  const property = fc.property(fc.constantFrom(...free), digitText(1, 11), fc.integer({ min: 0, max: 2 }), (one, account, zeros) => {
    const question = {
      branch: one.branchRanges[0]![0],
      accountType: one.accountTypes[0]!,
      direction: "debit",
      refuseOn: "medium",
      onDate,
    } as const;
    const short = checkZaCdv({ ...question, account }, shippedCdvData);
    expect(checkZaCdv({ ...question, account: `${"0".repeat(zeros)}${account}` }, shippedCdvData)).toEqual(short);
  });
  expect(() => fc.assert(property, { numRuns: 500 })).not.toThrow();
});

test("every row that ships can answer valid, and none of medium confidence refuses unless the operator asks for it", () => {
  const random = Array.from({ length: 3_000 }, (_, n) => String((n * 7_919_999_983 + 10_000_000_019) % 9e12));
  for (const one of shippedCdvData.rows) {
    const lengths = one.digitsAsGiven ?? [11];
    const [branch] = one.branchRanges[0]!;
    const answers = one.accountTypes.flatMap((accountType) =>
      lengths.flatMap((length) =>
        random.flatMap((digits) => {
          const prefix =
            one.exception === "h" ? "8" : one.condition === "nedbank-current" ? "1" : one.condition === "nedbank-savings" ? "2" : "";
          const account = `${prefix}${digits}`.padEnd(length, "4").slice(0, length);
          return checkZaCdv({ branch, account, accountType, direction: "credit", refuseOn: "high", onDate }, shippedCdvData).result;
        }),
      ),
    );
    const seen = new Set(answers);
    const isHigh = one.confidence === "high" || one.bank.startsWith("First National Bank");
    expect([one.bank, seen.has("valid"), seen.has("invalid")]).toEqual([one.bank, true, isHigh]);
  }
});
