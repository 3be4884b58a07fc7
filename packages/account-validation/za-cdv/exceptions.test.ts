import * as fc from "fast-check";
import { expect, test } from "vitest";
import { checkZaCdv } from "./za-cdv.ts";
import { type CdvRow, createCdvData, shippedCdvData } from "./data.ts";

// Weights in the published notation: a letter is a weight above 9, A = 10 … Z = 35.
function left(notation: string, digits: string, modulus: number, fudge = 0): number {
  const sum = notation.split("").reduce((total, letter, index) => total + Number.parseInt(letter, 36) * Number(digits[index]), fudge);
  return sum % modulus;
}

const pad = (account: string): string => account.padStart(11, "0");

function asked(
  branch: string,
  account: string,
  accountType: number,
  over: { direction?: "debit" | "credit"; onDate?: string } = {},
): string {
  const question = { branch, account, accountType, direction: "credit", refuseOn: "medium", onDate: "2026-11-20", ...over } as const;
  const { result, reason } = checkZaCdv(question, shippedCdvData);
  return reason === null ? result : `${result} ${reason}`;
}

const wrong = "invalid check-digit";

/** Finds the first number with these leading digits and this length that fits. */
function first(prefix: string, length: number, fits: (account: string) => boolean): string {
  for (let n = 0; n < 200_000; n += 1) {
    const account = `${prefix}${String(n * 7 + 3).padStart(length - prefix.length, "0")}`;
    if (account.length === length && fits(account)) return account;
  }
  throw new Error("no such number");
}

const digits = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map((all) => all.join(""));

test("b: remainder 1 with a last digit 0 or 1 is valid; another remainder or digit is not", () => {
  const mercantile = "1A987654321";
  expect(
    asked(
      "450105",
      first("1", 10, (one) => left(mercantile, pad(one), 11) === 0),
      1,
    ),
  ).toBe("valid");
  expect(
    asked(
      "450105",
      first("1", 10, (one) => left(mercantile, pad(one), 11) === 1 && one.endsWith("0")),
      1,
    ),
  ).toBe("valid");
  expect(
    asked(
      "450105",
      first("1", 10, (one) => left(mercantile, pad(one), 11) === 1 && one.endsWith("1")),
      2,
    ),
  ).toBe("valid");
  expect(
    asked(
      "450105",
      first("1", 10, (one) => left(mercantile, pad(one), 11) === 1 && one.endsWith("2")),
      1,
    ),
  ).toBe(wrong);
  expect(
    asked(
      "450105",
      first("1", 10, (one) => left(mercantile, pad(one), 11) === 2 && one.endsWith("1")),
      1,
    ),
  ).toBe(wrong);
  expect(asked("450236", "1234567890", 2)).toBe("not-verifiable no-rule");
});

test("e: beyond the base test exactly 10 significant digits and not both last digits 0", () => {
  const boe = "18765432100";
  const isBase = (one: string): boolean => left(boe, pad(one), 11) === 0;
  expect(
    asked(
      "440000",
      first("1", 10, (one) => isBase(one) && !one.endsWith("00")),
      1,
    ),
  ).toBe("valid");
  const both = `${first("1", 10, (one) => isBase(one)).slice(0, 8)}00`;
  expect(asked("440000", both, 1)).toBe(wrong);
  expect(
    asked(
      "440000",
      first("0", 10, (one) => isBase(one) && !one.endsWith("00")),
      1,
    ),
  ).toBe(wrong);
  expect(
    asked(
      "440000",
      first("1", 10, (one) => !isBase(one)),
      1,
    ),
  ).toBe(wrong);
  expect(
    asked(
      "440000",
      first("1", 11, () => true),
      1,
    ),
  ).toBe("not-verifiable no-rule");
  const pep = first("1", 10, (one) => left(boe, pad(one), 11, 2) === 0 && !one.endsWith("00"));
  expect(asked("400000", pep, 3)).toBe("valid");
});

