// One transaction: what it waits for, what could be decided, and everything that happened to it.

import { html } from "hono/html";
import type { Timeline } from "@sluice/timeline";
import type { AnswerOf } from "../api-client.ts";
import { queryText, type Asked } from "../asked.ts";
import { showDistance, showSentence, showTime, type Clock } from "../parts/clock.ts";
import { facts, link, mark, money, stateMark, type Html, deciders } from "../parts/html.ts";
import { formatAmount, parseAmount } from "../../views/control-values.ts";
import type { PageContent } from "../parts/layout.ts";
import { renderHistory } from "../parts/history.ts";
import { renderItem } from "../parts/item.ts";

type Transaction = AnswerOf<"showTransaction">;

export async function showTransactionPage({ api, params, clock }: Asked): Promise<PageContent> {
  const uetr = (params["uetr"] ?? "").toLowerCase();
  const found = await api.read("showTransaction", `/transactions/${encodeURIComponent(uetr)}`);
  const timeline = asTimeline(found);
  return {
    title: `Transaction ${uetr.slice(0, 8)}`,
    section: "search",
    command: `./sluice tx ${uetr}`,
    runbook: "a-debit-hangs",
    isLive: true,
    body: html`<p class="code whole">${uetr}</p>
      <p class="line big">
        ${timeline.state === null ? mark("waits", "not applied yet") : stateMark(timeline.state)}
        <span>${amountText(timeline)}</span> ${found.quarantined === null ? "" : mark("bad", "dead letters")}
      </p>
      ${renderWaiting(found.waiting, clock)} ${renderActions(found, uetr)} ${renderFacts(found)}
      ${
        found.items.length === 0
          ? ""
          : html`<section>
              <h2>Reconciliation</h2>
              ${found.items.map((item) => renderItem(item, uetr, clock))}
            </section>`
      }
      <section>
        <h2>What happened</h2>
        ${timeline.isComplete ? "" : html`<p class="problem">The logs are longer than what was searched: entries may be missing.</p>`}
        ${renderHistory(timeline, clock)}
      </section>
      ${renderDecisions(found, clock)}`,
  };
}

/** "ZAR 1250.5" as every amount is shown. */
function amountText({ amount }: Timeline): string {
  const [currency = "", sum = ""] = (amount ?? "").split(" ");
  const parsed = parseAmount(sum);
  return parsed === null ? (amount ?? "") : money(currency, formatAmount(parsed, currency));
}

/** The answer's schema leaves the timeline open; it is the value that the console itself has made. */
function asTimeline({ timeline }: Transaction): Timeline {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made by `readTimeline` of the same release
  return timeline as unknown as Timeline;
}

function renderWaiting(waiting: Transaction["waiting"], clock: Clock): Html {
  if (waiting === null) return html`<p class="well">${mark("quiet", "It waits for nothing.")}</p>`;
  const { why, since, nextAttempt, until, then } = waiting;
  const rows: (readonly [string, unknown])[] = [
    ["Since", html`${showTime(since, clock)} <span class="quiet">${showDistance(since, clock)}</span>`],
    ...(nextAttempt === null
      ? []
      : [["Next attempt", html`${showTime(nextAttempt, clock)} <span class="quiet">${showDistance(nextAttempt, clock)}</span>`] as const]),
    [
      "Until",
      until === null
        ? "nothing ends the wait by itself"
        : html`${showTime(until, clock)} <span class="quiet">${showDistance(until, clock)}</span>`,
    ],
    ["Then", then],
  ];
  return html`<section class="waiting" aria-labelledby="waiting">
    <h2 id="waiting">Waits for: ${waiting.for}</h2>
    <p>${showSentence(why, clock)}</p>
    ${facts(rows)}
  </section>`;
}

const names: Readonly<Record<Transaction["actions"][number]["name"], string>> = {
  withdrawDebit: "Withdraw",
  redriveDelivery: "Redrive",
  stopDelivery: "Stop the delivery",
  resolveItem: "Resolve the item",
  confirmResolution: "Confirm the resolution",
  rejectResolution: "Reject the resolution",
  replayTransaction: "Replay dead letters",
};

/** A decision that is not possible stays in the list, with the reason. */
function renderActions({ actions }: Transaction, uetr: string): Html {
  // What cannot be rejected cannot be confirmed either, for the same reason: the confirmation says it.
  const listed = actions.filter(({ name, isAllowed }) => isAllowed || name !== "rejectResolution");
  return html`<section class="actions" aria-labelledby="actions">
    <h2 id="actions">What could be decided</h2>
    <ul>
      ${listed.map(({ name, isAllowed, whyNot, needsSecondPerson }) =>
        isAllowed
          ? html`<li>
              <a class="button" href="/decide/${name}${queryText({ uetr })}">${names[name]}…</a>
              ${needsSecondPerson ? html`<span class="quiet">needs a second person</span>` : ""}
            </li>`
          : html`<li class="not"><span>${names[name]}</span> <span class="quiet">not possible: ${whyNot}</span></li>`,
      )}
    </ul>
  </section>`;
}

function renderFacts(found: Transaction): Html {
  const { flow, scheme, bank, businessDate, reconciliationDay, sharesIdentificationWith, partition } = asTimeline(found);
  const others = sharesIdentificationWith.map((uetr) => link(`/transactions/${uetr}`, uetr.slice(0, 8)));
  return html`<section>
    <h2>About it</h2>
    ${facts([
      ["Flow", flow],
      ["Scheme", scheme],
      ["Bank", bank === null ? null : link(`/banks/${bank}`, bank)],
      ["Business date", businessDate],
      [
        "Reconciliation day",
        reconciliationDay === null || reconciliationDay === "" ? null : link(`/days/${reconciliationDay}`, reconciliationDay),
      ],
      ["Partition", partition],
      ...renderTrace(found.trace),
      ["Same identification", others.length === 0 ? "no other transaction" : html`${others.map((one) => html`${one} `)}`],
    ])}
  </section>`;
}

/** A page is linked only where one is configured and the trace was sent. */
function renderTrace(trace: Transaction["trace"]): readonly (readonly [string, Html])[] {
  if (trace === null || trace.url === null) return [];
  return [["Trace", link(trace.url, html`<code>${trace.id}</code>`)]];
}

function renderDecisions({ decisions }: Transaction, clock: Clock): Html | string {
  if (decisions.length === 0) return "";
  return html`<section>
    <h2>Decisions</h2>
    <ul class="plain">
      ${decisions.map(
        (one) =>
          html`<li>
            ${showTime(one.at, clock)} <strong>${one.kind}</strong> by ${deciders(one)}:
            ${one.result}${one.why === null ? "" : ` (${one.why})`}<br /><q>${one.reason}</q>
          </li>`,
      )}
    </ul>
  </section>`;
}
