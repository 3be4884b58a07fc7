// A day of the addresses of a bank or connector on its page: within how long each acknowledged, and what limited it.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { showTime, type Clock } from "./clock.ts";
import { count, dataTable, type Html } from "./html.ts";

type Series = AnswerOf<"showSeries">;
type Latencies = NonNullable<Series["history"]>["addresses"][number]["slots"];

/** One row for each operation: the newest quarter of an hour, and the slowest of the day. */
export function renderLatencies({ history }: Series, clock: Clock): Html | string {
  if (history === null) return "";
  const columns = [
    { title: "Address" },
    { title: "Last quarter of an hour" },
    { title: "Acknowledged", isNumber: true },
    { title: "p50", isNumber: true },
    { title: "p99", isNumber: true },
    { title: "Slowest p99 in 24 hours" },
    { title: "Quarters", isNumber: true },
  ];
  const rows = history.addresses.map(({ operation, url, slots }) => {
    const last = slots.at(-1);
    const slowest = findSlowest(slots);
    return [
      html`${operation}<br /><code class="quiet">${url ?? "not configured any more"}</code>`,
      showTime(last?.from ?? null, clock),
      count(last?.acknowledged ?? 0),
      `${count(last?.p50Ms ?? 0)} ms`,
      `${count(last?.p99Ms ?? 0)} ms`,
      html`${count(slowest?.p99Ms ?? 0)} ms <span class="quiet">${showTime(slowest?.from ?? null, clock)}</span>`,
      count(slots.length),
    ];
  });
  return html`<section id="latencies">
    ${dataTable("It acknowledged, last 24 hours", columns, rows, "It has acknowledged nothing.")} ${renderSince(history, clock)}
  </section>`;
}

function findSlowest(slots: Latencies): Latencies[number] | undefined {
  return slots.toSorted((a, b) => b.p99Ms - a.p99Ms)[0];
}

/** The quarters of an hour in which something limited an address, the last first. */
export function renderLimits({ history }: Series, clock: Clock): Html | string {
  if (history === null) return "";
  const columns = [
    { title: "Quarter of an hour" },
    { title: "Address" },
    { title: "Requests at once, fewest", isNumber: true },
    { title: "Breaker open", isNumber: true },
    { title: "It asked to wait", isNumber: true },
  ];
  const rows = history.limits
    .flatMap(({ slots, ...address }) => slots.map((slot) => ({ ...address, ...slot })))
    .toSorted((a, b) => (a.from < b.from ? 1 : -1))
    .map(({ from, address, service, concurrency, connections, breakerOpenSeconds, retryAfterSeconds }) => [
      showTime(from, clock),
      html`<code>${address}</code> <span class="quiet">${service === "dispatcher" ? "messages" : "postings of events"}</span>`,
      connections === null ? count(concurrency) : `${count(concurrency)} of ${count(connections)}`,
      secondsText(breakerOpenSeconds),
      secondsText(retryAfterSeconds),
    ]);
  return html`<section id="limits">${dataTable("Limits, last 24 hours", columns, rows, "Nothing limited its addresses.")}</section>`;
}

function renderSince({ since, isWhole }: NonNullable<Series["history"]>, clock: Clock): Html {
  const left = isWhole ? "" : " There are more addresses than it keeps: some are left out.";
  return html`<p class="quiet">
    ${since === null ? "This console has not begun to watch." : html`This console has watched since ${showTime(since, clock)}.`}${left}
  </p>`;
}

function secondsText(seconds: number): string {
  return seconds === 0 ? "–" : `${count(Math.ceil(seconds / 60))} min`;
}
