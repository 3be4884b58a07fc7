// The result of one promise's check: its violations, and how much it examined.

import type { Violation } from "../history.ts";

export interface PromiseFinding {
  readonly violations: readonly Violation[];
  readonly counts: Readonly<Record<string, number>>;
}
