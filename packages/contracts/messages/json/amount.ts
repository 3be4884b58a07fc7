// The decimal text of an Amount, with exactly the digits that came in: the wire keeps the value unscaled at scale 4,
// and `digits` says how many digits stand after the point in the text.

import { assert } from "@sluice/kernel";
import type { Amount } from "../../generated/records.ts";

export const amountScale = 4;

/** Formats an amount: { value: 12505000n, digits: 2 } is "1250.50". */
export function amountText(amount: Amount): string {
  const { value, digits } = amount;
  assert(value >= 0n && digits >= 0 && digits <= amountScale, "an amount has 0 to 4 digits after the point and is not negative");
  const all = value.toString().padStart(amountScale + 1, "0");
  const whole = all.slice(0, -amountScale);
  const fraction = all.slice(-amountScale);
  assert(/^0*$/.test(fraction.slice(digits)), "every digit of an amount is written");
  return digits === 0 ? whole : `${whole}.${fraction.slice(0, digits)}`;
}
