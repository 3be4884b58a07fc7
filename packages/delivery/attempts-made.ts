// What is kept of the attempts made for one message: the newest one by one, those before them summed up. Bounded, however long it takes.

import type { Attempt, AttemptClass } from "@sluice/contracts";
import type { EarlierAttempts, ParkedAttempt } from "@sluice/store";
import { attemptsKept, type Progress } from "./delivery.ts";

/** Different answers that are counted apart; a further one counts as null. */
export const answersCountedMax = 10;

/** Of a DeliveryEnded, which lies with the transaction for good; a receipt has all that is kept. */
const factAnswerCharactersMax = 140;

/** The newest attempt joins; the oldest one kept goes over to the sum. */
export function withAttempt({ recentAttempts, earlier }: Pick<Progress, "recentAttempts" | "earlier">, made: ParkedAttempt) {
  const [oldest, ...rest] = recentAttempts;
  if (oldest === undefined || recentAttempts.length < attemptsKept) return { recentAttempts: [...recentAttempts, made], earlier };
  return { recentAttempts: [...rest, made], earlier: counted(earlier, oldest) };
}

function counted(earlier: EarlierAttempts | null, { atMs, httpStatusCode }: ParkedAttempt): EarlierAttempts {
  const { count, firstAtMs, answers } = earlier ?? { count: 0, firstAtMs: atMs, answers: [] };
  const isNamed = answers.some((answer) => answer.httpStatusCode === httpStatusCode) || answers.length < answersCountedMax - 1;
  const code = isNamed ? httpStatusCode : null;
  const others = answers.filter((answer) => answer.httpStatusCode !== code);
  const before = answers.find((answer) => answer.httpStatusCode === code)?.count ?? 0;
  return { count: count + 1, firstAtMs, lastAtMs: atMs, answers: [...others, { httpStatusCode: code, count: before + 1 }] };
}

/** When the first attempt was made, epoch ms; null: none was. */
export function firstAttemptAtMs({ recentAttempts, earlier }: Pick<Progress, "recentAttempts" | "earlier">): number | null {
  return earlier?.firstAtMs ?? recentAttempts[0]?.atMs ?? null;
}

/** As a receipt says them. */
export function attemptsOf({ recentAttempts }: Pick<Progress, "recentAttempts">): readonly Attempt[] {
  return recentAttempts.map((attempt) => attemptOf(attempt, attempt.answer));
}

/** As a fact of the journal says them: with short answers. */
export function attemptsForJournal({ recentAttempts }: Pick<Progress, "recentAttempts">): readonly Attempt[] {
  return recentAttempts.map((attempt) => attemptOf(attempt, attempt.answer?.slice(0, factAnswerCharactersMax) ?? null));
}

function attemptOf({ atMs, httpStatusCode, tookMs, address, class: attemptClass }: ParkedAttempt, answer: string | null): Attempt {
  return { atMs, httpStatusCode, answer, tookMs, address, class: wireClasses[attemptClass] };
}

const wireClasses: Readonly<Record<ParkedAttempt["class"], AttemptClass>> = {
  acknowledged: "ACKNOWLEDGED",
  transient: "TRANSIENT",
  address: "ADDRESS",
  refused: "REFUSED",
  unknown: "UNKNOWN",
};
