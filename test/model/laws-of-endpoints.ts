// The laws of an endpoint that is down, suspended by `Retry-After`, or at its limit of connections, and of the messages
// that wait.
//
// #1 While its breaker is open only probes begin, each 10 s (60 s for answers about the address) after the previous one
//    (I12).
// #2 While `Retry-After` suspends it, only a probe begins, or a message whose attempts would have ended by then (I12).
// #3 There are never more attempts under way than the receiver has connections (I15).
// #4 After the acknowledgement that closes the breaker a waiting message is tried within 1 s (I16). One that fails
//    often keeps its own back-off.
// #5 While the breaker is open and a message waits, probes continue. While it is closed, no first message of a key
//    waits longer than its last answer requires (I7). One that fails often waits for its turn too: each of them has
//    one.

import { failingFromAttempts } from "@sluice/contracts";
import { modelProbeSpacingMs, endpointOrigin, type ModelEndpoint } from "./endpoints.ts";
import { earlierMessages, isPauseActive, newestPause, type InputMessage } from "./inputs.ts";
import { isSettled, describeAttempt } from "./laws-of-attempts.ts";
import { endpointForMessage, isUndisturbed, type AttemptLaw, type ModelRun } from "./model-run.ts";
import { findAttempts, currentLease, interpretAnswer, type RecordedAttempt, type ModelLease } from "./recorded.ts";

export const endpointLaws: readonly AttemptLaw[] = [onlyProbes, retryAfterKept, connectionsKept];

/** Milliseconds for the rounding of timers, and for the difference between the broker clock and the virtual clock. */
const slackMs = 15;
const answerTimeoutMs = 5_000;
/** Milliseconds for a resume during a probe that was due in the pause: the next probe is due when that one ends. */
const recallingMs = answerTimeoutMs + 1_000;
const connections: Readonly<Record<string, number>> = { first: 2, second: 16, third: 16 };

function onlyProbes(run: ModelRun, attempt: RecordedAttempt): string[] {
  const endpoint = endpointForMessage(run, attempt.process, attempt.message);
  const { open, probedAtMs, probeDueAtMs, isUncertain } = endpoint;
  if (open === null || isUncertain || open.sinceMs >= attempt.atMs) return [];
  endpoint.probedAtMs = attempt.atMs;
  if (probeDueAtMs > (probedAtMs ?? 0) - recallingMs) return [];
  const sinceMs = attempt.atMs - (probedAtMs ?? open.sinceMs);
  if (sinceMs >= modelProbeSpacingMs[open.reason] - slackMs) return [];
  return [
    `I12: ${describeAttempt(attempt)}, ${Math.round(sinceMs)} ms after ${probedAtMs === null ? "its breaker opened" : "the previous probe"}`,
  ];
}

function retryAfterKept(run: ModelRun, attempt: RecordedAttempt): string[] {
  const { retryAfterUntilMs, retryAfterAtMs, isUncertain } = endpointForMessage(run, attempt.process, attempt.message);
  if (isUncertain || retryAfterUntilMs <= attempt.atMs + slackMs || retryAfterAtMs >= attempt.atMs) return [];
  const endsMs = earliestEnd(run, attempt.message);
  if (endsMs !== null && endsMs - answerTimeoutMs <= attempt.atMs + slackMs) return [];
  return [`I12: ${describeAttempt(attempt)}, ${Math.round(retryAfterUntilMs - attempt.atMs)} ms before Retry-After ends`];
}

/** The earliest time at which anything that was ever planned ends the attempts; null if nothing does. */
function earliestEnd({ inputs }: ModelRun, { reconciliationDay, stopsAtMs, deadlineMs }: InputMessage): number | null {
  const closes = inputs.plans.filter(({ day }) => day === reconciliationDay).map(({ closesAtMs }) => closesAtMs ?? 0);
  const ends = [stopsAtMs, deadlineMs, ...closes].filter((ms) => ms !== null);
  return ends.length === 0 ? null : Math.min(...ends);
}

