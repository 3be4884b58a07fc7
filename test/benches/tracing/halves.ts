// Which debits of a tracing bench are traced: services trace the lower half of all UETRs, and the bank chooses a half
// for each debit. So one process plays loads of every share in turns.

/** What `SLUICE_TRACES_RATIO` is then. */
export const tracedHalf = 0.5;

const digits = 16;
const lowerHalf = digits / 2;

/** Spreads the share evenly over the numbers. */
export function isTraced(number: number, share: number): boolean {
  return Math.floor((number + 1) * share) > Math.floor(number * share);
}

/** Changes the first digit of a UETR, so that it is in the lower or in the upper half. */
export function placeInHalf(uetr: string, isLower: boolean): string {
  const first = (Number.parseInt(uetr.charAt(0), digits) % lowerHalf) + (isLower ? 0 : lowerHalf);
  return `${first.toString(digits)}${uetr.slice(1)}`;
}
