// One bank or connector: why little or nothing is sent to it, its endpoints, its gates and credits, and each message
// that it has not taken.

import { html } from "hono/html";
import { ApiRefusal, type AnswerOf } from "../api-client.ts";
import { queryText, type Asked } from "../asked.ts";
import { showCounted, showDistance, showSentence, showTime, type Clock } from "../parts/clock.ts";
import { closedGateMark, count, facts, link, mark, money, receiverMark, dataTable, uetrLink, type Html, deciders } from "../parts/html.ts";
import { renderQueueChart } from "../parts/number-charts.ts";
import type { PageContent } from "../parts/layout.ts";
import { renderCheckRuns } from "../parts/check-runs.ts";
import { renderLatencies, renderLimits } from "../parts/address-history.ts";
import { certificateMark } from "./services.ts";

type Shown = AnswerOf<"showBank">;
type Bank = Shown["status"];
type Undelivered = Extract<AnswerOf<"listUndelivered">, { readonly schema: "UndeliveredMessages" }>;

export async function showBankPage({ api, params, query, clock }: Asked): Promise<PageContent> {
  const id = params["bank"] ?? "";
  const after = query.get("after");
  const shown = await api.read("showBank", `/banks/${encodeURIComponent(id)}`);
  const [messages, series] = await Promise.all([
    api.read("listUndelivered", `/undelivered${queryText({ bank: id, limit: "50", after })}`),
    api.read("showSeries", `/series${queryText({ bank: id })}`),
  ]);
  if (messages.schema !== "UndeliveredMessages") throw new ApiRefusal(404, "Not known", "No bank or connector has this id.");
  const { status: bank } = shown;
  const certificate = shown.configured?.hasClientCertificate === true ? await findCertificate(api, id) : null;
  return {
    title: id,
    section: "banks",
    command: `./sluice undelivered --bank ${id}`,
    runbook: "a-bank-does-not-answer",
    isLive: true,
    body: html`<p class="line big">${receiverMark(bank.state)} <span>${bank.kind}</span> <span>${shown.configured?.name ?? ""}</span></p>
      <p class="line">
        ${link(`/own/${id}`, "As the bank sees it")} ${bank.kind === "bank" ? link(`/own/${id}/events`, "Events of a time") : ""}
      </p>
      ${
        bank.why.length === 0
          ? ""
          : html`<ul class="reasons">
              ${bank.why.map((why) => html`<li>${showSentence(why, clock)}</li>`)}
            </ul>`
      }
      ${renderTiles(shown, clock)} ${renderQueueChart(series, { at: bank.waiting?.closes ?? null, name: "first close" }, clock)}
      ${renderActions(shown)} ${renderEndpoints(bank, clock)} ${renderCheckRuns("Checks of its addresses", shown.checks, clock)}
      ${renderLatencies(series, clock)} ${renderLimits(series, clock)} ${renderBreaker(series, clock)} ${renderGates(shown, clock)}
      ${renderHeld(shown, clock)} ${renderAttempted("Refused last", shown.refused, "It refused nothing for good.", clock)}
      ${renderAttempted("Fails often", shown.failing, "Nothing was attempted three times or more.", clock)} ${renderTotals(shown, clock)}
      ${renderConfigured(shown, certificate, clock)} ${renderDecisions(bank, clock)} ${renderMessages(messages, clock)}
      ${messages.next === null ? "" : html`<p>${link(`/banks/${id}${queryText({ after: messages.next })}`, "Next page")}</p>`}`,
  };
}

async function findCertificate(api: Asked["api"], bank: string): Promise<string | null> {
  const { certificates } = await api.read("listServices", "/services");
  return certificates.find(({ receiver }) => receiver === bank)?.endsAt ?? null;
}

function renderTiles({ status: { bank, waiting }, held, refusedCount, isRefusedWhole }: Shown, clock: Clock): Html {
  const heldCount = held.reduce((sum, one) => sum + one.count, 0);
  const tile = (href: string, name: string, figure: string, more: unknown) =>
    html`<li>
      <a href="${href}"><span class="figure">${figure}</span><span class="what">${name}</span><span class="more">${more}</span></a>
    </li>`;
  const figure = (number: number | undefined): string => (number === undefined ? "–" : count(number));
  return html`<ul class="tiles">
    ${tile("#waiting", "messages wait", figure(waiting?.deliveries.waiting), showDistance(waiting?.deliveries.oldestSince ?? null, clock))}
    ${tile("#waiting", "postings wait", figure(waiting?.postings.waiting), showDistance(waiting?.postings.oldestSince ?? null, clock))}
    ${tile("#refused", "refused", `${count(refusedCount)}${isRefusedWhole ? "" : " or more"}`, "a person has to redrive them")}
    ${tile(`/search?state=HELD&bank=${bank}`, "held", count(heldCount), held.map(({ currency, sum }) => money(currency, sum)).join(", "))}
    ${tile("#waiting", "first close", showDistance(waiting?.closes ?? null, clock).replace(/^in /, "") || "–", showTime(waiting?.closes ?? null, clock))}
  </ul>`;
}

