// What operators decided, by operator, kind and time, the newest first.
//
// #1 It lists what the aggregates keep, and says where there is more: the journal has every decision.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { queryText, type Asked } from "../asked.ts";
import { isDate } from "../../http/control-parameters.ts";
import { dateInstant, showTime } from "../parts/clock.ts";
import { link, mark, dataTable, uetrLink, type Column, type Html } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";
import { createSorting, type Order } from "../parts/sorting.ts";

type Row = AnswerOf<"listActions">["rows"][number];

const orders: Readonly<Record<string, Order<Row>>> = {
  when: { order: "ascending", by: ({ at }) => at },
  operator: { order: "ascending", by: ({ operator }) => operator },
  decision: { order: "ascending", by: ({ kind }) => kind },
  result: { order: "descending", by: ({ result }) => result },
};

/** A list that was cut off is the newest first and nothing else. */
function listColumns({ column }: Pick<ReturnType<typeof createSorting>, "column">, isWhole: boolean): readonly Column[] {
  const sortable = (name: string, title: string): Column => (isWhole ? column(name, { title }) : { title });
  return [
    sortable("when", "When"),
    sortable("operator", "Operator"),
    sortable("decision", "Decision"),
    { title: "About" },
    sortable("result", "Result"),
    { title: "Reason", isText: true },
  ];
}

export async function showAudit({ api, query, clock }: Asked): Promise<PageContent> {
  const terms = {
    operator: query.get("operator")?.trim(),
    kind: query.get("kind")?.trim(),
    from: toInstant(query.get("from"), clock.zone, 0),
    to: toInstant(query.get("to"), clock.zone, 1),
  };
  const { rows, isWhole, from, to } = await api.read("listActions", `/actions${queryText(terms)}`);
  const sorting = createSorting("/audit", query, orders);
  const cells = (isWhole ? sorting.rows(rows) : rows).map((row) => [
    showTime(row.at, clock),
    link(`/audit${queryText({ operator: row.operator })}`, row.operator),
    row.kind,
    aboutLink(row),
    resultMark(row),
    row.reason,
  ]);
  return {
    title: "Audit",
    section: "audit",
    command: `./sluice decisions${query.get("operator") === null ? "" : ` --operator ${query.get("operator")}`}`,
    body: html`${renderTerms(query)}
      <p class="quiet">
        From ${showTime(from, clock)} to ${showTime(to, clock)}: the last ten decisions of each transaction, the last twenty of each day and
        bank, and proposals. The journal has all of them.
      </p>
      ${isWhole && rows.length > 0 ? html`<p><a href="/files/audit${queryText(terms)}" download>Download these decisions (CSV)</a></p>` : ""}
      ${isWhole ? "" : html`<p>${mark("warns", "There are more decisions than are listed. Choose a shorter time.")}</p>`}
      ${dataTable(rows.length === 0 ? "Decisions" : `${rows.length} decisions`, listColumns(sorting, isWhole), cells, "No decision in this time.")}`,
  };
}

function resultMark({ result, why, awaitsConfirmation }: Row): Html {
  if (awaitsConfirmation) return mark("waits", "waits for a second person");
  return mark(result === "refused" ? "warns" : "quiet", why === null ? result : `${result}: ${why}`);
}

function renderTerms(query: URLSearchParams): Html {
  const field = (name: string, title: string, type: string) =>
    html`<p><label for="${name}">${title}</label><input id="${name}" name="${name}" type="${type}" value="${query.get(name) ?? ""}" /></p>`;
  return html`<form class="terms">
    ${field("operator", "Operator", "text")} ${field("kind", "Decision", "text")} ${field("from", "From", "date")}
    ${field("to", "To, included", "date")}
    <p class="wide"><button class="main">Show</button> ${link("/audit", "Clear")}</p>
  </form>`;
}

/** The begin of a date of the scheme's zone, or of the one `daysOn` later; undefined: none was given. */
function toInstant(date: string | null, zone: string, daysOn: number): string | undefined {
  if (date === null || !isDate(date)) return undefined;
  return dateInstant(date, zone, daysOn);
}

function aboutLink({ key }: Row): Html {
  if (key.startsWith("bank:")) return link(`/banks/${key.slice(5)}`, key.slice(5));
  if (key.startsWith("proposal:")) return link(`/proposals#${key.slice(9)}`, "proposal");
  return key.includes(":") ? link(`/days/${key}`, key) : uetrLink(key);
}
