// A reconciliation item in words: why it was made, what is known, and what people found out.

import { reconciliationReasons } from "@sluice/domain";
import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { queryText } from "../asked.ts";
import { showTime, type Clock } from "./clock.ts";
import { facts, link, mark, plural, type Html, deciders } from "./html.ts";

type Item = AnswerOf<"showTransaction">["items"][number];

/** What a row means: docs/runbooks/reconciliation-reasons.md. Rows 1, 2, 6 and 10 make no item. */
const rowTexts: Readonly<Record<number, string>> = {
  0: "it was held at the close, or an operator had withdrawn it",
  3: "a receiver refused a message for good",
  4: "there was no verdict, or a record lies in the dead letters",
  5: "a report was not acknowledged by its receiver",
  7: "the receiver never answered",
  8: "the receiver answered, and did not take it",
  9: "the bank took it and did not report",
};

export function explainItem({ row, cause }: Pick<Item, "row" | "cause">): string {
  const known: Readonly<Record<string, { readonly text: string }>> = reconciliationReasons;
  const text = cause === null ? null : (known[cause]?.text ?? null);
  return text ?? (row === null ? "it depends on an answer that is still awaited" : (rowTexts[row] ?? `row ${row}`));
}

const findingTexts: Readonly<Record<string, string>> = {
  MADE: "made: the money moved",
  NOT_MADE: "not made: no money moved",
  REPLACED: "replaced by another transaction",
};

/** What people found out, in words. */
export function findingText(kind: string): string {
  return findingTexts[kind] ?? kind;
}

/** Whether nobody can confirm the proposal any more, so that the item has to be resolved again. */
export function isTooLateToConfirm(
  { expiresAt }: Pick<NonNullable<Item["resolution"]>, "expiresAt">,
  { nowMs }: Pick<Clock, "nowMs">,
): boolean {
  return expiresAt !== null && nowMs !== null && Date.parse(expiresAt) <= nowMs;
}

export function itemMark({ isOpen, resolution, settledAt }: Pick<Item, "isOpen" | "resolution" | "settledAt">): Html {
  if (settledAt !== null) return mark("good", "settled");
  if (!isOpen) return mark("good", `resolved as ${findingText(resolution?.kind ?? "")}`);
  return resolution === null ? mark("bad", "open") : mark("warns", `proposed as ${findingText(resolution.kind)}`);
}

export function renderItem(item: Item, uetr: string, clock: Clock): Html {
  const { day, row, cause, evidence, resolution, madeAt, lateAnswers } = item;
  return html`<div class="item">
    <p class="line">${itemMark(item)} ${link(`/days/${day}`, day)} <span>${explainItem({ row, cause })}</span></p>
    ${facts([
      ["Made", showTime(madeAt, clock)],
      ["Evidence", evidence === null ? "none" : evidenceText(evidence)],
      ...lateAnswers.map(({ at, text }) => ["Late answer", html`${showTime(at, clock)} ${text}`] as const),
      ...resolutionFacts(item, clock),
      ...noteFacts(item, clock),
    ])}
    <p>
      <a href="/files/evidence${queryText({ uetr, day })}" download>Download the evidence (JSON)</a>
      ${link(`/decide/noteItem${queryText({ uetr, day })}`, "Note…")}
    </p>
    ${item.isOpen ? html`<p>${link(`/decide/resolveItem${queryText({ uetr, day })}`, "Resolve…")}${resolution === null || isTooLateToConfirm(resolution, clock) ? "" : html` ${link(`/decide/confirmResolution${queryText({ uetr, day })}`, "Confirm…")} ${link(`/decide/rejectResolution${queryText({ uetr, day })}`, "Reject…")}`}</p>` : ""}
  </div>`;
}

function evidenceText({ attempts, anyAnswer, httpStatusCode, mayHaveBeenTaken }: NonNullable<Item["evidence"]>): string {
  const last = anyAnswer ? `last answer HTTP ${httpStatusCode ?? "–"}` : "never an answer";
  return `${plural(attempts, "attempt")}; ${last}${mayHaveBeenTaken ? "; it may have been taken" : ""}`;
}

function noteFacts({ note }: Item, clock: Clock): readonly (readonly [string, Html])[] {
  if (note === null) return [];
  const { assignee, action, at } = note;
  return [
    ["Sees to it", html`${assignee ?? "nobody"}`],
    ["Note", html`<q>${action.reason}</q> ${action.operator}, ${showTime(at, clock)}`],
  ];
}

function resolutionFacts({ resolution }: Item, clock: Clock): readonly (readonly [string, Html])[] {
  if (resolution === null) return [];
  const { kind, replacedBy, action, at, confirmed, expiresAt } = resolution;
  const found = html`<strong>${findingText(kind)}</strong>${replacedBy === null ? "" : `, ${replacedBy}`}, ${deciders(action)}
    ${showTime(at, clock)}: <q>${action.reason}</q>`;
  if (confirmed === null && expiresAt === null) return [["Found out", found]];
  if (confirmed === null) {
    const word = isTooLateToConfirm({ expiresAt }, clock) ? "Nobody confirmed it by" : "Can be confirmed until";
    return [
      ["Found out", found],
      [word, html`${showTime(expiresAt, clock)}`],
    ];
  }
  return [
    ["Found out", found],
    ["Confirmed", html`${confirmed.action.operator} ${showTime(confirmed.at, clock)}: <q>${confirmed.action.reason}</q>`],
  ];
}
