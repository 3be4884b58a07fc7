// `./sluice counts`: how many transactions are in each state now, by bank, with their sums.

import { controlOptions } from "../../terminal/control-client.ts";
import { listVerb, runList, type ListVerb } from "../../terminal/control-list.ts";
import { column, memberText, numberColumn } from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";
import { searchTermOptions, searchTermNames } from "./search.ts";

const list: ListVerb = {
  path: "/transactions/counts",
  options: searchTermNames,
  isPaged: false,
  columns: () => [
    column("STATE", "state"),
    column("BANK", "bank"),
    numberColumn("COUNT", "count"),
    numberColumn("SUM", "sum"),
    column("CURRENCY", "currency"),
  ],
  none: "nothing is found",
  below: (body) => [`in all: ${memberText(body, "count")}`],
};

export const runCounts = runList(list);

export const countsVerb: Verb = {
  name: "counts",
  summary: "how many transactions are in each state now, by bank, with their sums; of all, or of what a search finds",
  arguments: [],
  options: { ...searchTermOptions, ...controlOptions },
  notes: [
    "All given terms must match. The count is exact: it reads every transaction that matches, so an operator has one at a",
    "time, and nothing repeats it by itself.",
  ],
  examples: ["counts", "counts --bank sample --business-date 2026-11-20"],
  run: listVerb(list),
};
