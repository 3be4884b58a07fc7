// What must hold of every attempt in the moment in which it begins. Each law answers what is wrong; nothing when all is well.
//
// 1. The message was asked for, and goes to its receiver; every attempt of it has the same bytes and headers (I3).
// 2. The process holds the lane (rows 25 and 26: no zombie, no owner of yesterday).
// 3. Nothing begins for a receiver that is paused, past the day of the message, its own time to stop, or its own deadline, as far as
//    the process has read (I8).
// 4. First attempts of one receiver and key come in order: each message before it was acknowledged, or is given up (I4).
// 5. Nothing is tried again that its own tenure has said the end of; of a refused message nobody tries anything until a redrive.

import { before, isPausedAt, type Given, type Message, type Pause, type Place } from "./given.ts";
import type { AttemptLaw, Run } from "./run.ts";
import { attemptsOf, knows, meaningOf, type Attempt } from "./seen.ts";

export const attemptLaws: readonly AttemptLaw[] = [sameMessage, byItsOwner, notPaused, notOver, inOrder, notEnded];

/** Agreed time lags behind the log's clock by what an answer of the log takes on its way. */
const agreedLagMs = 10;

export function said({ message, process, number, atMs }: Attempt): string {
  return `attempt ${number} of ${message.id} to ${message.bank} by ${process} at +${Math.round(atMs - message.atMs)} ms`;
}

function sameMessage({ seen }: Run, attempt: Attempt): string[] {
  const { message, body, headers } = attempt;
  const [first] = attemptsOf(seen, message.id);
  const wrong: string[] = [];
  if (body !== message.body) wrong.push(`I3: ${said(attempt)}: the body is ${body}`);
  if (first !== undefined && first.headers !== headers) wrong.push(`I3: ${said(attempt)}: ${headers}, and ${first.headers} at first`);
  const to = JSON.stringify({ bank: message.bank, operation: message.operation }).slice(0, -1);
  return headers.startsWith(to) ? wrong : [...wrong, `I3: ${said(attempt)} went to ${headers}`];
}

function byItsOwner({ seen }: Run, attempt: Attempt): string[] {
  if (attempt.tenure !== null) return [];
  const newest = seen.tenures.findLast(({ lane }) => lane === attempt.message.lane);
  return [
    `I4: ${said(attempt)}, though lane ${attempt.message.lane} ${newest?.isOver === true ? "is being dealt anew" : `is ${newest?.process}'s`}`,
  ];
}

function notPaused({ given }: Run, attempt: Attempt): string[] {
  const { message, atMs } = attempt;
  const pause = newestKnown(given.pauses, attempt, ({ bank }) => bank === message.bank);
  if (pause === null || !isKnown(pause, justBefore(attempt)) || !isPausedAt(pause, atMs + 1)) return [];
  return [`pause: ${said(attempt)}, though its pause ${pause.number} was read`];
}

function newestKnown<M extends { readonly places: readonly Place[] }>(
  markers: readonly M[],
  attempt: Attempt,
  isMeant: (marker: M) => boolean,
): M | null {
  return markers.findLast((marker) => isMeant(marker) && isKnown(marker, attempt)) ?? null;
}

function isKnown({ places }: Pick<Pause, "places">, { tenure, atMs }: Attempt): boolean {
  const place = places.find(({ lane }) => lane === tenure?.lane);
  return place !== undefined && tenure !== null && knows(tenure, place.offset, atMs);
}

const takenInMs = 0.001;

/** What is handed over in the moment itself is not taken in yet. */
function justBefore(attempt: Attempt): Attempt {
  return { ...attempt, atMs: attempt.atMs - takenInMs };
}

function notOver({ given, lagsMs }: Run, attempt: Attempt): string[] {
  const { message } = attempt;
  const atMs = attempt.atMs - agreedLagMs - (lagsMs.get(attempt.process) ?? 0);
  if (message.stopsAtMs !== null && message.stopsAtMs <= atMs) return [`I8: ${said(attempt)}, past its time to stop`];
  if (message.deadlineMs !== null && message.deadlineMs <= atMs) return [`I8: ${said(attempt)}, past its own deadline`];
  if (message.closesWith === null) return [];
  const read = justBefore(attempt);
  const isReconciled = newestKnown(given.plans, read, ({ day, closesAtMs }) => day === message.closesWith && closesAtMs === null);
  const planned = newestKnown(given.plans, attempt, ({ day, closesAtMs }) => day === message.closesWith && closesAtMs !== null);
  if (isReconciled !== null) return [`I8: ${said(attempt)}, though its day was read to be reconciled`];
  const isClosed = planned !== null && isKnown(planned, read) && planned.closesAtMs !== null && planned.closesAtMs <= atMs;
  return isClosed ? [`I8: ${said(attempt)}, ${atMs - (planned.closesAtMs ?? 0)} ms after its day's close`] : [];
}

function inOrder(run: Run, attempt: Attempt): string[] {
  if (attempt.number > 1) return [];
  const waiting = before(run.given, attempt.message).find((message) => !isDoneWith(run, message, attempt.atMs));
  return waiting === undefined ? [] : [`I4: ${said(attempt)}, before ${waiting.id} was acknowledged or given up`];
}

/** Acknowledged, refused, stopped, or its attempts have been over. */
export function isDoneWith({ given, seen }: Run, message: Message, atMs: number): boolean {
  const meanings = attemptsOf(seen, message.id).map(meaningOf);
  if (meanings.some((meaning) => meaning === "acknowledged" || meaning === "refused" || meaning === "either")) return true;
  if (given.changes.some((change) => change.kind === "STOP" && change.message.id === message.id && change.atMs <= atMs)) return true;
  return hasBeenOver(given, message, atMs);
}

/** By any plan of its day, also one that was put back later. */
export function hasBeenOver({ plans }: Given, message: Message, atMs: number): boolean {
  const { stopsAtMs, deadlineMs, closesWith } = message;
  if ((stopsAtMs !== null && stopsAtMs <= atMs) || (deadlineMs !== null && deadlineMs <= atMs)) return true;
  return plans.some(({ day, closesAtMs, places }) => {
    const sinceMs = Math.max(closesAtMs ?? 0, Math.min(...places.map((place) => place.atMs)));
    return day === closesWith && sinceMs <= atMs;
  });
}

function notEnded({ given, seen }: Run, attempt: Attempt): string[] {
  const { message, tenure, atMs } = attempt;
  // What a redrive tries again.
  if (given.changes.some(({ kind, message: changed }) => kind === "REDRIVE" && changed.id === message.id)) return [];
  const facts = seen.facts.filter(({ value }) => value.messageIdentification === message.id);
  if (facts.some(({ value }) => value.outcome === "REFUSED")) return [`REFUSED: ${said(attempt)}, though its refusal was said`];
  // What an owner before appended may be in the log only now.
  const sinceMs = tenure?.starts.at(-1)?.atMs ?? Number.POSITIVE_INFINITY;
  const own = attemptsOf(seen, message.id).find(({ tenure: by, learnt }) => by === tenure && learnt !== null && learnt.atMs >= sinceMs);
  const answeredAtMs = own?.learnt?.atMs ?? Number.POSITIVE_INFINITY;
  const ended = facts.find((fact) => fact.atMs >= Math.floor(answeredAtMs) && fact.atMs < Math.floor(atMs));
  return ended === undefined ? [] : [`I5: ${said(attempt)}, though this owner had said ${ended.value.outcome}`];
}
