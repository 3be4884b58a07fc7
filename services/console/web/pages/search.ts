// Search: the terms of the API as one form, and what matches all of them.

import { searchTerms, type SearchTermName } from "@sluice/contracts";
import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { queryText, type Asked, type Elsewhere } from "../asked.ts";
import { showTime } from "../parts/clock.ts";
import { readSearchQuery, timeTerms } from "../parts/search-query.ts";
import { count, link, mark, money, plural, stateMark, dataTable, uetrLink, type Html } from "../parts/html.ts";
import type { PageContent } from "../parts/layout.ts";

const uetrForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** From so many characters on a beginning can be searched for. */
const startMin = 6;

export async function showSearch({ api, query, clock }: Asked): Promise<PageContent | Elsewhere> {
  const quick = (query.get("q") ?? "").trim();
  if (uetrForm.test(quick)) return { location: `/transactions/${quick.toLowerCase()}` };
  if (quick !== "")
    return { location: `/search${queryText(quick.length < startMin ? { identification: quick } : { identificationStart: quick })}` };
  const { terms, asked } = readSearchQuery(query, clock);
  const sort = query.get("sort") === "uetr" ? "uetr" : "newest";
  const isAsked = asked !== "" || query.has("sort");
  const paged = queryText({ sort, limit: "50", after: query.get("after") });
  const found = isAsked
    ? await api.read("searchTransactions", `/transactions${asked}${asked === "" ? paged : paged.replace("?", "&")}`)
    : null;
  const isCounted = isAsked && query.get("counts") === "yes";
  const counted = isCounted ? await api.read("countTransactions", `/transactions/counts${asked}`) : isAsked ? "asked" : null;
  const options = [...new URLSearchParams(asked)].map(([name, text]) => `--${kebab(name)} ${text}`);
  // Above the rows too: a keyboard would pass every link of a row before it reached the one below.
  const next = found === null || found.next === null ? "" : link(`/search${queryText({ ...terms, sort, after: found.next })}`, "Next page");
  return {
    title: "Search",
    section: "search",
    command: [`./sluice search ${options.join(" ")}`.trim(), ...(isCounted ? [`./sluice counts ${options.join(" ")}`.trim()] : [])],
    body: html`${renderForm(terms, sort)} ${renderFacets(terms, counted)}
      ${
        found === null || found.rows.length === 0 || asked === ""
          ? ""
          : html`<p class="line">
              <a href="/files/transactions${asked}" download>Download all that match (CSV)</a>
              ${link(`/decide/withdrawDebits${queryText(terms)}`, "Withdraw all that match…")} ${next}
            </p>`
      }
      ${found === null ? html`<p class="empty">Give one or more terms: all of them must match. The address keeps them, so a search can be saved as a bookmark.</p>` : renderRows(found.rows, clock)}
      <p>${next}</p>`,
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

/** What people search by most; the others are behind one word, which is open while one of them is given. */
const firstTerms: ReadonlySet<string> = new Set([
  "identification",
  "identificationStart",
  "account",
  "bank",
  "state",
  "businessDate",
  "amountFrom",
  "amountTo",
  "reason",
] satisfies SearchTermName[]);

/** Terms with few values. */
const choices: Readonly<Partial<Record<SearchTermName, readonly string[]>>> = {
  flow: ["on-us", "off-us", "credit"],
  quarantined: ["true", "false"],
};

function renderForm(terms: Readonly<Record<string, string | undefined>>, sort: "uetr" | "newest"): Html {
  const [first, others] = [true, false].map((isFirst) => searchTerms.filter(({ name }) => firstTerms.has(name) === isFirst));
  const given = (others ?? []).filter(({ name }) => (terms[name] ?? "") !== "").length;
  return html`<form class="search" action="/search">
    <div class="terms">${(first ?? []).map((term) => renderTerm(term, terms[term.name]))}</div>
    <details ${given > 0 ? "open" : ""}>
      <summary>More terms${given > 0 ? `: ${given} given` : ""}</summary>
      <div class="terms">
        ${(others ?? []).map((term) => renderTerm(term, terms[term.name]))}
        <p>
          <label for="sort">Order</label
          ><select id="sort" name="sort">
            <option value="newest">last received first</option>
            <option value="uetr" ${sort === "uetr" ? "selected" : ""}>by UETR</option>
          </select>
        </p>
      </div>
    </details>
    <p><button class="main">Search</button> ${link("/search", "Clear")}</p>
  </form>`;
}

function renderTerm({ name, text, example }: (typeof searchTerms)[number], given: string | undefined): Html {
  const values = choices[name];
  if (values !== undefined)
    return html`<p>
      <label for="term-${name}">${words(name)}</label
      ><select id="term-${name}" name="${name}" title="${text}">
        <option value="">any</option>
        ${values.map((value) => html`<option ${value === given ? "selected" : ""}>${value}</option>`)}
      </select>
    </p>`;
  return html`<p>
    <label for="term-${name}">${words(name)}</label>
    <input
      id="term-${name}"
      name="${name}"
      type="${timeTerms.has(name) ? "datetime-local" : name.startsWith("date") || name === "businessDate" ? "date" : "text"}"
      value="${given ?? ""}"
      placeholder="${example}"
      title="${text}"
      ${name === "bank" || name === "sender" ? listOfReceivers : ""}
    />
  </p>`;
}

/** The frame of every page has the list. */
const listOfReceivers = html`list="receivers"`;

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
