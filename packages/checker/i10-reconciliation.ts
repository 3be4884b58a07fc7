// I10, reconciliation: at the close, the items made = the unresolved, as sets, one each.
//
// The unresolved are told from journal and events alone: what closes with the day and has no end whose cause lies below the close's
// marker in its lane. Each of them has entered RECONCILIATION with exactly one unsettled item of that day, whose row fits the state
// before; nobody else has. An item shown early (row 3, the state stays) stands beside this, and the close takes it over.

import { closeOf } from "./close.ts";
import type { Evidence, Journey } from "./evidence.ts";
import type { Finding } from "./finding.ts";
import type { SnapshotItem, Violation } from "./history.ts";
import { terminalStates } from "./i5-one-end.ts";

const rows: Readonly<Record<string, readonly number[]>> = {
  RECEIVED: [4],
  ACCEPTED: [5, 3],
  REJECTED: [5, 3],
  HELD: [0],
  RELEASED: [7, 8, 3],
  DELIVERED: [9],
};

export function checkReconciliation(evidence: Evidence): Finding {
  const violations: Violation[] = [];
  let unresolved = 0;
  let items = 0;
  for (const journey of evidence.journeys) {
    const { day, marker } = closeOf(evidence, journey);
    const isDue = marker !== null && !isResolvedBelow(journey, marker.at);
    const made = madeAtClose(journey);
    unresolved += isDue ? 1 : 0;
    items += made.length;
    violations.push(...judge(journey, day, isDue, made, evidence.isDrained));
  }
  return { violations, counts: { unresolvedAtClose: unresolved, itemsAtClose: items } };
}

function isResolvedBelow(journey: Journey, marker: bigint): boolean {
  return journey.events.some((event) => terminalStates.has(event.state) && event.state !== "RECONCILIATION" && event.causedBy < marker);
}

/** Unsettled items, but for those shown early while the state stays. */
function madeAtClose(journey: Journey): readonly SnapshotItem[] {
  const { snapshot } = journey;
  const unsettled = snapshot?.items.filter((item) => item.settledAtMs === null) ?? [];
  if (snapshot === null || terminalStates.has(snapshot.state)) return unsettled;
  return unsettled.filter((item) => item.row !== 3 || item.state !== snapshot.state);
}

function judge(journey: Journey, day: string, isDue: boolean, made: readonly SnapshotItem[], isDrained: boolean): readonly Violation[] {
  const { uetr } = journey;
  const isReconciled = journey.events.some((event) => event.state === "RECONCILIATION") || journey.snapshot?.state === "RECONCILIATION";
  const says = (text: string): readonly Violation[] => [{ promise: "I10", uetr, text }];
  if (!isDue) {
    if (isReconciled) return says(`RECONCILIATION, though it was not unresolved at a close of ${day || "any day"}`);
    return made.length === 0 ? [] : says(`${made.length} items, though it was not unresolved at a close of ${day || "any day"}`);
  }
  const ended = journey.events.find((event) => terminalStates.has(event.state) && event.state !== "RECONCILIATION");
  if (ended !== undefined) return says(`${ended.state} (offset ${ended.causedBy}) after the close of ${day}`);
  if (!isReconciled) return isDrained ? says(`unresolved at the close of ${day}, but not RECONCILIATION`) : [];
  if (journey.snapshot === null) return [];
  const [item, ...more] = made;
  if (item === undefined || more.length > 0) return says(`one item at the close of ${day} was expected, there are ${made.length}`);
  if (item.day !== day) return says(`the item is of ${item.day}, not of ${day}`);
  return wrongRow(item, isDrained).flatMap(says);
}

function wrongRow(item: SnapshotItem, isDrained: boolean): readonly string[] {
  if (item.row === null) {
    if (item.state !== "RELEASED") return [`the item made in ${item.state} has no row`];
    return isDrained ? ["the item has no row, though everything is at rest"] : [];
  }
  const fitting = rows[item.state] ?? [];
  return fitting.includes(item.row) ? [] : [`row ${item.row} does not fit ${item.state} (${fitting.join(" or ") || "no item"})`];
}