function connectionsKept(run: ModelRun, attempt: RecordedAttempt): string[] {
  const { running } = endpointForMessage(run, attempt.process, attempt.message);
  const most = connections[attempt.message.bank] ?? 0;
  return running <= most ? [] : [`I15: ${describeAttempt(attempt)} is the ${running}th at once, of ${most}`];
}

const firstDrainedWithinMs = 1_000;

export function expectDrain(run: ModelRun, endpoint: ModelEndpoint): void {
  const fromMs = run.nowMs();
  const heads = findWaiting(run, endpoint).filter((message) => !failsOften(run, message));
  // A page of four may be empty of what can be tried until the store is read again.
  if (run.settings.isSmall || !isUndisturbed(run) || run.quietFromMs > fromMs || heads.length === 0) return;
  run.expectations.push({ endpoint, heads, fromMs, untilMs: fromMs + firstDrainedWithinMs + slackMs });
}

/** Finds the first messages of keys in the process's partitions that could be tried at the endpoint now and are not. */
function findWaiting(run: ModelRun, endpoint: ModelEndpoint): readonly InputMessage[] {
  return run.inputs.messages.filter(
    (message) => message.bank === endpoint.bank && endpointOrigin(message) === endpoint.origin && isWaiting(run, message, endpoint),
  );
}

function isWaiting(run: ModelRun, message: InputMessage, { process }: ModelEndpoint): boolean {
  const nowMs = run.nowMs();
  const lease = currentLease(run.recorded, message.partition);
  if (lease === null || lease.process !== process || isSettled(run, message, nowMs)) return false;
  if (isPauseActive(newestPause(run.inputs, message.bank), nowMs)) return false;
  if (findAttempts(run.recorded, message.id).some(({ result }) => result === null)) return false;
  return earlierMessages(run.inputs, message).every((other) => isSettled(run, other, nowMs) && !isTriedAgain(run, other, lease));
}

/**
 * True if an earlier owner ended the message but could not record it, so that this owner tries it again or is about to.
 */
function isTriedAgain({ recorded }: ModelRun, { id, offset }: InputMessage, lease: ModelLease): boolean {
  const last = findAttempts(recorded, id).at(-1);
  if (last === undefined) return false;
  const meaning = interpretAnswer(last);
  const position = lease.starts.at(-1)?.position ?? 0n;
  return meaning === null || meaning === "transient" || meaning === "address" || (last.lease !== lease && offset >= position);
}

/** Checks #4 and #5 at the end of a step. */
export function findLateWork(run: ModelRun): string[] {
  const nowMs = run.nowMs();
  const due = run.expectations.filter(({ untilMs }) => untilMs <= nowMs);
  run.expectations.splice(0, run.expectations.length, ...run.expectations.filter(({ untilMs }) => untilMs > nowMs));
  const isQuiet = isUndisturbed(run) && run.quietFromMs <= nowMs;
  const undrained = due.filter(({ endpoint, heads, fromMs, untilMs }) => {
    const isExcused = !isUndisturbed(run) || run.quietFromMs > fromMs || endpoint.retryAfterMayLastUntilMs > fromMs;
    const tried = run.recorded.attempts.filter((attempt) => isAttemptAt(attempt, endpoint) && attempt.atMs >= fromMs);
    const isStillThere = findWaiting(run, endpoint).some((message) => heads.includes(message));
    return (
      !isExcused && !tried.some(({ atMs }) => atMs <= untilMs) && (isStillThere || tried.some(({ message }) => heads.includes(message)))
    );
  });
  return [
    ...undrained.map(
      ({ endpoint }) =>
        `I16: ${endpoint.bank} has a closed breaker again in ${endpoint.process}, and no waiting message was tried within a second`,
    ),
    ...(isQuiet ? [...run.endpoints.values()].flatMap((endpoint) => findStuck(run, endpoint)) : []),
  ];
}

function isAttemptAt({ process, message }: RecordedAttempt, endpoint: ModelEndpoint): boolean {
  return process === endpoint.process && message.bank === endpoint.bank && endpointOrigin(message) === endpoint.origin;
}

/** Milliseconds between the end of a wait and its attempt: a place among the connections, a scan of the store. */
const patienceMs = 40_000;
const longestMs = { transient: 60_000, address: 5 * 60_000 } as const;

