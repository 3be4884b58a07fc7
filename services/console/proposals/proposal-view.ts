// Shows a proposal as operators see it: what would be decided, by whom and why, and what a confirmation must name.

import { formatInstant } from "../http/bank-answer.ts";
import { readProposalState, type EndKind, type Proposal } from "./proposal.ts";

export function proposalView(proposal: Proposal, nowMs: number) {
  const { action, operation, path, body, offset, contentSha256, proposedAtMs, expiresAtMs, end } = proposal;
  const content: unknown = JSON.parse(body);
  const endOf = (kind: EndKind) => (end?.kind === kind ? { at: formatInstant(end.atMs), ...personView(end.action) } : null);
  return {
    ...personView(action),
    state: readProposalState(proposal, nowMs),
    operation,
    path,
    body: content,
    offset,
    contentSha256,
    proposedAt: formatInstant(proposedAtMs),
    expiresAt: formatInstant(expiresAtMs),
    confirmed: endOf("confirmed"),
    rejected: endOf("rejected"),
    retracted: endOf("retracted"),
  };
}

function personView({ id, operator, person, reason, requestedAtMs }: Proposal["action"]) {
  return { id, operator, person: person ?? operator, reason, requestedAt: formatInstant(requestedAtMs) };
}
