// The events of a bank in a time: how many, how their postings stand, and how the bank has them again. It is what an
// operator answers to "send us yesterday's events once more".

import { html } from "hono/html";
import { isDate } from "../../http/control-parameters.ts";
import { ApiRefusal, type AnswerOf } from "../api-client.ts";
import { queryText, type Asked } from "../asked.ts";
import { dateInstant, showTime, type Clock } from "../parts/clock.ts";
import { count, dataTable, link, mark, plural, type Html, type Tone } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";

type Events = AnswerOf<"listOwnEvents">;

export async function showOwnEvents({ api, params, query, clock, me }: Asked): Promise<PageContent> {
  const bank = params["bank"] ?? "";
  const { fromDate, toDate } = chooseDates(query, clock);
  const span = { from: dateInstant(fromDate, clock.zone, 0), to: dateInstant(toDate, clock.zone, 1) };
  const asked = queryText({ ...span, after: query.get("after") });
  const events = await api.read("listOwnEvents", `/banks/${encodeURIComponent(bank)}/events${asked}`);
  return {
    title: `Events of ${bank}`,
    section: me.bank === null ? "banks" : "own",
    command: `./sluice bank events ${bank} --from ${span.from} --to ${span.to}`,
    body: html`${renderDates(bank, { fromDate, toDate })}
      <p class="quiet">From ${showTime(events.from, clock)} to ${showTime(events.to, clock)}.</p>
      ${events.isPosted ? "" : html`<p>${mark("warns", "The bank has no address for events: none is posted to it.")}</p>`}
      ${renderTiles(events)}
      ${events.next === null ? "" : html`<p>${mark("warns", "There are more events in this time than are counted at once.")} ${link(`/own/${bank}/events${queryText({ from: fromDate, to: toDate, after: events.next })}`, "Count those behind them")}</p>`}
      ${renderAgain(events, me.bank === bank)} ${renderOpen(events, clock, me.bank !== null)}
      <p>${link(`/own/${bank}`, "All of the bank")}</p>`,
  };
}

/** Yesterday, where nothing else is asked for. */
function chooseDates(query: URLSearchParams, { zone, nowMs }: Clock) {
  const given = (name: string): string | null => {
    const date = query.get(name);
    return date !== null && isDate(date) ? date : null;
  };
  const fromDate = given("from") ?? given("to") ?? findYesterday(zone, nowMs);
  return { fromDate, toDate: given("to") ?? fromDate };
}

function findYesterday(zone: string, nowMs: number | null): string {
  if (nowMs === null) throw new ApiRefusal(503, "Not available now", "No time of the log is known yet. Load the page again.");
  const today = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone).toPlainDate();
  return today.subtract({ days: 1 }).toString();
}

function renderDates(bank: string, { fromDate, toDate }: ReturnType<typeof chooseDates>): Html {
  const field = (name: string, title: string, value: string) =>
    html`<p><label for="${name}">${title}</label><input id="${name}" name="${name}" type="date" value="${value}" required /></p>`;
  return html`<form class="terms" action="/own/${bank}/events">
    ${field("from", "From", fromDate)} ${field("to", "To, included", toDate)}
    <p class="wide"><button class="main">Show</button></p>
  </form>`;
}

function renderTiles({ count: number, transactions, counts, isPosted }: Events): Html {
  const tile = (figure: number, name: string, more: string) =>
    html`<li>
      <a href="#open"><span class="figure">${count(figure)}</span><span class="what">${name}</span><span class="more">${more}</span></a>
    </li>`;
  return html`<ul class="tiles">
    ${tile(number, "events", `of ${plural(transactions, "transaction")}`)}
    ${isPosted ? tile(counts.done, "done", "acknowledged, or the bank had no address") : tile(counts.notPosted, "not posted", "the bank has no address")}
    ${tile(counts.waiting + counts.underWay, "on their way", "Sluice posts them by itself")}
    ${tile(counts.refused, "refused", "can be redriven")}
    ${tile(counts.expired + counts.stopped, "given up", "past their time, or stopped")}
  </ul>`;
}

/** What can be done for each kind; ADR 139 has the reasons. */
function renderAgain({ bank, from, to, counts }: Events, isOwn: boolean): Html {
  const file = { bank, from, to };
  return html`<section id="again">
    <h2>To have them again</h2>
    <p>
      What the bank acknowledged is not posted again: the bank asks for it, at its own speed, and gets the same bytes under the same ids.
      Its inbox takes them as it takes a repeat.
    </p>
    <p>The bank's call, with its own token, again with <code>after</code> until <code>next</code> is null:</p>
    <p class="code whole">GET /events?from=${from}&amp;to=${to}</p>
    <ul class="reasons">
      <li>
        <a href="/files/events${queryText(file)}" download>The list as a file (CSV)</a>: id, place, how each posting stands, and the digest
        of its bytes, so that the bank finds what it lacks.
      </li>
      ${
        isOwn
          ? html`<li>
              <a href="/files/events${queryText({ ...file, format: "pages" })}" download>The events as a file</a>: what the call answers,
              page by page, a line each. It names persons and accounts.
            </li>`
          : counts.refused > 0
            ? html`<li>
                <a href="/decide/redriveBank${queryText({ bank, target: "POSTING" })}">Redrive the postings that it refused…</a>
              </li>`
            : ""
      }
    </ul>
  </section>`;
}

const tones: Readonly<Record<Events["rows"][number]["status"], Tone>> = {
  done: "good",
  "under-way": "waits",
  waiting: "waits",
  refused: "bad",
  stopped: "bad",
  expired: "bad",
  "not-posted": "quiet",
};

function renderOpen({ bank, rows, rowsCount }: Events, clock: Clock, isOfBank: boolean): Html {
  const columns = [{ title: "Made" }, { title: "Transaction" }, { title: "Number", isNumber: true }, { title: "Posting" }, { title: "Id" }];
  const cells = rows.map(({ at, uetr, stageVersion, status, webhookId }) => [
    showTime(at, clock),
    html`<a class="code" href="${isOfBank ? `/own/${bank}/transactions/${uetr}` : `/transactions/${uetr}`}" title="${uetr}"
      >${uetr.slice(0, 8)}<span class="rest">${uetr.slice(8)}</span></a
    >`,
    stageVersion ?? "–",
    mark(tones[status], status),
    html`<code>${webhookId}</code>`,
  ]);
  const title = rowsCount > rows.length ? `Not done: the first ${count(rows.length)} of ${count(rowsCount)}` : "Not done";
  return html`<section id="open">${dataTable(title, columns, cells, "Nothing of these waits, and nothing was given up.")}</section>`;
}
