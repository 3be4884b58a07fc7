// What operators decided about days, banks and proposals, the newest first.
//
// #1 A decision about one transaction is shown with that transaction: no index has them by operator, and the page says
//    so rather than look complete.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { queryText, type Asked } from "../asked.ts";
import { showTime } from "../parts/clock.ts";
import { link, mark, dataTable } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";

interface Decided {
  readonly at: string;
  readonly operator: string;
  readonly kind: string;
  readonly about: string;
  readonly href: string;
  readonly result: string;
  readonly reason: string;
}

const daysBack = 30;

export async function showAudit({ api, me, query, clock }: Asked): Promise<PageContent> {
  const today = me.schemes[0]?.today ?? null;
  const from = today === null ? null : Temporal.PlainDate.from(today).subtract({ days: daysBack }).toString();
  const to = today === null ? null : Temporal.PlainDate.from(today).add({ days: 7 }).toString();
  const [days, banks, proposals] = await Promise.all([
    api.read("listWindows", `/windows${queryText({ from, to })}`),
    api.read("listBanks", "/banks"),
    api.read("listProposals", "/proposals?limit=200"),
  ]);
  const decided = listDecided(days.rows, banks.rows, proposals.rows);
  const operator = query.get("operator") ?? "";
  const rows = decided.filter((one) => operator === "" || one.operator === operator).toSorted((a, b) => (a.at < b.at ? 1 : -1));
  const cells = rows.map(({ at, operator: who, kind, about, href, result, reason }) => [
    showTime(at, clock),
    link(`/audit${queryText({ operator: who })}`, who),
    kind,
    link(href, about),
    mark(result === "refused" ? "warns" : "quiet", result),
    reason,
  ]);
  return {
    title: "Audit",
    section: "audit",
    command: "./sluice proposals",
    body: html`<form class="terms">
        <p><label for="operator">Operator</label><input id="operator" name="operator" value="${operator}" /></p>
        <p class="wide"><button class="main">Show</button></p>
      </form>
      <p class="quiet">
        Decisions about days of the last ${daysBack} days, banks (the last twenty of each) and proposals. What was decided about one
        transaction stands with that transaction.
      </p>
      ${dataTable("Decisions", [{ title: "When" }, { title: "Operator" }, { title: "Decision" }, { title: "About" }, { title: "Result" }, { title: "Reason" }], cells, "No decision.")}`,
  };
}

function listDecided(
  days: AnswerOf<"listWindows">["rows"],
  banks: AnswerOf<"listBanks">["rows"],
  proposals: AnswerOf<"listProposals">["rows"],
): readonly Decided[] {
  return [
    ...days.flatMap(({ day, decisions }) =>
      decisions.map(({ at, operator, kind, result, reason }) => ({ at, operator, kind, result, reason, about: day, href: `/days/${day}` })),
    ),
    ...banks.flatMap(({ bank, decisions }) =>
      decisions.map(({ at, operator, kind, result, reason }) => ({
        at,
        operator,
        kind,
        result,
        reason,
        about: bank,
        href: `/banks/${bank}`,
      })),
    ),
    ...proposals.map(({ proposedAt, operator, operation, state, reason, path, id }) => ({
      at: proposedAt,
      operator,
      kind: `proposed ${operation}`,
      result: state,
      reason,
      about: path,
      href: `/proposals#${id}`,
    })),
    ...proposals.flatMap(({ confirmed, operation, path, id }) =>
      confirmed === null
        ? []
        : [
            {
              at: confirmed.at,
              operator: confirmed.operator,
              kind: `confirmed ${operation}`,
              result: "confirmed",
              reason: confirmed.reason,
              about: path,
              href: `/proposals#${id}`,
            },
          ],
    ),
  ];
}
