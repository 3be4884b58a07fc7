// `./sluice dead-letters list`: dead-lettered records.

import { listVerb, pageOptions, runList, type ListVerb } from "../../terminal/control-list.ts";
import { column, numberColumn, memberText, decidersText } from "../../terminal/control-table.ts";
import type { AnswerBody } from "../../terminal/control-client.ts";
import type { Verb, VerbOptions } from "../../terminal/verb.ts";

export const letterFilterOptions = {
  service: {
    type: "string",
    placeholder: "NAME",
    text: "who dead-lettered it",
    choices: ["scheduler", "validator", "dispatcher", "event-publisher"],
  },
  topic: { type: "string", placeholder: "TOPIC", text: "the topic where it was" },
  key: { type: "string", placeholder: "KEY", text: "a UETR, scheme:date or bank:ID" },
  why: { type: "string", placeholder: "WORDS", text: "words of the reason" },
  since: { type: "string", placeholder: "INSTANT", text: "dead-lettered then or later" },
} as const satisfies VerbOptions;
export const letterFilters = Object.keys(letterFilterOptions);

const list: ListVerb = {
  path: "/dead-letters",
  options: letterFilters,
  columns: () => [
    column("LETTER", "letter"),
    column("DEAD-LETTERED", "deadLetteredAt"),
    column("BY", "service"),
    { title: "OPERATOR", of: operatorText },
    column("TOPIC", "topic"),
    numberColumn("PARTITION", "partition"),
    numberColumn("OFFSET", "offset"),
    column("KEY", "key"),
    column("TYPE", "type"),
    column("WHY", "why"),
  ],
  none: "there are no dead letters",
};

function operatorText(row: AnswerBody): string {
  const people = decidersText(row, "skip.");
  return memberText(row, "skip.isDone") === "false" ? `${people}, requested` : people;
}

export const runDeadLettersList = runList(list);

export const deadLettersListVerb: Verb = {
  name: "dead-letters list",
  summary: "dead-lettered records: where they were, why, and which operator skipped them; never their content",
  arguments: [],
  options: { ...letterFilterOptions, ...pageOptions },
  examples: ["dead-letters list --service scheduler"],
  run: listVerb(list),
};
