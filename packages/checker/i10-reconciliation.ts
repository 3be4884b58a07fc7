// I10, reconciliation: at the close, the items made = the unresolved, as sets, one each.
//
// The unresolved are told from journal and events alone: what closes with the day and has no end whose cause lies below the close's
// marker in its lane (a credit: below the first DeadlinePassed that is not before its deadline). Each of them has entered RECONCILIATION with exactly one unsettled item of that day, whose row fits the state
// before; nobody else has. An item shown early (row 3, the state stays) stands beside this, and the close takes it over. So does an outcome
// that was not delivered to the connector (OUTCOME_UNDELIVERED).

import { closeOf, deadlineOf } from "./close.ts";
import type { Evidence, Journey, PlacedRecord } from "./evidence.ts";
import type { Finding } from "./finding.ts";
import type { SnapshotItem, Violation } from "./history.ts";
import { isReconciliation, terminalStates } from "./states.ts";
import { textAt } from "./value.ts";

const rows: Readonly<Record<string, readonly number[]>> = {
  RECEIVED: [4],
  ACCEPTED: [5, 3],
  REJECTED: [5, 3],
  HELD: [0],
  RELEASED: [7, 8, 3],
  DELIVERED: [9],
  CREDIT_AUTH_RECEIVED: [4],
  CREDIT_AUTH_ACCEPTED: [4],
  CREDIT_AUTH_DELIVERY_PENDING: [7, 8, 3],
  CREDIT_AUTH_DELIVERED: [9],
};
const rowByAnswer: ReadonlySet<string> = new Set(["RELEASED", "CREDIT_AUTH_DELIVERY_PENDING"]);

export function checkReconciliation(evidence: Evidence): Finding {
  const violations: Violation[] = [];
  let unresolved = 0;
  let items = 0;
  for (const journey of evidence.journeys) {
    const { day, marker } = endOf(evidence, journey);
    const isDue = marker !== null && !isResolvedBelow(journey, marker.at);
    const made = madeAtClose(journey);
    unresolved += isDue ? 1 : 0;
    items += made.length;
    violations.push(...judge(journey, day, isDue, made, evidence.isDrained), ...outcomeItem(journey, marker, evidence.isDrained));
  }
  return { violations, counts: { unresolvedAtClose: unresolved, itemsAtClose: items } };
}

/** What ends an unresolved transaction, and the day of its item. */
function endOf(evidence: Evidence, journey: Journey): { readonly day: string; readonly marker: PlacedRecord | null } {
  if (journey.flow !== "credit") return closeOf(evidence, journey);
  const { request, verdict } = journey;
  const scheme = textAt(request?.value, "credit", "paymentScheme", "schema");
  const marker = deadlineOf(journey);
  const judged = verdict !== null && (marker === null || verdict.at < marker.at) ? verdict : request;
  return { day: `${scheme}:${textAt(judged?.value, "businessDate")}`, marker };
}

function isResolvedBelow(journey: Journey, marker: bigint): boolean {
  return journey.events.some((event) => terminalStates.has(event.state) && !isReconciliation(event.state) && event.causedBy < marker);
}

/** Unsettled items, but for those shown early while the state stays. */
function madeAtClose(journey: Journey): readonly SnapshotItem[] {
  const { snapshot } = journey;
  const unsettled = snapshot?.items.filter((item) => item.settledAtMs === null && item.cause !== "OUTCOME_UNDELIVERED") ?? [];
  if (snapshot === null || terminalStates.has(snapshot.state)) return unsettled;
  return unsettled.filter((item) => item.row !== 3 || item.state !== snapshot.state);
}

/** What ended before the close and whose connector had not acknowledged the outcome by then has an item for it; otherwise none stands open. */
function outcomeItem(journey: Journey, marker: PlacedRecord | null, isDrained: boolean): readonly Violation[] {
  const { uetr, flow, snapshot } = journey;
  if (snapshot === null || marker === null || flow === "on-us" || !isResolvedBelow(journey, marker.at)) return [];
  const outcome = `${uetr.replaceAll("-", "")}O1`;
  const isAcknowledged = journey.journal.some(
    (record) =>
      record.type === "DeliveryEnded" &&
      record.at < marker.at &&
      textAt(record.value, "messageIdentification") === outcome &&
      textAt(record.value, "outcome") === "ACKNOWLEDGED",
  );
  const items = snapshot.items.filter((item) => item.cause === "OUTCOME_UNDELIVERED");
  if (!isAcknowledged && items.length === 0 && isDrained) {
    return [{ promise: "I10", uetr, text: "its outcome was not acknowledged at the close, and no item says so" }];
  }
  if (!isAcknowledged || items.every((item) => item.settledAtMs !== null)) return [];
  return [{ promise: "I10", uetr, text: "an item stands open for an outcome that was acknowledged before the close" }];
}

function judge(journey: Journey, day: string, isDue: boolean, made: readonly SnapshotItem[], isDrained: boolean): readonly Violation[] {
  const { uetr } = journey;
  const isReconciled = journey.events.some((event) => isReconciliation(event.state)) || isReconciliation(journey.snapshot?.state ?? "");
  const says = (text: string): readonly Violation[] => [{ promise: "I10", uetr, text }];
  if (!isDue) {
    if (isReconciled) return says(`RECONCILIATION, though it was not unresolved at a close of ${day || "any day"}`);
    return made.length === 0 ? [] : says(`${made.length} items, though it was not unresolved at a close of ${day || "any day"}`);
  }
  const ended = journey.events.find((event) => terminalStates.has(event.state) && !isReconciliation(event.state));
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
    if (!rowByAnswer.has(item.state)) return [`the item made in ${item.state} has no row`];
    return isDrained ? ["the item has no row, though everything is at rest"] : [];
  }
  const fitting = rows[item.state] ?? [];
  return fitting.includes(item.row) ? [] : [`row ${item.row} does not fit ${item.state} (${fitting.join(" or ") || "no item"})`];
}
