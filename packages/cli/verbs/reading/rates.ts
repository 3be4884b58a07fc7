// `./sluice rates`: what was accepted and delivered a minute, and what was held and not acknowledged, minute by minute.

import { controlOptions, type AnswerBody } from "../../terminal/control-client.ts";
import { listVerb, runList, type ListVerb } from "../../terminal/control-list.ts";
import { column, memberText, numberColumn } from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";
import { watchOption } from "../../terminal/watch.ts";

const list: ListVerb = {
  path: "/series",
  options: ["bank"],
  isPaged: false,
  rows: "points",
  columns: () => [
    column("AT", "at"),
    numberColumn("ACCEPTED", "accepted"),
    numberColumn("DELIVERED", "delivered"),
    numberColumn("HELD", "held"),
    numberColumn("WAITING", "waiting"),
    numberColumn("MEDIAN MS", "medianMs"),
    numberColumn("SLOW MS", "slowMs"),
  ],
  none: "this console has looked for less than a minute: ask again",
  below: (body) => [...trendLines(body, "held", "heldTrend"), ...trendLines(body, "waiting", "waitingTrend")],
};

function trendLines(body: AnswerBody, what: string, trend: string): readonly string[] {
  const [perMinute, emptyAt] = [memberText(body, `${trend}.perMinute`), memberText(body, `${trend}.emptyAt`)];
  return perMinute === "-" ? [] : [`${what}: ${perMinute} fewer each minute, none left at ${emptyAt}`];
}

export const runRates = runList(list);

export const ratesVerb: Verb = {
  name: "rates",
  summary: "what was accepted and delivered a minute, held and not acknowledged, minute by minute of the last four hours",
  arguments: [],
  options: {
    bank: { type: "string", placeholder: "ID", text: "only what is held and waits for this bank or connector" },
    watch: watchOption,
    ...controlOptions,
  },
  notes: [
    "As this console has seen it since its start. ACCEPTED and DELIVERED are of all banks, so with --bank they are missing.",
    "WAITING is not acknowledged. Half of the deliveries took MEDIAN MS at most, 95 of 100 took SLOW MS at most.",
  ],
  examples: ["rates", "rates --bank sample"],
  run: listVerb(list),
};