function renderActions({ status: { bank, isPaused, since }, refusedCount }: Shown): Html {
  const by = since === null ? "" : html`<span class="quiet">last decided by ${since.operator}: ${since.reason}</span>`;
  return html`<section class="actions" aria-label="What could be decided">
    <ul>
      <li><a class="button" href="/decide/checkBank${queryText({ bank })}">Check its addresses…</a></li>
      <li><a class="button" href="/decide/pauseBank${queryText({ bank })}">${isPaused ? "Change the pause" : "Pause"}…</a></li>
      ${isPaused ? html`<li><a class="button" href="/decide/resumeBank${queryText({ bank })}">Resume…</a> ${by}</li>` : html`<li class="not"><span>Resume</span> <span class="quiet">not possible: it is not paused</span></li>`}
      ${refusedCount > 0 ? html`<li><a class="button" href="/decide/redriveBank${queryText({ bank })}">Redrive what it refused…</a></li>` : html`<li class="not"><span>Redrive</span> <span class="quiet">not possible: it refused nothing</span></li>`}
    </ul>
  </section>`;
}

function renderEndpoints({ endpoints }: Bank, clock: Clock): Html {
  const columns = [
    { title: "Address" },
    { title: "State" },
    { title: "Requests at once", isNumber: true },
    { title: "What holds messages back", isText: true },
    { title: "Last check" },
  ];
  const rows = endpoints.map(({ address, service, state, concurrency, connections, breaker, retryAfterUntil, check }) => [
    html`<code>${address}</code><br /><span class="quiet">${service === "dispatcher" ? "messages" : "postings of events"}</span>`,
    receiverMark(state),
    `${concurrency} of ${connections}`,
    breaker !== null
      ? html`breaker open since ${showTime(breaker.since, clock)}
          <span class="quiet">${showDistance(breaker.since, clock)}, ${breaker.reason}</span>`
      : retryAfterUntil !== null
        ? html`it asked to wait until ${showTime(retryAfterUntil, clock)}`
        : "nothing",
    check === null
      ? "none"
      : html`${checkMark(check)} <span class="quiet">${showDistance(check.at, clock)}, ${count(check.tookMs)} ms</span>`,
  ]);
  return html`<section id="endpoints">${dataTable("Endpoints", columns, rows, "Nothing is configured for it.")}</section>`;
}

const openedBy: Readonly<Record<string, string>> = {
  transient: "no answers, or ones that may pass",
  address: "answers about the address: 401, 403, 404, redirects, certificates",
  refused: "it refused one message after the other",
};

/** When the breakers opened and closed, the last first. */
function renderBreaker({ breakerChanges }: AnswerOf<"showSeries">, clock: Clock): Html {
  const rows = breakerChanges
    .toReversed()
    .map(({ at, service, address, isOpen, reason }) => [
      html`${showTime(at, clock)} <span class="quiet">${showDistance(at, clock)}</span>`,
      isOpen ? mark("bad", "opened") : mark("good", "closed"),
      html`<code>${address}</code> <span class="quiet">${service === "dispatcher" ? "messages" : "postings of events"}</span>`,
      reason === null ? "a message was acknowledged" : (openedBy[reason] ?? reason),
    ]);
  const columns = [{ title: "When" }, { title: "Breaker" }, { title: "Address" }, { title: "Why", isText: true }];
  return html`<section id="breaker">${dataTable("Breaker, last 24 hours", columns, rows, "It neither opened nor closed.")}</section>`;
}

/** Any answer says that the address is reached. */
function checkMark({ httpStatusCode, reason }: NonNullable<Bank["endpoints"][number]["check"]>): Html {
  return httpStatusCode === null ? mark("bad", `not reached: ${reason ?? ""}`) : mark("good", `reached: HTTP ${httpStatusCode}`);
}

const windowTones = { planned: "waits", open: "good", closed: "quiet", missed: "bad" } as const;

function renderGates({ gates, openCredits, status: { bank, kind } }: Shown, clock: Clock): Html | string {
  if (kind !== "bank") return "";
  const columns = [
    { title: "Day" },
    { title: "Window" },
    { title: "Closes" },
    { title: "Gate" },
    { title: "Why", isText: true },
    { title: "Credits in front of it" },
    { title: "Decide" },
  ];
  const rows = gates.map(({ day, window, isOpen, openedAt, reason, credits, creditsCount }) => {
    const [scheme = "", date = ""] = day.split(":");
    const time = window.state === "planned" ? window.opens : window.closes;
    return [
      link(`/days/${day}`, day),
      mark(windowTones[window.state], `${window.number} ${window.state}`),
      html`${window.state === "planned" ? "opens " : ""}${showTime(time, clock)} <span class="quiet">${showDistance(time, clock)}</span>`,
      isOpen
        ? html`${mark("good", "open")} <span class="quiet">${showDistance(openedAt, clock)}</span>`
        : closedGateMark(window.state === "open"),
      reason ?? "",
      html`${credits.slice(0, 3).map((uetr) => html`${uetrLink(uetr)} `)}${creditsCount > 3 ? `of ${count(creditsCount)}` : ""}`,
      creditsCount === 0
        ? ""
        : link(`/decide/openGate${queryText({ scheme, date, bank })}`, html`Open the gate<span class="unseen"> of ${day}</span>…`),
    ];
  });
  const creditColumns = [{ title: "State" }, { title: "Credits", isNumber: true }, { title: "Sum", isNumber: true }, { title: "Oldest" }];
  const creditRows = openCredits.map(({ state, currency, count: number, sum, oldestReceivedAt }) => [
    mark("waits", state),
    link(`/search${queryText({ bank, flow: "credit", state })}`, count(number)),
    money(currency, sum),
    html`${showTime(oldestReceivedAt, clock)} <span class="quiet">${showDistance(oldestReceivedAt, clock)}</span>`,
  ]);
  return html`<section id="gates">${dataTable("Window gates", columns, rows, "No day with a window is planned.")}</section>
    <section id="credits">
      ${dataTable("Credits that are not resolved", creditColumns, creditRows, "Every credit to it is resolved.")}
    </section>`;
}

