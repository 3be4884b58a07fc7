// What the entries of one turn emit. `decide` and a replay both come here, so a replay gives the first outputs again: an output is a
// function of its entry and of what never changes afterwards (flow, message, bank, a credit's deadline once it is sent, entries before it).

import type { ResolutionKind } from "./fact.ts";
import { eventId, sentIdentification } from "./ids.ts";
import type { Digest, SentLetter } from "./ids.ts";
import type { DispatchOutput, EventOutput, MessageForm, Output, StopOutput } from "./output.ts";
import { rollsDone } from "./rolling.ts";
import { isBeside } from "./items.ts";
import { flowOf, letters, operationOf, outcomeNumberAt, receiverOf, sentIn, shownAfter } from "./state-messages.ts";
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

function outputsOfTransition(transaction: Transaction, entry: Transition, index: number, digest: Digest): readonly Output[] {
  const outputs: Output[] = [eventOf(transaction, entry, index, digest)];
  const starts = sentIn(flowOf(transaction), entry.state);
  if (starts !== null) outputs.push(dispatchOf(transaction, entry, index, starts));
  const stops = stoppedBy(transaction, entry, index);
  if (stops !== null) outputs.push(stopOf(transaction, stops, entry.offset));
  return outputs;
}

function eventOf(transaction: Transaction, entry: Transition, index: number, digest: Digest): EventOutput {
  const before = transaction.transitions[index - 1]?.state ?? null;
  const flow = flowOf(transaction);
  const payload = shownAfter(transaction, index + 1);
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
    rolls: rollsDone({ transitions: transaction.transitions.slice(0, index + 1) }),
  };
}

/** When the message that an event shows was made by Sluice: as it was first sent; null for a message that Sluice received. */
function madeAtMs(transaction: Transaction, form: MessageForm, index: number): number | null {
  const letter = letters[form];
  if (letter === undefined) return null;
  const flow = flowOf(transaction);
  const entry = transaction.transitions.slice(0, index + 1).findLast((earlier) => sentIn(flow, earlier.state) === letter);
  return entry?.atMs ?? null;
}

function isReleasedBy(transaction: Transaction, index: number): boolean {
  return transaction.transitions.slice(0, index + 1).some((entry) => entry.state === "RELEASED");
}

/** The delivery of the state before, where it has not ended by its acknowledgement. An outcome is told on. */
function stoppedBy(transaction: Transaction, entry: Transition, index: number): SentLetter | null {
  const before = transaction.transitions[index - 1];
  const letter = before === undefined ? null : sentIn(flowOf(transaction), before.state);
  if (letter === "O") return null;
  if (endings.has(entry.state)) return letter;
  const isDelivered = entry.state === "DELIVERED" || entry.state === "CREDIT_AUTH_DELIVERED";
  // Without a code it was proven by the bank's report.
  return isDelivered && entry.httpStatusCode === null ? letter : null;
}

/** States that end a delivery which is still tried, or lies parked. */
const endings: ReadonlySet<State> = new Set<State>(["RECONCILIATION", "CREDIT_AUTH_RECONCILIATION", "CREDIT_AUTH_DELIVERY_FAILURE"]);

const forms: Readonly<Record<SentLetter, MessageForm>> = {
  A: "report-accepted",
  R: "report-rejected",
  D: "inbound-debit",
  C: "inbound-credit",
  O: "outcome-report",
  S: "on-us-outcome",
};

function dispatchOf(transaction: Transaction, entry: Transition, index: number, letter: SentLetter): DispatchOutput {
  const isOfDebit = letter !== "C" && letter !== "O";
  return {
    kind: "dispatch",
    operation: operationOf(flowOf(transaction), letter),
    form: forms[letter],
    state: entry.state,
    messageIdentification: sentIdentification(transaction.uetr, letter, outcomeNumberAt(transaction, index)),
    deliveryKey: transaction.uetr,
    receiver: receiverOf(transaction, letter),
    businessDate: entry.businessDate,
    closesWith: isOfDebit ? entry.closesWith : null,
    deadlineMs: null,
    stopsAtMs: letter === "C" ? transaction.deadlineMs : null,
    madeAtMs: entry.atMs,
    causedByOffset: entry.offset,
    about: null,
    resolution: null,
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
  if (told.kind === "redrive" || told.kind === "redrive-posting") {
    return {
      kind: "redrive",
      target: told.kind === "redrive" ? "delivery" : "posting",
      messageIdentification: told.messageIdentification,
      deliveryKey: transaction.uetr,
      receiver: told.receiver,
      causedByOffset: told.offset,
    };
  }
  if (told.kind === "stop-again") {
    return {
      kind: "stop",
      messageIdentification: told.messageIdentification,
      deliveryKey: transaction.uetr,
      receiver: told.receiver,
      causedByOffset: told.offset,
    };
  }
  const entered = transaction.transitions.filter((entry) => entry.offset <= told.offset);
  const repeated = told.kind === "report-again" ? entered.findLast((entry) => isReported(transaction, entry)) : undefined;
  const entry = repeated ?? entered.at(-1);
  if (entry === undefined || told.operation === null) throw new Error(`told before anything: ${transaction.uetr}`);
  return {
    kind: "dispatch",
    operation: told.operation,
    form: told.kind,
    state: entry.state,
    messageIdentification: told.messageIdentification,
    // In order behind an outcome told before it; every other answer holds nothing up.
    deliveryKey: told.kind === "resolution-outcome" ? transaction.uetr : told.messageIdentification,
    receiver: told.receiver,
    businessDate: entry.businessDate,
    closesWith: null,
    deadlineMs: told.kind === "resolution-outcome" ? null : told.deadlineMs,
    stopsAtMs: null,
    madeAtMs: told.atMs,
    causedByOffset: told.offset,
    about: told.kind === "duplicate-refused" || told.kind === "report-again" ? told.about : null,
    resolution: saysResolution(transaction, told) ? finalResolutionOf(transaction) : null,
  };
}

/** The resolution itself, and a report sent once more after it. */
function saysResolution(transaction: Transaction, { kind, offset }: Told): boolean {
  if (kind === "resolution-outcome") return true;
  return kind === "report-again" && transaction.told.some((before) => before.kind === "resolution-outcome" && before.offset < offset);
}

/** Of the state's own item: what is final does not change. */
function finalResolutionOf({ items }: Transaction): ResolutionKind | null {
  return items.find((item) => !isBeside(item) && item.resolution?.isFinal === true)?.resolution?.kind ?? null;
}

/** The sender was told something with this entry: the verdict on-us, an outcome otherwise. */
function isReported(transaction: Transaction, entry: Transition): boolean {
  const letter = sentIn(flowOf(transaction), entry.state);
  return letter === "A" || letter === "R" || letter === "O";
}
