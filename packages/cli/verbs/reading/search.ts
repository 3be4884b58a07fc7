// `./sluice search`: finds transactions by any identification, bank, state, end of an account, amount, date or reason.

import { searchTerms } from "@sluice/contracts/search-terms";
import { listVerb, runList, type ListVerb } from "../../terminal/control-list.ts";
import { column, numberColumn } from "../../terminal/control-table.ts";

const list: ListVerb = {
  path: "/transactions",
  options: searchTerms.map(({ name }) => name),
  columns: () => [
    column("UETR", "uetr"),
    column("STATE", "state"),
    column("FLOW", "flow"),
    column("BANK", "bank"),
    column("DATE", "businessDate"),
    numberColumn("AMOUNT", "amount"),
    column("", "currency"),
    column("MESSAGE", "messageIdentification"),
    column("REASONS", "reasons"),
    column("UPDATED", "updatedAt"),
  ],
  none: "nothing is found",
};

export const runSearch = runList(list);
export const search = listVerb(list);
