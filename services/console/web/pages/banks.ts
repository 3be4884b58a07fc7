// Banks and connectors: how each stands as a receiver, and what waits for it.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import type { Asked } from "../asked.ts";
import { showDistance, showSentence, showTime } from "../parts/clock.ts";
import { count, link, receiverMark, dataTable, type Column } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";
import { createSorting, type Order } from "../parts/sorting.ts";

type Bank = AnswerOf<"listBanks">["rows"][number];

/** What is worst comes first, but for names and times. */
const orders: Readonly<Record<string, Order<Bank>>> = {
  receiver: { order: "ascending", by: ({ bank }) => bank },
  state: { order: "descending", by: ({ state }) => (state === "active" ? "" : state) },
  messages: { order: "descending", by: ({ waiting }) => waiting?.deliveries.waiting ?? null },
  postings: { order: "descending", by: ({ waiting }) => waiting?.postings.waiting ?? null },
  refused: { order: "descending", by: (bank) => (bank.waiting === null ? null : countRefused(bank)) },
  oldest: { order: "ascending", by: oldestOf },
  close: { order: "ascending", by: ({ waiting }) => waiting?.closes ?? null },
};

function countRefused({ waiting }: Pick<Bank, "waiting">): number {
  return waiting === null ? -1 : waiting.deliveries.refused + waiting.postings.refused;
}

function oldestOf({ waiting }: Pick<Bank, "waiting">): string | null {
  return waiting?.deliveries.oldestSince ?? waiting?.postings.oldestSince ?? null;
}

function listColumns({ column }: Pick<ReturnType<typeof createSorting>, "column">): readonly Column[] {
  return [
    column("receiver", { title: "Receiver" }),
    { title: "Kind" },
    column("state", { title: "State" }),
    column("messages", { title: "Messages", isNumber: true }),
    column("postings", { title: "Postings", isNumber: true }),
    column("refused", { title: "Refused", isNumber: true }),
    column("oldest", { title: "Oldest" }),
    column("close", { title: "First close" }),
    { title: "Why", isText: true },
  ];
}

export async function showBanks({ api, query, clock }: Asked): Promise<PageContent> {
  const { rows, countedAt } = await api.read("listBanks", "/banks");
  const sorting = createSorting("/banks", query, orders);
  const cells = sorting
    .rows(rows)
    .map(({ bank, kind, state, waiting, why }: Bank) => [
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
      ${dataTable("Receivers", listColumns(sorting), cells, "The configuration has no bank.")}
      <p class="quiet">What waits was counted ${showTime(countedAt, clock)}.</p>`,
  };
}
