// One bank or connector: why little or nothing is sent to it, its endpoints, and each message that it has not taken.

import { html } from "hono/html";
import { ApiRefusal, type AnswerOf } from "../api-client.ts";
import { queryText, type Asked } from "../asked.ts";
import { showDistance, showSentence, showTime, type Clock } from "../parts/clock.ts";
import { count, facts, link, mark, money, receiverMark, dataTable, uetrLink, type Html } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";

type Bank = AnswerOf<"listBanks">["rows"][number];
type Undelivered = Extract<AnswerOf<"listUndelivered">, { readonly schema: "UndeliveredMessages" }>;

export async function showBank({ api, params, query, clock }: Asked): Promise<PageContent> {
  const id = params["bank"] ?? "";
  const after = query.get("after");
  const [{ rows }, messages] = await Promise.all([
    api.read("listBanks", "/banks"),
    api.read("listUndelivered", `/undelivered${queryText({ bank: id, limit: "50", after })}`),
  ]);
  const bank = rows.find((one) => one.bank === id);
  if (bank === undefined || messages.schema !== "UndeliveredMessages")
    throw new ApiRefusal(404, "Not known", "No bank or connector has this id.");
  return {
    title: id,
    section: "banks",
    command: `./sluice undelivered --bank ${id}`,
    runbook: "a-bank-does-not-answer",
    isLive: true,
    body: html`<p class="line big">${receiverMark(bank.state)} <span>${bank.kind}</span></p>
      ${
        bank.why.length === 0
          ? ""
          : html`<ul class="reasons">
              ${bank.why.map((why) => html`<li>${showSentence(why, clock)}</li>`)}
            </ul>`
      }
      ${renderActions(bank)} ${renderEndpoints(bank, clock)} ${renderTotals(bank)} ${renderMessages(messages, clock)}
      ${messages.next === null ? "" : html`<p>${link(`/banks/${id}${queryText({ after: messages.next })}`, "Next page")}</p>`}
      ${renderDecisions(bank, clock)}`,
  };
}

function renderActions({ bank, isPaused, since }: Bank): Html {
  const by = since === null ? "" : html`<span class="quiet">last decided by ${since.operator}: ${since.reason}</span>`;
  return html`<section class="actions" aria-label="What could be decided">
    <ul>
      <li><a class="button" href="/decide/pauseBank${queryText({ bank })}">${isPaused ? "Change the pause" : "Pause"}…</a></li>
      ${isPaused ? html`<li><a class="button" href="/decide/resumeBank${queryText({ bank })}">Resume…</a> ${by}</li>` : html`<li class="not"><span>Resume</span> <span class="quiet">not possible: it is not paused</span></li>`}
    </ul>
  </section>`;
}

function renderEndpoints({ endpoints }: Bank, clock: Clock): Html {
  const columns = [
    { title: "Address" },
    { title: "For" },
    { title: "State" },
    { title: "Requests at once", isNumber: true },
    { title: "Breaker" },
    { title: "Asked to wait until" },
  ];
  const rows = endpoints.map(({ address, service, state, concurrency, connections, breaker, retryAfterUntil }) => [
    html`<code>${address}</code>`,
    service === "dispatcher" ? "messages" : "postings of events",
    receiverMark(state),
    `${concurrency} of ${connections}`,
    breaker === null
      ? "closed"
      : html`open ${showTime(breaker.since, clock)} <span class="quiet">${showDistance(breaker.since, clock)}, ${breaker.reason}</span>`,
    showTime(retryAfterUntil, clock),
  ]);
  return dataTable("Endpoints", columns, rows, "Nothing is configured for it.");
}

function renderTotals({ bank, dayTotals }: Bank): Html {
  const columns = [
    { title: "Scheme" },
    { title: "Date" },
    { title: "Payments", isNumber: true },
    { title: "Sum", isNumber: true },
    { title: "Alarm above", isNumber: true },
  ];
  const rows = dayTotals.map(({ scheme, businessDate, currency, count: number, sum, alarmAbove, isAboveAlarm }) => [
    scheme,
    businessDate,
    link(`/search${queryText({ bank, scheme, businessDate })}`, count(number)),
    money(currency, sum),
    html`${money(currency, alarmAbove)} ${isAboveAlarm ? mark("bad", "above") : ""}`,
  ]);
  return dataTable("Totals of running days", columns, rows, "No payment of a running day.");
}

function renderMessages({ rows }: Undelivered, clock: Clock): Html {
  const columns = [
    { title: "Transaction" },
    { title: "Kind" },
    { title: "Status" },
    { title: "Attempts", isNumber: true },
    { title: "Last answer", isText: true },
    { title: "Next attempt" },
    { title: "Close" },
  ];
  const cells = rows.map(({ uetr, kind, status, attempts, recentAttempts, nextAttempt, closes }) => {
    const last = recentAttempts.at(-1);
    const isOver = status === "refused" || status === "stopped" || status === "expired";
    return [
      uetrLink(uetr),
      kind,
      mark(isOver ? "bad" : "waits", status),
      count(attempts),
      last === undefined
        ? "–"
        : html`${last.httpStatusCode === null ? "no answer" : `HTTP ${last.httpStatusCode}`}
            <span class="answer">${last.answer ?? ""}</span>`,
      isOver
        ? link(
            kind === "delivery" ? `/decide/redriveDelivery${queryText({ uetr })}` : `/transactions/${uetr}`,
            kind === "delivery" ? "Redrive…" : "none",
          )
        : nextAttempt === null
          ? "when what holds it is over"
          : html`${showTime(nextAttempt, clock)} <span class="quiet">${showDistance(nextAttempt, clock)}</span>`,
      html`${showTime(closes, clock)} <span class="quiet">${showDistance(closes, clock)}</span>`,
    ];
  });
  return dataTable("Not acknowledged", columns, cells, "It has acknowledged everything.");
}

function renderDecisions({ decisions }: Bank, clock: Clock): Html {
  return html`<section>
    <h2>Decisions about it</h2>
    ${decisions.length === 0 ? html`<p class="empty">None.</p>` : facts(decisions.map(({ kind, operator, reason, result, at }) => [kind, html`${showTime(at, clock)} by ${operator}, ${result}: <q>${reason}</q>`] as const))}
  </section>`;
}
