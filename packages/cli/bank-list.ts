// `./sluice bank list`: banks and connectors, paused or not, and their day's totals against their alarms.

import { listVerb, runList, type ListVerb } from "./control-list.ts";
import { column, rowsAt, textAt } from "./control-table.ts";

const list: ListVerb = {
  path: "/banks",
  options: [],
  isPaged: false,
  columns: () => [
    column("ID", "bank"),
    column("KIND", "kind"),
    { title: "PAUSED", of: (row) => (row["isPaused"] === true ? "yes" : "no") },
    column("SINCE", "since.at"),
    column("BY", "since.operator"),
    column("REASON", "since.reason"),
  ],
  none: "no bank is configured",
  below: (body) =>
    rowsAt(body, "rows").flatMap((bank) =>
      rowsAt(bank, "dayTotals").map((total) => {
        const alarm = total["isAboveAlarm"] === true ? "  ABOVE ITS ALARM" : "";
        const above = total["alarmAbove"] === null ? "" : ` (alarm above ${textAt(total, "alarmAbove")})`;
        const about = ["scheme", "businessDate"].map((name) => textAt(total, name)).join(" ");
        return `${textAt(bank, "bank")} ${about}: ${textAt(total, "count")}, ${textAt(total, "sum")} ${textAt(total, "currency")}${above}${alarm}`;
      }),
    ),
};

export const runBankList = runList(list);
export const bankList = listVerb(list);
