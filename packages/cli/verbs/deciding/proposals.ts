// `./sluice proposals`, `./sluice confirm`: decisions that need a second person, and how that person confirms one.

import { Fault, machineTime } from "@sluice/kernel";
import { asControlVerb, type AnswerBody, type RunControlVerb } from "../../terminal/control-client.ts";
import { listVerb, pageOptions, runList, type ListVerb } from "../../terminal/control-list.ts";
import { column, maskControlCharacters, memberRows, memberText } from "../../terminal/control-table.ts";
import type { Verb } from "../../terminal/verb.ts";
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
  ],
  none: "nothing is proposed",
  below: (body) => memberRows(body, "rows").flatMap(openProposalLines),
};

/** What would be decided, whole, and the command that confirms exactly that. */
function openProposalLines(row: AnswerBody): readonly string[] {
  if (row["state"] !== "proposed") return [];
  return ["", maskControlCharacters(`${memberText(row, "id")}: ${JSON.stringify(row["body"])}`), confirmCommand(row)];
}

/** The id is its proposer's choice, so it is quoted for the shell that the second person copies the line to. */
function confirmCommand(row: AnswerBody): string {
  const [id, offset, sha256] = ["id", "offset", "contentSha256"].map((name) => memberText(row, name));
  const quoted = `'${String(id).replaceAll("'", String.raw`'\''`)}'`;
  return maskControlCharacters(`  ./sluice confirm ${quoted} --offset ${offset} --sha256 ${sha256} --reason TEXT`);
}

export const runProposals = runList(proposals);

export const runConfirmProposal: RunControlVerb = (call, where) => {
  const [id = ""] = call.positionals;
  if (id.trim() === "") throw new Fault("cli.no-proposal", "the proposal's id is missing", { isRetryable: false });
  return runDecision(call, where, machineTime, {
    path: `/proposals/${encodeURIComponent(id)}/confirmation`,
    body: { offset: needed(call, "offset"), contentSha256: needed(call, "sha256") },
    what: `confirmation of ${id}`,
  });
};

export const proposalsVerb: Verb = {
  name: "proposals",
  summary: "decisions that need a second person: who proposed what, until when it can be confirmed, and how",
  arguments: [],
  options: pageOptions,
  notes: ["Below the table is what each open proposal would decide, and the command that confirms exactly that."],
  examples: ["proposals"],
  run: listVerb(proposals),
};

export const confirmVerb: Verb = {
  name: "confirm",
  summary: "confirms, as a second person, what another operator proposed; it then takes effect",
  arguments: [{ placeholder: "ID", text: "the proposal (./sluice proposals)" }],
  options: {
    offset: { type: "string", placeholder: "N", text: "offset of the proposal, as the list shows it", isRequired: true },
    sha256: { type: "string", placeholder: "HEX", text: "hash of what is proposed, as the list shows it", isRequired: true },
    ...decisionOptions,
  },
  notes: decisionNotes,
  examples: ['confirm final-1 --offset 12 --sha256 9f86…0a08 --reason "the clearing house confirmed it to me too"'],
  run: asControlVerb(runConfirmProposal),
};
