// The page of a note at a reconciliation item: its text is the decision's reason.

import { html } from "hono/html";
import { ApiRefusal } from "../api-client.ts";
import { showTime } from "../parts/clock.ts";
import { facts } from "../parts/html.ts";
import { explainItem, itemMark } from "../parts/item.ts";
import type { PrepareDecision } from "./decision-form.ts";

export const prepareItemNote: PrepareDecision = async ({ api, me, query, clock }) => {
  const [uetr, day] = [query.get("uetr") ?? "", query.get("day") ?? ""];
  const { items, timeline } = await api.read("showTransaction", `/transactions/${encodeURIComponent(uetr)}`);
  const item = items.findLast((one) => one.day === day);
  if (item === undefined) throw new ApiRefusal(409, "Not possible now", "The transaction has no item of this day.");
  const { amount } = timeline;
  const { note } = item;
  return {
    title: "Note something at an item",
    preview: facts([
      ["Transaction", html`<code>${uetr}</code>`],
      ["Amount", typeof amount === "string" ? amount : "–"],
      ["Item", html`${day}: ${explainItem(item)}`],
      ["As it stands", itemMark(item)],
      ["Noted before", note === null ? "nothing" : html`<q>${note.action.reason}</q> ${note.action.operator}, ${showTime(note.at, clock)}`],
    ]),
    warning: "No state changes and no money moves. The reason is the note; it takes the place of the one before, which the journal keeps.",
    fields: html`<p>
      <label for="assignee">Who sees to it <span class="quiet">an operator's id; empty: nobody</span></label
      ><input id="assignee" name="assignee" maxlength="32" pattern="[a-z0-9-]{1,32}" list="assignees" value="${note?.assignee ?? ""}" />
      <datalist id="assignees">
        ${[...new Set([me.id, note?.assignee ?? me.id])].map((id) => html`<option value="${id}"></option>`)}
      </datalist>
    </p>`,
    path: `/transactions/${uetr}/note`,
    body(form) {
      const assignee = (form.get("assignee") ?? "").trim();
      return { day, ...(assignee === "" ? {} : { assignee }) };
    },
    command: `./sluice reconciliation note ${uetr} --day ${day} --assignee ID --reason NOTE`,
    secondPerson: null,
    verb: "Keep the note",
    runbook: "resolve-an-item",
  };
};
