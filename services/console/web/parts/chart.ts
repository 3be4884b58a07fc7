// Lines over time, drawn on the server. A sentence says what the lines show, so that nothing is in the picture alone.
//
// #1 Each line has its own stroke besides its colour, and its name and last value stand in the legend.
// #2 A value that is not known is a gap. Where none is known a sentence stands in place of the picture.

import { html } from "hono/html";
import { count, type Html } from "./html.ts";
import { showMs, type Clock } from "./clock.ts";

interface ChartLine {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

export interface Chart {
  readonly title: string;
  /** Times of the values, epoch milliseconds, in order. */
  readonly atMs: readonly number[];
  /** At most two. */
  readonly lines: readonly ChartLine[];
  /** A time that counts, such as a close. The axis reaches to it where it is near. */
  readonly mark: { readonly atMs: number; readonly name: string } | null;
  /** When the first line is at 0, if it goes on like this; null: it does not fall. */
  readonly emptyAtMs: number | null;
  /** What the values count, where it is not plain; left out: nothing is said. */
  readonly unit?: string;
  /** Said in place of the picture where no value is known, before "since" and a time; left out: "Nothing is known". */
  readonly empty?: string;
  /** Said besides: what comes of it. */
  readonly text: unknown;
}

const [width, height, top] = [600, 120, 8];
/** The axis has room ahead for as long as it shows, and an hour in any case. */
const aheadMinMs = 3_600_000;
const minuteMs = 60_000;
const strokes = ["first", "second"] as const;

export function renderChart(
  { title, atMs, lines, mark, emptyAtMs, text, unit = "", empty = "Nothing is known" }: Chart,
  clock: Clock,
): Html {
  const [fromMs, lastMs] = [atMs[0], atMs.at(-1)];
  if (fromMs !== undefined && lines.every(({ values }) => values.every((value) => value === null))) {
    return html`<figure class="chart">
      <figcaption><strong>${title}</strong> <span class="quiet">${empty} since ${showMinute(fromMs, clock)}.</span></figcaption>
    </figure>`;
  }
  if (fromMs === undefined || lastMs === undefined || atMs.length < 2) {
    return html`<figure class="chart">
      <figcaption><strong>${title}</strong> <span class="quiet">Not known yet: the console has just begun to look.</span></figcaption>
    </figure>`;
  }
  const aheadMs = lastMs + Math.max(aheadMinMs, lastMs - fromMs);
  const isMarked = mark !== null && mark.atMs >= fromMs && mark.atMs <= aheadMs;
  const toMs = Math.max(lastMs, isMarked ? mark.atMs : lastMs, Math.min(emptyAtMs ?? lastMs, aheadMs));
  const greatest = Math.max(1, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const x = (at: number): number => round(((at - fromMs) / Math.max(1, toMs - fromMs)) * width);
  const y = (value: number): number => round(height - (value / greatest) * (height - top));
  const falling = lines[0]?.values.at(-1) ?? null;
  return html`<figure class="chart">
    <figcaption>
      <strong>${title}</strong>
      ${lines.map(({ name, values }, index) => renderLegend(name, values, strokes[index] ?? "first", unit))}
      <span class="more">${text}</span>
    </figcaption>
    <svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${describe(title, lines)}">
      <path class="grid" d="M0 ${y(greatest)}H${width}M0 ${y(greatest / 2)}H${width}M0 ${height}H${width}" />
      ${isMarked ? html`<path class="mark-line" d="M${x(mark.atMs)} 0V${height}" />` : ""}
      ${lines.map(({ values }, index) => html`<path class="line ${strokes[index] ?? "first"}" d="${pathOf(values, atMs, x, y)}" />`)}
      ${emptyAtMs === null || falling === null ? "" : html`<path class="ahead" d="M${x(lastMs)} ${y(falling)}L${x(emptyAtMs)} ${height}" />`}
    </svg>
    <p class="axis">
      <span>${showMinute(fromMs, clock)}</span><span>${isMarked ? mark.name : ""}</span><span>${showMinute(toMs, clock)}</span>
    </p>
    <p class="scale quiet">highest ${count(greatest)}${unit === "" ? "" : ` ${unit}`}</p>
  </figure>`;
}

function renderLegend(name: string, values: readonly (number | null)[], stroke: string, unit: string): Html {
  const last = values.findLast((value) => value !== null) ?? null;
  return html`<span class="legend ${stroke}"
    ><svg viewBox="0 0 24 8" aria-hidden="true"><path class="line ${stroke}" d="M0 4H24" /></svg>${name}
    <b>${last === null ? "–" : `${count(last)}${unit === "" ? "" : `\u{a0}${unit}`}`}</b></span
  >`;
}

/** #2 */
function pathOf(
  values: readonly (number | null)[],
  atMs: readonly number[],
  x: (at: number) => number,
  y: (value: number) => number,
): string {
  let isDrawn = false;
  return values
    .map((value, index) => {
      if (value === null) {
        isDrawn = false;
        return "";
      }
      const step = `${isDrawn ? "L" : "M"}${x(atMs[index] ?? 0)} ${y(value)}`;
      isDrawn = true;
      return step;
    })
    .join("");
}

function showMinute(atMs: number, clock: Clock): Html | string {
  return showMs(Math.floor(atMs / minuteMs) * minuteMs, clock);
}

/** The picture in words. */
function describe(title: string, lines: readonly ChartLine[]): string {
  const words = lines.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    const last = known.at(-1);
    return last === undefined
      ? `${name}: not known`
      : `${name}: now ${count(last)}, at least ${count(Math.min(...known))}, at most ${count(Math.max(...known))}`;
  });
  return `${title}. ${words.join("; ")}.`;
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}
