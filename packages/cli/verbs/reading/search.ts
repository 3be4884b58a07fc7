// `./sluice search`: finds transactions by any identification, bank, state, end of an account, amount, date or reason.

import { searchTerms } from "@sluice/contracts/search-terms";
import { listVerb, pageOptions, runList, type ListVerb } from "../../terminal/control-list.ts";
import { column, numberColumn } from "../../terminal/control-table.ts";
import { optionName, type Verb } from "../../terminal/verb.ts";

export const searchTermNames = searchTerms.map(({ name }) => name);

/** An option for each term of a search. */
export const searchTermOptions = Object.fromEntries(
  searchTerms.map(({ name, text, example }) => [
    optionName(name),
    { type: "string", placeholder: optionName(name).toUpperCase(), text: `${text} For example ${example}.` } as const,
  ]),
);

const list: ListVerb = {
  path: "/transactions",
  options: [...searchTermNames, "sort"],
  columns: () => [
    column("UETR", "uetr"),
    column("STATE", "state"),
    column("FLOW", "flow"),
    column("BANK", "bank"),
    column("DATE", "businessDate"),
    numberColumn("AMOUNT", "amount"),
    column("", "currency"),
    column("MESSAGE", "messageIdentification"),
    column("REASONS", "reasons"),
    column("RECEIVED", "receivedAt"),
    column("UPDATED", "updatedAt"),
  ],
  none: "nothing is found",
};

export const runSearch = runList(list);

export const searchVerb: Verb = {
  name: "search",
  summary: "finds transactions by any identification, bank, state, account's end, amount, date or reason",
  arguments: [],
  options: {
    ...searchTermOptions,
    sort: { type: "string", placeholder: "ORDER", text: "by UETR, or the last received first", choices: ["uetr", "newest"] },
    ...pageOptions,
  },
  notes: ["All given terms must match."],
  examples: ["search --bank sample --state HELD", "search --account 1234 --amount 1250.50 --currency ZAR"],
  run: listVerb(list),
};
