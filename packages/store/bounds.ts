// The bounds of the port, checked by every adapter: a call beyond them is a programming error.

import { assert } from "@sluice/kernel";

/** Documents of one call that writes, or reads by key. */
export const bulkMax = 1_000;
export const pageMax = 10_000;
/** Days that are not reconciled, of all schemes. Each date is one; none stays for long unless something is wrong. */
export const openDaysMax = 10_000;
export const endpointsMax = 10_000;
/** Checks of one endpoint. */
export const checksKept = 10;
const searchMax = 1_000;
export const groupsMax = 100_000;

export function assertBulk(size: number): void {
  assert(size <= bulkMax, `a bulk of ${size}, at most ${bulkMax}`);
}

export function assertPage(limit: number): void {
  assert(Number.isInteger(limit) && limit > 0 && limit <= pageMax, `a page of ${limit}, 1 to ${pageMax}`);
}

export function assertSearch(limit: number): void {
  assert(Number.isInteger(limit) && limit > 0 && limit <= searchMax, `a page of ${limit}, 1 to ${searchMax}`);
}
