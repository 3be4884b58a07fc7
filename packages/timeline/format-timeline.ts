// Formats a timeline for people: one line per entry, in journal order, with aligned columns.

import { formatAttempts, formatStop, formatWaiting } from "./format-attempts.ts";
import { formatUtcTime } from "./format-time.ts";
import type { Timeline, TimelineEnd, TimelineEvent, TimelineResolution, TimelineParkedMessage } from "./timeline.ts";

interface Line {
  readonly offset: string;
  readonly rank: number;
  readonly columns: readonly string[];
  /** Further lines below it. */
  readonly below: readonly string[];
}

/** Formats a timeline as text; times are UTC. */
export function formatTimeline(timeline: Timeline): string {
  const lines = [...messageLines(timeline), ...factLines(timeline), ...pauseLines(timeline), ...stateLines(timeline)].toSorted(inOrder);
  const [title = "", ...rows] = aligned([
    ["time (UTC)", "offset", "", "what", "identification", ""],
    ...lines.map(({ columns }) => columns),
  ]);
  const table = [title, ...rows.flatMap((row, index) => [row, ...(lines[index]?.below ?? [])])];
  return [
    heading(timeline),
    ...endingLines(timeline),
    "",
    ...table,
    ...itemLines(timeline),
    ...observationLines(timeline),
    ...notes(timeline),
  ].join("\n");
}

function heading({ uetr, state, flow, scheme, businessDate, amount, bank, partition }: Timeline): string {
  const parts = [uetr, state ?? "not applied yet", flow, [scheme, businessDate].filter((part) => part !== null).join(" "), amount, bank];
  return [...parts, `partition ${partition}`].filter((part) => part !== null && part !== "").join("  ");
}

/** Returns a line with a credit's deadline, the outcome report to the connector, and dead-lettered records. */
function endingLines({ deadlineMs, outcome, quarantined }: Timeline): readonly string[] {
  const report = outcome === null ? null : `outcome report ${outcome.number} to the connector, ${acknowledged(outcome.acknowledgedAtMs)}`;
  const deadLettered =
    quarantined === null
      ? null
      : `quarantined since ${formatUtcTime(quarantined.sinceMs)}: ${quarantined.records} dead letters from offset ${quarantined.offset}`;
  const parts = [deadlineMs === null ? null : `deadline ${formatUtcTime(deadlineMs)}`, report, deadLettered].filter(
    (part) => part !== null,
  );
  return parts.length === 0 ? [] : [parts.join("  ")];
}

function acknowledged(atMs: number | null): string {
  return atMs === null ? "not acknowledged yet" : `acknowledged ${formatUtcTime(atMs)}`;
}

function messageLines({ messages }: Timeline): readonly Line[] {
  return messages.map((message) => {
    const { direction, operation, messageIdentification, bank, offset, atMs } = message;
    const { delivery, waiting, copies, stoppedByOffset, redrivenByOffsets } = message;
    const redriven = redrivenByOffsets.length === 0 ? "" : `redriven by ${redrivenByOffsets.join(", ")}`;
    const isIn = direction === "in";
    const end = isIn ? "" : formatProgress(delivery, waiting, stoppedByOffset === null ? "not ended" : `stopped by ${stoppedByOffset}`);
    const columns = [formatUtcTime(atMs), offset, isIn ? "<-" : "->", operation, messageIdentification];
    return {
      offset,
      rank: isIn ? 0 : 3,
      columns: [...columns, joined(`${isIn ? "from" : "to"} ${bank}`, end, redriven, copiesText(copies))],
      below: formatAttempts(waiting ?? delivery),
    };
  });
}

function factLines({ facts }: Timeline): readonly Line[] {
  return facts.map(({ name, offset, atMs, messageIdentification, detail }) => {
    return { offset, rank: 1, columns: [formatUtcTime(atMs), offset, "..", name, messageIdentification ?? "", detail], below: [] };
  });
}

function pauseLines({ pauses }: Timeline): readonly Line[] {
  return pauses.map(({ name, offset, atMs, bank, operator, reason, untilMs }) => {
    const until = untilMs === null ? "" : `, to ${formatUtcTime(untilMs)}`;
    const detail = operator === null ? `${bank}${until}: ${reason}` : `${bank}${until}, by ${operator}: ${reason}`;
    return { offset, rank: 1, columns: [formatUtcTime(atMs), offset, "..", name, "", detail], below: [] };
  });
}

