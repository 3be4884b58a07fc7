// Search: the terms of the API as one form, and what matches all of them.

import { searchTerms } from "@sluice/contracts";
import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { queryText, type Asked, type Elsewhere } from "../asked.ts";
import { showTime } from "../parts/clock.ts";
import { count, link, mark, money, plural, stateMark, dataTable, uetrLink, type Html } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";

const uetrForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export async function showSearch({ api, query, clock }: Asked): Promise<PageContent | Elsewhere> {
  const quick = (query.get("q") ?? "").trim();
  if (uetrForm.test(quick)) return { location: `/transactions/${quick.toLowerCase()}` };
  if (quick !== "") return { location: `/search${queryText({ identification: quick })}` };
  const terms = Object.fromEntries(searchTerms.map(({ name }) => [name, query.get(name)?.trim()]));
  const asked = queryText({ ...terms, after: query.get("after") });
  const isAsked = asked !== "";
  const found = isAsked ? await api.read("searchTransactions", `/transactions${asked}${asked.includes("?") ? "&" : "?"}limit=50`) : null;
  const isCounted = isAsked && query.get("counts") === "yes";
  const counted = isCounted ? await api.read("countTransactions", `/transactions/counts${queryText(terms)}`) : isAsked ? "asked" : null;
  const options = Object.entries(terms).flatMap(([name, text]) => (text === undefined || text === "" ? [] : [`--${kebab(name)} ${text}`]));
  return {
    title: "Search",
    section: "search",
    command: `./sluice search ${options.join(" ")}`.trim(),
    body: html`${renderForm(terms)} ${renderFacets(terms, counted)}
    ${found === null ? html`<p class="empty">Give one or more terms: all of them must match. The address keeps them, so a search can be saved as a bookmark.</p>` : renderRows(found.rows, clock)}
    ${found === null || found.rows.length === 0 ? "" : html`<p>${link(`/decide/withdrawDebits${queryText(terms)}`, "Withdraw all that match…")}</p>`}
    ${found?.next === null || found === null ? "" : html`<p>${link(`/search${queryText({ ...terms, after: found.next })}`, "Next page")}</p>`}`,
  };
}

/** Counts read every transaction that matches: they are made when somebody asks for them. */
function renderFacets(terms: Readonly<Record<string, string | undefined>>, counted: Counts | "asked" | null): Html | string {
  if (counted === null) return "";
  if (counted === "asked")
    return html`<p>${link(`/search${queryText({ ...terms, counts: "yes" })}`, "Count all that match, by state and bank")}</p>`;
  const columns = [{ title: "State" }, { title: "Bank" }, { title: "Transactions", isNumber: true }, { title: "Sum", isNumber: true }];
  const cells = counted.rows.map(({ state, bank, count: number, currency, sum }) => [
    stateMark(state),
    bank ?? "–",
    link(`/search${queryText({ ...terms, state, bank })}`, count(number)),
    money(currency, sum),
  ]);
  return dataTable(`${plural(counted.count, "transaction")} in all`, columns, cells, "Nothing matches.");
}

function renderForm(terms: Readonly<Record<string, string | undefined>>): Html {
  return html`<form class="terms" action="/search">
    ${searchTerms.map(
      ({ name, text, example }) =>
        html`<p>
          <label for="term-${name}">${words(name)}</label>
          <input id="term-${name}" name="${name}" value="${terms[name] ?? ""}" placeholder="${example}" title="${text}" />
        </p>`,
    )}
    <p class="wide"><button class="main">Search</button> ${link("/search", "Clear")}</p>
  </form>`;
}

type Counts = AnswerOf<"countTransactions">;
type Found = Awaited<ReturnType<Asked["api"]["read"]>>;
type Rows = Extract<Found, { readonly schema: "Transactions" }>["rows"];

function renderRows(rows: Rows, clock: Asked["clock"]): Html {
  const columns = [
    { title: "UETR" },
    { title: "State" },
    { title: "Amount", isNumber: true },
    { title: "Bank" },
    { title: "Day" },
    { title: "Flow" },
    { title: "Identification" },
    { title: "Received" },
    { title: "Notes" },
  ];
  const cells = rows.map((row) => [
    uetrLink(row.uetr),
    stateMark(row.state),
    money(row.currency, row.amount),
    row.bank === null ? "–" : link(`/banks/${row.bank}`, row.bank),
    row.businessDate ?? "–",
    row.flow ?? "–",
    row.messageIdentification ?? "–",
    showTime(row.receivedAt, clock),
    html`${row.openItems > 0 ? mark("bad", "open item") : ""} ${row.isParked ? mark("bad", "dead letters") : ""} ${row.reasons.join(", ")}`,
  ]);
  return dataTable(
    rows.length === 0 ? "Nothing found" : `${rows.length} on this page`,
    columns,
    cells,
    "Nothing matches all of these terms. Records that are not applied yet are not found.",
  );
}

function words(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`;
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
