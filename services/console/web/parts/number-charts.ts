// The charts of the first page and of a bank, from what the control API says of the past.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { renderChart } from "./chart.ts";
import { showDistance, showTime, type Clock } from "./clock.ts";
import type { Html } from "./html.ts";

type Series = AnswerOf<"showSeries">;
type Trend = Series["heldTrend"];

interface Close {
  readonly at: string | null;
  readonly name: string;
}

/** How much came and went, and what is held against the close of the window. */
export function renderDayCharts(series: Series, close: Close, clock: Clock): Html {
  const { points, heldTrend } = series;
  const atMs = points.map(({ at }) => toMs(at));
  const flow = renderChart(
    {
      title: "Each minute",
      atMs,
      lines: [
        { name: "accepted", values: points.map(({ accepted }) => accepted) },
        { name: "delivered", values: points.map(({ delivered }) => delivered) },
      ],
      mark: null,
      emptyAtMs: null,
      text: sinceText(series, clock),
    },
    clock,
  );
  const held = renderChart(
    {
      title: "Held",
      atMs,
      lines: [{ name: "debits", values: points.map((point) => point.held) }],
      mark: markOf(close),
      emptyAtMs: emptyAt(heldTrend),
      text: explainTrend(heldTrend, points.at(-1)?.held ?? 0, close, clock),
    },
    clock,
  );
  return html`<div class="charts">${flow} ${held} ${renderLatency(series, clock)}</div>`;
}

/** How long receivers took to acknowledge. */
function renderLatency(series: Series, clock: Clock): Html {
  const { points, bank } = series;
  return renderChart(
    {
      title: bank === null ? "Receivers acknowledge within" : "It acknowledges within",
      atMs: points.map(({ at }) => toMs(at)),
      lines: [
        { name: "half of them", values: points.map(({ medianMs }) => medianMs) },
        { name: "95 of 100", values: points.map(({ slowMs }) => slowMs) },
      ],
      mark: null,
      emptyAtMs: null,
      unit: "ms",
      empty: "No message was acknowledged",
      text: "What was acknowledged in each minute.",
    },
    clock,
  );
}

/** What waits for one bank, and when it is over. */
export function renderQueueChart(series: Series, close: Close, clock: Clock): Html {
  const { points, waitingTrend } = series;
  return html`<div class="charts">
    ${renderChart(
      {
        title: "Queue",
        atMs: points.map(({ at }) => toMs(at)),
        lines: [
          { name: "not acknowledged", values: points.map(({ waiting }) => waiting) },
          { name: "held debits", values: points.map(({ held }) => held) },
        ],
        mark: markOf(close),
        emptyAtMs: emptyAt(waitingTrend),
        text: explainTrend(waitingTrend, points.at(-1)?.waiting ?? 0, close, clock),
      },
      clock,
    )}
    ${renderLatency(series, clock)}
  </div>`;
}

function markOf({ at, name }: Close) {
  return at === null ? null : { atMs: toMs(at), name };
}

function emptyAt(trend: Trend): number | null {
  return trend === null || trend.emptyAt === null ? null : toMs(trend.emptyAt);
}

/** Whether it is over before the close, at the rate of the last minutes. */
function explainTrend(trend: Trend, now: number, { at, name }: Close, clock: Clock): Html | string {
  if (now === 0) return "Nothing waits.";
  if (trend === null) return "How fast it falls is not known yet.";
  if (trend.emptyAt === null) return trend.perMinute < 0 ? `Rises by ${-trend.perMinute} a minute.` : "It does not fall.";
  const isLate = at !== null && toMs(trend.emptyAt) > toMs(at);
  return html`Falls by ${trend.perMinute} a minute: over ${showDistance(trend.emptyAt, clock)},
  ${showTime(trend.emptyAt, clock)}${at === null ? "." : isLate ? html`, <strong>after the ${name}</strong>.` : `, before the ${name}.`}`;
}

function sinceText({ since }: Series, clock: Clock): Html | string {
  return since === null ? "" : html`Seen by this console since ${showTime(since, clock)}, without the minute that is not over.`;
}

function toMs(at: string): number {
  return Temporal.Instant.from(at).epochMilliseconds;
}
