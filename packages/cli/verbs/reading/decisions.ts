// `./sluice decisions`: what operators decided, the newest first: by operator, kind and time.

import { controlOptions, type AnswerBody } from "../../terminal/control-client.ts";
import { listVerb, runList, type ListVerb } from "../../terminal/control-list.ts";
import { column, memberText } from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";
import { watchOption } from "../../terminal/watch.ts";
import { decisionFilters } from "../audit/decision-filters.ts";

const list: ListVerb = {
  path: "/actions",
  options: ["operator", "kind", "from", "to"],
  isPaged: false,
  columns: () => [
    column("AT", "at"),
    column("OPERATOR", "operator"),
    column("CONFIRMED BY", "confirmedBy"),
    column("DECISION", "kind"),
    column("ABOUT", "key"),
    { title: "RESULT", of: resultText },
    column("REASON", "reason"),
  ],
  none: "nobody decided anything in this time",
  below: (body) =>
    body["isWhole"] === false ? ["there are more decisions than are listed: give a shorter time with --from and --to"] : [],
};

function resultText(row: AnswerBody): string {
  if (row["awaitsConfirmation"] === true) return "waits for a second person";
  const why = memberText(row, "why");
  return why === "-" ? memberText(row, "result") : `${memberText(row, "result")}: ${why}`;
}

export const runDecisions = runList(list);

export const decisionsVerb: Verb = {
  name: "decisions",
  summary: "what operators decided, about what, why, and what became of it; the newest first",
  arguments: [],
  options: {
    ...decisionFilters,
    watch: watchOption,
    ...controlOptions,
  },
  notes: ["The last ten decisions of each transaction, the last twenty of each day and bank, and proposals. The journal has all of them."],
  examples: ["decisions", "decisions --operator thandi --from 2026-11-17T00:00:00+02:00 --to 2026-11-18T00:00:00+02:00"],
  run: listVerb(list),
};