function stateLines({ states }: Timeline): readonly Line[] {
  return states.map(({ stageVersion, state, offset, atMs, markerOffset, messageIdentification, businessDate, event, esmEvent }, index) => {
    const events = joined(
      event === null ? "no event found" : eventText("event", event),
      esmEvent === null ? "" : eventText("ESM", esmEvent),
    );
    const isHeldAgain = state === "HELD" && states[index - 1]?.state === "HELD";
    const cause = joined(isHeldAgain ? `carried over to ${businessDate}` : "", markerOffset === null ? "" : `by marker ${markerOffset}`);
    const columns = [formatUtcTime(atMs), offset, String(stageVersion), state, messageIdentification, joined(cause, events)];
    const below = [event, esmEvent].flatMap((one) => (one === null ? [] : formatAttempts(one.waiting ?? one.posting)));
    return { offset, rank: 2, columns, below };
  });
}

function eventText(what: string, { posting, waiting, copies }: TimelineEvent): string {
  return joined(`${what} ${formatProgress(posting, waiting, "not posted")}`, copiesText(copies));
}

function itemLines({ items }: Timeline): readonly string[] {
  if (items.length === 0) return [];
  const rows = items.map(({ day, row, cause, state, settledAtMs, lateAnswers, resolution }) => [
    day,
    row === null ? "row open" : `row ${row}`,
    state,
    cause ?? "",
    joined(
      settledAtMs === null ? "" : `settled ${formatUtcTime(settledAtMs)}`,
      resolution === null ? "" : formatResolution(resolution),
      ...lateAnswers,
    ),
  ]);
  return ["", "Reconciliation", ...aligned(rows)];
}

function formatResolution({ kind, replacedBy, operator, reason, isFinal, confirmedBy }: TimelineResolution): string {
  const what = replacedBy === null ? kind : `${kind} by ${replacedBy}`;
  const second = confirmedBy === null ? "" : `, confirmed by ${confirmedBy}`;
  return `${isFinal ? "" : "proposed: "}${what}, by ${operator}: ${reason}${second}`;
}

function observationLines({ observations }: Timeline): readonly string[] {
  if (observations.length === 0) return [];
  const rows = observations.map(({ atMs, offset, kind, messageIdentification, sender }) => [
    formatUtcTime(atMs),
    offset,
    kind,
    messageIdentification,
    `from ${sender}`,
  ]);
  return ["", "Observations", ...aligned(rows)];
}

function notes({ isComplete, sharesIdentificationWith }: Timeline): readonly string[] {
  const shared = sharesIdentificationWith.map(
    (uetr) => `Warning: its sender used the same identification for ${uetr}, which is another transaction.`,
  );
  const missing = isComplete ? [] : ["Not all of the topics was searched: entries may be missing."];
  return [...shared, ...missing].flatMap((line, index) => (index === 0 ? ["", line] : [line]));
}

/**
 * Describes the progress of a message. A refused one has ended and may also be parked: redriven, or waiting for an
 * operator.
 */
function formatProgress(end: TimelineEnd | null, waiting: TimelineParkedMessage | null, otherwise: string): string {
  const parked = waiting === null ? "" : formatWaiting(waiting);
  if (end === null) return parked === "" ? otherwise : parked;
  return joined(formatEnd(end), parked);
}

function formatEnd(end: TimelineEnd): string {
  const { outcome, attempts, recentAttempts, endedAtMs, stoppedBy } = end;
  const last = recentAttempts.at(-1);
  const answer = last === undefined ? "" : ` ${last.httpStatusCode ?? last.answer ?? "no answer"}`;
  const tried = attempts === 1 && last !== undefined ? `1 attempt of ${last.tookMs} ms` : `${attempts} attempts`;
  const ended = stoppedBy === null ? outcome.toLowerCase() : formatStop(stoppedBy);
  return `${ended}${answer}, ${tried}, ${formatUtcTime(endedAtMs).slice(11)}`;
}

function copiesText(copies: number): string {
  return copies > 1 ? `produced ${copies} times` : "";
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("; ");
}

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) for (const [column, text] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, text.length);
  return rows.map((row) =>
    row
      .map((text, column) => (column === 1 && isNumber(text) ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}

function inOrder(a: Line, b: Line): number {
  const [left, right] = [BigInt(a.offset), BigInt(b.offset)];
  if (left !== right) return left < right ? -1 : 1;
  return a.rank - b.rank;
}
