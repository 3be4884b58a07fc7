// Formats attempts for people: one line each below their message, after one line that sums up the earlier attempts.

import { formatUtcTime } from "./format-time.ts";
import type { TimelineAttempt, TimelineEarlier, TimelineEnd, TimelineParkedMessage, TimelineStop } from "./timeline.ts";

const indent = "      ";
/** Most characters shown of an answer; the JSON form has the whole kept answer. */
const answerCharactersMax = 160;

/** Returns no lines for a message acknowledged at its first attempt, because its own line says enough. */
export function formatAttempts(sent: TimelineEnd | TimelineParkedMessage | null): readonly string[] {
  if (sent === null || ("outcome" in sent && sent.outcome === "ACKNOWLEDGED" && sent.attempts === 1)) return [];
  return [...formatEarlier(sent.earlier), ...sent.recentAttempts.map(formatAttempt)].map((line) => `${indent}${line}`);
}

function formatAttempt({ atMs, httpStatusCode, answer, tookMs, address, class: kind }: TimelineAttempt): string {
  const where = address === null ? "" : ` at ${address}`;
  const said = answer === null ? "" : `: ${answer.replaceAll(/\p{C}/gu, "·").slice(0, answerCharactersMax)}`;
  return `${formatUtcTime(atMs)}  ${httpStatusCode ?? "no answer"}  ${kind}, ${tookMs} ms${where}${said}`;
}

function formatEarlier(earlier: TimelineEarlier | null): readonly string[] {
  if (earlier === null) return [];
  const { count, firstAtMs, lastAtMs, answers } = earlier;
  const each = answers.map((answer) => `${answer.httpStatusCode ?? "none or other"} ${answer.count} times`).join(", ");
  return [`${formatUtcTime(firstAtMs)}  to ${formatUtcTime(lastAtMs)}: ${count} ${count === 1 ? "attempt" : "attempts"} before: ${each}`];
}

export function formatStop({ operator, confirmedBy }: TimelineStop): string {
  return `stopped by ${operator}${confirmedBy === null ? "" : `, confirmed by ${confirmedBy}`}`;
}

/** Describes a message that has not ended. */
export function formatWaiting({ isTried, stoppedBy, attempts, nextAttemptAtMs }: TimelineParkedMessage): string {
  const tried = attempts === 0 ? "not tried yet" : `${attempts} ${attempts === 1 ? "attempt" : "attempts"}`;
  if (!isTried) return `${stoppedBy === null ? "" : `${formatStop(stoppedBy)}, `}waits for a redrive, ${tried}`;
  return nextAttemptAtMs === null ? `parked, ${tried}` : `parked, ${tried}, due ${formatUtcTime(nextAttemptAtMs).slice(11)}`;
}
