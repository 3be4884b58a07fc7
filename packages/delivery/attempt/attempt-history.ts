// The history of a message's attempts: the newest one by one, those before them in a summary. It is bounded, however
// long a message is tried.

import type { Attempt, AttemptClass } from "@sluice/contracts";
import type { AttemptSummary, ParkedAttempt } from "@sluice/store";
import { attemptsKept, type AttemptProgress } from "../rules.ts";

/** Different statuses that the summary counts apart; a further one counts as null. */
export const answersCountedMax = 10;

/**
 * Characters of an answer in a DeliveryEnded, which stays with the transaction for good; the receipt has the whole
 * text.
 */
const factAnswerCharactersMax = 140;

/** Adds the newest attempt; the oldest one that was kept moves into the summary. */
export function appendAttempt({ recentAttempts, earlier }: Pick<AttemptProgress, "recentAttempts" | "earlier">, made: ParkedAttempt) {
  // Nearly every message is tried once.
  if (recentAttempts.length === 0) return { recentAttempts: [made], earlier };
  const [oldest, ...rest] = recentAttempts;
  if (oldest === undefined || recentAttempts.length < attemptsKept) return { recentAttempts: [...recentAttempts, made], earlier };
  return { recentAttempts: [...rest, made], earlier: addToSummary(earlier, oldest) };
}

function addToSummary(earlier: AttemptSummary | null, { atMs, httpStatusCode }: ParkedAttempt): AttemptSummary {
  const { count, firstAtMs, answers } = earlier ?? { count: 0, firstAtMs: atMs, answers: [] };
  const isNamed = answers.some((answer) => answer.httpStatusCode === httpStatusCode) || answers.length < answersCountedMax - 1;
  const code = isNamed ? httpStatusCode : null;
  const others = answers.filter((answer) => answer.httpStatusCode !== code);
  const before = answers.find((answer) => answer.httpStatusCode === code)?.count ?? 0;
  return { count: count + 1, firstAtMs, lastAtMs: atMs, answers: [...others, { httpStatusCode: code, count: before + 1 }] };
}

/** When the first attempt was made, in epoch ms; null where none was. */
export function firstAttemptAtMs({ recentAttempts, earlier }: Pick<AttemptProgress, "recentAttempts" | "earlier">): number | null {
  return earlier?.firstAtMs ?? recentAttempts[0]?.atMs ?? null;
}

/** Lists the attempts for a receipt. */
export function attemptsForReceipt({ recentAttempts }: Pick<AttemptProgress, "recentAttempts">): readonly Attempt[] {
  return recentAttempts.map((attempt) => toWireAttempt(attempt, attempt.answer));
}

/** Lists the attempts for a fact of the journal, with shortened answers. */
export function attemptsForJournal({ recentAttempts }: Pick<AttemptProgress, "recentAttempts">): readonly Attempt[] {
  return recentAttempts.map((attempt) => toWireAttempt(attempt, attempt.answer?.slice(0, factAnswerCharactersMax) ?? null));
}

function toWireAttempt({ atMs, httpStatusCode, tookMs, address, class: attemptClass }: ParkedAttempt, answer: string | null): Attempt {
  return { atMs, httpStatusCode, answer, tookMs, address, class: wireClasses[attemptClass] };
}

const wireClasses: Readonly<Record<ParkedAttempt["class"], AttemptClass>> = {
  acknowledged: "ACKNOWLEDGED",
  transient: "TRANSIENT",
  address: "ADDRESS",
  refused: "REFUSED",
  unknown: "UNKNOWN",
};
