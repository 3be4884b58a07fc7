// Decisions about several transactions, banks or connectors: which of them, how many, which sum; and what came of each.
//
// #1 Each is a box that can be left out. What stays chosen stands in the form itself, so what was seen is what is sent.

import { severalMax } from "@sluice/contracts/decision-bodies";
import { html } from "hono/html";
import { ApiRefusal, type AnswerOf } from "../api-client.ts";
import { queryText, type Asked } from "../asked.ts";
import { showDistance } from "../parts/clock.ts";
import { count, dataTable, facts, link, money, plural, receiverMark, stateMark, uetrLink, type Html } from "../parts/html.ts";
import { explainItem, findingText, isTooLateToConfirm } from "../parts/item.ts";
import { formatAmount, parseAmount } from "../../views/control-values.ts";
import { readSearchQuery } from "../parts/search-query.ts";
import { isOn, type PrepareDecision, type PreparedDecision } from "./decision-form.ts";
import { pauseField, pauseUntil } from "./on-banks.ts";
import { resolutionChoice, resolutionKinds } from "./on-transactions.ts";

const notChosen = "Choose at least one.";

/** A chosen row of the form; `label` says which one it is to who cannot see the row. */
function box(form: URLSearchParams | null, value: string, label: string): Html {
  return html`<input type="checkbox" name="of" value="${value}" aria-label="${label}" ${isOn(form, "of", value, true) ? "checked" : ""} />`;
}

function chosen(form: URLSearchParams): readonly string[] | string {
  const of = form.getAll("of");
  return of.length === 0 ? notChosen : of;
}

interface Summed {
  readonly currency: string | null;
  readonly amount: string | null;
}

function sumsText(rows: readonly Summed[]): string {
  const sums = new Map<string, bigint>();
  for (const { currency, amount } of rows) {
    const parsed = amount === null ? null : parseAmount(amount);
    if (currency !== null && parsed !== null) sums.set(currency, (sums.get(currency) ?? 0n) + parsed);
  }
  return [...sums].map(([currency, sum]) => money(currency, formatAmount(sum, currency))).join(", ");
}

export const prepareWithdrawals: PrepareDecision = async ({ api, query, clock, form: sent }) => {
  const { terms, asked } = readSearchQuery(query, clock);
  if (asked === "") throw new ApiRefusal(409, "Not possible now", "Search for the debits first: all that match can then be withdrawn.");
  const { rows, next } = await api.read("searchTransactions", `/transactions${asked}&limit=${severalMax}`);
  if (rows.length === 0) throw new ApiRefusal(409, "Not possible now", "Nothing matches this search.");
  const cells = rows.map((row) => [
    box(sent, row.uetr, `Debit ${row.uetr.slice(0, 8)}`),
    uetrLink(row.uetr),
    stateMark(row.state),
    money(row.currency, row.amount),
    row.bank ?? "–",
    row.messageIdentification ?? "–",
  ]);
  const columns = [
    { title: "Chosen" },
    { title: "Debit" },
    { title: "State" },
    { title: "Amount", isNumber: true },
    { title: "Bank" },
    { title: "Identification" },
  ];
  return {
    title: "Withdraw several debits",
    preview: facts([
      ["Search", link(`/search${queryText(terms)}`, [...new URLSearchParams(asked)].map(([name, text]) => `${name} ${text}`).join(", "))],
      ["Debits", `${plural(rows.length, "debit")}${next === null ? "" : ", the first; more match"}`],
      ["Sum", sumsText(rows)],
    ]),
    warning:
      "None of them is ever released: each ends in reconciliation with the cause WITHDRAWN. One that is released already is refused. This cannot be undone.",
    fields: dataTable("Which", columns, cells, "None."),
    path: "/withdrawal",
    body: (form) => {
      const of = chosen(form);
      return typeof of === "string" ? of : { of };
    },
    command: `./sluice bulk withdraw ${commandOptions(asked)} --reason TEXT`,
    secondPerson: "withdraw",
    verb: "Withdraw the chosen debits",
    runbook: "withdraw-a-debit",
  };
};

