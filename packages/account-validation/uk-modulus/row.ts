// One check of rule uk-modulus: a row of the table on a sort code and an account number, with the changes of the row's
// exception.
//
// Positions: u v w x y z are the sort code, a b c d e f g h the account number.

import { weigh, weighByDigits } from "../check-digits.ts";
import type { StepListener } from "../check-steps.ts";
import type { UkMethod, UkRow } from "./data.ts";

export interface UkNumber {
  readonly sortCode: string;
  /** The account number, eight digits. */
  readonly account: string;
}

export type Substitutions = Readonly<Record<string, string>> | null;

/** `unsure` means not known, which is no reason to refuse. */
export type UkVerdict = "passes" | "fails" | "unsure";

const highestException = 14;

export function checkUkRow(row: UkRow, number: UkNumber, substitutions: Substitutions, note: StepListener): UkVerdict {
  const { exception } = row;
  const name = `${row.sortCodes.join("–")} ${row.method}`;
  note?.({ step: "row", row: name, exception: exception === null ? null : String(exception), confidence: null });
  if (exception !== null && (exception < 1 || exception > highestException)) {
    note?.({ step: "finding", text: `exception ${exception} is not known` });
    return "unsure";
  }
  if (exception === 5 && substitutions === null) {
    note?.({ step: "finding", text: "exception 5 needs the substitution file, which was not imported" });
    return "unsure";
  }
  const sortCode = sortCodeFor(row, number, substitutions, note);
  if (isRight(row, `${sortCode}${number.account}`, note)) return "passes";
  return exception === 14 && isRightWithoutLast(row, sortCode, number.account, note) ? "passes" : "fails";
}

function sortCodeFor({ exception }: UkRow, { sortCode }: UkNumber, substitutions: Substitutions, note: StepListener): string {
  const taken = applySubstitution(exception, sortCode, substitutions);
  if (taken !== sortCode) note?.({ step: "finding", text: `exception ${exception}: sort code ${taken} is taken instead` });
  return taken;
}

function applySubstitution(exception: number | null, sortCode: string, substitutions: Substitutions): string {
  if (exception === 5) return substitutions?.[sortCode] ?? sortCode;
  if (exception === 8) return "090126";
  return exception === 9 ? "309634" : sortCode;
}

const euro = [0, 0, 1, 2, 5, 3, 6, 4, 8, 7, 10, 9, 3, 1];
const euroWithNine = [0, 0, 0, 0, 0, 0, 0, 0, 8, 7, 10, 9, 3, 1];

function weightsFor({ exception, weights }: UkRow, digits: string): readonly number[] {
  const isNineAtG = digits[12] === "9";
  const ab = digits.slice(6, 8);
  if (exception === 2 && digits[6] !== "0") return isNineAtG ? euroWithNine : euro;
  const isZeroed = isNineAtG && (exception === 7 || (exception === 10 && (ab === "09" || ab === "99")));
  return isZeroed ? weights.map((weight, index) => (index < 8 ? 0 : weight)) : weights;
}

function isRight(row: UkRow, digits: string, note: StepListener): boolean {
  const { method, exception } = row;
  const modulus = method === "MOD11" ? 11 : 10;
  const test = exception === null ? method : `${method}, exception ${exception}`;
  const weighing = { test, weights: weightsFor(row, digits), modulus, fudge: exception === 1 ? 27 : 0 };
  const remainder = method === "DBLAL" ? weighByDigits(digits, weighing, note) : weigh(digits, weighing, note);
  if (exception !== 4 && exception !== 5) return remainder === 0;
  return isCompared(exception, method, remainder, digits, note);
}

/**
 * Compares the check digits instead of weighing them: gh by exception 4; by exception 5 g for modulus 11 (which has no
 * digit for a remainder of 1) and h for double alternate.
 */
function isCompared(exception: 4 | 5, method: UkMethod, remainder: number, digits: string, note: StepListener): boolean {
  const name = exception === 4 ? "gh" : method === "DBLAL" ? "h" : "g";
  const wanted = exception === 4 || remainder === 0 ? remainder : (method === "MOD11" ? 11 : 10) - remainder;
  const given = Number(name === "gh" ? digits.slice(12) : digits[name === "g" ? 12 : 13]);
  note?.({ step: "finding", text: `exception ${exception}: ${name} must be ${wanted} and is ${given}` });
  return wanted === given;
}

/** Exception 14 tries a number that ends in 0, 1 or 9 again without that digit. */
function isRightWithoutLast(row: UkRow, sortCode: string, account: string, note: StepListener): boolean {
  if (!/[019]$/.test(account)) return false;
  note?.({ step: "finding", text: "exception 14: tried again without the last digit" });
  return isRight(row, `${sortCode}0${account.slice(0, -1)}`, note);
}