/** #5 */
function findStuck(run: ModelRun, endpoint: ModelEndpoint): string[] {
  const nowMs = run.nowMs();
  const lastMs = run.recorded.attempts.findLast((attempt) => isAttemptAt(attempt, endpoint))?.atMs ?? 0;
  const fromMs = Math.max(run.calmFromMs, run.quietFromMs, endpoint.retryAfterMayLastUntilMs, endpoint.closedAtMs);
  const [head] = findWaiting(run, endpoint);
  // The bank's two endpoints share one backlog page, and a page of four may hold messages of one endpoint only.
  if (run.settings.isSmall && endpoint.bank === "third") return [];
  if (endpoint.open !== null && head !== undefined) {
    const waitedMs = nowMs - Math.max(fromMs, lastMs, headSinceMs(run, head));
    const isLate = waitedMs > modelProbeSpacingMs[endpoint.open.reason] + patienceMs;
    return isLate ? [`I7: nothing was sent to ${endpoint.bank} by ${endpoint.process} for ${waitedMs} ms, and ${head.id} waits`] : [];
  }
  // A page of four may hold messages of one key only.
  if (run.settings.isSmall || endpoint.isUncertain) return [];
  const heads = findWaiting(run, endpoint);
  const turnsMs = heads.filter((message) => failsOften(run, message)).length * longestTurnMs(run, endpoint);
  return heads.flatMap((message) => {
    const last = findAttempts(run.recorded, message.id).at(-1);
    const meaning = last === undefined ? null : interpretAnswer(last);
    const ownMs = meaning === "transient" || meaning === "address" ? longestMs[meaning] : 0;
    const most = patienceMs + ownMs + (failsOften(run, message) ? turnsMs : 0);
    const waitedMs = nowMs - Math.max(fromMs, headSinceMs(run, message), last?.result?.atMs ?? 0, retryAfterEndMs(last));
    return waitedMs <= most ? [] : [`I7: ${message.id}, a head, waits for ${waitedMs} ms (${meaning ?? "untried"})`];
  });
}

function failsOften(run: ModelRun, { id }: InputMessage): boolean {
  return findAttempts(run.recorded, id).length >= failingFromAttempts;
}

/** Milliseconds between attempts on what fails often, which has an eighth of the requests at once, or of the time. */
function longestTurnMs(run: ModelRun, endpoint: ModelEndpoint): number {
  return answerTimeoutMs * Math.max(1, 8 / leastAtOnce(run, endpoint));
}

/**
 * The fewest requests at once that the answers may have taught any process: a 429, a 503 and a `Retry-After` leave one,
 * and time-outs leave two.
 */
function leastAtOnce({ recorded }: ModelRun, { bank, origin }: ModelEndpoint): number {
  const answers = recorded.attempts.flatMap(({ message, result }) =>
    result !== null && message.bank === bank && endpointOrigin(message) === origin ? [result.answer] : [],
  );
  const isThrottled = answers.some(
    (answer) => answer.kind === "answered" && (answer.retryAfter !== null || [429, 503].includes(answer.status)),
  );
  if (isThrottled) return 1;
  const configured = connections[bank] ?? 1;
  return answers.some(({ kind }) => kind === "silent") ? Math.min(2, configured) : configured;
}

/** Returns since when the message has been the first of its key. */
function headSinceMs(run: ModelRun, message: InputMessage): number {
  const earlier = new Set(earlierMessages(run.inputs, message).map(({ id }) => id));
  const ends = run.inputs.changes.filter((change) => earlier.has(change.message.id)).map(({ atMs }) => atMs);
  const answers = [...earlier].map((id) => findAttempts(run.recorded, id).at(-1)?.result?.atMs ?? 0);
  return Math.max(message.atMs, ...ends, ...answers);
}

/** Returns when the message's own wait by `Retry-After` ends. */
function retryAfterEndMs(last: RecordedAttempt | undefined): number {
  const answer = last?.result?.answer;
  if (last?.result === null || last === undefined || answer?.kind !== "answered" || answer.retryAfter === null) return 0;
  return last.result.atMs + Number(answer.retryAfter) * 1_000;
}
