// What one promise's check answers: what is broken, and how much it looked at.

import type { Violation } from "./history.ts";

export interface Finding {
  readonly violations: readonly Violation[];
  readonly counts: Readonly<Record<string, number>>;
}
