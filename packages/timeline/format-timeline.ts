// A timeline for people: one line each, in the order of the journal, columns aligned.

import { attemptLines, waitingText } from "./format-attempts.ts";
import { timeText } from "./time-text.ts";
import type { Timeline, TimelineEnd, TimelineEvent, TimelineResolution, TimelineWaiting } from "./timeline.ts";

interface Line {
  readonly offset: string;
  readonly rank: number;
  readonly columns: readonly string[];
  /** Lines of their own below it. */
  readonly below: readonly string[];
}

/** Times are UTC. */
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
    ...remarkLines(timeline),
    ...notes(timeline),
  ].join("\n");
}

function heading({ uetr, state, flow, scheme, businessDate, amount, bank, lane }: Timeline): string {
  const parts = [uetr, state ?? "not applied yet", flow, [scheme, businessDate].filter((part) => part !== null).join(" "), amount, bank];
  return [...parts, `lane ${lane}`].filter((part) => part !== null && part !== "").join("  ");
}

/** A credit's deadline, what the connector was told, and whether records lie in the dead letters. */
function endingLines({ deadlineMs, outcome, parked }: Timeline): readonly string[] {
  const told = outcome === null ? null : `outcome ${outcome.number} told to the connector, ${acknowledged(outcome.acknowledgedAtMs)}`;
  const aside =
    parked === null ? null : `put aside since ${timeText(parked.sinceMs)}: ${parked.records} records from offset ${parked.offset}`;
  const parts = [deadlineMs === null ? null : `deadline ${timeText(deadlineMs)}`, told, aside].filter((part) => part !== null);
  return parts.length === 0 ? [] : [parts.join("  ")];
}

function acknowledged(atMs: number | null): string {
  return atMs === null ? "not acknowledged yet" : `acknowledged ${timeText(atMs)}`;
}

function messageLines({ messages }: Timeline): readonly Line[] {
  return messages.map((message) => {
    const { direction, operation, messageIdentification, bank, offset, atMs } = message;
    const { delivery, waiting, copies, stoppedByOffset, redrivenByOffsets } = message;
    const redriven = redrivenByOffsets.length === 0 ? "" : `redriven by ${redrivenByOffsets.join(", ")}`;
    const isIn = direction === "in";
    const end = isIn ? "" : standing(delivery, waiting, stoppedByOffset === null ? "not ended" : `stopped by ${stoppedByOffset}`);
    const columns = [timeText(atMs), offset, isIn ? "<-" : "->", operation, messageIdentification];
    return {
      offset,
      rank: isIn ? 0 : 3,
      columns: [...columns, joined(`${isIn ? "from" : "to"} ${bank}`, end, redriven, copiesText(copies))],
      below: attemptLines(waiting ?? delivery),
    };
  });
}

function factLines({ facts }: Timeline): readonly Line[] {
  return facts.map(({ name, offset, atMs, messageIdentification, detail }) => {
    return { offset, rank: 1, columns: [timeText(atMs), offset, "..", name, messageIdentification ?? "", detail], below: [] };
  });
}

function pauseLines({ pauses }: Timeline): readonly Line[] {
  return pauses.map(({ name, offset, atMs, bank, operator, reason, untilMs }) => {
    const until = untilMs === null ? "" : `, to ${timeText(untilMs)}`;
    const detail = operator === null ? `${bank}${until}: ${reason}` : `${bank}${until}, by ${operator}: ${reason}`;
    return { offset, rank: 1, columns: [timeText(atMs), offset, "..", name, "", detail], below: [] };
  });
}

function stateLines({ states }: Timeline): readonly Line[] {
  return states.map(({ stageVersion, state, offset, atMs, markerOffset, messageIdentification, businessDate, event, esmEvent }, index) => {
    const told = joined(event === null ? "no event found" : eventText("event", event), esmEvent === null ? "" : eventText("ESM", esmEvent));
    const isHeldAgain = state === "HELD" && states[index - 1]?.state === "HELD";
    const cause = joined(isHeldAgain ? `goes over to ${businessDate}` : "", markerOffset === null ? "" : `by marker ${markerOffset}`);
    const columns = [timeText(atMs), offset, String(stageVersion), state, messageIdentification, joined(cause, told)];
    const below = [event, esmEvent].flatMap((one) => (one === null ? [] : attemptLines(one.waiting ?? one.posting)));
    return { offset, rank: 2, columns, below };
  });
}

function eventText(what: string, { posting, waiting, copies }: TimelineEvent): string {
  return joined(`${what} ${standing(posting, waiting, "not posted")}`, copiesText(copies));
}

function itemLines({ items }: Timeline): readonly string[] {
  if (items.length === 0) return [];
  const rows = items.map(({ day, row, cause, state, settledAtMs, lateAnswers, resolution }) => [
    day,
    row === null ? "row open" : `row ${row}`,
    state,
    cause ?? "",
    joined(settledAtMs === null ? "" : `settled ${timeText(settledAtMs)}`, resolution === null ? "" : found(resolution), ...lateAnswers),
  ]);
  return ["", "Reconciliation", ...aligned(rows)];
}

function found({ kind, replacedBy, operator, reason, isFinal, confirmedBy }: TimelineResolution): string {
  const what = replacedBy === null ? kind : `${kind} by ${replacedBy}`;
  const second = confirmedBy === null ? "" : `, confirmed by ${confirmedBy}`;
  return `${isFinal ? "" : "proposed: "}${what}, by ${operator}: ${reason}${second}`;
}

function remarkLines({ remarks }: Timeline): readonly string[] {
  if (remarks.length === 0) return [];
  const rows = remarks.map(({ atMs, offset, kind, messageIdentification, sender }) => [
    timeText(atMs),
    offset,
    kind,
    messageIdentification,
    `from ${sender}`,
  ]);
  return ["", "Remarks", ...aligned(rows)];
}

function notes({ isComplete, sharesIdentificationWith }: Timeline): readonly string[] {
  const shared = sharesIdentificationWith.map(
    (uetr) => `Warning: its sender used the same identification for ${uetr}, which is another transaction.`,
  );
  const missing = isComplete ? [] : ["Not all of the logs was searched: something may be missing."];
  return [...shared, ...missing].flatMap((line, index) => (index === 0 ? ["", line] : [line]));
}

/** What was refused has ended, and may be parked: again under way, or waiting for a person. */
function standing(end: TimelineEnd | null, waiting: TimelineWaiting | null, otherwise: string): string {
  const parked = waiting === null ? "" : waitingText(waiting);
  if (end === null) return parked === "" ? otherwise : parked;
  return joined(ended(end), parked);
}

function ended(end: TimelineEnd): string {
  const { outcome, attempts, recentAttempts, endedAtMs } = end;
  const last = recentAttempts.at(-1);
  const answer = last === undefined ? "" : ` ${last.httpStatusCode ?? last.answer ?? "no answer"}`;
  const tried = attempts === 1 && last !== undefined ? `1 attempt of ${last.tookMs} ms` : `${attempts} attempts`;
  return `${outcome.toLowerCase()}${answer}, ${tried}, ${timeText(endedAtMs).slice(11)}`;
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
