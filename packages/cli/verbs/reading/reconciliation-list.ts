// `./sluice reconciliation list` and `summary`: the items that people have to decide about after a close, one by one
// and added up.

import { listVerb, runList, type ListVerb } from "../../terminal/control-list.ts";
import { column, numberColumn, memberText } from "../../terminal/control-table.ts";

const list: ListVerb = {
  path: "/reconciliation",
  options: ["day", "bank", "row", "open"],
  columns: () => [
    column("DAY", "day"),
    column("UETR", "uetr"),
    column("BANK", "bank"),
    numberColumn("AMOUNT", "amount"),
    column("", "currency"),
    numberColumn("ROW", "row"),
    column("CAUSE", "cause"),
    column("MET IN", "state"),
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

export const runReconciliationList = runList(list);
export const reconciliationList = listVerb(list);
export const runReconciliationSummary = runList(summary);
export const reconciliationSummary = listVerb(summary);
