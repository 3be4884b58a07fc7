// `./sluice undelivered`: what receivers have not acknowledged, by receiver and day, or with --bank each message; and
// why.

import { listVerb, pageOptions, runList, type ListVerb } from "../../terminal/control-list.ts";
import type { AnswerBody } from "../../terminal/control-client.ts";
import { countAgeLines, receiverReasonLines } from "./bank-list.ts";
import {
  closeColumns,
  column,
  memberDuration,
  memberRows,
  memberText,
  numberColumn,
  type TableColumn,
} from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";

const byReceiver: readonly TableColumn[] = [
  column("RECEIVER", "bank"),
  column("DAY", "day"),
  column("STATE", "state"),
  numberColumn("DELIVERIES", "deliveries.waiting"),
  { title: "OLDEST", isNumber: true, of: (row) => memberDuration(row, "deliveries.oldestAgeSeconds") },
  numberColumn("REFUSED", "deliveries.refused"),
  column("NEXT ATTEMPT", "deliveries.nextAttempt"),
  numberColumn("POSTINGS", "postings.waiting"),
  { title: "OLDEST", isNumber: true, of: (row) => memberDuration(row, "postings.oldestAgeSeconds") },
  numberColumn("REFUSED", "postings.refused"),
  column("NEXT ATTEMPT", "postings.nextAttempt"),
  ...closeColumns(""),
];

const messages: readonly TableColumn[] = [
  column("KIND", "kind"),
  column("MESSAGE", "messageIdentification"),
  column("UETR", "uetr"),
  numberColumn("ATTEMPTS", "attempts"),
  { title: "LAST ANSWER", of: lastAnswerText },
  column("STATUS", "status"),
  column("NEXT ATTEMPT", "nextAttempt"),
  column("DAY", "day"),
  ...closeColumns(""),
];

function lastAnswerText(row: AnswerBody): string {
  const last = memberRows(row, "recentAttempts").at(-1);
  if (last === undefined) return "not tried";
  const code = last["httpStatusCode"] === null ? "no answer" : memberText(last, "httpStatusCode");
  return `${code} ${memberText(last, "answer")}`.slice(0, answerCharsMax);
}

/** Our longest code for a missing answer has 34 characters. */
const answerCharsMax = 48;

const list: ListVerb = {
  path: "/undelivered",
  options: ["bank"],
  columns: (body) => (body["schema"] === "UndeliveredMessages" ? messages : byReceiver),
  none: "everything is delivered",
  below: (body) => [...new Set([body, ...memberRows(body, "rows")].flatMap(receiverReasonLines)), ...countAgeLines(body)],
};

export const runUndelivered = runList(list);

export const undeliveredVerb: Verb = {
  name: "undelivered",
  summary: "what receivers have not acknowledged, since when and why, and the time to the close",
  arguments: [],
  options: { bank: { type: "string", placeholder: "BANK", text: "each message to that bank or connector" }, ...pageOptions },
  examples: ["undelivered", "undelivered --bank sample"],
  run: listVerb(list),
};
