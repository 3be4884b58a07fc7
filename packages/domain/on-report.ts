// A bank's report on a debit. Applied only from the bank that the debit was sent to and after release; every other report is recorded under the
// name that decisions, section 4, gives it. A wrong original identification is a warning only: one inbound debit per UETR exists.

import type { Cell } from "./cell.ts";
import { statesOf } from "./cell.ts";
import { noteLateAnswer } from "./closing.ts";
import { byFact, enter, remark } from "./entry.ts";
import type { Place, StatusReportReceived } from "./fact.ts";
import { sentIdentification } from "./ids.ts";
import type { LaneView } from "./lane.ts";
import type { Judgement } from "./outcome.ts";
import type { RemarkKind, State, Transaction } from "./transaction.ts";

/** What ingress answered for the report that ended the transaction. */
const httpAccepted = 202;

/** A report for an unknown UETR: kept, with no state of its own and nothing to send. */
export function startOfOrphan(uetr: string, fact: StatusReportReceived, place: Place, lane: LaneView): Judgement {
  const orphan: Transaction = {
    uetr,
    version: 0,
    applied: place.offset,
    lane: lane.lane,
    state: "ORPHAN",
    message: null,
    receivedAtMs: fact.receivedAtMs,
    scheme: "",
    amountTenThousandths: 0n,
    currency: "",
    bank: null,
    businessDate: null,
    closesWith: "",
    queueKey: "",
    finalReport: null,
    finalOutcome: null,
    pendingAtMs: null,
    transitions: [],
    told: [],
    items: [],
    remarks: { count: 0, last: [] },
  };
  return recorded(orphan, fact, place, "report-orphan");
}

export function onReport(transaction: Transaction, fact: StatusReportReceived, place: Place, cell: Cell): Judgement {
  if (transaction.bank !== null && fact.message.sender !== transaction.bank) return recorded(transaction, fact, place, "report-foreign");
  const known = transaction.finalReport;
  if (known !== null && known.messageIdentification === fact.message.messageIdentification) {
    return recorded(transaction, fact, place, known.contentHash === fact.message.contentHash ? "report-repeat" : "conflict");
  }
  const seen = transaction.remarks.last.find((entry) => isSame(entry, fact));
  if (seen !== undefined) return recorded(transaction, fact, place, isContradicted(seen.kind, fact) ? "conflict" : "report-repeat");
  const path = statesOf(cell);
  if (path !== null) return applied(transaction, fact, path, place);
  if (cell === "pending") return recorded({ ...transaction, pendingAtMs: place.appendedAtMs }, fact, place, "report-pending");
  if (cell === "late") return recorded(noteLateAnswer(transaction, place, `report: ${fact.outcome}`), fact, place, "report-late");
  if (cell === "orphan" || cell === "early" || cell === "repeat" || cell === "contradicting") {
    return recorded(transaction, fact, place, `report-${cell}`);
  }
  throw new Error(`no such answer to a report: ${cell}`);
}

/** Recorded once, for example as too early: its repeat is a repeat, also where it would be applied by now (one effect, I3). */
function isSame(entry: Transaction["remarks"]["last"][number], fact: StatusReportReceived): boolean {
  const { sender, messageIdentification } = fact.message;
  return entry.kind.startsWith("report-") && entry.sender === sender && entry.messageIdentification === messageIdentification;
}

function isContradicted(seen: RemarkKind, fact: StatusReportReceived): boolean {
  return seen === "report-pending" && fact.outcome !== "pending";
}

function recorded(transaction: Transaction, fact: StatusReportReceived, place: Place, kind: RemarkKind): Judgement {
  return { decision: "remarked", reason: kind, transaction: remark(transaction, place, kind, fact.message) };
}

function applied(transaction: Transaction, fact: StatusReportReceived, path: readonly State[], place: Place): Judgement {
  const inboundDebit = sentIdentification(transaction.uetr, "D");
  let entered = transaction;
  for (const state of path) {
    // DELIVERED without a code: proven by the report, not acknowledged (`outputs.ts` stops the delivery by it).
    entered =
      state === "DELIVERED"
        ? enter(entered, state, byFact(place), inboundDebit, null)
        : enter(entered, state, byFact(place), fact.message.messageIdentification, httpAccepted);
  }
  if (fact.outcome === "pending") {
    entered = remark({ ...entered, pendingAtMs: place.appendedAtMs }, place, "report-pending", fact.message);
  } else {
    entered = { ...entered, finalReport: fact.message, finalOutcome: fact.outcome };
  }
  if (fact.originalMessageIdentification === inboundDebit) return { decision: "applied", reason: null, transaction: entered };
  const warned = remark(entered, place, "report-original-differs", fact.message);
  return { decision: "applied", reason: "report-original-differs", transaction: warned };
}
