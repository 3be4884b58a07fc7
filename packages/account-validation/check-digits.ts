// The arithmetic: plain products (not Luhn's digit sums), leftmost weight on the leftmost of eleven padded digits.

const paddedDigits = 11;

/** Eleven digits; null for a number that has more significant ones. */
export function padded(account: string): string | null {
  const significant = account.replace(/^0+/, "");
  return significant.length > paddedDigits ? null : significant.padStart(paddedDigits, "0");
}

/** Of the weighted sum plus the fudge by the modulus. */
export function remainder(digits: string, weights: readonly number[], modulus: number, fudge: number): number {
  return weights.reduce((sum, weight, index) => sum + weight * Number(digits[index]), fudge) % modulus;
}
