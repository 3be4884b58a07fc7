// Whether the bank that went down was down and came back as planned, by what it received and by what the console said meanwhile.
//
// #1 While its door was closed nothing reached it; when it was back it took messages again, before the day was over.
// #2 Where no service was killed: messages waited for it, and all were gone in the end. That each arrived is checked with the day's (`check-day.ts`).

import type { RecordedRequest } from "@sluice/testkit";
import type { Outage } from "./outage.ts";

/** `isCalm`: no service was killed. One sentence for each thing that is off. */
export function checkOutage(requests: readonly RecordedRequest[], outage: Outage | null, isCalm: boolean): readonly string[] {
  if (outage === null) return [];
  const { bank, downAtMs, upAtMs, firstTakenAtMs, drainedAtMs, looks } = outage;
  const problems: string[] = [];
  const early = requests.filter(
    ({ entry }) => entry.kind === "received" && entry.bank === bank && entry.atMs > downAtMs && entry.atMs < upAtMs,
  );
  if (early.length > 0) problems.push(`${bank} received ${early.length} messages while its door was closed`);
  if (firstTakenAtMs === null) problems.push(`${bank} took nothing when it was back`);
  if (isCalm && !looks.some(({ waiting }) => waiting > 0)) problems.push(`nothing was seen to wait for ${bank} while it was down`);
  if (isCalm && drainedAtMs === null) problems.push(`something still waited for ${bank} at the end of the day`);
  return problems;
}
