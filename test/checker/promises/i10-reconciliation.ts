// I10, reconciliation: at the close the set of items equals the set of unresolved transactions, one item each.
//
// #1 The check finds the unresolved transactions from the journal and the events alone: those of the day without an end
//    whose cause is below the close's marker in the partition. For a credit it is below the first DeadlinePassed that
//    is not before its deadline.
// #2 Each unresolved transaction, and no other, has entered RECONCILIATION with exactly one unsettled item of that day.
//    The item's row fits the state before.
//    It may be 4 for a transaction of which records are in the dead letters, because nobody knew what they say.
// #3 An item that is shown early (row 3, the state stays) is detached, and the close takes it over.
// #4 An outcome report that the connector did not acknowledge has a detached item of its own (OUTCOME_UNDELIVERED).
// #5 A debit that an operator withdrew has one item, row 0, WITHDRAWN.

import { findClose, findDeadlinePassed } from "../evidence/close.ts";
import type { Evidence, Journey, PlacedRecord, StateEvent } from "../evidence/evidence.ts";
import type { PromiseFinding } from "./finding.ts";
import type { SnapshotItem, Violation } from "../history.ts";
import { couldCarryOver } from "../evidence/carry-overs.ts";
import { isReconciliationState, specifiedTerminalStates } from "../evidence/states.ts";
import { readRecordText } from "../evidence/record-members.ts";

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

export function checkReconciliation(evidence: Evidence): PromiseFinding {
  const violations: Violation[] = [];
  let unresolved = 0;
  let items = 0;
  let withdrawn = 0;
  for (const journey of evidence.journeys) {
    const { day, marker } = findEnd(evidence, journey);
    const made = itemsAtClose(journey);
    const withdrawal = findWithdrawal(journey);
    if (withdrawal !== null) {
      withdrawn += 1;
      violations.push(...checkWithdrawn(journey, withdrawal, made));
      continue;
    }
    const isDue = marker !== null && !isResolvedBelow(journey, marker.position);
    unresolved += isDue ? 1 : 0;
    items += made.length;
    violations.push(...checkAtClose(evidence, journey, { day, isDue, made }), ...checkOutcomeItem(journey, marker, evidence.isDrained));
  }
  return { violations, counts: { unresolvedAtClose: unresolved, itemsAtClose: items, withdrawn } };
}

/** Finds the record that ends an unresolved transaction, and the day of its item. */
function findEnd(evidence: Evidence, journey: Journey): { readonly day: string; readonly marker: PlacedRecord | null } {
  if (journey.flow !== "credit") return findClose(evidence, journey);
  const { request, verdict } = journey;
  const scheme = readRecordText(request?.value, "credit", "paymentScheme", "schema");
  const marker = findDeadlinePassed(journey);
  const inForce = verdict !== null && (marker === null || verdict.position < marker.position) ? verdict : request;
  return { day: `${scheme}:${readRecordText(inForce?.value, "businessDate")}`, marker };
}

function isResolvedBelow(journey: Journey, marker: bigint): boolean {
  return journey.events.some(
    (event) => specifiedTerminalStates.has(event.state) && !isReconciliationState(event.state) && event.causedBy < marker,
  );
}

/** Returns the unsettled items, except those that are shown early while the state stays. */
function itemsAtClose(journey: Journey): readonly SnapshotItem[] {
  const { snapshot } = journey;
  const unsettled = snapshot?.items.filter((item) => item.settledAtMs === null && item.cause !== "OUTCOME_UNDELIVERED") ?? [];
  if (snapshot === null || specifiedTerminalStates.has(snapshot.state)) return unsettled;
  return unsettled.filter((item) => item.row !== 3 || item.state !== snapshot.state);
}

