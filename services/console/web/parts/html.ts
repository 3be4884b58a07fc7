// Small pieces of pages. Every value is escaped by `html` itself; nothing here builds markup from text.

import { html } from "hono/html";

export type Html = ReturnType<typeof html>;
export type Tone = "good" | "waits" | "warns" | "bad" | "quiet";

/** The shape says the same as the colour, and the word says the same as both. */
const shapes: Readonly<Record<Tone, string>> = { good: "●", waits: "◔", warns: "▲", bad: "■", quiet: "○" };

export function mark(tone: Tone, word: string | Html): Html {
  return html`<span class="mark ${tone}"><span aria-hidden="true">${shapes[tone]}</span> ${word}</span>`;
}

const endStates: Readonly<Record<string, Tone>> = {
  COMPLETED: "good",
  CREDIT_AUTH_RESPONSE_ACCEPTED: "good",
  REJECTION_REPORTED: "quiet",
  CREDIT_AUTH_REJECTED: "quiet",
  UNPAID: "warns",
  REJECTED: "warns",
  CREDIT_AUTH_DELIVERY_FAILURE: "warns",
  RECONCILIATION: "bad",
  CREDIT_AUTH_RECONCILIATION: "bad",
  ORPHAN: "warns",
};

/** The mark of a transaction's state. */
export function stateMark(state: string): Html {
  return mark(endStates[state] ?? "waits", state);
}

const receiverTones: Readonly<Record<string, Tone>> = {
  active: "good",
  throttled: "warns",
  "breaker-open": "bad",
  paused: "quiet",
  maintenance: "quiet",
};

export function receiverMark(state: string): Html {
  return mark(receiverTones[state] ?? "warns", state);
}

/** Before its window opens, and after the day, a closed gate is as planned. */
export function closedGateMark(isWindowOpen: boolean): Html {
  return mark(isWindowOpen ? "warns" : "quiet", "closed");
}

export interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
  /** Sentences, which need some width also on a narrow screen. */
  readonly isText?: boolean;
  /** Where the table is in the order of this column; left out: it cannot be. */
  readonly sort?: { readonly href: string; readonly order: "ascending" | "descending"; readonly isOn: boolean };
}

/** A table that a narrow screen scrolls by itself, and that a keyboard can scroll. */
export function dataTable(caption: string, columns: readonly Column[], rows: readonly (readonly unknown[])[], empty: string | Html): Html {
  if (rows.length === 0) return html`<p class="empty"><strong>${caption}.</strong> ${empty}</p>`;
  const className = (index: number): string =>
    columns[index]?.isNumber === true ? "number" : columns[index]?.isText === true ? "text" : "";
  return html`<div class="scrolls" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map((column, index) => renderHeading(column, className(index)))}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${row.map((cell, index) => html`<td class="${className(index)}">${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function renderHeading({ title, sort }: Column, className: string): Html {
  if (sort === undefined) return html`<th scope="col" class="${className}">${title}</th>`;
  return html`<th scope="col" class="${className}" aria-sort="${sort.isOn ? sort.order : "none"}">
    <a href="${sort.href}">${title}${sort.isOn ? html`<span aria-hidden="true">${sort.order === "ascending" ? " ↑" : " ↓"}</span>` : ""}</a>
  </th>`;
}

/** Names with their values. */
export function facts(rows: readonly (readonly [string | Html, unknown])[]): Html {
  return html`<dl class="facts">
    ${rows.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value ?? "–"}</dd>
        </div>`,
    )}
  </dl>`;
}

/** Who decided: the operator, and the second person if there was one. */
export function deciders({ operator, confirmedBy }: { readonly operator: string; readonly confirmedBy: string | null }): string {
  return confirmedBy === null ? operator : `${operator}, confirmed by ${confirmedBy}`;
}

export function link(href: string, text: unknown): Html {
  return html`<a href="${href}">${text}</a>`;
}

/** The whole UETR for programs and copies; a reader knows it by its first part. */
export function uetrLink(uetr: string): Html {
  return html`<a class="code" href="/transactions/${uetr}" title="${uetr}"
    >${uetr.slice(0, 8)}<span class="rest">${uetr.slice(8)}</span></a
  >`;
}

/** "ZAR 1,250.50", with a space that does not break. */
export function money(currency: string | null, sum: string | null): string {
  if (currency === null || sum === null) return "–";
  const [whole = "", fraction] = sum.split(".");
  return `${currency}\u{a0}${groupDigits(whole)}${fraction === undefined ? "" : `.${fraction}`}`;
}

export function count(given: number | string): string {
  return groupDigits(String(given));
}

function groupDigits(digits: string): string {
  return digits.replaceAll(/\B(?=(\d{3})+$)/g, ",");
}

/** "1 debit", "2 debits". */
export function plural(given: number, word: string): string {
  return `${count(given)} ${word}${given === 1 ? "" : "s"}`;
}
