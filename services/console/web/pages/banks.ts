// Banks and connectors: how each stands as a receiver, and what waits for it.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import type { Asked } from "../asked.ts";
import { showDistance, showSentence, showTime } from "../parts/clock.ts";
import { count, link, receiverMark, dataTable } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";

type Bank = AnswerOf<"listBanks">["rows"][number];

const columns = [
  { title: "Receiver" },
  { title: "Kind" },
  { title: "State" },
  { title: "Messages", isNumber: true },
  { title: "Postings", isNumber: true },
  { title: "Refused", isNumber: true },
  { title: "Oldest" },
  { title: "First close" },
  { title: "Why", isText: true },
];

export async function showBanks({ api, clock }: Asked): Promise<PageContent> {
  const { rows, countedAt } = await api.read("listBanks", "/banks");
  const cells = rows.map(({ bank, kind, state, waiting, why }: Bank) => [
    link(`/banks/${bank}`, bank),
    kind,
    receiverMark(state),
    waiting === null ? "not counted" : count(waiting.deliveries.waiting),
    waiting === null ? "not counted" : count(waiting.postings.waiting),
    waiting === null ? "" : count(waiting.deliveries.refused + waiting.postings.refused),
    waiting === null ? "" : showDistance(waiting.deliveries.oldestSince ?? waiting.postings.oldestSince, clock),
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
      ${dataTable("Receivers", columns, cells, "The configuration has no bank.")}
      <p class="quiet">What waits was counted ${showTime(countedAt, clock)}.</p>`,
  };
}
