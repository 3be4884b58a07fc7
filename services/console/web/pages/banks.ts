// Banks and connectors: how each stands as a receiver, and what waits for it.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import type { Asked } from "../asked.ts";
import { showDistance, showSentence, showTime } from "../parts/clock.ts";
import { count, link, receiverMark, dataTable, type Column } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";

type Bank = AnswerOf<"listBanks">["rows"][number];

/** What is worst comes first, but for names and times: what is not known comes last. */
const orders: Readonly<Record<string, (a: Bank, b: Bank) => number>> = {
  receiver: (a, b) => compareTexts(a.bank, b.bank),
  state: (a, b) => Number(a.state === "active") - Number(b.state === "active") || compareTexts(a.state, b.state),
  messages: (a, b) => (b.waiting?.deliveries.waiting ?? -1) - (a.waiting?.deliveries.waiting ?? -1),
  postings: (a, b) => (b.waiting?.postings.waiting ?? -1) - (a.waiting?.postings.waiting ?? -1),
  refused: (a, b) => countRefused(b) - countRefused(a),
  oldest: (a, b) => compareTexts(oldestOf(a) ?? "~", oldestOf(b) ?? "~"),
  close: (a, b) => compareTexts(a.waiting?.closes ?? "~", b.waiting?.closes ?? "~"),
};

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function countRefused({ waiting }: Pick<Bank, "waiting">): number {
  return waiting === null ? -1 : waiting.deliveries.refused + waiting.postings.refused;
}

function oldestOf({ waiting }: Pick<Bank, "waiting">): string | null {
  return waiting?.deliveries.oldestSince ?? waiting?.postings.oldestSince ?? null;
}

function listColumns(sort: string): readonly Column[] {
  const by = (name: string, order: "ascending" | "descending" = "descending") => ({
    sort: { href: `/banks?sort=${name}`, order, isOn: sort === name },
  });
  return [
    { title: "Receiver", ...by("receiver", "ascending") },
    { title: "Kind" },
    { title: "State", ...by("state") },
    { title: "Messages", isNumber: true, ...by("messages") },
    { title: "Postings", isNumber: true, ...by("postings") },
    { title: "Refused", isNumber: true, ...by("refused") },
    { title: "Oldest", ...by("oldest", "ascending") },
    { title: "First close", ...by("close", "ascending") },
    { title: "Why", isText: true },
  ];
}

export async function showBanks({ api, query, clock }: Asked): Promise<PageContent> {
  const { rows, countedAt } = await api.read("listBanks", "/banks");
  const sort = query.get("sort") ?? "receiver";
  const sorted = rows.toSorted(orders[sort] ?? (() => 0));
  const cells = sorted.map(({ bank, kind, state, waiting, why }: Bank) => [
    link(`/banks/${bank}`, bank),
    kind,
    receiverMark(state),
    waiting === null ? "not counted" : count(waiting.deliveries.waiting),
    waiting === null ? "not counted" : count(waiting.postings.waiting),
    waiting === null ? "" : count(countRefused({ waiting })),
    html`<span class="quiet">${showDistance(oldestOf({ waiting }), clock)}</span>`,
    waiting === null ? "" : html`${showTime(waiting.closes, clock)} <span class="quiet">${showDistance(waiting.closes, clock)}</span>`,
    why.map((one) => html`${showSentence(one, clock)} `),
  ]);
  return {
    title: "Banks and connectors",
    section: "banks",
    command: "./sluice bank list",
    runbook: "a-bank-does-not-answer",
    isLive: true,
    body: html`<section class="actions" aria-label="What could be decided">
        <ul>
          <li><a class="button" href="/decide/pauseBanks">Pause everything…</a></li>
          ${rows.some(({ isPaused }) => isPaused) ? html`<li><a class="button" href="/decide/resumeBanks">Resume everything…</a></li>` : ""}
        </ul>
      </section>
      ${dataTable("Receivers", listColumns(sort), cells, "The configuration has no bank.")}
      <p class="quiet">What waits was counted ${showTime(countedAt, clock)}.</p>`,
  };
}
