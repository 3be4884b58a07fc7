// The outputs of the entries that one record made. `decide` and a replay both use this file, so a replay gives the
// first outputs again: an output is a function of its entry and of values that never change afterwards (flow, message,
// bank, a credit's deadline once the credit is sent, earlier entries).

import type { ResolutionKind } from "../fact.ts";
import { type Digest, eventId, isSentKind, sentIdentification, type SentKind } from "../ids.ts";
import type { DispatchOutput, EventOutput, MessageForm, Output, RequestOutput, StopOutput } from "./output.ts";
import { countCarryOvers } from "./markers/carry-over.ts";
import { isDetached } from "./items.ts";
import { requireFlow, operationFor, outcomeReportNumberAt, receiverFor, kindSentIn, formShownAfter } from "./tables/state-messages.ts";
import type { State, Notice, Transaction, Transition } from "./transaction.ts";

/** Returns the outputs of the transitions and notices that the record at `offset` made, in order. */
export function outputsAt(transaction: Transaction, offset: bigint, digest: Digest): readonly Output[] {
  const outputs: Output[] = [];
  transaction.transitions.forEach((entry, index) => {
    if (entry.offset === offset) addTransitionOutputs(outputs, transaction, entry, index, digest);
  });
  for (const notice of transaction.notices) {
    if (notice.offset === offset) outputs.push(buildNoticeOutput(transaction, notice));
  }
  return outputs;
}

function addTransitionOutputs(outputs: Output[], transaction: Transaction, entry: Transition, index: number, digest: Digest): void {
  outputs.push(buildEvent(transaction, entry, index, digest));
  const starts = kindSentIn(requireFlow(transaction), entry.state);
  if (starts !== null) outputs.push(buildDispatch(transaction, entry, index, starts));
  const stops = stoppedBy(transaction, entry, index);
  if (stops !== null) outputs.push(buildStop(transaction, stops, entry.offset));
}

function buildEvent(transaction: Transaction, entry: Transition, index: number, digest: Digest): EventOutput {
  const before = transaction.transitions[index - 1]?.state ?? null;
  const flow = requireFlow(transaction);
  const payload = formShownAfter(transaction, index + 1);
  return {
    kind: "event",
    flow,
    id: eventId(transaction.uetr, entry.stageVersion, digest),
    stageVersion: entry.stageVersion,
    state: entry.state,
    enteredAtMs: entry.atMs,
    businessDate: entry.businessDate,
    payload,
    messageIdentification: entry.messageIdentification,
    messageMadeAtMs: madeAtMs(transaction, payload, index) ?? entry.atMs,
    httpStatusCode: entry.httpStatusCode,
    direction: flow !== "on-us" || isReleasedBy(transaction, index) ? "INBOUND" : "OUTBOUND",
    causedByOffset: entry.offset,
    wasHeld: entry.state === "RECONCILIATION" && before === "HELD",
    carryOvers: countCarryOvers(transaction, index + 1),
  };
}

/**
 * When Sluice made the message that an event shows, that is, first sent it; null for a message that Sluice received.
 */
function madeAtMs(transaction: Transaction, form: MessageForm, index: number): number | null {
  if (!isSentKind(form)) return null;
  const flow = requireFlow(transaction);
  const entry = transaction.transitions.findLast((earlier, at) => at <= index && kindSentIn(flow, earlier.state) === form);
  return entry?.atMs ?? null;
}

function isReleasedBy(transaction: Transaction, index: number): boolean {
  return transaction.transitions.some((entry, at) => at <= index && entry.state === "RELEASED");
}

/** The delivery of the state before, unless its acknowledgement ended it. An outcome report is never stopped here. */
function stoppedBy(transaction: Transaction, entry: Transition, index: number): SentKind | null {
  const before = transaction.transitions[index - 1];
  const kind = before === undefined ? null : kindSentIn(requireFlow(transaction), before.state);
  if (kind === "outcome-report") return null;
  if (endings.has(entry.state)) return kind;
  const isDelivered = entry.state === "DELIVERED" || entry.state === "CREDIT_AUTH_DELIVERED";
  // DELIVERED without a status code was proven by the bank's report, not by an acknowledgement.
  return isDelivered && entry.httpStatusCode === null ? kind : null;
}

/** States that end a delivery which is still attempted or parked. */
const endings: ReadonlySet<State> = new Set<State>(["RECONCILIATION", "CREDIT_AUTH_RECONCILIATION", "CREDIT_AUTH_DELIVERY_FAILURE"]);

