// A bank's own page: what its own person may see of it. Sluice's operators can open it too, to see what the bank sees.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { queryText, type Asked, type Elsewhere } from "../asked.ts";
import { showCounted, showDistance, showTime, type Clock } from "../parts/clock.ts";
import { renderCheckRuns } from "../parts/check-runs.ts";
import { count, facts, link, mark, money, receiverMark, stateMark, dataTable, type Html } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";

type Own = AnswerOf<"showOwnBank">;
type Rows = AnswerOf<"listOwnTransactions">;
type Deliveries = AnswerOf<"listOwnDeliveries">;

const uetrForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const pageRows = "25";

export async function showOwn({ api, params, query, clock, me }: Asked): Promise<PageContent | Elsewhere> {
  const bank = params["bank"] ?? "";
  const below = `/banks/${encodeURIComponent(bank)}`;
  const quick = (query.get("q") ?? "").trim();
  if (uetrForm.test(quick)) return { location: `/own/${encodeURIComponent(bank)}/transactions/${quick.toLowerCase()}` };
  const side = query.get("side") === "received" ? "received" : "sent";
  const identification = quick === "" ? query.get("identification") : quick;
  const terms = { side, identification, businessDate: query.get("businessDate") };
  const [own, found, deliveries] = await Promise.all([
    api.read("showOwnBank", `${below}/own`),
    api.read("listOwnTransactions", `${below}/transactions${queryText({ ...terms, limit: pageRows, after: query.get("after") })}`),
    api.read("listOwnDeliveries", `${below}/deliveries${queryText({ limit: pageRows, after: query.get("afterDelivery") })}`),
  ]);
  return {
    title: own.name,
    section: me.bank === null ? "banks" : "own",
    command: `./sluice bank own ${bank}`,
    isLive: true,
    body: html`<p class="line big">
        ${receiverMark(own.state)} <span>${bank}</span> ${own.until === null ? "" : html`<span>until ${showTime(own.until, clock)}</span>`}
      </p>
      ${renderTiles(own, clock)} ${renderDays(own, clock)} ${renderCounts("Sent on running days", own.sent, own.sentCountedAt, clock)}
      ${renderCounts("Received on running days", own.received, own.receivedCountedAt, clock)} ${renderEndpoints(own, clock)}
      ${renderCheckRuns("Tests of the addresses", own.checks, clock)} ${renderDeliveries(deliveries, clock)}
      ${renderTransactions(found, terms, clock)} ${renderKeys(own, clock)}`,
  };
}

export async function showOwnTransactionPage({ api, params, clock, me }: Asked): Promise<PageContent> {
  const [bank, uetr] = [params["bank"] ?? "", (params["uetr"] ?? "").toLowerCase()];
  const path = `/banks/${encodeURIComponent(bank)}/transactions/${encodeURIComponent(uetr)}`;
  const own = await api.read("showOwnTransaction", path);
  const rows = own.states.map(({ state, stageVersion, at }) => [
    stageVersion,
    stateMark(state),
    html`${showTime(at, clock)} <span class="quiet">${showDistance(at, clock)}</span>`,
  ]);
  return {
    title: `Transaction ${uetr.slice(0, 8)}`,
    section: me.bank === null ? "banks" : "own",
    command: `./sluice bank own ${bank} --uetr ${uetr}`,
    isLive: true,
    body: html`<p class="code whole">${uetr}</p>
      <p class="line big">${stateMark(own.state)} <span>${money(own.currency, own.amount)}</span></p>
      ${facts([
        [`For ${bank}`, own.sides.join(" and ")],
        ["Message", own.messageIdentification],
        ["End to end", own.endToEndIdentification],
        ["Scheme", `${own.scheme}, ${own.flow}`],
        ["Business date", own.businessDate],
        ["Received", showTime(own.receivedAt, clock)],
      ])}
      ${dataTable("States", [{ title: "Version", isNumber: true }, { title: "State" }, { title: "Since" }], rows, "It has no state yet.")}
      <p>${link(`/own/${bank}`, "All of the bank")}</p>`,
  };
}

