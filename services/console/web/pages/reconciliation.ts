// Reconciliation items: what nobody knows yet, what somebody proposed, and what is resolved.

import { html } from "hono/html";
import type { AnswerOf } from "../api-client.ts";
import { queryText, type Asked } from "../asked.ts";
import { showDistance, type Clock } from "../parts/clock.ts";
import { link, mark, money, dataTable, plural, uetrLink, type Html } from "../parts/html.ts";
import { explainItem, isTooLateToConfirm, itemMark } from "../parts/item.ts";
import type { PageContent } from "../parts/layout.ts";

type Row = AnswerOf<"listReconciliation">["rows"][number];

export async function showReconciliation({ api, me, query, clock }: Asked): Promise<PageContent> {
  const [day = "", bank = "", minAge = "", proposed = ""] = ["day", "bank", "minAge", "proposed"].map(
    (name) => query.get(name)?.trim() ?? "",
  );
  const isOpenOnly = query.get("all") !== "yes";
  const asked = { day, bank, minAge, open: isOpenOnly ? "true" : null, proposed: proposed === "" ? null : proposed };
  const { rows, next } = await api.read(
    "listReconciliation",
    `/reconciliation${queryText({ ...asked, limit: "50", after: query.get("after") })}`,
  );
  const mine = rows.filter((row) => isMineToConfirm(row, me, clock));
  const awaited = rows.filter((row) => isConfirmable(row, clock)).length - mine.length;
  return {
    title: "Reconciliation",
    section: "reconciliation",
    command: ["./sluice reconciliation list", ...commandOptions(asked)].join(" "),
    runbook: "resolve-an-item",
    body: html`<form class="terms">
        <p><label for="day">Day</label><input id="day" name="day" value="${day}" placeholder="ZA_EFT:2026-11-20" /></p>
        <p><label for="bank">Bank</label><input id="bank" name="bank" value="${bank}" list="receivers" /></p>
        <p>
          <label for="all">Which</label
          ><select id="all" name="all">
            <option value="no">open items</option>
            <option value="yes" ${isOpenOnly ? "" : "selected"}>all items</option>
          </select>
        </p>
        <p>
          <label for="proposed">Second person</label
          ><select id="proposed" name="proposed">
            <option value="">whether or not one is awaited</option>
            <option value="true" ${proposed === "true" ? "selected" : ""}>only those that wait for one</option>
            <option value="mine" ${proposed === "mine" ? "selected" : ""}>only those that another person proposed</option>
          </select>
        </p>
        <p>
          <label for="minAge">Made at least</label
          ><select id="minAge" name="minAge">
            ${agesOf(minAge).map(([age, text]) => html`<option value="${age}" ${age === minAge ? "selected" : ""}>${text}</option>`)}
          </select>
        </p>
        <p class="wide"><button class="main">Show</button></p>
      </form>
      ${awaited === 0 ? "" : html`<p>${mark("waits", `${awaited} on this page ${awaited === 1 ? "waits" : "wait"} for a second person to confirm.`)}</p>`}
      ${mine.length === 0 ? "" : html`<p>${mark("warns", `${mine.length} on this page wait for you to confirm them.`)}</p>`}
      ${day === "" || rows.length === 0 ? "" : html`<p><a href="/files/reconciliation${queryText({ day })}" download>Download the day's items (CSV)</a></p>`}
      ${renderSeveral(rows, mine, { day, bank, minAge })} ${renderRows(rows, me, clock)}
      ${next === null ? "" : html`<p>${link(`/reconciliation${queryText({ day, bank, minAge, proposed, all: isOpenOnly ? null : "yes", after: next })}`, "Next page")}</p>`}`,
  };
}

function commandOptions(asked: Readonly<Record<string, string | null>>): readonly string[] {
  return Object.entries(asked).flatMap(([name, value]) =>
    value === null || value === "" ? [] : [`--${name === "minAge" ? "min-age" : name} ${value}`],
  );
}

const ages: readonly (readonly [string, string])[] = [
  ["", "any time ago"],
  ["1h", "an hour ago"],
  ["4h", "4 hours ago"],
  ["1d", "a day ago"],
  ["3d", "3 days ago"],
  ["7d", "a week ago"],
];

/** An address may ask for an age that the form does not offer. */
function agesOf(asked: string): typeof ages {
  return ages.some(([age]) => age === asked) ? ages : [...ages, [asked, `${asked} ago`]];
}

/** Decisions about all open items that the filter finds. */
function renderSeveral(rows: readonly Row[], mine: readonly Row[], filter: Readonly<Record<string, string | undefined>>): Html | string {
  const open = rows.filter(({ isOpen, resolution }) => isOpen && resolution === null);
  if (open.length + mine.length === 0) return "";
  const one = (name: string, text: string) => html`<li><a class="button" href="/decide/${name}${queryText(filter)}">${text}</a></li>`;
  return html`<section class="actions" aria-label="What could be decided">
    <ul>
      ${open.length === 0 ? "" : one("resolveItems", "Resolve several…")}
      ${mine.length === 0 ? "" : one("confirmResolutions", "Confirm several…")}
      ${mine.length === 0 ? "" : one("rejectResolutions", "Reject several…")}
    </ul>
  </section>`;
}

function isConfirmable({ isOpen, resolution }: Row, clock: Clock): boolean {
  return isOpen && resolution !== null && !resolution.isFinal && !isTooLateToConfirm(resolution, clock);
}

function isMineToConfirm(row: Row, { person, roles }: Asked["me"], clock: Clock): boolean {
  return isConfirmable(row, clock) && row.resolution?.action.person !== person && roles.includes("approve");
}

function renderRows(rows: readonly Row[], me: Asked["me"], clock: Clock): Html {
  const columns = [
    { title: "Transaction" },
    { title: "Day" },
    { title: "Bank" },
    { title: "Amount", isNumber: true },
    { title: "Reason", isText: true },
    { title: "Made" },
    { title: "Item" },
    { title: "Sees to it" },
    { title: "Decide" },
  ];
  const cells = rows.map((row) => [
    uetrLink(row.uetr),
    link(`/days/${row.day}`, row.day),
    row.bank ?? "–",
    money(row.currency, row.amount),
    explainItem(row),
    showDistance(row.madeAt, clock),
    itemMark(row),
    row.note?.assignee ?? "–",
    renderDecision(row, me, clock),
  ]);
  return dataTable(rows.length === 0 ? "Items" : plural(rows.length, "item"), columns, cells, "No item: nothing is left to find out.");
}

function renderDecision(row: Row, me: Asked["me"], clock: Clock): Html | string {
  if (!row.isOpen) return "";
  const name = isMineToConfirm(row, me, clock) ? "confirmResolution" : "resolveItem";
  const word = name === "confirmResolution" ? "Confirm" : row.resolution === null ? "Resolve" : "Propose another";
  const decide = (decision: string, said: string) =>
    link(
      `/decide/${decision}${queryText({ uetr: row.uetr, day: row.day })}`,
      html`${said}<span class="unseen"> the item of ${row.uetr.slice(0, 8)}</span>…`,
    );
  return name === "confirmResolution" ? html`${decide(name, word)} ${decide("rejectResolution", "Reject")}` : decide(name, word);
}
