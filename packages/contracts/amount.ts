// An Amount's decimal text: the digits that came in. Scale 4 unscaled on the wire, `digits` after the point in the text.

import { assert } from "@sluice/runtime";
import type { Amount } from "./generated/records.ts";

export const amountScale = 4;

/** For example 1250.50 of { value: 12505000n, digits: 2 }. */
export function amountText(amount: Amount): string {
  const { value, digits } = amount;
  assert(value >= 0n && digits >= 0 && digits <= amountScale, "an amount has 0 to 4 digits after the point and is not negative");
  const all = value.toString().padStart(amountScale + 1, "0");
  const whole = all.slice(0, -amountScale);
  const fraction = all.slice(-amountScale);
  assert(/^0*$/.test(fraction.slice(digits)), "an amount's digits are all written");
  return digits === 0 ? whole : `${whole}.${fraction.slice(0, digits)}`;
}
