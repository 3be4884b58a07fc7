// The laws of everything that the engine appends: facts to the journal, and receipts.
//
// #1 ACKNOWLEDGED and REFUSED follow from the answer to an earlier attempt, and STOPPED answers a requested stop.
// #2 Attempts are never invented. If no process died or lost a partition, all attempts are counted.
// #3 A fact says that a message was certainly not received only if no attempt of any process leaves that open.
// #4 EXPIRED is recorded only for a message with its own deadline, and only after it.

import type { ModelRun } from "./model-run.ts";
import {
  findAttempts,
  mayHaveArrived,
  interpretAnswer,
  type RecordedAttempt,
  type RecordedFact,
  type RecordedReceipt,
} from "./recorded.ts";

export function checkAppended(run: ModelRun, from: { facts: number; receipts: number }): string[] {
  const facts = run.recorded.facts.slice(from.facts);
  const receipts = run.recorded.receipts.slice(from.receipts);
  from.facts += facts.length;
  from.receipts += receipts.length;
  return [...facts.flatMap((fact) => checkFact(run, fact)), ...receipts.flatMap((receipt) => checkReceipt(run, receipt))];
}

function checkFact(run: ModelRun, { value, atMs }: RecordedFact): string[] {
  const { messageIdentification: id, outcome, httpStatusCode, attempts: counted, stopOffset, mayHaveBeenTaken } = value;
  const label = `${outcome} of ${id} (${counted} attempts)`;
  const message = run.inputs.byId.get(id);
  if (message === undefined) return [`I2: ${label}: no such message`];
  const attempts = findAttempts(run.recorded, id).filter((attempt) => attempt.atMs <= atMs);
  const wrong: string[] = [];
  if (counted > attempts.length) wrong.push(`evidence: ${label}, but ${attempts.length} were made`);
  if (!run.isDisturbed && outcome !== "STOPPED" && counted !== attempts.length)
    wrong.push(`evidence: ${label}, but ${attempts.length} were made, and no process died`);
  const uncertain =
    mayHaveBeenTaken || outcome === "ACKNOWLEDGED"
      ? undefined
      : attempts.find((attempt) => mayHaveArrived(attempt) && !isAcknowledgedInJournal(run, attempt, atMs));
  if (uncertain !== undefined)
    wrong.push(`evidence: ${label} says that it was not received, but attempt ${uncertain.number} left that open`);
  if (outcome === "STOPPED") {
    const stop = run.inputs.changes.find(({ kind, cause }) => kind === "STOP" && cause === stopOffset);
    if (stop?.message !== message) wrong.push(`I2: ${label} by ${stopOffset}: no input has that stop`);
    return wrong;
  }
  const expected = outcome === "ACKNOWLEDGED" ? "acknowledged" : "refused";
  const isSupported = attempts.some((attempt) => {
    const meaning = interpretAnswer(attempt);
    return (meaning === expected || meaning === "either") && attempt.received.status === httpStatusCode;
  });
  return isSupported ? wrong : [...wrong, `I2: ${label} with ${httpStatusCode}: no attempt had that answer`];
}

/** True if the journal had recorded the attempt's acknowledgement by then, which leaves nothing open. */
function isAcknowledgedInJournal({ recorded }: ModelRun, attempt: RecordedAttempt, atMs: number): boolean {
  if (interpretAnswer(attempt) !== "acknowledged") return false;
  return recorded.facts.some(
    (fact) => fact.atMs <= atMs && fact.value.outcome === "ACKNOWLEDGED" && fact.value.messageIdentification === attempt.message.id,
  );
}

function checkReceipt(run: ModelRun, { value, atMs }: RecordedReceipt): string[] {
  const { webhookId, outcome, attempts } = value;
  const message = run.inputs.byId.get(webhookId);
  if (message === undefined) return [`I2: a receipt for ${webhookId}: no such message`];
  const made = findAttempts(run.recorded, webhookId).filter((attempt) => attempt.atMs <= atMs).length;
  if (attempts > made) return [`evidence: the receipt of ${webhookId} has ${attempts} attempts, ${made} were made`];
  if (outcome !== "EXPIRED") return [];
  const isLate = message.deadlineMs !== null && message.deadlineMs <= atMs;
  return isLate ? [] : [`I1: ${webhookId} is recorded as expired before its deadline`];
}
