// `./sluice bank list`: banks and connectors with their status as receivers and its reason, what waits for them, and
// their day's totals against the alarms.

import { controlOptions, type AnswerBody } from "../../terminal/control-client.ts";
import { watchOption } from "../../terminal/watch.ts";
import { listVerb, runList, type ListVerb } from "../../terminal/control-list.ts";
import {
  closeColumns,
  column,
  maskControlCharacters,
  memberDuration,
  memberRows,
  memberText,
  memberTexts,
  numberColumn,
} from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";

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
    { title: "OLDEST", isNumber: true, of: (row) => memberDuration(row, "waiting.deliveries.oldestAgeSeconds") },
    numberColumn("REFUSED", "waiting.deliveries.refused"),
    numberColumn("POSTINGS", "waiting.postings.waiting"),
    { title: "OLDEST", isNumber: true, of: (row) => memberDuration(row, "waiting.postings.oldestAgeSeconds") },
    ...closeColumns("waiting."),
    { title: "LAST PAUSED OR RESUMED", of: lastDecisionText },
  ],
  none: "no bank is configured",
  below: (body) => [...memberRows(body, "rows").flatMap(receiverReasonLines), ...totalLines(body), ...countAgeLines(body)],
};

function lastDecisionText(row: AnswerBody): string {
  return row["since"] === null ? "-" : ["at", "operator", "reason"].map((name) => memberText(row, `since.${name}`)).join(" ");
}

/** One line for each reason why little or nothing is sent to a receiver. */
export function receiverReasonLines(row: AnswerBody): readonly string[] {
  return memberTexts(row, "why").map((why) => maskControlCharacters(`${memberText(row, "bank")}: ${why}`));
}

/** Says if the count of what waits is missing or old: counting very many messages takes long. */
export function countAgeLines(body: AnswerBody): readonly string[] {
  if (body["countedAt"] === null) return ["what waits is not counted yet: there are very many messages; ask again in a minute"];
  const ageSeconds = secondsBetween(body["countedAt"], body["asOf"]);
  return ageSeconds > oldCountSeconds ? [`what waits was counted at ${memberText(body, "countedAt")}: there are very many messages`] : [];
}

const oldCountSeconds = 10;

function secondsBetween(from: unknown, to: unknown): number {
  if (typeof from !== "string" || typeof to !== "string") return 0;
  return (Temporal.Instant.from(to).epochMilliseconds - Temporal.Instant.from(from).epochMilliseconds) / 1_000;
}

function totalLines(body: AnswerBody): readonly string[] {
  return memberRows(body, "rows").flatMap((bank) =>
    memberRows(bank, "dayTotals").map((total) => {
      const alarm = total["isAboveAlarm"] === true ? "  ABOVE ITS ALARM" : "";
      const above = total["alarmAbove"] === null ? "" : ` (alarm above ${memberText(total, "alarmAbove")})`;
      const about = ["scheme", "businessDate"].map((name) => memberText(total, name)).join(" ");
      return `${memberText(bank, "bank")} ${about}: ${memberText(total, "count")}, ${memberText(total, "sum")} ${memberText(total, "currency")}${above}${alarm}`;
    }),
  );
}

export const runBankList = runList(list);

export const bankListVerb: Verb = {
  name: "bank list",
  summary: "banks and connectors: their status and its reason, what waits, and the day's totals against the alarms",
  arguments: [],
  options: { watch: watchOption, ...controlOptions },
  notes: [
    "STATE is active; throttled (it asked to wait, or sustains fewer requests); breaker-open (one message at a time is tried);",
    "paused; or maintenance (paused until a time).",
  ],
  examples: ["bank list"],
  run: listVerb(list),
};
