// Finds debits that were held while nothing was in their way, and were not released all the same. A day without such
// debits has queues that are read to their ends, whatever a page holds.
//
// #1 Only calm days are examined, in which the bank may have every debit at once. There a debit is in time if it was
//    held, and the gate was open, well before the last window closed.
// #2 The item says why a debit was not released. Every cause but one names what was in the way.

import type { HistoryEntry, SnapshotEntry } from "@sluice/checker";
import { calmScenario, type Scenario } from "./scenario.ts";

/** Milliseconds in which a held debit is released where nothing is in the way. */
const releasedWithinMs = 10_000;

/** Returns a sentence for each of them. `closesAtMs` is when the last window closes, in epoch milliseconds. */
export function findPassedOver(scenario: Scenario, history: readonly HistoryEntry[], closesAtMs: number): readonly string[] {
  if (scenario.maxUnacknowledged < calmScenario.maxUnacknowledged || scenario.dates.night !== null) return [];
  const latestMs = closesAtMs - releasedWithinMs;
  const gates = history.filter((entry) => entry.kind === "record" && entry.type === "GateOpened");
  if (gates.some((entry) => entry.kind === "record" && entry.appendedAtMs > latestMs)) return [];
  return history.flatMap((entry) => (entry.kind === "snapshot" && isPassedOver(entry, latestMs) ? [`${entry.uetr} was passed over`] : []));
}

/** #2 */
function isPassedOver({ items, transitions }: SnapshotEntry, latestMs: number): boolean {
  const held = transitions.findLast(({ state }) => state === "HELD");
  return held !== undefined && held.atMs < latestMs && items.some(({ cause }) => cause === "NOT_REACHED_BEFORE_CLOSE");
}