/** #4 Checks that an open item exists exactly if the connector had not acknowledged the outcome report by the close. */
function checkOutcomeItem(journey: Journey, marker: PlacedRecord | null, isDrained: boolean): readonly Violation[] {
  const { uetr, flow, snapshot } = journey;
  if (snapshot === null || marker === null || flow === "on-us" || !isResolvedBelow(journey, marker.position)) return [];
  const outcome = `${uetr.replaceAll("-", "")}O1`;
  const isAcknowledged = journey.journal.some(
    (record) =>
      record.type === "DeliveryEnded" &&
      record.position < marker.position &&
      readRecordText(record.value, "messageIdentification") === outcome &&
      readRecordText(record.value, "outcome") === "ACKNOWLEDGED",
  );
  const items = snapshot.items.filter((item) => item.cause === "OUTCOME_UNDELIVERED");
  if (!isAcknowledged && items.length === 0 && isDrained) {
    return [{ promise: "I10", uetr, text: "its outcome report was not acknowledged at the close, and there is no item for it" }];
  }
  if (!isAcknowledged || items.every((item) => item.settledAtMs !== null)) return [];
  return [{ promise: "I10", uetr, text: "an item is open for an outcome report that was acknowledged before the close" }];
}

/** #5 Finds the event by which an operator withdrew the debit before any close; null if there is none. */
function findWithdrawal(journey: Journey): StateEvent | null {
  const end = journey.events.find((event) => event.state === "RECONCILIATION");
  const cause = journey.journal.find((record) => record.position === end?.causedBy);
  return end !== undefined && cause?.type === "WithdrawalRequested" ? end : null;
}

function checkWithdrawn(journey: Journey, end: StateEvent, made: readonly SnapshotItem[]): readonly Violation[] {
  const violation = (text: string): Violation => ({ promise: "I10", uetr: journey.uetr, text });
  const before = journey.events.find((event) => event.stageVersion === end.stageVersion - 1)?.state ?? "nothing";
  const violations = ["ACCEPTED", "REPORTED", "HELD"].includes(before) ? [] : [violation(`withdrawn in ${before}`)];
  if (journey.snapshot === null) return violations;
  const [item, ...more] = made;
  const isOne = item?.cause === "WITHDRAWN" && item.row === 0 && more.length === 0;
  return isOne
    ? violations
    : [...violations, violation(`withdrawn, but its items are ${made.map(({ row, cause }) => `${row} ${cause}`).join(", ") || "none"}`)];
}

interface AtClose {
  readonly day: string;
  readonly isDue: boolean;
  readonly made: readonly SnapshotItem[];
}

function checkAtClose(evidence: Evidence, journey: Journey, { day, isDue, made }: AtClose): readonly Violation[] {
  const { uetr } = journey;
  const { isDrained } = evidence;
  const isReconciled =
    journey.events.some((event) => isReconciliationState(event.state)) || isReconciliationState(journey.snapshot?.state ?? "");
  const violation = (text: string): readonly Violation[] => [{ promise: "I10", uetr, text }];
  if (!isDue) {
    if (isReconciled) return violation(`RECONCILIATION, though it was not unresolved at a close of ${day || "any day"}`);
    return made.length === 0 ? [] : violation(`${made.length} items, though it was not unresolved at a close of ${day || "any day"}`);
  }
  const ended = journey.events.find((event) => specifiedTerminalStates.has(event.state) && !isReconciliationState(event.state));
  if (ended !== undefined) return violation(`${ended.state} (offset ${ended.causedBy}) after the close of ${day}`);
  if (couldCarryOver(evidence, journey) && isReconciled)
    return violation(`RECONCILIATION, though it could have been carried over to the next business date`);
  if (!isReconciled) return isDrained ? violation(`unresolved at the close of ${day}, but not RECONCILIATION`) : [];
  if (journey.snapshot === null) return [];
  const [item, ...more] = made;
  if (item === undefined || more.length > 0) return violation(`one item at the close of ${day} was expected, there are ${made.length}`);
  if (item.day !== day) return violation(`the item is of ${item.day}, not of ${day}`);
  const isUnread = evidence.deadLetters.some(({ key }) => key === uetr);
  return (isUnread && item.row === 4 ? [] : wrongRow(item, isDrained)).flatMap(violation);
}

function wrongRow(item: SnapshotItem, isDrained: boolean): readonly string[] {
  if (item.row === null) {
    if (!rowByAnswer.has(item.state)) return [`the item made in ${item.state} has no row`];
    return isDrained ? ["the item has no row, though all work has ended"] : [];
  }
  const fitting = rows[item.state] ?? [];
  return fitting.includes(item.row) ? [] : [`row ${item.row} does not fit ${item.state} (${fitting.join(" or ") || "no item"})`];
}
