// Decisions that wait for a second person: what would be decided, by whom and why, and what was confirmed before.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { queryText, type Asked } from "../asked.ts";
import { showDistance, showTime, type Clock } from "../parts/clock.ts";
import { facts, link, mark, plural, type Html } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";

type Proposal = AnswerOf<"listProposals">["rows"][number];

export async function showProposals({ api, me, query, clock }: Asked): Promise<PageContent> {
  const [{ rows, next }, overview] = await Promise.all([
    api.read("listProposals", `/proposals${queryText({ limit: "50", after: query.get("after") })}`),
    api.read("showOverview", "/overview"),
  ]);
  const items = overview.proposedItems.reduce((sum, one) => sum + one.count, 0);
  const open = rows.filter(({ state }) => state === "proposed");
  const past = rows.filter(({ state }) => state !== "proposed");
  return {
    title: "Proposals",
    section: "proposals",
    command: "./sluice proposals",
    runbook: "confirm-a-proposal",
    isLive: true,
    body: html`<section>
        <h2>Waiting for a second person</h2>
        ${items === 0 ? "" : html`<p>${link("/reconciliation?proposed=yes", `${plural(items, "resolved item")} to confirm`)}</p>`}
        ${open.length + items === 0 ? html`<p class="empty">No decision waits for a second person.</p>` : open.map((one) => renderProposal(one, me, clock))}
      </section>
      <section>
        <h2>Before</h2>
        ${past.length === 0 ? html`<p class="empty">None.</p>` : past.map((one) => renderProposal(one, me, clock))}
      </section>
      ${next === null ? "" : html`<p>${link(`/proposals${queryText({ after: next })}`, "Next page")}</p>`}`,
  };
}

const tones = { proposed: "waits", confirmed: "good", rejected: "quiet", retracted: "quiet", expired: "quiet" } as const;

export function proposalFacts(
  { path, body, operator, reason, proposedAt, expiresAt, confirmed, rejected, retracted }: Proposal,
  clock: Clock,
): Html {
  const { reason: _said, ...content } = body;
  const ends = Object.entries({ Confirmed: confirmed, Rejected: rejected, Retracted: retracted });
  const ended = ends.flatMap(([name, end]) => (end === null ? [] : [[name, renderEnd(end, clock)] as const]));
  return facts([
    ["Where", html`<code>${path}</code>`],
    ...Object.entries(content).map(([name, value]) => [name, html`<code>${JSON.stringify(value)}</code>`] as const),
    ["Reason", html`<q>${reason}</q>`],
    ["Proposed", html`${operator}, ${showTime(proposedAt, clock)}`],
    ...(ended.length > 0
      ? ended
      : [["Expires", html`${showTime(expiresAt, clock)} <span class="quiet">${showDistance(expiresAt, clock)}</span>`] as const]),
  ]);
}

function renderEnd({ operator, reason, at }: NonNullable<Proposal["confirmed"]>, clock: Clock): Html {
  return html`${operator}, ${showTime(at, clock)}: <q>${reason}</q>`;
}

function renderProposal(proposal: Proposal, me: Asked["me"], clock: Clock): Html {
  return html`<article class="item" id="${proposal.id}">
    <h3>${mark(tones[proposal.state], proposal.state)} ${proposal.operation}</h3>
    ${proposalFacts(proposal, clock)} ${proposal.state === "proposed" ? renderActions(proposal, me) : ""}
  </article>`;
}

function renderActions({ id, person: proposer }: Proposal, { person, roles }: Asked["me"]): Html {
  const linkTo = (name: string, words: string): Html =>
    html`<a class="button" href="/decide/${name}${queryText({ action: id })}">${words}</a>`;
  if (proposer === person) {
    const retract = roles.includes("act") ? linkTo("retractProposal", "Look and retract…") : "";
    return html`<p class="quiet">Not yours to confirm: somebody else has to confirm it. ${retract}</p>`;
  }
  if (!roles.includes("approve")) return html`<p class="quiet">Not yours to confirm: this needs the role approve.</p>`;
  return html`<p>${linkTo("confirmProposal", "Look and confirm…")} ${linkTo("rejectProposal", "Look and reject…")}</p>`;
}
