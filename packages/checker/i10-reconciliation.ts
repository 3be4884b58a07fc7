// I10, reconciliation: at the close, the items made = the unresolved, as sets, one each.
//
// The unresolved are told from journal and events alone: what closes with the day and has no end whose cause lies below the close's
// marker in its lane (a credit: below the first DeadlinePassed that is not before its deadline). Each of them has entered RECONCILIATION with exactly one unsettled item of that day, whose row fits the state
// before; nobody else has. An item shown early (row 3, the state stays) stands beside this, and the close takes it over. So does an outcome
// that was not delivered to the connector (OUTCOME_UNDELIVERED), and a debit that an operator withdrew: one item, row 0, WITHDRAWN.

import { closeOf, deadlineOf } from "./close.ts";
import type { Evidence, Journey, PlacedRecord, StateEvent } from "./evidence.ts";
import type { Finding } from "./finding.ts";
import type { SnapshotItem, Violation } from "./history.ts";
import { mayStillRoll } from "./rolls.ts";
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
  let withdrawn = 0;
  for (const journey of evidence.journeys) {
    const { day, marker } = endOf(evidence, journey);
    const made = madeAtClose(journey);
    const withdrawal = withdrawalOf(journey);
    if (withdrawal !== null) {
      withdrawn += 1;
      violations.push(...judgeWithdrawn(journey, withdrawal, made));
      continue;
    }
    const isDue = marker !== null && !isResolvedBelow(journey, marker.at);
    unresolved += isDue ? 1 : 0;
    items += made.length;
    violations.push(...judge(evidence, journey, { day, isDue, made }), ...outcomeItem(journey, marker, evidence.isDrained));
  }
  return { violations, counts: { unresolvedAtClose: unresolved, itemsAtClose: items, withdrawn } };
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

/** Before any close, by an operator: the one item says so, whatever the day does. */
function withdrawalOf(journey: Journey): StateEvent | null {
  const end = journey.events.find((event) => event.state === "RECONCILIATION");
  const cause = journey.journal.find((record) => record.at === end?.causedBy);
  return end !== undefined && cause?.type === "WithdrawalRequested" ? end : null;
}

function judgeWithdrawn(journey: Journey, end: StateEvent, made: readonly SnapshotItem[]): readonly Violation[] {
  const says = (text: string): Violation => ({ promise: "I10", uetr: journey.uetr, text });
  const before = journey.events.find((event) => event.stageVersion === end.stageVersion - 1)?.state ?? "nothing";
  const violations = ["ACCEPTED", "REPORTED", "HELD"].includes(before) ? [] : [says(`withdrawn in ${before}`)];
  if (journey.snapshot === null) return violations;
  const [item, ...more] = made;
  const isOne = item?.cause === "WITHDRAWN" && item.row === 0 && more.length === 0;
  return isOne
    ? violations
    : [...violations, says(`withdrawn, but its items are ${made.map(({ row, cause }) => `${row} ${cause}`).join(", ") || "none"}`)];
}

interface AtClose {
  readonly day: string;
  readonly isDue: boolean;
  readonly made: readonly SnapshotItem[];
}

function judge(evidence: Evidence, journey: Journey, { day, isDue, made }: AtClose): readonly Violation[] {
  const { uetr } = journey;
  const { isDrained } = evidence;
  const isReconciled = journey.events.some((event) => isReconciliation(event.state)) || isReconciliation(journey.snapshot?.state ?? "");
  const says = (text: string): readonly Violation[] => [{ promise: "I10", uetr, text }];
  if (!isDue) {
    if (isReconciled) return says(`RECONCILIATION, though it was not unresolved at a close of ${day || "any day"}`);
    return made.length === 0 ? [] : says(`${made.length} items, though it was not unresolved at a close of ${day || "any day"}`);
  }
  const ended = journey.events.find((event) => terminalStates.has(event.state) && !isReconciliation(event.state));
  if (ended !== undefined) return says(`${ended.state} (offset ${ended.causedBy}) after the close of ${day}`);
  if (mayStillRoll(evidence, journey) && isReconciled)
    return says(`RECONCILIATION, though it could have gone over to the next business date`);
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
