// `./sluice held`: what is held per bank and day: how much, how old, how long until it can leave, and why it waits.

import { listVerb, runList, type ListVerb } from "./control-list.ts";
import { column, durationAt, numberColumn } from "./control-table.ts";

const list: ListVerb = {
  path: "/held",
  options: ["bank", "day"],
  columns: () => [
    column("DAY", "day"),
    column("BANK", "bank"),
    numberColumn("COUNT", "count"),
    numberColumn("SUM", "sum"),
    column("", "currency"),
    { title: "OLDEST", isNumber: true, of: (row) => durationAt(row, "oldestAgeSeconds") },
    { title: "OPENS IN", isNumber: true, of: (row) => durationAt(row, "secondsToOpening") },
    { title: "CLOSES IN", isNumber: true, of: (row) => durationAt(row, "secondsToClose") },
    column("WHY IT WAITS", "why"),
  ],
  none: "nothing is held",
};

export const runHeld = runList(list);
export const held = listVerb(list);