function renderTiles({ waiting }: Own, clock: Clock): Html {
  if (waiting === null) return html`<p class="empty">What waits is being counted.</p>`;
  const { deliveries, postings } = waiting;
  const tile = (name: string, figure: number, more: unknown) =>
    html`<li>
      <a href="#deliveries"
        ><span class="figure">${count(figure)}</span><span class="what">${name}</span><span class="more">${more}</span></a
      >
    </li>`;
  return html`<ul class="tiles">
    ${tile("messages wait", deliveries.waiting, showDistance(deliveries.oldestSince, clock))}
    ${tile("postings wait", postings.waiting, showDistance(postings.oldestSince, clock))}
    ${tile("refused", deliveries.refused + postings.refused, "by the bank, for good")}
  </ul>`;
}

const windowTones = { planned: "waits", open: "good", closed: "quiet", missed: "bad" } as const;

function renderDays({ days }: Own, clock: Clock): Html {
  const columns = [{ title: "Day" }, { title: "Windows" }, { title: "Cut-off" }, { title: "Reconciliation" }, { title: "Gate" }];
  const rows = days.map(({ day, isVoided, windows, cutOff, reconciliation, isGateOpen }) => [
    html`${day} ${isVoided ? mark("warns", "voided") : ""}`,
    windows.map(
      ({ number, state, opens, closes }) =>
        html`${mark(windowTones[state], `${number} ${state}`)} ${showTime(opens, clock)} to ${showTime(closes, clock)} `,
    ),
    showTime(cutOff, clock),
    showTime(reconciliation, clock),
    isGateOpen === null ? "–" : isGateOpen ? mark("good", "open") : mark("waits", "closed"),
  ]);
  return html`<section id="days">${dataTable("Days that are near", columns, rows, "No day is planned.")}</section>`;
}

function renderCounts(title: string, counts: Own["sent"], countedAt: string | null, clock: Clock): Html {
  if (countedAt === null) return html`<p class="empty"><strong>${title}.</strong> It is being counted.</p>`;
  const columns = [
    { title: "Scheme" },
    { title: "Date" },
    { title: "State" },
    { title: "Payments", isNumber: true },
    { title: "Sum", isNumber: true },
  ];
  const rows = counts.map(({ scheme, businessDate, state, count: number, currency, sum }) => [
    scheme,
    businessDate,
    stateMark(state),
    count(number),
    money(currency, sum),
  ]);
  return html`${dataTable(title, columns, rows, "Nothing.")} ${showCounted(countedAt, clock)}`;
}

function renderEndpoints({ bank, endpoints }: Own, clock: Clock): Html {
  const columns = ["Address", "For", "State", "Breaker", "Asked to wait until", "Last test"].map((title) => ({ title }));
  const rows = endpoints.map(({ address, service, state, breaker, retryAfterUntil, check }) => [
    html`<code>${address}</code>`,
    service === "dispatcher" ? "messages" : "postings of events",
    receiverMark(state),
    breaker === null
      ? "closed"
      : html`open ${showTime(breaker.since, clock)} <span class="quiet">${showDistance(breaker.since, clock)}, ${breaker.reason}</span>`,
    showTime(retryAfterUntil, clock),
    check === null ? "–" : renderCheck(check, clock),
  ]);
  return html`<section id="endpoints">
    ${dataTable("Endpoints", columns, rows, "Nothing is configured for it.")}
    <p><a class="button" href="/decide/checkOwnBank${queryText({ bank })}">Test the addresses…</a></p>
    <p class="quiet">
      The whole of a bank's behaviour is tested where the bank runs, by <code>./sluice conformance URL --secret-file FILE</code>; what came
      of it is known there alone. Events that the bank has lost: ${link(`/own/${bank}/events`, "events of a time")}.
    </p>
  </section>`;
}

function renderCheck({ at, tookMs, httpStatusCode, reason }: NonNullable<Own["endpoints"][number]["check"]>, clock: Clock): Html {
  const said = reason === null ? mark("good", `reached, HTTP ${httpStatusCode ?? "–"}`) : mark("bad", `not reached: ${reason}`);
  return html`${said} <span class="quiet">${showTime(at, clock)}, in ${count(tookMs)} ms</span>`;
}

