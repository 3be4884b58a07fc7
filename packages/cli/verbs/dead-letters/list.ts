// `./sluice dead-letters list`: dead-lettered records.

import { listVerb, runList, type ListVerb } from "../../terminal/control-list.ts";
import { column, numberColumn, memberText } from "../../terminal/control-table.ts";
import type { AnswerBody } from "../../terminal/control-client.ts";

export const letterFilters = ["service", "topic", "key", "why", "since"] as const;

const list: ListVerb = {
  path: "/dead-letters",
  options: letterFilters,
  columns: () => [
    column("LETTER", "letter"),
    column("DEAD-LETTERED", "putAsideAt"),
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
  const operator = memberText(row, "byHand.operator");
  return memberText(row, "byHand.isDone") === "false" ? `${operator} asked` : operator;
}

export const runDeadLettersList = runList(list);
export const deadLettersList = listVerb(list);
