// What the entries of one turn emit. `decide` and a replay both come here, so a replay gives the first outputs again: an output is a
// function of its entry and of what never changes afterwards (message, bank, entries before it).

import { eventId, sentIdentification } from "./ids.ts";
import type { Digest, SentLetter } from "./ids.ts";
import type { DispatchOutput, EventOutput, MessageForm, Output, StopOutput } from "./output.ts";
import type { State, Told, Transaction, Transition } from "./transaction.ts";

/** Exactly the outputs of the entries of `transitions` and `told` made in the turn of the record at `offset`, in order. */
export function outputsAt(transaction: Transaction, offset: bigint, digest: Digest): readonly Output[] {
  const outputs: Output[] = [];
  for (const [index, entry] of transaction.transitions.entries()) {
    if (entry.offset === offset) outputs.push(...outputsOfTransition(transaction, entry, index, digest));
  }
  for (const told of transaction.told) {
    if (told.offset === offset) outputs.push(outputOfTold(transaction, told));
  }
  return outputs;
}

/** The delivery that the transaction waits for in this state. */
export function awaitedIn(state: State): SentLetter | null {
  if (state === "ACCEPTED") return "A";
  if (state === "REJECTED") return "R";
  if (state === "RELEASED") return "D";
  return null;
}

/** Receiver of a delivery: a report goes to the debit's sender, the debit to the bank of the verdict. */
export function receiverOf(transaction: Transaction, letter: SentLetter): string {
  const receiver = letter === "D" ? transaction.bank : (transaction.message?.sender ?? null);
  if (receiver === null) throw new Error(`no receiver of ${letter} for ${transaction.uetr}`);
  return receiver;
}

function outputsOfTransition(transaction: Transaction, entry: Transition, index: number, digest: Digest): readonly Output[] {
  const outputs: Output[] = [eventOf(transaction, entry, index, digest)];
  const starts = awaitedIn(entry.state);
  if (starts !== null) outputs.push(dispatchOf(transaction, entry, starts));
  const stops = stoppedBy(transaction, entry, index);
  if (stops !== null) outputs.push(stopOf(transaction, stops, entry.offset));
  return outputs;
}

function eventOf(transaction: Transaction, entry: Transition, index: number, digest: Digest): EventOutput {
  const before = transaction.transitions[index - 1]?.state ?? null;
  const payload = payloadOf(transaction, index);
  return {
    kind: "event",
    id: eventId(transaction.uetr, entry.stageVersion, digest),
    stageVersion: entry.stageVersion,
    state: entry.state,
    enteredAtMs: entry.atMs,
    businessDate: entry.businessDate,
    payload,
    messageIdentification: entry.messageIdentification,
    messageMadeAtMs: madeAtMs(transaction, payload, index) ?? entry.atMs,
    httpStatusCode: entry.httpStatusCode,
    direction: isReleasedBy(transaction, index) ? "INBOUND" : "OUTBOUND",
    causedByOffset: entry.offset,
    wasHeld: entry.state === "RECONCILIATION" && before === "HELD",
  };
}

const payloads: Readonly<Record<Exclude<State, "RECONCILIATION">, MessageForm>> = {
  RECEIVED: "debit-received",
  ACCEPTED: "report-accepted",
  REJECTED: "report-rejected",
  REJECTION_REPORTED: "report-rejected",
  REPORTED: "report-accepted",
  HELD: "debit-received",
  RELEASED: "inbound-debit",
  DELIVERED: "inbound-debit",
  COMPLETED: "final-report",
  UNPAID: "final-report",
};

/** The close shows the last message: that of the state before. */
function payloadOf(transaction: Transaction, index: number): MessageForm {
  const shown = transaction.transitions.slice(0, index + 1).findLast((entry) => entry.state !== "RECONCILIATION")?.state;
  if (shown === undefined || shown === "RECONCILIATION") throw new Error(`no message of ${transaction.uetr}`);
  return payloads[shown];
}

/** When the message that an event shows was made by Sluice; null for a bank's own message. */
function madeAtMs(transaction: Transaction, form: MessageForm, index: number): number | null {
  const made: Partial<Record<MessageForm, State>> = {
    "report-accepted": "ACCEPTED",
    "report-rejected": "REJECTED",
    "inbound-debit": "RELEASED",
  };
  const entry = transaction.transitions.slice(0, index + 1).findLast((earlier) => earlier.state === made[form]);
  return entry?.atMs ?? null;
}

function isReleasedBy(transaction: Transaction, index: number): boolean {
  return transaction.transitions.slice(0, index + 1).some((entry) => entry.state === "RELEASED");
}

function stoppedBy(transaction: Transaction, entry: Transition, index: number): SentLetter | null {
  const before = transaction.transitions[index - 1];
  if (before === undefined) return null;
  if (entry.state === "RECONCILIATION") return awaitedIn(before.state);
  const isProvenByReport = entry.state === "DELIVERED" && entry.httpStatusCode === null;
  return isProvenByReport ? "D" : null;
}

function dispatchOf(transaction: Transaction, entry: Transition, letter: SentLetter): DispatchOutput {
  const forms = { D: "inbound-debit", A: "report-accepted", R: "report-rejected" } as const;
  return {
    kind: "dispatch",
    operation: letter === "D" ? "inboundDirectDebit" : "outboundDirectDebitResponse",
    form: forms[letter],
    messageIdentification: sentIdentification(transaction.uetr, letter),
    deliveryKey: transaction.uetr,
    receiver: receiverOf(transaction, letter),
    businessDate: entry.businessDate,
    closesWith: entry.closesWith,
    deadlineMs: null,
    madeAtMs: entry.atMs,
    causedByOffset: entry.offset,
    about: null,
  };
}

function stopOf(transaction: Transaction, letter: SentLetter, causedByOffset: bigint): StopOutput {
  return {
    kind: "stop",
    messageIdentification: sentIdentification(transaction.uetr, letter),
    deliveryKey: transaction.uetr,
    receiver: receiverOf(transaction, letter),
    causedByOffset,
  };
}

function outputOfTold(transaction: Transaction, told: Told): Output {
  if (told.kind === "stop-again") {
    return {
      kind: "stop",
      messageIdentification: told.messageIdentification,
      deliveryKey: transaction.uetr,
      receiver: told.receiver,
      causedByOffset: told.offset,
    };
  }
  return {
    kind: "dispatch",
    operation: "outboundDirectDebitResponse",
    form: told.kind,
    messageIdentification: told.messageIdentification,
    deliveryKey: told.messageIdentification,
    receiver: told.receiver,
    businessDate: transaction.transitions.findLast((entry) => entry.offset < told.offset)?.businessDate ?? "",
    closesWith: null,
    deadlineMs: told.deadlineMs,
    madeAtMs: told.atMs,
    causedByOffset: told.offset,
    about: told.about,
  };
}
