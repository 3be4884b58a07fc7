// Attempts for people: one line each below their message, the ones that are not kept one by one in a line before them.

import { timeText } from "./time-text.ts";
import type { TimelineAttempt, TimelineEarlier, TimelineEnd, TimelineWaiting } from "./timeline.ts";

const indent = "      ";
/** Of an answer; JSON has all that is kept. */
const answerCharactersMax = 160;

/** None for what was acknowledged at the first attempt: its own line says all but where and how long. */
export function attemptLines(sent: TimelineEnd | TimelineWaiting | null): readonly string[] {
  if (sent === null || ("outcome" in sent && sent.outcome === "ACKNOWLEDGED" && sent.attempts === 1)) return [];
  return [...earlierLines(sent.earlier), ...sent.recentAttempts.map(attemptLine)].map((line) => `${indent}${line}`);
}

function attemptLine({ atMs, httpStatusCode, answer, tookMs, address, class: kind }: TimelineAttempt): string {
  const where = address === null ? "" : ` at ${address}`;
  const said = answer === null ? "" : `: ${answer.replaceAll(/\p{C}/gu, "·").slice(0, answerCharactersMax)}`;
  return `${timeText(atMs)}  ${httpStatusCode ?? "no answer"}  ${kind}, ${tookMs} ms${where}${said}`;
}

function earlierLines(earlier: TimelineEarlier | null): readonly string[] {
  if (earlier === null) return [];
  const { count, firstAtMs, lastAtMs, answers } = earlier;
  const each = answers.map((answer) => `${answer.httpStatusCode ?? "none or other"} ${answer.count} times`).join(", ");
  return [`${timeText(firstAtMs)}  to ${timeText(lastAtMs)}: ${count} ${count === 1 ? "attempt" : "attempts"} before: ${each}`];
}

/** What has not ended. */
export function waitingText({ isTried, attempts, nextAttemptAtMs }: TimelineWaiting): string {
  const tried = attempts === 0 ? "not tried yet" : `${attempts} ${attempts === 1 ? "attempt" : "attempts"}`;
  if (!isTried) return `waits for a redrive, ${tried}`;
  return nextAttemptAtMs === null ? `parked, ${tried}` : `parked, ${tried}, due ${timeText(nextAttemptAtMs).slice(11)}`;
}