const keyKinds = { token: "token", certificate: "client certificate", client: "OAuth client", "message-key": "key of messages" } as const;

function renderKeys({ keys }: Own, clock: Clock): Html {
  const columns = [{ title: "Kind" }, { title: "Id" }, { title: "Ends" }];
  const rows = keys.map(({ kind, id, ends, hasEnded }) => [
    keyKinds[kind],
    html`<code class="whole">${id}</code>`,
    ends === null
      ? "–"
      : html`${hasEnded ? mark("bad", "ended") : ""} ${showTime(ends, clock)} <span class="quiet">${showDistance(ends, clock)}</span>`,
  ]);
  return html`<section id="keys">${dataTable("What it may come with", columns, rows, "Nothing: it cannot send.")}</section>`;
}

function renderDeliveries({ bank, rows, next }: Deliveries, clock: Clock): Html {
  const columns = [
    { title: "Transaction" },
    { title: "Message" },
    { title: "Status" },
    { title: "Attempts", isNumber: true },
    { title: "The bank's last answer", isText: true },
    { title: "Next attempt" },
  ];
  const cells = rows.map(({ uetr, messageIdentification, kind, status, attempts, recentAttempts, nextAttempt }) => {
    const last = recentAttempts.at(-1);
    const code = last === undefined ? "" : last.httpStatusCode === null ? "no answer" : `HTTP ${last.httpStatusCode}`;
    return [
      ownLink(bank, uetr),
      html`<code>${messageIdentification}</code> <span class="quiet">${kind}</span>`,
      mark(["refused", "stopped", "expired"].includes(status) ? "bad" : "waits", status),
      count(attempts),
      last === undefined ? "–" : html`${code} <span class="answer">${last.answer ?? ""}</span>`,
      nextAttempt === null ? "–" : html`${showTime(nextAttempt, clock)} <span class="quiet">${showDistance(nextAttempt, clock)}</span>`,
    ];
  });
  return html`<section id="deliveries">
    ${dataTable("Not acknowledged", columns, cells, "The bank has acknowledged everything.")}
    ${next === null ? "" : html`<p>${link(`/own/${bank}${queryText({ afterDelivery: next })}`, "More that is not acknowledged")}</p>`}
  </section>`;
}

function renderTransactions({ bank, side, rows, next }: Rows, terms: Readonly<Record<string, string | null>>, clock: Clock): Html {
  const columns = [
    { title: "Transaction" },
    { title: "State" },
    { title: "Amount", isNumber: true },
    { title: "End to end" },
    { title: "Business date" },
    { title: "Received" },
  ];
  const cells = rows.map(({ uetr, state, amount, currency, endToEndIdentification, businessDate, receivedAt }) => [
    ownLink(bank, uetr),
    stateMark(state),
    money(currency, amount),
    endToEndIdentification ?? "–",
    businessDate ?? "–",
    showTime(receivedAt, clock),
  ]);
  const at = (given: Readonly<Record<string, string | null>>): string => `/own/${bank}${queryText({ ...terms, ...given })}`;
  const title = side === "sent" ? "Transactions that it sent" : "Transactions that it received";
  return html`<section id="transactions">
    <p class="line">
      <a href="${at({ side: "sent" })}" aria-current="${side === "sent" ? "true" : "false"}">Sent</a>
      <a href="${at({ side: "received" })}" aria-current="${side === "received" ? "true" : "false"}">Received</a>
    </p>
    ${dataTable(title, columns, cells, "None in the last 31 days.")}
    ${next === null ? "" : html`<p>${link(at({ after: next }), "Next page")}</p>`}
  </section>`;
}

function ownLink(bank: string, uetr: string): Html {
  return html`<a class="code" href="/own/${bank}/transactions/${uetr}" title="${uetr}"
    >${uetr.slice(0, 8)}<span class="rest">${uetr.slice(8)}</span></a
  >`;
}
