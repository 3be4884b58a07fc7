// `./sluice bank redrive`: has all that a bank refused tried again, or what a filter leaves of it, as one decision. A
// second person then confirms it at once.
//
// #1 The console lists what was refused; the decision names each message of that list. What the bank refuses meanwhile
//    is not part of it.
// #2 Each message has its own outcome. Exit 1 if one of them was refused.

import { randomUUID } from "node:crypto";
import { Fault, machineTime } from "@sluice/kernel";
import { asControlVerb, controlClient, type AnswerBody, type ControlTerminal, type RunControlVerb } from "../../terminal/control-client.ts";
import { maskControlCharacters, memberRows, memberText } from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";
import { decisionNotes, decisionOptions, isProposed, proposedLine, requireOption, sendDecision } from "./send-decision.ts";

/** Messages of one decision at most; the console refuses more. */
const redrivenMax = 500;
const exitDeclined = 1;

export const runBankRedrive: RunControlVerb = async (call, where) => {
  const [bank = ""] = call.positionals;
  const reason = requireOption(call, "reason");
  const client = await controlClient(call, where);
  const target = call.flag("postings") ? "POSTING" : "DELIVERY";
  const filter = { target, operation: call.value("operation"), httpStatusCode: call.value("status") };
  const listed = await client.get(`/banks/${encodeURIComponent(bank)}/refused`, filter);
  const of = memberRows(listed, "rows").map((row) => memberText(row, "messageIdentification"));
  if (of.length === 0) throw new Fault("cli.no-item", `${bank} has refused nothing that fits`, { isRetryable: false });
  if (of.length > redrivenMax) {
    throw new Fault("cli.too-many", `${of.length} fit, and one decision names ${redrivenMax} at most: narrow the filter`, {
      isRetryable: false,
    });
  }
  const what = maskControlCharacters(`redrive of ${of.length} messages that ${bank} refused${sumText(listed)}`);
  const isDryRun = call.flag("dry-run");
  if (!isDryRun && !call.flag("yes") && where.ask !== undefined && (await where.ask(`${what}\nType ${bank} to go on: `)).trim() !== bank) {
    where.out("nothing was sent");
    return exitDeclined;
  }
  const body = { reason, of, target, ...(isDryRun ? { isDryRun } : {}) };
  const id = call.value("id") ?? randomUUID();
  const answer = await sendDecision(client, machineTime, `/banks/${encodeURIComponent(bank)}/redrive`, body, id);
  if (call.flag("json")) where.out(JSON.stringify(answer, null, 2));
  else if (isProposed(answer)) where.out(proposedLine(what, answer));
  else showRedrives(where, what, answer, listed);
  return memberRows(answer, "rows").some((row) => row["outcome"] === "refused") ? 1 : 0;
};

export const bankRedriveVerb: Verb = {
  name: "bank redrive",
  summary: "has all that a bank refused for good tried again with the same bytes, as one decision",
  arguments: [{ placeholder: "BANK", text: "the bank or connector" }],
  options: {
    status: { type: "string", placeholder: "CODE", text: "only what it answered with this HTTP status, for example 400" },
    operation: { type: "string", placeholder: "NAME", text: "only this operation, for example inboundDirectDebit" },
    postings: { type: "boolean", text: "postings of events; else messages" },
    ...decisionOptions,
  },
  notes: ["What was listed is what is redriven; each message has its own outcome. Exit 1 if one was refused.", ...decisionNotes],
  examples: ['bank redrive sample --status 400 --reason "the bank has mended its parser"', 'bank redrive sample --reason "test" --dry-run'],
  run: asControlVerb(runBankRedrive),
};

/** #2 */
function showRedrives(where: ControlTerminal, what: string, answer: AnswerBody, listed: AnswerBody): void {
  const refused = memberRows(answer, "rows").filter((row) => row["outcome"] === "refused");
  const lines = refused.map((row) => `${memberText(row, "messageIdentification")}  refused: ${memberText(row, "why")}`);
  const done = `${memberText(answer, "count")} ${answer["isDryRun"] === true ? "would be redriven; nothing was sent" : "redriven"}`;
  const rest = listed["isWhole"] === false ? ["it refused more than is listed: ask again after these"] : [];
  where.out([...lines, `${what}: ${done}`, ...rest].map(maskControlCharacters).join("\n"));
}

function sumText(listed: AnswerBody): string {
  const sums = memberRows(listed, "sums").map((row) => `${memberText(row, "currency")} ${memberText(row, "sum")}`);
  return sums.length === 0 ? "" : ` (${sums.join(", ")})`;
}
