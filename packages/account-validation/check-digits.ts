// The arithmetic of check digits: digit by weight, leftmost on leftmost. All rules add plain products but one: double
// alternate adds the digits of each product.

import type { StepListener } from "./check-steps.ts";

const paddedDigits = 11;

/** Pads a number to eleven digits; null if it has more significant ones. */
export function padAccount(account: string): string | null {
  const significant = account.replace(/^0+/, "");
  return significant.length > paddedDigits ? null : significant.padStart(paddedDigits, "0");
}

export interface Weighing {
  /** The test's name in an explanation. */
  readonly test: string;
  readonly weights: readonly number[];
  readonly modulus: number;
  readonly fudge: number;
}

/** The remainder of the weighted sum plus the fudge by the modulus: 0 … modulus − 1, also for negative weights. */
export function weigh(digits: string, weighing: Weighing, note: StepListener = null): number {
  return computeRemainder(digits, weighing, (product) => product, note);
}

/** The same, with the digits of each product added up (UK double alternate). */
export function weighByDigits(digits: string, weighing: Weighing, note: StepListener = null): number {
  return computeRemainder(digits, weighing, digitSum, note);
}

function computeRemainder(
  digits: string,
  { test, weights, modulus, fudge }: Weighing,
  counted: (product: number) => number,
  note: StepListener,
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
