// Checks that the bank of the outage was down and came back as planned, by what it received and by what the console
// showed meanwhile.
//
// #1 Nothing reached the bank while it refused connections. After that it took messages again before the day was over.
// #2 If no service was killed, messages waited for the bank, and none did at the end. That each one arrived is checked
//    in `day.ts`.

import type { RecordedRequest } from "@sluice/testkit";
import type { Outage } from "../play/outage.ts";

/** Returns one sentence for each problem. `isCalm` means that no service was killed. */
export function checkOutage(requests: readonly RecordedRequest[], outage: Outage | null, isCalm: boolean): readonly string[] {
  if (outage === null) return [];
  const { bank, downAtMs, upAtMs, firstTakenAtMs, drainedAtMs, looks } = outage;
  const problems: string[] = [];
  const early = requests.filter(
    ({ entry }) => entry.kind === "received" && entry.bank === bank && entry.atMs > downAtMs && entry.atMs < upAtMs,
  );
  if (early.length > 0) problems.push(`${bank} received ${early.length} messages while it refused connections`);
  if (firstTakenAtMs === null) problems.push(`${bank} took nothing when it was back`);
  if (isCalm && !looks.some(({ waiting }) => waiting > 0)) problems.push(`nothing was seen to wait for ${bank} while it was down`);
  if (isCalm && drainedAtMs === null) problems.push(`something still waited for ${bank} at the end of the day`);
  return problems;
}
