// The text at the top of the OpenAPI document: guide.md, with the table of states as events show them inserted.

import { readFileSync } from "node:fs";
import { eventTypeFor, stateTables } from "@sluice/contracts";
import type { Flow, MessageForm, State } from "@sluice/domain";

const placeholder = "<!-- states -->";

export function buildGuideText(): string {
  const guide = readFileSync(new URL("guide.md", import.meta.url), "utf8").replace(/^# .*\n\n/, "");
  if (!guide.includes(placeholder)) throw new Error(`guide.md has no ${placeholder}`);
  return guide.replace(placeholder, statesTable());
}

const flows: readonly (readonly [Flow, string])[] = [
  ["on-us", "debit of a bank"],
  ["off-us", "debit of a connector"],
  ["credit", "credit"],
];

function statesTable(): string {
  const rows = flows.flatMap(([flow, words]) =>
    Object.keys(stateTables[flow])
      .filter((name): name is State => name in stateTables[flow])
      .flatMap((state) => {
        const row = stateTables[flow][state];
        if (row === undefined) return [];
        const shown = `${row.financialTransactionState} / ${row.transactionState}`;
        const payload = row.payload === null ? "the last message" : (payloadTexts[row.payload] ?? row.payload);
        return [`| ${words} | \`${eventTypeFor({ flow, state })}\` | ${shown} | ${row.direction ?? "as before"} | ${payload} |`];
      }),
  );
  return ["| of a | `type` | `state` | `tranInfo.direction` | `payload` |", "| --- | --- | --- | --- | --- |", ...rows].join("\n");
}

const payloadTexts: Readonly<Partial<Record<MessageForm, string>>> = {
  "debit-received": "the debit as received",
  "inbound-debit": "the inbound debit",
  "report-accepted": "the report ACCP",
  "report-rejected": "the report RJCT",
  "final-report": "the bank's report",
  "credit-received": "the credit as received",
  "inbound-credit": "the inbound credit",
  "outcome-report": "the outcome reported to the connector",
};
