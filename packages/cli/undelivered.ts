// `./sluice undelivered`: what receivers have not taken, by receiver and day, or with --bank each message; and why nothing moves.

import { listVerb, runList, type ListVerb } from "./control-list.ts";
import type { Body } from "./control-client.ts";
import { countLines, whyLines } from "./bank-list.ts";
import { column, durationAt, numberColumn, rowsAt, textAt, type Column } from "./control-table.ts";

const byReceiver: readonly Column[] = [
  column("RECEIVER", "bank"),
  column("DAY", "day"),
  column("STATE", "state"),
  numberColumn("DELIVERIES", "deliveries.waiting"),
  { title: "OLDEST", isNumber: true, of: (row) => durationAt(row, "deliveries.oldestAgeSeconds") },
  numberColumn("REFUSED", "deliveries.refused"),
  column("NEXT ATTEMPT", "deliveries.nextAttempt"),
  numberColumn("POSTINGS", "postings.waiting"),
  { title: "OLDEST", isNumber: true, of: (row) => durationAt(row, "postings.oldestAgeSeconds") },
  numberColumn("REFUSED", "postings.refused"),
  column("NEXT ATTEMPT", "postings.nextAttempt"),
  { title: "CLOSES IN", isNumber: true, of: (row) => durationAt(row, "secondsToClose") },
];

const messages: readonly Column[] = [
  column("KIND", "kind"),
  column("MESSAGE", "messageIdentification"),
  column("UETR", "uetr"),
  numberColumn("ATTEMPTS", "attempts"),
  { title: "LAST ANSWER", of: lastAnswer },
  column("STANDING", "standing"),
  column("NEXT ATTEMPT", "nextAttempt"),
  column("DAY", "day"),
  { title: "CLOSES IN", isNumber: true, of: (row) => durationAt(row, "secondsToClose") },
];

function lastAnswer(row: Body): string {
  const last = rowsAt(row, "recentAttempts").at(-1);
  if (last === undefined) return "not tried";
  const code = last["httpStatusCode"] === null ? "no answer" : textAt(last, "httpStatusCode");
  return `${code} ${textAt(last, "answer")}`.slice(0, answerCharsMax);
}

/** The longest code of ours for a missing answer has 34. */
const answerCharsMax = 48;

const list: ListVerb = {
  path: "/undelivered",
  options: ["bank"],
  columns: (body) => (body["schema"] === "UndeliveredMessages" ? messages : byReceiver),
  none: "everything is delivered",
  below: (body) => [...new Set([body, ...rowsAt(body, "rows")].flatMap(whyLines)), ...countLines(body)],
};

export const runUndelivered = runList(list);
export const undelivered = listVerb(list);
