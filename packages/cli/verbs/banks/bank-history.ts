// `./sluice bank history`: a day of the addresses of a bank or connector: within how long each acknowledged, and what
// limited it.

import { controlClient, controlOptions, type AnswerBody, type RunControlVerb } from "../../terminal/control-client.ts";
import { asWatchedVerb } from "../../terminal/control-list.ts";
import { column, durationText, memberRows, memberText, numberColumn, tableText } from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";
import { watchOption } from "../../terminal/watch.ts";

const latencyColumns = [
  column("FROM", "from"),
  column("OPERATION", "operation"),
  column("ADDRESS", "url"),
  numberColumn("ACKNOWLEDGED", "acknowledged"),
  numberColumn("P50 MS", "p50Ms"),
  numberColumn("P99 MS", "p99Ms"),
];

const limitColumns = [
  column("FROM", "from"),
  column("SENT BY", "service"),
  column("ADDRESS", "address"),
  numberColumn("AT ONCE", "concurrency"),
  numberColumn("OF", "connections"),
  { title: "BREAKER OPEN", isNumber: true, of: (row: AnswerBody) => secondsText(row["breakerOpenSeconds"]) },
  { title: "ASKED TO WAIT", isNumber: true, of: (row: AnswerBody) => secondsText(row["retryAfterSeconds"]) },
];

function secondsText(seconds: unknown): string {
  return typeof seconds === "number" && seconds > 0 ? durationText(seconds) : "-";
}

/** One row for each quarter of an hour of each address, the oldest first. */
function slotRows(history: AnswerBody, member: "addresses" | "limits"): readonly AnswerBody[] {
  const rows = memberRows(history, member).flatMap((address) => memberRows(address, "slots").map((slot) => ({ ...address, ...slot })));
  return rows.toSorted((a, b) => (memberText(a, "from") < memberText(b, "from") ? -1 : 1));
}

export const runBankHistory: RunControlVerb = async (call, where) => {
  const client = await controlClient(call, where);
  const body = await client.get("/series", { bank: call.positionals[0] ?? "" });
  if (call.flag("json")) where.out(JSON.stringify(body, null, 2));
  else {
    const [history = {}] = memberRows({ history: [body["history"]] }, "history");
    const [latencies, limits] = [slotRows(history, "addresses"), slotRows(history, "limits")];
    where.out(latencies.length === 0 ? "nothing was acknowledged" : tableText(latencies, latencyColumns));
    where.out(limits.length === 0 ? "nothing limited its addresses" : tableText(limits, limitColumns));
    where.out(`the console has watched since ${memberText(history, "since")}; what is not listed had nothing`);
    if (history["isWhole"] === false) where.out("there are more addresses than the console keeps, and some are left out");
  }
  return 0;
};

export const bankHistoryVerb: Verb = {
  name: "bank history",
  summary: "24 hours of a bank's addresses in quarters of an hour: p50 and p99, requests at once, breaker, Retry-After",
  arguments: [{ placeholder: "BANK", text: "the bank or connector" }],
  options: { watch: watchOption, ...controlOptions },
  notes: ["A console that restarts begins again, and says since when it has watched."],
  examples: ["bank history sample"],
  run: asWatchedVerb(runBankHistory),
};
