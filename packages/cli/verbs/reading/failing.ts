// `./sluice failing`: the messages that fail often, by receiver, with the last answer.

import { listVerb, pageOptions, runList, type ListVerb } from "../../terminal/control-list.ts";
import type { AnswerBody } from "../../terminal/control-client.ts";
import { closeColumns, column, memberText, numberColumn } from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";

const list: ListVerb = {
  path: "/failing",
  options: ["bank"],
  columns: () => [
    column("RECEIVER", "bank"),
    column("OPERATION", "operation"),
    column("MESSAGE", "messageIdentification"),
    column("UETR", "uetr"),
    numberColumn("ATTEMPTS", "attempts"),
    { title: "LAST ANSWER", of: lastAnswerText },
    column("SINCE", "since"),
    column("STATUS", "status"),
    column("NEXT ATTEMPT", "nextAttempt"),
    ...closeColumns(""),
  ],
  none: "no message fails often",
};

function lastAnswerText(row: AnswerBody): string {
  if (typeof row["lastAnswer"] !== "object" || row["lastAnswer"] === null) return "-";
  const code = memberText(row, "lastAnswer.httpStatusCode");
  return `${code === "-" ? "no answer" : code} ${memberText(row, "lastAnswer.answer")}`.slice(0, answerCharsMax);
}

/** Our longest code for a missing answer has 34 characters. */
const answerCharsMax = 48;

export const runFailing = runList(list);

export const failingVerb: Verb = {
  name: "failing",
  summary: "messages that were tried three times or more: the last answer, since when, and the next attempt",
  arguments: [],
  options: { bank: { type: "string", placeholder: "BANK", text: "those to that bank or connector" }, ...pageOptions },
  examples: ["failing", "failing --bank sample"],
  run: listVerb(list),
};
