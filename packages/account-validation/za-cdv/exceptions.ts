// The meaning of the rows' exception letters. The data names the letters; their meaning is code, from the data's own
// `exceptions`.
//
// #1 b, f, h, m and p accept numbers that the base test does not; e and v restrict numbers that pass. v is about
//    directions and is checked once a number has passed.
// #2 f and h are standalone: a row may have them without weights.
// #3 The meaning of p is of low confidence: it can accept, and what it does not accept is unsure, never wrong.
// #4 A letter that is not in this list has an unknown meaning: no number of such a row is decided.

import { weigh, type Weighing } from "../check-digits.ts";
import type { StepListener } from "../check-steps.ts";

const knownExceptions = ["b", "e", "f", "h", "m", "p", "v"] as const;
export type CdvException = (typeof knownExceptions)[number];

/** One number of one account type, as the tests read it. */
export interface CdvNumber {
  readonly branch: string;
  readonly accountType: number;
  readonly given: string;
  /** Padded to 11 digits; null: it has more significant digits, which only exception h can check. */
  readonly digits: string | null;
}

/**
 * `unsure` means not known, which is never a reason to refuse; `not-about`, that the row does not apply to the number.
 */
export type RowVerdict = "passes" | "fails" | "unsure" | "not-about";

/** `remainder` is that of the row's base test; null: it has none. */
export type CdvExceptionCheck = (number: CdvNumber, remainder: number | null, note: StepListener) => RowVerdict;

export const cdvExceptionChecks: Readonly<Record<CdvException, CdvExceptionCheck>> = {
  b: ({ given }, remainder) => {
    if (remainder === null) return "unsure";
    return isPass(remainder === 0 || (remainder === 1 && /[01]$/.test(given)));
  },
  e: ({ digits }, remainder) => {
    if (remainder === null) return "unsure";
    return isPass(remainder === 0 && /^0[1-9]/.test(digits ?? "") && !(digits ?? "").endsWith("00"));
  },
  f: (number, remainder, note) => isPass(remainder === 0 || acceptsF(number, note)),
  h: checkH,
  m: ({ branch, digits }, remainder, note) => {
    if (remainder === null) return "unsure";
    const isAsked = branch === standardBankCentral && (digits ?? "").startsWith("1");
    return isPass(remainder === 0 || (isAsked && weigh(digits ?? "", mWeights, note) === 0));
  },
  p: ({ accountType, digits }, remainder, note) => {
    if (remainder === null) return "unsure";
    if (remainder === 0) return "passes";
    return accountType === 2 && weigh(digits ?? "", pWeights, note) === 0 ? "passes" : "unsure";
  },
  v: (_, remainder) => (remainder === null ? "unsure" : isPass(remainder === 0)),
};

export const standaloneExceptions: ReadonlySet<string> = new Set<CdvException>(["f", "h"]);

export function isKnownException(letter: string): letter is CdvException {
  return (knownExceptions as readonly string[]).includes(letter);
}

/** Exception v: accounts that accept credits only. In force since 10 July 2021. */
export function isDebitRefusedByV(digits: string, onDate: string): boolean {
  return onDate >= "2021-07-10" && /^[389]/.test(digits);
}

export const standardBankCentral = "051001";

const mWeights: Weighing = { test: "exception m", weights: [13, 12, 9, 8, 7, 6, 5, 4, 3, 2, 1], modulus: 11, fudge: 0 };
const pWeights: Weighing = { test: "exception p", weights: [1, 4, 3, 2, 9, 8, 7, 4, 3, 2, 1], modulus: 10, fudge: 0 };

const fWeights = {
  f1: { test: "exception f (1)", weights: [1, 7, 3, 2, 9, 8, 7, 4, 3, 2, 1], modulus: 10, fudge: 0 },
  f2: { test: "exception f (2)", weights: [1, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1], modulus: 11, fudge: 0 },
  f3: { test: "exception f (3)", weights: [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1], modulus: 11, fudge: 0 },
  f4: { test: "exception f (4)", weights: [1, 1, 3, 2, 7, 6, 5, 4, 3, 2, 1], modulus: 11, fudge: 0 },
  f5: { test: "exception f (5)", weights: [1, 4, 3, 2, 9, 8, 7, 4, 3, 2, 1], modulus: 10, fudge: 0 },
} satisfies Record<string, Weighing>;

/** Exception f uses the length of the number as given, because old and new numbers of the bank differ by it. */
function acceptsF({ accountType, given, digits }: CdvNumber, note: StepListener): boolean {
  if (digits === null) return false;
  const { f1, f2, f3, f4, f5 } = fWeights;
  if (accountType === 2 && given.length === 11 && given.startsWith("53")) {
    note?.({ step: "finding", text: "exception f: savings, 11 digits that start with 53, is accepted without a test" });
    return true;
  }
  if (weigh(digits, f1, note) === 0 || weigh(digits, f2, note) === 0) return true;
  const third = weigh(digits, f3, note);
  if (third === 0 || (third === 1 && /^\d{9,10}[01]$/.test(given))) return true;
  if (weigh(digits, f4, note) === 0) return true;
  if (given.length < 10 && weigh(plusSix(digits), { ...f4, test: "exception f (4), last digit plus 6" }, note) === 0) return true;
  return weigh(digits, f5, note) === 0;
}

function plusSix(digits: string): string {
  return `${digits.slice(0, -1)}${(Number(digits.at(-1)) + 6) % 10}`;
}

const hWeights: Weighing = { test: "exception h", weights: [1, 1, 1, 29, 23, 19, 17, 13, 7, 3, 1], modulus: 11, fudge: 0 };
/** If the check digit would have to be 10, the seventh digit replaces it, and the eighth is not weighed. */
const hSecondWeights: Weighing = {
  test: "exception h, seventh digit repeated",
  weights: [1, 1, 1, 29, 23, 19, 17, 13, 7, 3, 0],
  modulus: 11,
  fudge: 10,
};

/**
 * Exception h: of 13 digits the first eight count, the eighth as their check digit. Other lengths get the base test.
 */
function checkH({ accountType, given }: CdvNumber, remainder: number | null, note: StepListener): RowVerdict {
  if (given.length !== 13) {
    if (remainder === null) return "not-about";
    return isPass(remainder === 0);
  }
  const isInRange = accountType !== 1 || (given >= "8000000000001" && given <= "8999999999901");
  const first8 = given.slice(0, 8);
  if (!isInRange || /^0+$/.test(first8)) return "not-about";
  const digits = first8.padStart(11, "0");
  if (weigh(digits, hWeights, note) === 0) return "passes";
  return isPass(first8[6] === first8[7] && weigh(digits, hSecondWeights, note) === 0);
}

function isPass(isPassed: boolean): RowVerdict {
  return isPassed ? "passes" : "fails";
}
