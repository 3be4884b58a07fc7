// What must hold of an address that is down, asks to be left alone, or is full; and of what waits for it.
//
// 1. While its breaker is open nothing begins but probes, each 10 s (60 s over the address) after the one before (I12).
// 2. While a gate stands nothing begins but a probe, or a message whose attempts would be over by its end (I12).
// 3. Never more attempts under way than the receiver has connections (I15).
// 4. After the acknowledgement that closes the breaker something that waits is tried within 1 s (I16).
// 5. While it is open and something waits, probes do not stop; while it is closed no head waits longer than its answer says (I7).

import { probeSpacingMs, originOf, type Address } from "./addresses.ts";
import { before, isPausedAt, newestPause, type Message } from "./given.ts";
import { isDoneWith, said } from "./laws-of-attempts.ts";
import { addressOf, isCalm, type AttemptLaw, type Run } from "./run.ts";
import { attemptsOf, holderOf, meaningOf, type Attempt, type Tenure } from "./seen.ts";

export const addressLaws: readonly AttemptLaw[] = [probesAlone, gateKept, connectionsKept];

/** Rounding of timers, and agreed time against the clock. */
const slackMs = 15;
const answerTimeoutMs = 5_000;
/** A resume may meet a probe that was due during the pause: the next one is due when it is over. */
const recallingMs = answerTimeoutMs + 1_000;
const connections: Readonly<Record<string, number>> = { first: 2, second: 16, third: 16 };

function probesAlone(run: Run, attempt: Attempt): string[] {
  const address = addressOf(run, attempt.process, attempt.message);
  const { open, probedAtMs, recalledAtMs, isUncertain } = address;
  if (open === null || isUncertain || open.sinceMs >= attempt.atMs) return [];
  address.probedAtMs = attempt.atMs;
  if (recalledAtMs > (probedAtMs ?? 0) - recallingMs) return [];
  const sinceMs = attempt.atMs - (probedAtMs ?? open.sinceMs);
  if (sinceMs >= probeSpacingMs[open.reason] - slackMs) return [];
  return [`I12: ${said(attempt)}, ${Math.round(sinceMs)} ms after ${probedAtMs === null ? "its breaker opened" : "the probe before"}`];
}

function gateKept(run: Run, attempt: Attempt): string[] {
  const { gateUntilMs, gatedAtMs, isUncertain } = addressOf(run, attempt.process, attempt.message);
  if (isUncertain || gateUntilMs <= attempt.atMs + slackMs || gatedAtMs >= attempt.atMs) return [];
  const endsMs = endOf(run, attempt.message);
  if (endsMs !== null && endsMs - answerTimeoutMs <= attempt.atMs + slackMs) return [];
  return [`I12: ${said(attempt)}, ${Math.round(gateUntilMs - attempt.atMs)} ms before the gate's end`];
}

/** When attempts end, by anything that was ever planned: the earliest. */
function endOf({ given }: Run, { closesWith, stopsAtMs, deadlineMs }: Message): number | null {
  const closes = given.plans.filter(({ day }) => day === closesWith).map(({ closesAtMs }) => closesAtMs ?? 0);
  const ends = [stopsAtMs, deadlineMs, ...closes].filter((ms) => ms !== null);
  return ends.length === 0 ? null : Math.min(...ends);
}

function connectionsKept(run: Run, attempt: Attempt): string[] {
  const { running } = addressOf(run, attempt.process, attempt.message);
  const most = connections[attempt.message.bank] ?? 0;
  return running <= most ? [] : [`I15: ${said(attempt)} is the ${running}th at once, of ${most}`];
}

/** 4. Something waited when the breaker closed. */
export interface Expectation {
  readonly address: Address;
  readonly heads: readonly Message[];
  readonly fromMs: number;
  readonly untilMs: number;
}

const firstDrainedWithinMs = 1_000;

export function expectDrain(run: Run, address: Address): void {
  const fromMs = run.nowMs();
  const heads = waitingFor(run, address);
  // A page of four may be empty of what can be tried until the store is read again.
  if (run.settings.isSmall || !isCalm(run) || run.quietFromMs > fromMs || heads.length === 0) return;
  run.expectations.push({ address, heads, fromMs, untilMs: fromMs + firstDrainedWithinMs + slackMs });
}

/** Heads of the address in the process's lanes that could be tried now and are not. */
function waitingFor(run: Run, address: Address): readonly Message[] {
  return run.given.messages.filter(
    (message) => message.bank === address.bank && originOf(message) === address.origin && waits(run, message, address),
  );
}

function waits(run: Run, message: Message, { process }: Address): boolean {
  const nowMs = run.nowMs();
  const tenure = holderOf(run.seen, message.lane);
  if (tenure === null || tenure.process !== process || isDoneWith(run, message, nowMs)) return false;
  if (isPausedAt(newestPause(run.given, message.bank), nowMs)) return false;
  if (attemptsOf(run.seen, message.id).some(({ learnt }) => learnt === null)) return false;
  return before(run.given, message).every((other) => isDoneWith(run, other, nowMs) && !isTriedAgain(run, other, tenure));
}

