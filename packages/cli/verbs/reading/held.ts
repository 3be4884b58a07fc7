// `./sluice held`: held debits by bank and day: how much, how old, how long until they can be released, and why they
// wait.

import { listVerb, pageOptions, runList, type ListVerb } from "../../terminal/control-list.ts";
import { column, memberDuration, numberColumn } from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";

const list: ListVerb = {
  path: "/held",
  options: ["bank", "day"],
  columns: () => [
    column("DAY", "day"),
    column("BANK", "bank"),
    numberColumn("COUNT", "count"),
    numberColumn("SUM", "sum"),
    column("", "currency"),
    { title: "OLDEST", isNumber: true, of: (row) => memberDuration(row, "oldestAgeSeconds") },
    { title: "OPENS IN", isNumber: true, of: (row) => memberDuration(row, "secondsToOpening") },
    { title: "WINDOW IN", isNumber: true, of: (row) => memberDuration(row, "secondsToClose") },
    column("WHY IT WAITS", "why"),
  ],
  none: "nothing is held",
};

export const runHeld = runList(list);

export const heldVerb: Verb = {
  name: "held",
  summary: "held debits by bank: how much, how old, how long until they can be released, and why they wait",
  arguments: [],
  options: {
    bank: { type: "string", placeholder: "BANK", text: "only this bank" },
    day: { type: "string", placeholder: "DAY", text: "only this business day, for example ZA_EFT:2026-11-20" },
    ...pageOptions,
  },
  examples: ["held --bank sample"],
  run: listVerb(list),
};
