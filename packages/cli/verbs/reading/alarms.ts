// `./sluice alarms`: which alarms fire, as the Alertmanager of the console says, with the runbook of each.

import { asWatchedVerb } from "../../terminal/control-list.ts";
import { controlClient, controlOptions, type AnswerBody, type RunControlVerb } from "../../terminal/control-client.ts";
import { column, maskControlCharacters, memberRows, memberText, tableText } from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";
import { watchOption } from "../../terminal/watch.ts";

const columns = [
  column("ALARM", "name"),
  { title: "SEVERITY", of: (row: AnswerBody) => `${memberText(row, "severity")}${row["isSilenced"] === true ? ", silenced" : ""}` },
  column("SINCE", "since"),
  column("ABOUT", "about"),
  column("SUMMARY", "summary"),
  column("RUNBOOK", "runbook"),
];

/** How much is known; null: the rows say it all. */
function sourceLine(body: AnswerBody): string | null {
  switch (body["source"]) {
    case "none":
      return "no alarm source is configured: SLUICE_ALARMS_URL";
    case "unasked":
      return "the alarm source is being asked for the first time: ask again";
    case "silent":
      return `the alarm source cannot be asked since ${memberText(body, "silentSince")}: ${memberText(body, "why")}; it answered last ${memberText(body, "answeredAt")}`;
    default:
      return memberRows(body, "rows").length === 0 ? "no alarm fires" : null;
  }
}

export const runAlarms: RunControlVerb = async (call, where) => {
  const client = await controlClient(call, where);
  const body = await client.get("/alarms");
  const rows = memberRows(body, "rows");
  if (call.flag("json")) where.out(JSON.stringify(body, null, 2));
  else {
    if (rows.length > 0) where.out(tableText(rows, columns));
    const line = sourceLine(body);
    if (line !== null) where.out(maskControlCharacters(line));
    if (body["isWhole"] === false) where.out("there are more: the Alertmanager shows them");
  }
  return body["source"] === "answers" && rows.every((row) => row["isSilenced"] === true) ? 0 : 1;
};

export const alarmsVerb: Verb = {
  name: "alarms",
  summary: "alarms that fire, as the console's Alertmanager says, with their runbooks",
  arguments: [],
  options: { watch: watchOption, ...controlOptions },
  notes: ["Exit 0 if it is known that no alarm fires but silenced ones, else 1."],
  examples: ["alarms", "alarms --watch"],
  run: asWatchedVerb(runAlarms),
};
