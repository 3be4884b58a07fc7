// `./sluice proposals`, `confirm`, `reject`, `retract`: decisions that need a second person, how that person confirms
// or rejects one, and how the person who proposed it retracts it.

import { Fault, machineTime } from "@sluice/kernel";
import { asControlVerb, type AnswerBody, type ControlTerminal, type RunControlVerb } from "../../terminal/control-client.ts";
import { listVerb, pageOptions, runList, type ListVerb } from "../../terminal/control-list.ts";
import { column, maskControlCharacters, memberRows, memberText } from "../../terminal/control-table.ts";
import type { Verb, VerbArgument, VerbCall, VerbOptions } from "../../terminal/verb.ts";
import { decisionNotes, decisionOptions, requireOption as needed, runDecision } from "./send-decision.ts";

const proposals: ListVerb = {
  path: "/proposals",
  options: [],
  columns: () => [
    column("ID", "id"),
    column("STATE", "state"),
    column("DECISION", "operation"),
    column("ABOUT", "path"),
    column("PROPOSED BY", "person"),
    column("EXPIRES", "expiresAt"),
    column("CONFIRMED BY", "confirmed.person"),
    column("REJECTED BY", "rejected.person"),
  ],
  none: "nothing is proposed",
  below: (body) => memberRows(body, "rows").flatMap(openProposalLines),
};

/** What would be decided, whole, and the commands that confirm or reject exactly that. */
function openProposalLines(row: AnswerBody): readonly string[] {
  if (row["state"] !== "proposed") return [];
  const commands = ["confirm", "reject"].map((verb) => commandFor(verb, row));
  return ["", maskControlCharacters(`${memberText(row, "id")}: ${JSON.stringify(row["body"])}`), ...commands];
}

/** The id is its proposer's choice, so it is quoted for the shell that the second person copies the line to. */
function commandFor(verb: string, row: AnswerBody): string {
  const [id, offset, sha256] = ["id", "offset", "contentSha256"].map((name) => memberText(row, name));
  const quoted = `'${String(id).replaceAll("'", String.raw`'\''`)}'`;
  return maskControlCharacters(`  ./sluice ${verb} ${quoted} --offset ${offset} --sha256 ${sha256} --reason TEXT`);
}

export const runProposals = runList(proposals);

export const runConfirmProposal: RunControlVerb = (call, where) => runNamed(call, where, "confirmation");
export const runRejectProposal: RunControlVerb = (call, where) => runNamed(call, where, "rejection");
export const runRetractProposal: RunControlVerb = (call, where) => runNamed(call, where, "retraction");

/** Each of the three names the proposal as the list shows it. */
function runNamed(call: VerbCall, where: ControlTerminal, what: "confirmation" | "rejection" | "retraction"): Promise<number> {
  const [id = ""] = call.positionals;
  if (id.trim() === "") throw new Fault("cli.no-proposal", "the proposal's id is missing", { isRetryable: false });
  return runDecision(call, where, machineTime, {
    path: `/proposals/${encodeURIComponent(id)}/${what}`,
    body: { offset: needed(call, "offset"), contentSha256: needed(call, "sha256") },
    what: `${what} of ${id}`,
  });
}

export const proposalsVerb: Verb = {
  name: "proposals",
  summary: "decisions that need a second person: who proposed what, until when it can be confirmed, and how",
  arguments: [],
  options: pageOptions,
  notes: ["Below the table is what each open proposal would decide, and the command that confirms exactly that."],
  examples: ["proposals"],
  run: listVerb(proposals),
};

const proposalArgument: VerbArgument = { placeholder: "ID", text: "the proposal (./sluice proposals)" };

const namedOptions = {
  offset: { type: "string", placeholder: "N", text: "offset of the proposal, as the list shows it", isRequired: true },
  sha256: { type: "string", placeholder: "HEX", text: "hash of what is proposed, as the list shows it", isRequired: true },
  ...decisionOptions,
} as const satisfies VerbOptions;

export const confirmVerb: Verb = {
  name: "confirm",
  summary: "confirms, as a second person, what another operator proposed; it then takes effect",
  arguments: [proposalArgument],
  options: namedOptions,
  notes: decisionNotes,
  examples: ['confirm final-1 --offset 12 --sha256 9f86…0a08 --reason "the clearing house confirmed it to me too"'],
  run: asControlVerb(runConfirmProposal),
};

export const rejectVerb: Verb = {
  name: "reject",
  summary: "rejects, as a second person, what another operator proposed; it never takes effect",
  arguments: [proposalArgument],
  options: namedOptions,
  notes: ["Of a confirmation and a rejection the first one in the log counts."],
  examples: ['reject final-1 --offset 12 --sha256 9f86…0a08 --reason "one bank has not sent its credits"'],
  run: asControlVerb(runRejectProposal),
};

export const retractVerb: Verb = {
  name: "retract",
  summary: "ends a proposal of one's own; it never takes effect",
  arguments: [proposalArgument],
  options: namedOptions,
  notes: ["Of a confirmation and a retraction the first one in the log counts."],
  examples: ['retract final-1 --offset 12 --sha256 9f86…0a08 --reason "it was the wrong day"'],
  run: asControlVerb(runRetractProposal),
};
