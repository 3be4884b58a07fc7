// Draws the outage for a terminal: the bank's backlog over time, whether it accepted connections, and whether a breaker
// was open.

import type { Outage, OutageLook } from "../play/outage.ts";

const stepMs = 500;
const rows = 6;
const levels = " ▁▂▃▄▅▆▇█";
const marginBeforeMs = 2_000;
const marginAfterMs = 2_000;
const columnsMax = 90;

export function plotOutage(outage: Outage): readonly string[] {
  const { looks, downAtMs, upAtMs, firstTakenAtMs, drainedAtMs } = outage;
  const startMs = downAtMs - marginBeforeMs;
  const endMs = (drainedAtMs ?? looks.at(-1)?.atMs ?? upAtMs) + marginAfterMs;
  const columns = Math.min(columnsMax, Math.ceil((endMs - startMs) / stepMs));
  const times = Array.from({ length: columns }, (_, column) => startMs + column * stepMs);
  const seen = times.map((atMs) => lookIn(looks, atMs));
  const most = Math.max(1, ...seen.map((look) => look?.waiting ?? 0));
  const width = String(most).length;
  const line = (title: string, cells: readonly string[]): string => `${title.padStart(width + 8)} ${cells.join("")}`.trimEnd();
  const bars = Array.from({ length: rows }, (_, index) => {
    const floor = rows - 1 - index;
    const title = index === 0 ? `${most} ┤` : floor === 0 ? `0 ┤` : "│";
    return line(
      title,
      seen.map((look) => cell((look?.waiting ?? 0) / most, floor)),
    );
  });
  const mark = (atMs: number | null, sign: string) =>
    times.map((from) => (atMs !== null && atMs >= from && atMs < from + stepMs ? sign : " "));
  return [
    ...bars,
    line("seconds │", axis(times, downAtMs)),
    line(
      "bank │",
      times.map((atMs) => (atMs + stepMs > downAtMs && atMs + stepMs <= upAtMs ? "×" : "─")),
    ),
    line(
      "breaker │",
      seen.map((look) => (look?.isBreakerOpen === true ? "○" : "─")),
    ),
    line("taken │", mark(firstTakenAtMs, "▲")),
  ];
}

/** Returns the sample with the largest backlog in a step, or the last one before it if the step has none. */
function lookIn(looks: readonly OutageLook[], atMs: number): OutageLook | null {
  const those = looks.filter((look) => look.atMs >= atMs && look.atMs < atMs + stepMs);
  const before = looks.findLast((look) => look.atMs < atMs) ?? null;
  return those.reduce<OutageLook | null>((most, look) => (most === null || look.waiting > most.waiting ? look : most), null) ?? before;
}

/** Returns the character of one row for a bar that is `share` of the whole height. */
function cell(share: number, floor: number): string {
  const eighths = Math.round((share * rows - floor) * 8);
  return levels.charAt(Math.max(share > 0 && floor === 0 ? 1 : 0, Math.min(8, eighths)));
}

/** Writes the seconds since the bank went down, every five seconds. */
function axis(times: readonly number[], zeroMs: number): readonly string[] {
  const cells = times.map(() => " ");
  for (const [column, atMs] of times.entries()) {
    const seconds = Math.round((atMs - zeroMs) / 1_000);
    if ((atMs - zeroMs) % 5_000 !== 0) continue;
    for (const [place, sign] of String(seconds).split("").entries()) if (column + place < cells.length) cells[column + place] = sign;
  }
  return cells;
}

/** Describes the picture in words. */
export function outageText({ bank, downAtMs, upAtMs, breakers, firstTakenAtMs, drainedAtMs, looks }: Outage): string {
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  const most = Math.max(0, ...looks.map(({ waiting }) => waiting));
  const opened = breakers.map(({ service, openedAtMs }) => `${service} after ${seconds(openedAtMs - downAtMs)}`);
  return [
    `${bank} was down for ${seconds(upAtMs - downAtMs)}; at most ${most} messages and events waited for it.`,
    opened.length === 0 ? "No breaker was seen open." : `Breakers opened: ${opened.join(", ")}.`,
    firstTakenAtMs === null
      ? "It took nothing when it was back."
      : `It took the first message ${seconds(firstTakenAtMs - upAtMs)} after it was back`,
    drainedAtMs === null || firstTakenAtMs === null
      ? ""
      : `and everything that waited within ${seconds(drainedAtMs - firstTakenAtMs)} more, each debit's in order.`,
  ]
    .filter((text) => text !== "")
    .join(" ");
}
