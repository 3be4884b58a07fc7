// The laws of every attempt at the moment in which it begins. Each law returns the violations that it finds.
//
// #1 An input has the message, the attempt goes to its receiver, and every attempt has the same bytes and headers (I3).
// #2 The process holds the partition's lease (rows 25 and 26: no zombie, no former owner).
// #3 No attempt begins for a receiver that is paused, or after the message's day, stop time or deadline, as far as the
//    process has read (I8).
// #4 First attempts of one receiver and key come in order: each earlier message was acknowledged or given up (I4).
// #5 A message is not tried again after its end was recorded under the same lease. A refused message is not tried until
//    a redrive, and neither is one whose receipt says that an operator stopped it.

import { earlierMessages, isPauseActive, type ModelInputs, type InputMessage, type InputPause, type InputPlace } from "./inputs.ts";
import type { AttemptLaw, ModelRun } from "./model-run.ts";
import { findAttempts, hasRead, interpretAnswer, type RecordedAttempt } from "./recorded.ts";

export const attemptLaws: readonly AttemptLaw[] = [
  checkSameMessage,
  checkOwner,
  checkNotPaused,
  checkNotEnded,
  checkOrder,
  checkNotSettled,
];

/** Milliseconds by which the broker clock of a process lags, because an answer of the broker takes that long. */
const brokerClockLagMs = 10;

export function describeAttempt({ message, process, number, atMs }: RecordedAttempt): string {
  return `attempt ${number} of ${message.id} to ${message.bank} by ${process} at +${Math.round(atMs - message.atMs)} ms`;
}

function checkSameMessage({ recorded }: ModelRun, attempt: RecordedAttempt): string[] {
  const { message, body, headers } = attempt;
  const [first] = findAttempts(recorded, message.id);
  const wrong: string[] = [];
  if (body !== message.body) wrong.push(`I3: ${describeAttempt(attempt)}: the body is ${body}`);
  if (first !== undefined && first.headers !== headers)
    wrong.push(`I3: ${describeAttempt(attempt)}: ${headers}, and ${first.headers} at first`);
  const to = JSON.stringify({ bank: message.bank, operation: message.operation }).slice(0, -1);
  return headers.startsWith(to) ? wrong : [...wrong, `I3: ${describeAttempt(attempt)} went to ${headers}`];
}

function checkOwner({ recorded }: ModelRun, attempt: RecordedAttempt): string[] {
  if (attempt.lease !== null) return [];
  const newest = recorded.leases.findLast(({ partition }) => partition === attempt.message.partition);
  return [
    `I4: ${describeAttempt(attempt)}, though partition ${attempt.message.partition} ${newest?.hasEnded === true ? "is being reassigned" : `is owned by ${newest?.process}`}`,
  ];
}

function checkNotPaused({ inputs }: ModelRun, attempt: RecordedAttempt): string[] {
  const { message, atMs } = attempt;
  const pause = newestKnown(inputs.pauses, attempt, ({ bank }) => bank === message.bank);
  if (pause === null || !isKnown(pause, justBefore(attempt)) || !isPauseActive(pause, atMs + 1)) return [];
  return [`pause: ${describeAttempt(attempt)}, though its pause ${pause.number} was read`];
}

function newestKnown<M extends { readonly places: readonly InputPlace[] }>(
  markers: readonly M[],
  attempt: RecordedAttempt,
  matches: (marker: M) => boolean,
): M | null {
  return markers.findLast((marker) => matches(marker) && isKnown(marker, attempt)) ?? null;
}

function isKnown({ places }: Pick<InputPause, "places">, { lease, atMs }: RecordedAttempt): boolean {
  const place = places.find(({ partition }) => partition === lease?.partition);
  return place !== undefined && lease !== null && hasRead(lease, place.offset, atMs);
}

const takenInMs = 0.001;

/** Returns the attempt a moment earlier, because a record that is handed over at the same moment is not applied yet. */
function justBefore(attempt: RecordedAttempt): RecordedAttempt {
  return { ...attempt, atMs: attempt.atMs - takenInMs };
}

