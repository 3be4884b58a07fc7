// `./sluice bank list`: banks and connectors: how they stand as receivers and why, what waits for them, and their day's totals against their alarms.

import type { Body } from "./control-client.ts";
import { listVerb, runList, type ListVerb } from "./control-list.ts";
import { column, durationAt, numberColumn, rowsAt, shown, textAt, textsAt } from "./control-table.ts";

const list: ListVerb = {
  path: "/banks",
  options: [],
  isPaged: false,
  columns: () => [
    column("ID", "bank"),
    column("KIND", "kind"),
    column("STATE", "state"),
    column("UNTIL", "until"),
    numberColumn("DELIVERIES", "waiting.deliveries.waiting"),
    { title: "OLDEST", isNumber: true, of: (row) => durationAt(row, "waiting.deliveries.oldestAgeSeconds") },
    numberColumn("REFUSED", "waiting.deliveries.refused"),
    numberColumn("POSTINGS", "waiting.postings.waiting"),
    { title: "OLDEST", isNumber: true, of: (row) => durationAt(row, "waiting.postings.oldestAgeSeconds") },
    { title: "CLOSES IN", isNumber: true, of: (row) => durationAt(row, "waiting.secondsToClose") },
    { title: "LAST PAUSED OR RESUMED", of: lastDecision },
  ],
  none: "no bank is configured",
  below: (body) => [...rowsAt(body, "rows").flatMap(whyLines), ...totalLines(body), ...countLines(body)],
};

function lastDecision(row: Body): string {
  return row["since"] === null ? "-" : ["at", "operator", "reason"].map((name) => textAt(row, `since.${name}`)).join(" ");
}

/** Why nothing, or little, leaves to a receiver. */
export function whyLines(row: Body): readonly string[] {
  return textsAt(row, "why").map((why) => shown(`${textAt(row, "bank")}: ${why}`));
}

/** Of very much that waits the count may be an earlier one. */
export function countLines(body: Body): readonly string[] {
  if (body["countedAt"] === null) return ["what waits is not counted yet: there is very much; ask again in a minute"];
  const ageSeconds = secondsBetween(body["countedAt"], body["asOf"]);
  return ageSeconds > oldCountSeconds ? [`what waits was counted at ${textAt(body, "countedAt")}: there is very much`] : [];
}

const oldCountSeconds = 10;

function secondsBetween(from: unknown, to: unknown): number {
  if (typeof from !== "string" || typeof to !== "string") return 0;
  return (Temporal.Instant.from(to).epochMilliseconds - Temporal.Instant.from(from).epochMilliseconds) / 1_000;
}

function totalLines(body: Body): readonly string[] {
  return rowsAt(body, "rows").flatMap((bank) =>
    rowsAt(bank, "dayTotals").map((total) => {
      const alarm = total["isAboveAlarm"] === true ? "  ABOVE ITS ALARM" : "";
      const above = total["alarmAbove"] === null ? "" : ` (alarm above ${textAt(total, "alarmAbove")})`;
      const about = ["scheme", "businessDate"].map((name) => textAt(total, name)).join(" ");
      return `${textAt(bank, "bank")} ${about}: ${textAt(total, "count")}, ${textAt(total, "sum")} ${textAt(total, "currency")}${above}${alarm}`;
    }),
  );
}

export const runBankList = runList(list);
export const bankList = listVerb(list);
