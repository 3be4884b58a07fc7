// A bank's report on a debit or a credit. Applied only from the bank that it was sent to, after it was sent, and posted at the address of its
// flow; every other report is recorded under the name that decisions, section 4, gives it. A wrong original identification is a warning
// only: one inbound debit or credit per UETR exists.

import { statesOf } from "./cell.ts";
import { byFact, enter, remark, tell } from "./entry.ts";
import type { Place, StatusReportReceived } from "./fact.ts";
import { sentIdentification } from "./ids.ts";
import { noteLateAnswer } from "./items.ts";
import type { LaneView } from "./lane.ts";
import type { Judgement } from "./outcome.ts";
import { flowOf, operationOf, receiverOf } from "./state-messages.ts";
import { cellOf } from "./table.ts";
import type { RemarkKind, State, Transaction } from "./transaction.ts";

/** What ingress answered for the report that ended the transaction. */
const httpAccepted = 202;

/** A report for an unknown UETR: kept, with no state of its own and nothing to send. */
export function startOfOrphan(uetr: string, fact: StatusReportReceived, place: Place, lane: LaneView): Judgement {
  return recorded(emptyOrphan(uetr, fact.receivedAtMs, place, lane), fact, place, "report-orphan");
}

/** What nothing was received for yet. */
export function emptyOrphan(uetr: string, receivedAtMs: number, place: Place, lane: LaneView): Transaction {
  return {
    uetr,
    version: 0,
    applied: place.offset,
    lane: lane.lane,
    state: "ORPHAN",
    flow: null,
    message: null,
    receivedAtMs,
    scheme: "",
    amountTenThousandths: 0n,
    currency: "",
    bank: null,
    businessDate: null,
    closesWith: "",
    deadlineMs: null,
    wantsOutcomeReport: false,
    outcome: null,
    queueKey: "",
    finalReport: null,
    finalOutcome: null,
    pendingAtMs: null,
    transitions: [],
    told: [],
    items: [],
    remarks: { count: 0, last: [] },
    rollsMax: 0,
    parked: null,
    decisions: [],
  };
}

/** Whom the message was or will be sent to: before the verdict on an on-us debit its sender. Null: nothing but reports is known. */
function reportingBank({ bank, message }: Transaction): string | null {
  return bank ?? message?.sender ?? null;
}

export function onReport(transaction: Transaction, fact: StatusReportReceived, place: Place, lane: LaneView): Judgement {
  const bank = reportingBank(transaction);
  if (bank !== null && fact.message.sender !== bank) return recorded(transaction, fact, place, "report-foreign");
  if (isOfOtherFlow(transaction, fact)) return recorded(transaction, fact, place, "report-other-flow");
  const known = transaction.finalReport;
  if (known !== null && known.messageIdentification === fact.message.messageIdentification) {
    return recorded(transaction, fact, place, known.contentHash === fact.message.contentHash ? "report-repeat" : "conflict");
  }
  const seen = transaction.remarks.last.find((entry) => isSame(entry, fact));
  if (seen !== undefined) return recorded(transaction, fact, place, isContradicted(seen.kind, fact) ? "conflict" : "report-repeat");
  const cell = cellOf(transaction, fact.outcome);
  const path = transaction.flow === null ? null : statesOf(transaction.flow, cell);
  if (path !== null) return applied(transaction, fact, path, place, lane);
  if (cell === "pending") return recorded({ ...transaction, pendingAtMs: place.appendedAtMs }, fact, place, "report-pending");
  if (cell === "late") return recorded(noteLateAnswer(transaction, place, `report: ${fact.outcome}`), fact, place, "report-late");
  if (cell === "second") {
    return recorded(transaction, fact, place, fact.outcome === transaction.finalOutcome ? "report-repeat" : "report-contradicting");
  }
  if (cell === "orphan" || cell === "early" || cell === "contradicting") return recorded(transaction, fact, place, `report-${cell}`);
  throw new Error(`no such answer to a report: ${cell}`);
}

function isOfOtherFlow({ flow }: Transaction, fact: StatusReportReceived): boolean {
  return flow !== null && (flow === "credit") !== (fact.about === "credit");
}

/**
 * Recorded once, for example as too early: its repeat is a repeat, also where it would be applied by now (one effect, I3). One that was posted at
 * the other flow's address is another message: the operation is part of its identity.
 */
function isSame(entry: Transaction["remarks"]["last"][number], fact: StatusReportReceived): boolean {
  const { sender, messageIdentification } = fact.message;
  const isReport = entry.kind.startsWith("report-") && entry.kind !== "report-other-flow";
  return isReport && entry.sender === sender && entry.messageIdentification === messageIdentification;
}

function isContradicted(seen: RemarkKind, fact: StatusReportReceived): boolean {
  return seen === "report-pending" && fact.outcome !== "pending";
}

function recorded(transaction: Transaction, fact: StatusReportReceived, place: Place, kind: RemarkKind): Judgement {
  return { decision: "remarked", reason: kind, transaction: remark(transaction, place, kind, fact.message) };
}

function applied(transaction: Transaction, fact: StatusReportReceived, path: readonly State[], place: Place, lane: LaneView): Judgement {
  const { outcome, message } = fact;
  let entered: Transaction = outcome === "pending" ? transaction : { ...transaction, finalReport: message, finalOutcome: outcome };
  // DELIVERED without a code: proven by the report, not acknowledged (`outputs.ts` stops the delivery by it).
  for (const state of path) entered = enter(entered, state, byFact(place), isDelivered(state) ? null : httpAccepted);
  if (outcome === "pending") {
    entered = remark({ ...entered, pendingAtMs: place.appendedAtMs }, place, "report-pending", message);
  } else if (transaction.wantsOutcomeReport) {
    entered = tellOnUsOutcome(entered, place, lane);
  }
  const sent = sentIdentification(transaction.uetr, transaction.flow === "credit" ? "C" : "D");
  if (fact.originalMessageIdentification === sent) return { decision: "applied", reason: null, transaction: entered };
  const warned = remark(entered, place, "report-original-differs", message);
  return { decision: "applied", reason: "report-original-differs", transaction: warned };
}

function isDelivered(state: State): boolean {
  return state === "DELIVERED" || state === "CREDIT_AUTH_DELIVERED";
}

/** How long the initiating side is told where the lane has passed no time of the day. */
const onUsOutcomeMs = 3_600_000;

/** ACSC or RJCT to the initiating side of an on-us debit that has ended: no state, and it holds nothing up. */
function tellOnUsOutcome(transaction: Transaction, place: Place, lane: LaneView): Transaction {
  const times = lane
    .passed(transaction.closesWith)
    .flatMap(({ marker, place: passedAt }) => (marker.kind === "DayTimes" && passedAt.offset < place.offset ? [marker] : []));
  return tell(transaction, {
    offset: place.offset,
    atMs: place.appendedAtMs,
    kind: "on-us-outcome",
    operation: operationOf(flowOf(transaction), "S"),
    messageIdentification: sentIdentification(transaction.uetr, "S"),
    about: transaction.message?.messageIdentification ?? "",
    receiver: receiverOf(transaction, "S"),
    deadlineMs: times.at(-1)?.reconciliationAtMs ?? place.appendedAtMs + onUsOutcomeMs,
  });
}