/** An owner before acknowledged or gave it up, but could not say so: this one tries it again, or is about to. */
function isTriedAgain({ seen }: Run, { id, offset }: Message, tenure: Tenure): boolean {
  const last = attemptsOf(seen, id).at(-1);
  if (last === undefined) return false;
  const meaning = meaningOf(last);
  const position = tenure.starts.at(-1)?.position ?? 0n;
  return meaning === null || meaning === "transient" || meaning === "address" || (last.tenure !== tenure && offset >= position);
}

/** 4, 5: asked at the end of a step. */
export function lateness(run: Run): string[] {
  const nowMs = run.nowMs();
  const due = run.expectations.filter(({ untilMs }) => untilMs <= nowMs);
  run.expectations.splice(0, run.expectations.length, ...run.expectations.filter(({ untilMs }) => untilMs > nowMs));
  const isQuiet = isCalm(run) && run.quietFromMs <= nowMs;
  const undrained = due.filter(({ address, heads, fromMs, untilMs }) => {
    const isHeld = !isCalm(run) || run.quietFromMs > fromMs || address.gateMayStandUntilMs > fromMs;
    const tried = run.seen.attempts.filter((attempt) => isTo(attempt, address) && attempt.atMs >= fromMs);
    const isStillThere = waitingFor(run, address).some((message) => heads.includes(message));
    return !isHeld && !tried.some(({ atMs }) => atMs <= untilMs) && (isStillThere || tried.some(({ message }) => heads.includes(message)));
  });
  return [
    ...undrained.map(
      ({ address }) => `I16: ${address.bank} was closed again in ${address.process}, and what waits was not tried within a second`,
    ),
    ...(isQuiet ? [...run.addresses.values()].flatMap((address) => stuck(run, address)) : []),
  ];
}

function isTo({ process, message }: Attempt, address: Address): boolean {
  return process === address.process && message.bank === address.bank && originOf(message) === address.origin;
}

/** What is between an answer's wait and its attempt: a place among the connections, a scan of the store. */
const patienceMs = 40_000;
const longestMs = { transient: 60_000, address: 5 * 60_000 } as const;

/** 5 */
function stuck(run: Run, address: Address): string[] {
  const nowMs = run.nowMs();
  const lastMs = run.seen.attempts.findLast((attempt) => isTo(attempt, address))?.atMs ?? 0;
  const fromMs = Math.max(run.calmFromMs, run.quietFromMs, address.gateMayStandUntilMs, address.closedAtMs);
  const [head] = waitingFor(run, address);
  // Its two addresses share a page: of four, one address's messages may be all.
  if (run.settings.isSmall && address.bank === "third") return [];
  if (address.open !== null && head !== undefined) {
    const waitedMs = nowMs - Math.max(fromMs, lastMs, headSinceMs(run, head));
    const isLate = waitedMs > probeSpacingMs[address.open.reason] + patienceMs;
    return isLate ? [`I7: nothing was sent to ${address.bank} by ${address.process} for ${waitedMs} ms, and ${head.id} waits`] : [];
  }
  // A page of four may hold one key's messages alone.
  if (run.settings.isSmall || address.isUncertain) return [];
  return waitingFor(run, address).flatMap((message) => {
    const last = attemptsOf(run.seen, message.id).at(-1);
    const meaning = last === undefined ? null : meaningOf(last);
    const most = patienceMs + (meaning === "transient" || meaning === "address" ? longestMs[meaning] : 0);
    const waitedMs = nowMs - Math.max(fromMs, headSinceMs(run, message), last?.learnt?.atMs ?? 0, askedForMs(last));
    return waitedMs <= most ? [] : [`I7: ${message.id}, a head, waits for ${waitedMs} ms (${meaning ?? "untried"})`];
  });
}

/** Since it was given, and nothing of its key has been before it. */
function headSinceMs(run: Run, message: Message): number {
  const earlier = new Set(before(run.given, message).map(({ id }) => id));
  const ends = run.given.changes.filter((change) => earlier.has(change.message.id)).map(({ atMs }) => atMs);
  const answers = [...earlier].map((id) => attemptsOf(run.seen, id).at(-1)?.learnt?.atMs ?? 0);
  return Math.max(message.atMs, ...ends, ...answers);
}

/** End of the message's own wait by `Retry-After`. */
function askedForMs(last: Attempt | undefined): number {
  const answer = last?.learnt?.answer;
  if (last?.learnt === null || last === undefined || answer?.kind !== "answered" || answer.retryAfter === null) return 0;
  return last.learnt.atMs + Number(answer.retryAfter) * 1_000;
}
