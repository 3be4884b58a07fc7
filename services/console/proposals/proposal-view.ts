// Shows a proposal as operators see it: what would be decided, by whom and why, and what a confirmation must name.

import { formatInstant } from "../http/bank-answer.ts";
import { readProposalState, type Confirmation, type Proposal } from "./proposal.ts";

export function proposalView(proposal: Proposal, nowMs: number) {
  const { action, operation, path, body, offset, contentSha256, proposedAtMs, expiresAtMs, confirmed } = proposal;
  const content: unknown = JSON.parse(body);
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
    confirmed: confirmed === null ? null : { at: formatInstant(confirmed.atMs), ...personView(confirmed.action) },
  };
}

function personView({ id, operator, person, reason, requestedAtMs }: Confirmation["action"]) {
  return { id, operator, person: person ?? operator, reason, requestedAt: formatInstant(requestedAtMs) };
}