function renderHeld({ held }: Shown, clock: Clock): Html {
  const columns = [
    { title: "Day" },
    { title: "Debits", isNumber: true },
    { title: "Sum", isNumber: true },
    { title: "Waits for", isText: true },
    { title: "Window closes" },
  ];
  const rows = held.map(({ day, count: number, currency, sum, why, closes }) => [
    link(`/days/${day}`, day),
    count(number),
    money(currency, sum),
    showSentence(why, clock),
    html`${showTime(closes, clock)} <span class="quiet">${showDistance(closes, clock)}</span>`,
  ]);
  return dataTable("Held debits", columns, rows, "No debit to it is held.");
}

function renderAttempted(title: string, rows: Shown["refused"], empty: string, clock: Clock): Html {
  const columns = [
    { title: "Transaction" },
    { title: "Message" },
    { title: "Attempts", isNumber: true },
    { title: "First" },
    { title: "Last" },
    { title: "Answer", isText: true },
  ];
  const cells = rows.map(({ uetr, operation, kind, attempts, since, lastAnswer }) => [
    uetrLink(uetr),
    operation ?? kind,
    count(attempts),
    showTime(since, clock),
    showTime(lastAnswer?.at ?? null, clock),
    lastAnswer === null ? "–" : html`${answerCode(lastAnswer)} <span class="answer">${lastAnswer.answer ?? ""}</span>`,
  ]);
  return html`<section id="${title === "Refused last" ? "refused" : "failing"}">${dataTable(title, columns, cells, empty)}</section>`;
}

function answerCode({ httpStatusCode }: { readonly httpStatusCode: number | null }): string {
  return httpStatusCode === null ? "no answer" : `HTTP ${httpStatusCode}`;
}

/** Addresses and bounds; the file itself is not shown. */
function renderConfigured({ configured }: Shown, certificate: string | null, clock: Clock): Html {
  if (configured === null) return html`<p class="empty">The configuration does not have it any more.</p>`;
  const { addresses, connections, concurrency, requestsPerSecond, answerTimeoutSeconds, signingKeys, isBlocked } = configured;
  return html`<section>
    <h2>As configured</h2>
    ${facts([
      ...addresses.map(({ operation, url }) => [`Address: ${operation}`, html`<code>${url}</code>`] as const),
      ["Requests at once", `${connections}, ${concurrency}`],
      ["It may send", `${requestsPerSecond} requests a second`],
      ["It has to answer", `within ${answerTimeoutSeconds} s`],
      ["Signing keys", count(signingKeys)],
      [
        "Client certificate",
        certificate !== null
          ? html`ends ${showTime(certificate, clock)}
              <span class="quiet">${showDistance(certificate, clock)}</span> ${certificateMark(certificate, clock)}`
          : configured.hasClientCertificate
            ? "yes; no process says when it ends"
            : "none",
      ],
      ...(isBlocked === true ? [["Blocked", mark("bad", "every payment to it is refused")] as const] : []),
    ])}
  </section>`;
}

function renderTotals({ status: { bank, dayTotals }, totalsCountedAt }: Shown, clock: Clock): Html {
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
  if (totalsCountedAt === null) return html`<p class="empty"><strong>Totals of running days.</strong> They are being counted.</p>`;
  return html`${dataTable("Totals of running days", columns, rows, "No payment of a running day.")} ${showCounted(totalsCountedAt, clock)}`;
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
      last === undefined ? "–" : html`${answerCode(last)} <span class="answer">${last.answer ?? ""}</span>`,
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
  return html`<section id="waiting">${dataTable("Not acknowledged", columns, cells, "It has acknowledged everything.")}</section>`;
}

function renderDecisions({ bank, decisions }: Bank, clock: Clock): Html {
  return html`<section>
    <h2>Decisions about it</h2>
    ${decisions.length === 0 ? html`<p class="empty">None.</p>` : facts(decisions.map((one) => [link(`/decided/${one.id}${queryText({ key: `bank:${bank}` })}`, one.kind), html`${showTime(one.at, clock)} by ${deciders(one)}; ${one.result}: <q>${one.reason}</q>`] as const))}
  </section>`;
}