function commandOptions(asked: string): string {
  return [...new URLSearchParams(asked)]
    .map(([name, text]) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${text}`)
    .join(" ");
}

type Items = AnswerOf<"listReconciliation">["rows"];

const itemColumns = [
  { title: "Chosen" },
  { title: "Transaction" },
  { title: "Bank" },
  { title: "Amount", isNumber: true },
  { title: "Reason", isText: true },
  { title: "Item made" },
];

/** What the second person confirms is what they see: the finding, who proposed it, and why. */
const proposedColumns = [
  { title: "Chosen" },
  { title: "Transaction" },
  { title: "Amount", isNumber: true },
  { title: "Found out" },
  { title: "Proposed by, and why", isText: true },
  { title: "Reason", isText: true },
];

type ItemFilter = Readonly<Record<"day" | "bank" | "row" | "minAge", string | null>>;

async function loadItems({ api, query }: Asked, proposed: "mine" | null) {
  const filter: ItemFilter = { day: query.get("day"), bank: query.get("bank"), row: query.get("row"), minAge: query.get("minAge") };
  const asked = queryText({ ...filter, proposed, open: "true", limit: String(severalMax) });
  const { rows, next } = await api.read("listReconciliation", `/reconciliation${asked}`);
  return { filter, rows, isWhole: next === null };
}

function itemTable(rows: Items, { clock, form }: Asked, valueOf: (row: Items[number]) => string): Html {
  const cells = rows.map((row) => [
    box(form, valueOf(row), `Item of ${row.uetr.slice(0, 8)}`),
    uetrLink(row.uetr),
    row.bank ?? "–",
    money(row.currency, row.amount),
    explainItem(row),
    showDistance(row.madeAt, clock),
  ]);
  return dataTable("Which", itemColumns, cells, "None.");
}

function proposedTable(rows: Items, form: URLSearchParams | null): Html {
  const cells = rows.flatMap((row) => {
    const { uetr, resolution } = row;
    if (resolution === null) return [];
    const { kind, replacedBy, offset, contentSha256, action } = resolution;
    return [
      [
        box(form, `${uetr} ${offset} ${contentSha256}`, `Item of ${uetr.slice(0, 8)}`),
        uetrLink(uetr),
        money(row.currency, row.amount),
        replacedBy === null ? findingText(kind) : html`${findingText(kind)} ${uetrLink(replacedBy)}`,
        html`${action.operator}: <q>${action.reason}</q>`,
        explainItem(row),
      ],
    ];
  });
  return dataTable("Which", proposedColumns, cells, "None.");
}

function itemFacts(rows: Items, filter: ItemFilter, isWhole: boolean): Html {
  return facts([
    ["Day", filter.day ?? "every day"],
    ["Bank", filter.bank ?? "every bank"],
    ...(filter.minAge === null ? [] : [["Made at least", `${filter.minAge} ago`] as const]),
    ["Items", `${plural(rows.length, "item")}${isWhole ? "" : `, of the first ${severalMax} open ones; there are more`}`],
    ["Sum", sumsText(rows)],
  ]);
}

function itemCommand(verb: string, { day, bank, row, minAge }: ItemFilter): string {
  const options = Object.entries({ day: day ?? "DAY", bank, row, "min-age": minAge });
  return [`./sluice bulk ${verb}`, ...options.flatMap(([name, value]) => (value === null ? [] : [`--${name} ${value}`]))].join(" ");
}

export const prepareResolutions: PrepareDecision = async (asked) => {
  const { filter, rows, isWhole } = await loadItems(asked, null);
  const open = rows.filter(({ resolution }) => resolution === null || isTooLateToConfirm(resolution, asked.clock));
  if (open.length === 0) throw new ApiRefusal(409, "Not possible now", "No item is open that nobody has resolved.");
  return {
    title: "Resolve several items",
    preview: itemFacts(open, filter, isWhole),
    warning: "It records the same about each of them. A final resolution cannot be changed, and connectors get it once.",
    fields: html`${itemTable(open, asked, ({ uetr, day }) => `${uetr} ${day}`)}
      <fieldset>
        <legend>What was found out about each</legend>
        ${resolutionKinds.slice(0, 2).map((kind) => resolutionChoice(asked.form, kind))}
      </fieldset>`,
    path: "/resolution",
    body(form) {
      const of = chosen(form);
      if (typeof of === "string") return of;
      const items = of.map((value) => ({ uetr: value.slice(0, 36), day: value.slice(37) }));
      return { of: items, resolution: form.get("resolution") ?? "" };
    },
    command: `${itemCommand("resolve", filter)} --as made --reason TEXT`,
    secondPerson: "resolve",
    verb: "Resolve the chosen items",
    runbook: "resolve-an-item",
  };
};

/** What a second person can say of several resolutions that others proposed. */
function judgeResolutions(said: Pick<PreparedDecision, "title" | "warning" | "verb">, end: string, verb: string): PrepareDecision {
  return async (asked) => {
    const { filter, rows, isWhole } = await loadItems(asked, "mine");
    const { clock, me } = asked;
    const isMine = ({ resolution }: Items[number]): boolean =>
      resolution !== null && !resolution.isFinal && !isTooLateToConfirm(resolution, clock) && resolution.action.person !== me.person;
    const mine = rows.filter(isMine);
    if (mine.length === 0) throw new ApiRefusal(409, "Not possible now", "No resolution of another person waits to be confirmed.");
    const made = mine.filter(({ resolution }) => resolution?.kind === "MADE").length;
    return {
      ...said,
      preview: html`${itemFacts(mine, filter, isWhole)}
      ${facts([["Found out", `${count(made)} made, ${count(mine.length - made)} not made or replaced`]])}`,
      fields: proposedTable(mine, asked.form),
      path: `/resolution/${end}`,
      body(form) {
        const of = chosen(form);
        if (typeof of === "string") return of;
        const requests = of.map((value) => {
          const [uetr, offset, contentSha256] = value.split(" ");
          return { uetr, offset, contentSha256 };
        });
        return { of: requests };
      },
      command: `${itemCommand(verb, filter)} --reason TEXT`,
      secondPerson: null,
      runbook: "resolve-an-item",
    };
  };
}

export const prepareResolutionConfirmations = judgeResolutions(
  {
    title: "Confirm several resolutions",
    warning: "This makes each of them final. It cannot be undone.",
    verb: "Confirm the chosen resolutions",
  },
  "confirmation",
  "confirm",
);

export const prepareResolutionRejections = judgeResolutions(
  {
    title: "Reject several resolutions",
    warning: "Each item is open again, and somebody has to find out about it. The reason stays with each transaction, for who proposed it.",
    verb: "Reject the chosen resolutions",
  },
  "rejection",
  "reject",
);

type Banks = AnswerOf<"listBanks">["rows"];

function bankTable(rows: Banks, form: URLSearchParams | null): Html {
  const columns = [{ title: "Chosen" }, { title: "Receiver" }, { title: "State" }, { title: "Waiting", isNumber: true }];
  const cells = rows.map(({ bank, state, waiting }) => [
    box(form, bank, bank),
    link(`/banks/${bank}`, bank),
    receiverMark(state),
    waiting === null ? "not counted" : count(waiting.deliveries.waiting + waiting.postings.waiting),
  ]);
  return dataTable("Which", columns, cells, "None.");
}

export const preparePauses: PrepareDecision = async ({ api, clock, form: sent }) => {
  const { rows } = await api.read("listBanks", "/banks");
  return {
    title: "Pause everything",
    preview: facts([["Receivers", plural(rows.length, "bank or connector")]]),
    warning:
      "Nothing is released, delivered or posted to any of them. Debits may miss their window, and become items. What they send is still taken.",
    fields: html`${bankTable(rows, sent)} ${pauseField(sent)}`,
    path: "/pause",
    body(form) {
      const of = chosen(form);
      return typeof of === "string" ? of : { of, ...pauseUntil(form, clock.nowMs) };
    },
    command: "./sluice bank pause-all --for 30m --reason TEXT",
    secondPerson: null,
    verb: "Pause them",
    runbook: "pause-a-bank",
  };
};

export const prepareResumptions: PrepareDecision = async ({ api, form: sent }) => {
  const { rows } = await api.read("listBanks", "/banks");
  const paused = rows.filter(({ isPaused }) => isPaused);
  if (paused.length === 0) throw new ApiRefusal(409, "Not possible now", "No bank and no connector is paused.");
  return {
    title: "Resume everything",
    preview: facts([["Paused", plural(paused.length, "bank or connector")]]),
    warning: "Everything that waits for them is due at once, in order.",
    fields: bankTable(paused, sent),
    path: "/resume",
    body: (form) => {
      const of = chosen(form);
      return typeof of === "string" ? of : { of };
    },
    command: "./sluice bank resume-all --reason TEXT",
    secondPerson: null,
    verb: "Resume them",
    runbook: "pause-a-bank",
  };
};
