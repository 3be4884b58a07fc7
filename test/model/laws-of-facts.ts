// What must hold of everything that the engine appends: facts for the journal, receipts.
//
// 1. ACKNOWLEDGED and REFUSED say what an attempt brought that was answered before, STOPPED answers a stop that was asked for.
// 2. Attempts are never made up; where nobody died or lost a lane, all are counted.
// 3. "It was not taken for sure" is said of what was given up only where no attempt of any process leaves that open.
// 4. EXPIRED is said of what has an own deadline, after it.

import type { Run } from "./run.ts";
import { attemptsOf, leavesOpen, meaningOf, type Attempt, type Fact, type SeenReceipt } from "./seen.ts";

export function factsInOrder(run: Run, from: { facts: number; receipts: number }): string[] {
  const facts = run.seen.facts.slice(from.facts);
  const receipts = run.seen.receipts.slice(from.receipts);
  from.facts += facts.length;
  from.receipts += receipts.length;
  return [...facts.flatMap((fact) => wrongOfFact(run, fact)), ...receipts.flatMap((receipt) => wrongOfReceipt(run, receipt))];
}

function wrongOfFact(run: Run, { value, atMs }: Fact): string[] {
  const { messageIdentification: id, outcome, httpStatusCode, attempts: counted, stopOffset, mayHaveBeenTaken } = value;
  const saying = `${outcome} of ${id} (${counted} attempts)`;
  const message = run.given.byId.get(id);
  if (message === undefined) return [`I2: ${saying}: no such message`];
  const attempts = attemptsOf(run.seen, id).filter((attempt) => attempt.atMs <= atMs);
  const wrong: string[] = [];
  if (counted > attempts.length) wrong.push(`evidence: ${saying}, but ${attempts.length} were made`);
  if (!run.isDisturbed && outcome !== "STOPPED" && counted !== attempts.length)
    wrong.push(`evidence: ${saying}, but ${attempts.length} were made, and nobody died`);
  const left =
    mayHaveBeenTaken || outcome === "ACKNOWLEDGED"
      ? undefined
      : attempts.find((attempt) => leavesOpen(attempt) && !isSaid(run, attempt, atMs));
  if (left !== undefined) wrong.push(`evidence: ${saying} says that it was not taken, but attempt ${left.number} left that open`);
  if (outcome === "STOPPED") {
    const stop = run.given.changes.find(({ kind, cause }) => kind === "STOP" && cause === stopOffset);
    if (stop?.message !== message) wrong.push(`I2: ${saying} by ${stopOffset}: nobody asked for that`);
    return wrong;
  }
  const expected = outcome === "ACKNOWLEDGED" ? "acknowledged" : "refused";
  const isBrought = attempts.some((attempt) => {
    const meaning = meaningOf(attempt);
    return (meaning === expected || meaning === "either") && attempt.arrived.status === httpStatusCode;
  });
  return isBrought ? wrong : [...wrong, `I2: ${saying} with ${httpStatusCode}: no attempt brought that`];
}

/** An acknowledgement that the journal has by then leaves nothing open. */
function isSaid({ seen }: Run, attempt: Attempt, atMs: number): boolean {
  if (meaningOf(attempt) !== "acknowledged") return false;
  return seen.facts.some(
    (fact) => fact.atMs <= atMs && fact.value.outcome === "ACKNOWLEDGED" && fact.value.messageIdentification === attempt.message.id,
  );
}

function wrongOfReceipt(run: Run, { value, atMs }: SeenReceipt): string[] {
  const { webhookId, outcome, attempts } = value;
  const message = run.given.byId.get(webhookId);
  if (message === undefined) return [`I2: a receipt for ${webhookId}: no such message`];
  const made = attemptsOf(run.seen, webhookId).filter((attempt) => attempt.atMs <= atMs).length;
  if (attempts > made) return [`evidence: the receipt of ${webhookId} has ${attempts} attempts, ${made} were made`];
  if (outcome !== "EXPIRED") return [];
  const isLate = message.deadlineMs !== null && message.deadlineMs <= atMs;
  return isLate ? [] : [`I1: ${webhookId} is said to have expired before its deadline`];
}