function checkNotEnded({ inputs, lagsMs }: ModelRun, attempt: RecordedAttempt): string[] {
  const { message } = attempt;
  const atMs = attempt.atMs - brokerClockLagMs - (lagsMs.get(attempt.process) ?? 0);
  if (message.stopsAtMs !== null && message.stopsAtMs <= atMs) return [`I8: ${describeAttempt(attempt)}, past its stop time`];
  if (message.deadlineMs !== null && message.deadlineMs <= atMs) return [`I8: ${describeAttempt(attempt)}, past its own deadline`];
  if (message.reconciliationDay === null) return [];
  const read = justBefore(attempt);
  const isReconciled = newestKnown(inputs.plans, read, ({ day, closesAtMs }) => day === message.reconciliationDay && closesAtMs === null);
  const planned = newestKnown(inputs.plans, attempt, ({ day, closesAtMs }) => day === message.reconciliationDay && closesAtMs !== null);
  if (isReconciled !== null) return [`I8: ${describeAttempt(attempt)}, though the process had read that its day is reconciled`];
  const isClosed = planned !== null && isKnown(planned, read) && planned.closesAtMs !== null && planned.closesAtMs <= atMs;
  return isClosed ? [`I8: ${describeAttempt(attempt)}, ${atMs - (planned.closesAtMs ?? 0)} ms after its day's close`] : [];
}

function checkOrder(run: ModelRun, attempt: RecordedAttempt): string[] {
  if (attempt.number > 1) return [];
  const waiting = earlierMessages(run.inputs, attempt.message).find((message) => !isSettled(run, message, attempt.atMs));
  return waiting === undefined ? [] : [`I4: ${describeAttempt(attempt)}, before ${waiting.id} was acknowledged or given up`];
}

/** True if the message was acknowledged, refused, stopped or given up, or its attempts have ended at some time. */
export function isSettled({ inputs, recorded }: ModelRun, message: InputMessage, atMs: number): boolean {
  const meanings = findAttempts(recorded, message.id).map(interpretAnswer);
  if (meanings.some((meaning) => meaning === "acknowledged" || meaning === "refused" || meaning === "either")) return true;
  if (inputs.changes.some((change) => change.kind !== "REDRIVE" && change.message.id === message.id && change.atMs <= atMs)) return true;
  return haveAttemptsEnded(inputs, message, atMs);
}

/** True if its own times or any plan of its day have ended the attempts, even if that close was extended later. */
export function haveAttemptsEnded({ plans }: ModelInputs, message: InputMessage, atMs: number): boolean {
  const { stopsAtMs, deadlineMs, reconciliationDay } = message;
  if ((stopsAtMs !== null && stopsAtMs <= atMs) || (deadlineMs !== null && deadlineMs <= atMs)) return true;
  return plans.some(({ day, closesAtMs, places }) => {
    const sinceMs = Math.max(closesAtMs ?? 0, Math.min(...places.map((place) => place.atMs)));
    return day === reconciliationDay && sinceMs <= atMs;
  });
}

function checkNotSettled({ inputs, recorded }: ModelRun, attempt: RecordedAttempt): string[] {
  const { message, lease, atMs } = attempt;
  // A redriven message may be tried again.
  if (inputs.changes.some(({ kind, message: changed }) => kind === "REDRIVE" && changed.id === message.id)) return [];
  const facts = recorded.facts.filter(({ value }) => value.messageIdentification === message.id);
  if (facts.some(({ value }) => value.outcome === "REFUSED"))
    return [`REFUSED: ${describeAttempt(attempt)}, though its refusal was recorded`];
  if (recorded.receipts.some(({ value }) => value.webhookId === message.id && value.stoppedBy !== null))
    return [`stop: ${describeAttempt(attempt)}, though an operator had stopped it`];
  // A fact that an earlier owner appended may be in the journal only now: an acknowledgement is of this owner only if
  // it got one.
  const sinceMs = lease?.starts.at(-1)?.atMs ?? Number.POSITIVE_INFINITY;
  const answered = findAttempts(recorded, message.id).filter(
    ({ lease: by, result }) => by === lease && result !== null && result.atMs >= sinceMs,
  );
  const ended = facts.find(({ atMs: endedAtMs, value: { outcome } }) => {
    const own = answered.find((one) => outcome !== "ACKNOWLEDGED" || ["acknowledged", "either"].includes(interpretAnswer(one) ?? ""));
    return endedAtMs >= Math.floor(own?.result?.atMs ?? Number.POSITIVE_INFINITY) && endedAtMs < Math.floor(atMs);
  });
  return ended === undefined ? [] : [`I5: ${describeAttempt(attempt)}, though this owner had recorded ${ended.value.outcome}`];
}
