// What becomes of a proposal: another person confirms or rejects it, or the person who proposed it retracts it.

import { html } from "hono/html";
import { ApiRefusal } from "../api-client.ts";
import type { Asked } from "../asked.ts";
import { proposalFacts } from "../pages/proposals.ts";
import type { PrepareDecision, PreparedDecision } from "./decision-form.ts";

interface Words {
  readonly title: string;
  readonly warning: string;
  readonly verb: string;
  /** Last part of the address below the proposal. */
  readonly address: "confirmation" | "rejection" | "retraction";
  readonly command: "confirm" | "reject" | "retract";
}

export const prepareConfirmation: PrepareDecision = (asked) =>
  prepare(asked, {
    title: "Confirm",
    warning: "You confirm exactly what is shown here, and it takes effect at once.",
    verb: "Confirm the decision",
    address: "confirmation",
    command: "confirm",
  });

export const prepareRejection: PrepareDecision = (asked) =>
  prepare(asked, {
    title: "Reject",
    warning: "What is shown here never takes effect. It can be proposed again under a new id.",
    verb: "Reject the proposal",
    address: "rejection",
    command: "reject",
  });

export const prepareRetraction: PrepareDecision = (asked) =>
  prepare(asked, {
    title: "Retract",
    warning: "What you proposed never takes effect. It can be proposed again under a new id.",
    verb: "Retract the proposal",
    address: "retraction",
    command: "retract",
  });

/** The id is its proposer's choice, and another person copies the line to a shell. */
function quoteForShell(id: string): string {
  return /^[\w.:-]+$/.test(id) ? id : `'${id.replaceAll("'", String.raw`'\''`)}'`;
}

async function prepare({ api, query, clock }: Asked, { title, address, command, ...words }: Words): Promise<PreparedDecision> {
  const action = query.get("action") ?? "";
  const { rows } = await api.read("listProposals", "/proposals?limit=1000");
  const proposal = rows.find(({ id }) => id === action);
  if (proposal === undefined) throw new ApiRefusal(404, "Not known", "There is no such proposal.");
  const { offset, contentSha256, operation } = proposal;
  return {
    ...words,
    title: `${title}: ${operation}`,
    preview: proposalFacts(proposal, clock),
    fields: html`<input type="hidden" name="offset" value="${offset}" /><input
        type="hidden"
        name="contentSha256"
        value="${contentSha256}"
      />`,
    path: `/proposals/${encodeURIComponent(action)}/${address}`,
    body: (form) => ({ offset: form.get("offset") ?? "", contentSha256: form.get("contentSha256") ?? "" }),
    command: `./sluice ${command} ${quoteForShell(action)} --offset ${offset} --sha256 ${contentSha256} --reason TEXT`,
    secondPerson: null,
    runbook: "confirm-a-proposal",
  };
}