test("f: five weightings, a last digit raised by 6 for short numbers, remainder 1 for long ones, and savings that start with 53", () => {
  const tests = [
    (one: string) => left("17329874321", pad(one), 10) === 0,
    (one: string) => left("14327654321", pad(one), 11) === 0,
    (one: string) => left("54327654321", pad(one), 11) === 0,
    (one: string) => left("11327654321", pad(one), 11) === 0,
    (one: string) => left("14329874321", pad(one), 10) === 0,
  ];
  const isThirdWithOne = (one: string): boolean => left("54327654321", pad(one), 11) === 1 && one.length >= 10 && /[01]$/.test(one);
  const isRaised = (one: string): boolean =>
    one.length < 10 && left("11327654321", `${pad(one).slice(0, 10)}${(Number(one.at(-1)) + 6) % 10}`, 11) === 0;
  const isAny = (one: string): boolean => tests.some((fits) => fits(one)) || isThirdWithOne(one) || isRaised(one);
  for (const [index, fits] of tests.entries()) {
    const only = first("46", 11, (one) => fits(one) && tests.every((other, at) => at === index || !other(one)) && !isThirdWithOne(one));
    expect([index, asked("632005", only, 1)]).toEqual([index, "valid"]);
  }
  const noTest = (one: string): boolean => !tests.some((fits) => fits(one));
  expect(
    asked(
      "632005",
      first("5", 10, (one) => noTest(one) && isThirdWithOne(one)),
      1,
    ),
  ).toBe("valid");
  expect(
    asked(
      "632005",
      first("4", 9, (one) => noTest(one) && isRaised(one)),
      1,
    ),
  ).toBe("valid");
  const raisedOnlyIfShort = first("4", 9, (one) => noTest(one) && isRaised(one) && noTest(`0${one}`) && !isThirdWithOne(`0${one}`));
  expect(asked("632005", `0${raisedOnlyIfShort}`, 1)).toBe(wrong);
  const savings = first("53", 11, (one) => !isAny(one));
  expect(asked("632005", savings, 2)).toBe("valid");
  expect(asked("632005", savings, 1)).toBe(wrong);
  const property = fc.property(fc.integer({ min: 8, max: 11 }).chain(digits), (one) => {
    fc.pre(!/^0+$/.test(one));
    return asked("632005", one, 1) === (isAny(one) ? "valid" : wrong);
  });
  expect(() => fc.assert(property, { numRuns: 2_000 })).not.toThrow();
});

test("h: the first eight of 13 digits, the seventh repeated where there is no check digit, current accounts within their range", () => {
  const main = (one: string): boolean => left("111TNJHD731", pad(one.slice(0, 8)), 11) === 0;
  const repeated = (one: string): boolean => one[6] === one[7] && left("111TNJHD730", pad(one.slice(0, 8)), 11, 10) === 0;
  const thirteen = (start: string, fits: (one: string) => boolean): string => `${first(start, 8, fits)}00001`;
  const good = thirteen("8", main);
  const second = thirteen("8", (one) => !main(one) && repeated(one));
  const bad = thirteen("8", (one) => !main(one) && !repeated(one));
  for (const [branch, type] of [
    ["100943", 4],
    ["100943", 1],
    ["170305", 1],
    ["101609", 1],
  ] as const) {
    expect(asked(branch, good, type)).toBe("valid");
    expect(asked(branch, second, type)).toBe("valid");
    expect(asked(branch, bad, type)).toBe(wrong);
  }
  expect(asked("100943", thirteen("1", main), 4)).toBe("valid");
  expect(asked("100943", thirteen("1", main), 1)).toBe("not-verifiable no-rule");
  expect(asked("100943", good.slice(0, 12), 4)).toBe("not-verifiable no-rule");
  expect(asked("100943", "0000000012345", 4)).toBe("not-verifiable no-rule");
  const judged = checkZaCdv(
    { branch: "100943", account: bad, accountType: 1, direction: "debit", refuseOn: "high", onDate: "2026-11-20" },
    shippedCdvData,
  );
  expect(judged).toEqual({ result: "not-verifiable", reason: "check-digit" });
});

