// Rule uk-modulus: does this account number fit this sort code, by the table that the clearing house publishes?
//
// #1 A sort code without a row is presumed valid, which is `not-verifiable` here: nobody has looked.
// #2 Of two rows both must pass, but: the pairs of exceptions 2 and 9, 10 and 11, 12 and 13 are alternatives, and 3 spares the second
//    check where c is 6 or 9. Exception 6 accepts foreign currency accounts without a check.
// #3 Numbers of 6 and 7 digits are padded. Others than 8 digits are cut differently from bank to bank: not verifiable.

import type { Judgement } from "./judgement.ts";
import type { Note } from "./steps.ts";
import { checkRow } from "./uk-modulus-check.ts";
import type { UkNumber, UkVerdict } from "./uk-modulus-check.ts";
import type { UkModulusData, UkRow } from "./uk-modulus-data.ts";

export interface UkQuestion {
  /** Null: not given. */
  readonly branch: string | null;
  readonly account: string;
}

const digitsMax = 10;

export function judgeByUkModulus({ branch, account }: UkQuestion, data: UkModulusData, note: Note = null): Judgement {
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

function judgeRows(rows: readonly UkRow[], number: UkNumber, { substitutions }: UkModulusData, note: Note): UkVerdict {
  const [first, second, ...more] = rows;
  if (first === undefined || more.length > 0) return "unsure";
  if (isForeignCurrency(rows, number)) {
    note?.({ step: "finding", text: "exception 6: a foreign currency account is accepted without a check" });
    return "passes";
  }
  const verdict = checkRow(first, number, substitutions, note);
  if (second === undefined || verdict === "unsure") return verdict;
  const areAlternatives = alternatives.get(first.exception ?? 0) === second.exception;
  if (areAlternatives) return verdict === "passes" ? verdict : checkRow(second, number, substitutions, note);
  if (verdict === "fails") return verdict;
  if (second.exception === 3 && /^..[69]/.test(number.account)) {
    note?.({ step: "finding", text: "exception 3: no second check, as c is 6 or 9" });
    return verdict;
  }
  return checkRow(second, number, substitutions, note);
}

const alternatives: ReadonlyMap<number, number> = new Map([
  [2, 9],
  [10, 11],
  [12, 13],
]);

function isForeignCurrency(rows: readonly UkRow[], { account }: UkNumber): boolean {
  return rows.some(({ exception }) => exception === 6) && /^[4-8]/.test(account) && account[6] === account[7];
}
