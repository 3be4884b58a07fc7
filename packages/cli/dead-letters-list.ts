// `./sluice dead-letters list`: records that were put aside.

import { listVerb, runList, type ListVerb } from "./control-list.ts";
import { column, numberColumn, textAt } from "./control-table.ts";
import type { Body } from "./control-client.ts";

export const letterFilters = ["service", "topic", "key", "why", "since"] as const;

const list: ListVerb = {
  path: "/dead-letters",
  options: letterFilters,
  columns: () => [
    column("LETTER", "letter"),
    column("PUT ASIDE", "putAsideAt"),
    column("BY", "service"),
    { title: "HAND", of: handOf },
    column("TOPIC", "topic"),
    numberColumn("PARTITION", "partition"),
    numberColumn("OFFSET", "offset"),
    column("KEY", "key"),
    column("TYPE", "type"),
    column("WHY", "why"),
  ],
  none: "nothing is put aside",
};

function handOf(row: Body): string {
  const operator = textAt(row, "byHand.operator");
  return textAt(row, "byHand.isDone") === "false" ? `${operator} asked` : operator;
}

export const runDeadLettersList = runList(list);
export const deadLettersList = listVerb(list);