test("p: accepts after a failing base test, and what it does not accept is never refused", () => {
  const base = (one: string): boolean => left("11987654321", pad(one), 11, 18) === 0;
  const byP = (one: string): boolean => left("14329874321", pad(one), 10) === 0;
  expect(
    asked(
      "100943",
      first("2", 10, (one) => base(one) && !byP(one)),
      2,
    ),
  ).toBe("valid");
  expect(
    asked(
      "100943",
      first("2", 10, (one) => !base(one) && byP(one)),
      2,
    ),
  ).toBe("valid");
  expect(
    asked(
      "100943",
      first("2", 10, (one) => !base(one) && !byP(one)),
      2,
    ),
  ).toBe("not-verifiable check-digit");
  expect(asked("100943", first("1", 10, base), 2)).toBe("not-verifiable no-rule");
});

test("v: a debit of an account that takes credits only, since 10 July 2021", () => {
  const credits = first("8", 11, (one) => left("12121212121", one, 10) === 0);
  expect(asked("430000", credits, 2, { direction: "debit" })).toBe("warning direction");
  expect(asked("430000", credits, 2, { direction: "debit", onDate: "2021-07-10" })).toBe("warning direction");
  expect(asked("430000", credits, 2, { direction: "debit", onDate: "2021-07-09" })).toBe("valid");
  expect(asked("430000", credits, 2, { direction: "credit" })).toBe("valid");
});

const [capitec] = shippedCdvData.rows.filter(({ bank }) => bank === "Capitec Bank");
function withRow(over: Partial<CdvRow>): (account: string) => string {
  const data = createCdvData({
    version: "test",
    rows: [{ ...capitec!, confidence: "high", digitsAsGiven: null, ...over }],
    notVerifiable: [],
  });
  return (account) => {
    const question = { branch: "470010", account, accountType: 1, direction: "debit", refuseOn: "high", onDate: "2026-11-20" } as const;
    const { result, reason } = checkZaCdv(question, data);
    return reason === null ? result : `${result} ${reason}`;
  };
}

test("exceptions m and p check branch and type themselves, whatever row names them", () => {
  const onlyM = first("1", 11, (one) => left("DC987654321", one, 11) === 0 && left("11987654321", one, 11) !== 0);
  const checkM = (branch: string): string =>
    checkZaCdv(
      { branch, account: onlyM, accountType: 1, direction: "debit", refuseOn: "high", onDate: "2026-11-20" },
      createCdvData({
        version: "test",
        rows: [
          {
            ...capitec!,
            branchRanges: [["000000", "999999"]],
            confidence: "high",
            digitsAsGiven: null,
            exception: "m",
            weights: [1, 1, 9, 8, 7, 6, 5, 4, 3, 2, 1],
          },
        ],
        notVerifiable: [],
      }),
    ).result;
  expect([checkM("051001"), checkM("051002")]).toEqual(["valid", "invalid"]);
  const onlyP = first("2", 10, (one) => left("14329874321", pad(one), 10) === 0 && left("21987654321", pad(one), 11) !== 0);
  expect(withRow({ exception: "p" })(onlyP)).toBe("not-verifiable check-digit");
});

test("an unknown letter decides no number, neither one that passes nor one that fails", () => {
  const answers = Array.from({ length: 20 }, (_, n) => withRow({ exception: "z" })(String(1_234_567_890 + n)));
  expect(new Set(answers)).toEqual(new Set(["not-verifiable no-rule"]));
});

test("a modulus of 0 means no base test: only standalone exceptions then decide", () => {
  expect(withRow({ modulus: 0 })("1234567890")).toBe("not-verifiable no-rule");
  expect(withRow({ modulus: 0, exception: "b" })("1234567890")).toBe("not-verifiable no-rule");
  const byF = first("4", 10, (one) => left("17329874321", pad(one), 10) === 0);
  expect(withRow({ modulus: 0, weights: null, exception: "f" })(byF)).toBe("valid");
});

test("the digit of an accepted remainder counts from the right; if it fits only from the left, nothing is refused", () => {
  const at = withRow({ weights: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], accepts: { remainder: 1, position: 1, digits: [0, 1] } });
  expect(at("11000000010")).toBe("invalid check-digit");
  expect(at("56000000001")).toBe("valid");
  expect(at("05000000007")).toBe("not-verifiable no-rule");
  expect(at("55000000002")).toBe("invalid check-digit");
});

test("a number of more than 11 significant digits cannot be weighed by 11 weights", () => {
  expect(withRow({})("1234567890123")).toBe("not-verifiable no-rule");
});
