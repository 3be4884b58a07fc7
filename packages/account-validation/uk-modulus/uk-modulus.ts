// Rule uk-modulus: does this account number fit this sort code, by the table that the clearing house publishes?
//
// #1 A sort code without a row is presumed valid, which is `not-verifiable` here because nothing was checked.
// #2 Of two rows both must pass, with these exceptions: the pairs 2 and 9, 10 and 11, 12 and 13 are alternatives; 3
//    skips the second check if c is 6 or 9; 6 accepts foreign currency accounts without a check.
// #3 Numbers of 6 and 7 digits are padded. Banks cut numbers of other lengths than 8 in different ways: not verifiable.

import type { RuleVerdict } from "../rule-verdict.ts";
import type { StepListener } from "../check-steps.ts";
import { checkUkRow, type UkNumber, type UkVerdict } from "./row.ts";
import type { UkModulusData, UkRow } from "./data.ts";

export interface UkQuestion {
  /** The sort code; null: not given. */
  readonly branch: string | null;
  readonly account: string;
}

const digitsMax = 10;

export function checkUkModulus({ branch, account }: UkQuestion, data: UkModulusData, note: StepListener = null): RuleVerdict {
  if (!/^\d+$/.test(account)) return { result: "invalid", reason: "not-numeric" };
  if (account.length > digitsMax) return { result: "invalid", reason: "too-long" };
  if (/^0+$/.test(account)) return { result: "invalid", reason: "zero" };
  if (branch === null || !/^\d{6}$/.test(branch)) return { result: "not-verifiable", reason: "unknown-branch" };
  if (account.length < 6 || account.length > 8) return { result: "not-verifiable", reason: "no-rule" };
  const number = { sortCode: branch, account: account.padStart(8, "0") };
  note?.({ step: "number", given: account, digits: `${branch}${number.account}` });
  const verdict = judgeRows(
    data.at(branch).map(({ value }) => value),
    number,
    data,
    note,
  );
  if (verdict === "unsure") return { result: "not-verifiable", reason: "no-rule" };
  return verdict === "passes" ? { result: "valid", reason: null } : { result: "invalid", reason: "check-digit" };
}

function judgeRows(rows: readonly UkRow[], number: UkNumber, { substitutions }: UkModulusData, note: StepListener): UkVerdict {
  const [first, second, ...more] = rows;
  if (first === undefined || more.length > 0) return "unsure";
  if (isForeignCurrency(rows, number)) {
    note?.({ step: "finding", text: "exception 6: a foreign currency account is accepted without a check" });
    return "passes";
  }
  const verdict = checkUkRow(first, number, substitutions, note);
  if (second === undefined || verdict === "unsure") return verdict;
  const areAlternatives = alternatives.get(first.exception ?? 0) === second.exception;
  if (areAlternatives) return verdict === "passes" ? verdict : checkUkRow(second, number, substitutions, note);
  if (verdict === "fails") return verdict;
  if (second.exception === 3 && /^..[69]/.test(number.account)) {
    note?.({ step: "finding", text: "exception 3: no second check, as c is 6 or 9" });
    return verdict;
  }
  return checkUkRow(second, number, substitutions, note);
}

const alternatives: ReadonlyMap<number, number> = new Map([
  [2, 9],
  [10, 11],
  [12, 13],
]);

function isForeignCurrency(rows: readonly UkRow[], { account }: UkNumber): boolean {
  return rows.some(({ exception }) => exception === 6) && /^[4-8]/.test(account) && account[6] === account[7];
}