function buildDispatch(transaction: Transaction, entry: Transition, index: number, sent: SentKind): DispatchOutput {
  const isOfDebit = sent !== "inbound-credit" && sent !== "outcome-report";
  return {
    kind: "dispatch",
    operation: operationFor(requireFlow(transaction), sent),
    form: sent,
    state: entry.state,
    messageIdentification: sentIdentification(transaction.uetr, sent, outcomeReportNumberAt(transaction, index)),
    deliveryKey: transaction.uetr,
    receiver: receiverFor(transaction, sent),
    businessDate: entry.businessDate,
    reconciliationDay: isOfDebit ? entry.reconciliationDay : null,
    deadlineMs: null,
    stopsAtMs: sent === "inbound-credit" ? transaction.deadlineMs : null,
    madeAtMs: entry.atMs,
    causedByOffset: entry.offset,
    about: null,
    resolution: null,
  };
}

function buildStop(transaction: Transaction, sent: SentKind, causedByOffset: bigint): StopOutput {
  return {
    kind: "stop",
    messageIdentification: sentIdentification(transaction.uetr, sent),
    deliveryKey: transaction.uetr,
    receiver: receiverFor(transaction, sent),
    causedByOffset,
  };
}

/** The output of a notice, also of one that the transaction no longer keeps. */
export function buildNoticeOutput(transaction: Transaction, notice: Notice): Output {
  const { kind } = notice;
  if (isRequest(kind)) {
    return {
      ...requests[kind],
      messageIdentification: notice.messageIdentification,
      deliveryKey: transaction.uetr,
      receiver: notice.receiver,
      causedByOffset: notice.offset,
    };
  }
  if (kind === "stop-again") {
    return {
      kind: "stop",
      messageIdentification: notice.messageIdentification,
      deliveryKey: transaction.uetr,
      receiver: notice.receiver,
      causedByOffset: notice.offset,
    };
  }
  const entered = transaction.transitions.filter((entry) => entry.offset <= notice.offset);
  const repeated = kind === "report-again" ? entered.findLast((entry) => isReported(transaction, entry)) : undefined;
  const entry = repeated ?? entered.at(-1);
  if (entry === undefined || notice.operation === null) throw new Error(`a notice before any state: ${transaction.uetr}`);
  return {
    kind: "dispatch",
    operation: notice.operation,
    form: kind,
    state: entry.state,
    messageIdentification: notice.messageIdentification,
    // Delivered in order behind an earlier outcome report; every other notice has a key of its own and blocks nothing.
    deliveryKey: kind === "resolution-outcome" ? transaction.uetr : notice.messageIdentification,
    receiver: notice.receiver,
    businessDate: entry.businessDate,
    reconciliationDay: null,
    deadlineMs: notice.deadlineMs,
    stopsAtMs: null,
    madeAtMs: notice.atMs,
    causedByOffset: notice.offset,
    about: notice.kind === "duplicate-refused" || kind === "report-again" ? notice.about : null,
    resolution: showsResolution(transaction, notice) ? findFinalResolution(transaction) : null,
  };
}

/** What an operator asked of a delivery or posting. */
const requests = {
  redrive: { kind: "redrive", target: "delivery" },
  "redrive-posting": { kind: "redrive", target: "posting" },
  "give-up": { kind: "give-up", target: "delivery" },
  "give-up-posting": { kind: "give-up", target: "posting" },
} as const satisfies Partial<Record<Notice["kind"], Pick<RequestOutput, "kind" | "target">>>;

function isRequest(kind: Notice["kind"]): kind is keyof typeof requests {
  return kind in requests;
}

/** True for the notice of the resolution, and for a report sent once more after it. */
function showsResolution(transaction: Transaction, { kind, offset }: Notice): boolean {
  if (kind === "resolution-outcome") return true;
  return kind === "report-again" && transaction.notices.some((before) => before.kind === "resolution-outcome" && before.offset < offset);
}

/** The final resolution of the item that is not detached; a final resolution never changes. */
function findFinalResolution({ items }: Transaction): ResolutionKind | null {
  return items.find((item) => !isDetached(item) && item.resolution?.isFinal === true)?.resolution?.kind ?? null;
}

/**
 * True if this entry sent a report to the sender: on-us of the verdict, otherwise an outcome report. On-us the end
 * counts too: "checked and queued" is no longer true of a debit that has ended.
 */
function isReported(transaction: Transaction, entry: Transition): boolean {
  if (transaction.flow === "on-us" && endsQueued.has(entry.state) && isAccepted(transaction)) return true;
  const sent = kindSentIn(requireFlow(transaction), entry.state);
  return sent === "report-accepted" || sent === "report-rejected" || sent === "outcome-report";
}

const endsQueued: ReadonlySet<State> = new Set<State>(["COMPLETED", "UNPAID", "RECONCILIATION"]);

function isAccepted({ transitions }: Transaction): boolean {
  return transitions.some(({ state }) => state === "ACCEPTED");
}
