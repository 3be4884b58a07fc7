// I14, isolation: one receiver's trouble does not delay another. It is checked only where the options bound a first
// attempt (`firstAttemptWithinMs`), because crashes and outages of servers delay every receiver.
//
// #1 A receiver is healthy if it answered every request of the last five minutes with a 2xx. A message to it is first
//    tried within the bound (`first-waits.ts`).

import type { Evidence } from "../evidence/evidence.ts";
import { collectFirstWaits, isTaken } from "../evidence/first-waits.ts";
import type { PromiseFinding } from "./finding.ts";
import type { Violation } from "../history.ts";

export function checkIsolation(evidence: Evidence): PromiseFinding {
  const { firstAttemptWithinMs } = evidence;
  if (firstAttemptWithinMs === null) return { violations: [], counts: {} };
  const waits = collectFirstWaits(evidence).filter(({ answers }) => answers.every(isTaken));
  const violations = waits
    .filter(({ waitedMs }) => waitedMs > firstAttemptWithinMs + evidence.clockToleranceMs)
    .map(({ delivery, waitedMs }): Violation => {
      const text = `${delivery.id} was first tried after ${waitedMs} ms, though ${delivery.bank} was healthy`;
      return { promise: "I14", uetr: delivery.uetr, text };
    });
  return { violations, counts: { firstAttemptsInTime: waits.length } };
}
