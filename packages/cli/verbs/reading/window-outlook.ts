// `./sluice window outlook`: when the held debits of a day are through at the present rate, against its closes.

import { Fault } from "@sluice/kernel";
import { asWatchedVerb } from "../../terminal/control-list.ts";
import { controlClient, controlOptions, type RunControlVerb } from "../../terminal/control-client.ts";
import { column, memberRows, memberText, numberColumn, tableText } from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";
import { watchOption } from "../../terminal/watch.ts";

const columns = [
  column("BANK", "bank"),
  numberColumn("HELD", "count"),
  column("CURRENCY", "currency"),
  numberColumn("SUM", "sum"),
  column("WHY IT WAITS", "why"),
];
const wellEnded: ReadonlySet<unknown> = new Set(["nothing-held", "before-window-close"]);

export const runWindowOutlook: RunControlVerb = async (call, where) => {
  const [day = ""] = call.positionals;
  const [, scheme, date] = /^([A-Z][A-Z0-9_]*):(\d{4}-\d\d-\d\d)$/.exec(day) ?? [];
  if (scheme === undefined || date === undefined)
    throw new Fault("cli.no-day", `${day} is no business day (for example ZA_EFT:2026-11-20)`, { isRetryable: false });
  const client = await controlClient(call, where);
  const body = await client.get(`/days/${scheme}/${date}/outlook`);
  if (call.flag("json")) where.out(JSON.stringify(body, null, 2));
  else {
    const rows = memberRows(body, "rows");
    if (rows.length > 0) where.out(tableText(rows, columns));
    const [perMinute, emptyAt, windowCloses, closes, finish] = [
      "trend.perMinute",
      "trend.emptyAt",
      "windowCloses",
      "reconciliationCloses",
      "finish",
    ].map((name) => memberText(body, name));
    where.out(`held: ${memberText(body, "held")}, ${perMinute} fewer each minute, through ${emptyAt}: ${finish}`);
    where.out(`the last window closes ${windowCloses}, reconciliation ${closes}`);
  }
  return wellEnded.has(body["finish"]) ? 0 : 1;
};

export const windowOutlookVerb: Verb = {
  name: "window outlook",
  summary: "when the held debits of a day are through at the present rate, against its closes",
  arguments: [{ placeholder: "DAY", text: "the business day, for example ZA_EFT:2026-11-20" }],
  options: { watch: watchOption, ...controlOptions },
  notes: ["Exit 0 if nothing is held, or it is through before the last window closes; else 1, also where that is not known."],
  examples: ["window outlook ZA_EFT:2026-11-20"],
  run: asWatchedVerb(runWindowOutlook),
};
