// What the rows' letters and notes say beyond the weights. The data names them; their meaning is code.
//
// Built: m (Standard Bank), v (African Bank). Not built yet: b, e, f, h, p, of rows of medium confidence: where only they
// could tell, the answer is `not-verifiable`.

import { remainder } from "./check-digits.ts";
import type { CdvRow } from "./za-cdv-data.ts";

export const knownExceptions: ReadonlySet<string> = new Set(["m", "v"]);

/** `digits`: padded to 11. `length`: of the number as given. */
export interface Number11 {
  readonly branch: string;
  readonly digits: string;
  readonly length: number;
}

const standardBankCentral = "051001";

/** Conditions from the rows' notes, by the row's bank: what the row is about. */
const conditions: ReadonlyMap<string, (number: Number11) => boolean> = new Map([
  [
    "Standard Bank of South Africa",
    ({ branch, digits, length }: Number11) => branch === standardBankCentral || length <= 9 || digits.startsWith("00"),
  ],
  ["Nedbank, current", ({ digits }: Number11) => digits.startsWith("01")],
  ["Nedbank, savings", ({ digits }: Number11) => digits.startsWith("02")],
]);

/** False: the row says nothing about such a number. */
export function isAbout(row: CdvRow, number: Number11): boolean {
  if (row.digitsAsGiven !== null && !row.digitsAsGiven.includes(number.length)) return false;
  return conditions.get(row.bank)?.(number) ?? true;
}

const weightsOfM = [13, 12, 9, 8, 7, 6, 5, 4, 3, 2, 1];

/** A number that failed the base test: does the row's exception take it all the same? Eleven padded digits that start with 1 are eleven. */
export function acceptsByException(row: CdvRow, { branch, digits }: Number11): boolean {
  if (row.exception !== "m") return false;
  return branch === standardBankCentral && digits.startsWith("1") && remainder(digits, weightsOfM, 11, 0) === 0;
}

/** Exception v: accounts that take credits only. In force since 10 July 2021. */
export function isAllowedDirection(row: CdvRow, digits: string, direction: "debit" | "credit"): boolean {
  return row.exception !== "v" || direction === "credit" || !/^[389]/.test(digits);
}
