// `./sluice reconciliation list` and `summary`: the items that people have to decide about after a close, one by one
// and added up.

import { controlOptions } from "../../terminal/control-client.ts";
import { listVerb, pageOptions, type ListVerb } from "../../terminal/control-list.ts";
import { column, numberColumn, memberText } from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";

const list: ListVerb = {
  path: "/reconciliation",
  options: ["day", "bank", "row", "open", "proposed", "minAge"],
  columns: () => [
    column("DAY", "day"),
    column("UETR", "uetr"),
    column("BANK", "bank"),
    numberColumn("AMOUNT", "amount"),
    column("", "currency"),
    numberColumn("ROW", "row"),
    column("CAUSE", "cause"),
    column("MET IN", "state"),
    column("SEES TO IT", "note.assignee"),
    { title: "OPEN", of: (row) => (row["isOpen"] === true ? "open" : row["settledAt"] === null ? "resolved" : "settled") },
    {
      title: "RESOLUTION",
      of: (row) => `${memberText(row, "resolution.kind")}${memberText(row, "resolution.isFinal") === "false" ? " (to be confirmed)" : ""}`,
    },
  ],
  none: "there is no such item",
};

const summary: ListVerb = {
  path: "/reconciliation/summary",
  options: ["day"],
  isPaged: false,
  columns: () => [
    column("BANK", "bank"),
    column("CURRENCY", "currency"),
    numberColumn("ROW", "row"),
    column("CAUSE", "cause"),
    numberColumn("COUNT", "count"),
    numberColumn("SUM", "sum"),
    numberColumn("OPEN", "open"),
    numberColumn("OPEN SUM", "openSum"),
  ],
  none: "the day has no item",
};

export const reconciliationListVerb: Verb = {
  name: "reconciliation list",
  summary: "reconciliation items; without a day the open ones",
  arguments: [],
  options: {
    day: { type: "string", placeholder: "DAY", text: "only this business day, for example ZA_EFT:2026-11-20" },
    bank: { type: "string", placeholder: "BANK", text: "only this bank" },
    row: { type: "string", placeholder: "ROW", text: "row of docs/spec/interface.md, 1 to 10; 0: our own; unknown: not known yet" },
    open: { type: "string", placeholder: "OPEN", text: "whether the item is open", choices: ["true", "false"] },
    proposed: {
      type: "string",
      placeholder: "PROPOSED",
      text: "true: only what waits for a second person; mine: only what another person proposed",
      choices: ["true", "mine"],
    },
    "min-age": { type: "string", placeholder: "AGE", text: "only what was made at least so long ago, for example 4h" },
    ...pageOptions,
  },
  examples: ["reconciliation list", "reconciliation list --day ZA_EFT:2026-11-20 --open true", "reconciliation list --min-age 1d"],
  run: listVerb(list),
};

export const reconciliationSummaryVerb: Verb = {
  name: "reconciliation summary",
  summary: "counts and sums of a day's items by bank, currency, row and cause",
  arguments: [],
  options: {
    day: { type: "string", placeholder: "DAY", text: "the business day, for example ZA_EFT:2026-11-20", isRequired: true },
    ...controlOptions,
  },
  examples: ["reconciliation summary --day ZA_EFT:2026-11-20"],
  run: listVerb(summary),
};
