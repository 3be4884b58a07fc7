// The arithmetic: digit by weight, leftmost on leftmost. Plain products for all rules but one: double alternate adds the digits of each
// product.

import type { Note } from "./steps.ts";

const paddedDigits = 11;

/** Eleven digits; null for a number that has more significant ones. */
export function padded(account: string): string | null {
  const significant = account.replace(/^0+/, "");
  return significant.length > paddedDigits ? null : significant.padStart(paddedDigits, "0");
}

export interface Weighing {
  /** What it is called where it is explained. */
  readonly test: string;
  readonly weights: readonly number[];
  readonly modulus: number;
  readonly fudge: number;
}

/** Of the weighted sum plus the fudge by the modulus: 0 … modulus − 1, also where weights are negative. */
export function weigh(digits: string, weighing: Weighing, note: Note = null): number {
  return remainderOf(digits, weighing, (product) => product, note);
}

/** The same, with the digits of each product added up (UK double alternate). */
export function weighByDigits(digits: string, weighing: Weighing, note: Note = null): number {
  return remainderOf(digits, weighing, digitSum, note);
}

function remainderOf(
  digits: string,
  { test, weights, modulus, fudge }: Weighing,
  counted: (product: number) => number,
  note: Note,
): number {
  const total = weights.reduce((sum, weight, index) => sum + counted(weight * digitAt(digits, index)), fudge);
  const remainder = ((total % modulus) + modulus) % modulus;
  note?.({
    step: "weighing",
    test,
    digits,
    weights,
    products: weights.map((weight, index) => counted(weight * digitAt(digits, index))),
    fudge,
    total,
    modulus,
    remainder,
  });
  return remainder;
}

function digitAt(digits: string, index: number): number {
  return Number(digits[index] ?? "0");
}

function digitSum(product: number): number {
  let sum = 0;
  for (let rest = Math.abs(product); rest > 0; rest = Math.floor(rest / 10)) sum += rest % 10;
  return Math.sign(product) * sum;
}
