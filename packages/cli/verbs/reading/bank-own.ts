// `./sluice bank own` and `./sluice bank deliveries`: what a bank's own person may see of it: its transactions, and
// what it has not taken.

import { listVerb, pageOptions, runList, type ListVerb } from "../../terminal/control-list.ts";
import type { AnswerBody } from "../../terminal/control-client.ts";
import { column, memberRows, memberText, numberColumn } from "../../terminal/control-table.ts";
import type { Verb, VerbCall } from "../../terminal/verb.ts";

const below = (what: string) => (call: VerbCall) => `/banks/${encodeURIComponent(call.positionals[0] ?? "")}/${what}`;

const own: ListVerb = {
  path: below("transactions"),
  options: ["side", "state", "businessDate", "identification"],
  columns: () => [
    column("UETR", "uetr"),
    column("STATE", "state"),
    column("FLOW", "flow"),
    column("DATE", "businessDate"),
    { title: "AMOUNT", isNumber: true, of: (row) => `${memberText(row, "currency")} ${memberText(row, "amount")}` },
    column("END TO END", "endToEndIdentification"),
    column("RECEIVED", "receivedAt"),
  ],
  none: "none in the last 31 days",
};

const deliveries: ListVerb = {
  path: below("deliveries"),
  options: [],
  columns: () => [
    column("KIND", "kind"),
    column("MESSAGE", "messageIdentification"),
    column("UETR", "uetr"),
    numberColumn("ATTEMPTS", "attempts"),
    { title: "LAST ANSWER", of: lastAnswerText },
    column("STATUS", "status"),
    column("NEXT ATTEMPT", "nextAttempt"),
    column("CLOSES", "closes"),
  ],
  none: "the bank has acknowledged everything",
};

function lastAnswerText(row: AnswerBody): string {
  const last = memberRows(row, "recentAttempts").at(-1);
  if (last === undefined) return "not tried";
  return `${last["httpStatusCode"] === null ? "no answer" : memberText(last, "httpStatusCode")} ${memberText(last, "answer")}`.slice(0, 48);
}

export const runBankOwn = runList(own);
export const runBankDeliveries = runList(deliveries);

const bank = { placeholder: "BANK", text: "the bank" } as const;

export const bankOwnVerb: Verb = {
  name: "bank own",
  summary: "a bank's own transactions, the last received first, as the bank's own person sees them",
  arguments: [bank],
  options: {
    side: { type: "string", placeholder: "SIDE", text: "sent or received; sent where it is not given" },
    state: { type: "string", placeholder: "STATE", text: "those in this state" },
    "business-date": { type: "string", placeholder: "DATE", text: "those of this business date" },
    identification: { type: "string", placeholder: "ID", text: "those with this identification, however old" },
    ...pageOptions,
  },
  examples: ["bank own sample", "bank own sample --side received --state HELD"],
  run: listVerb(own),
};

export const bankDeliveriesVerb: Verb = {
  name: "bank deliveries",
  summary: "what a bank has not taken, with its own answers, as the bank's own person sees it",
  arguments: [bank],
  options: pageOptions,
  examples: ["bank deliveries sample"],
  run: listVerb(deliveries),
};
