// A decision that waits for a second person: proposed → confirmed, or proposed → expired.
//
// #1 The log decides. Proposals and confirmations lie in one partition, and each is judged at its place in it, by its
//    append time. A console that is slow or has a wrong clock changes nothing.
// #2 The first proposal under an id counts. The first confirmation that fits it counts, and no other one after it.
// #3 A confirmation fits if it names the offset and the hash of the proposal, comes from another person, in time, and
//    under an id that confirmed nothing else.

import {
  operatorContentSha256,
  secondPersonOperations,
  type AnyDecodedRecord,
  type Records,
  type SecondPersonOperation,
} from "@sluice/contracts";
import { isSamePerson } from "@sluice/domain";

type Action = Records["DecisionProposed"]["action"];

export interface Proposal {
  readonly action: Action;
  readonly operation: SecondPersonOperation;
  /** Path below the prefix of the control API. */
  readonly path: string;
  /** Canonical JSON. */
  readonly body: string;
  readonly offset: bigint;
  readonly contentSha256: string;
  readonly proposedAtMs: number;
  readonly expiresAtMs: number;
  readonly confirmed: Confirmation | null;
}

export interface Confirmation {
  readonly action: Action;
  readonly atMs: number;
}

export type ProposalState = "proposed" | "confirmed" | "expired";

export function readProposalState({ confirmed, expiresAtMs }: Proposal, nowMs: number): ProposalState {
  if (confirmed !== null) return "confirmed";
  return nowMs >= expiresAtMs ? "expired" : "proposed";
}

interface ProposalPlace {
  readonly offset: bigint;
  readonly appendedAtMs: number;
}

/** Null: the record proposes nothing that this version knows. */
export function readProposal(record: AnyDecodedRecord, { offset, appendedAtMs }: ProposalPlace): Proposal | null {
  if (record.name !== "DecisionProposed" || !isSecondPersonOperation(record.value.operation)) return null;
  const { action, operation, path, body, lifetimeMs } = record.value;
  const contentSha256 = operatorContentSha256(record);
  const expiresAtMs = appendedAtMs + Number(lifetimeMs);
  return { action: { ...action }, operation, path, body, offset, contentSha256, proposedAtMs: appendedAtMs, expiresAtMs, confirmed: null };
}

export interface GivenConfirmation {
  readonly action: Pick<Action, "id" | "operator" | "person">;
  readonly offset: bigint;
  readonly contentSha256: string;
}

/**
 * #3 Null: the confirmation fits. `confirmedBefore` is the id of the proposal that an earlier confirmation under this
 * id confirmed; null: there is none.
 */
export function judgeConfirmation(
  proposal: Proposal,
  given: GivenConfirmation,
  confirmedBefore: string | null,
  atMs: number,
): "nothing-to-confirm" | "already-confirmed" | "id-used" | "same-person" | "proposal-expired" | null {
  if (proposal.offset !== given.offset || proposal.contentSha256 !== given.contentSha256) return "nothing-to-confirm";
  if (confirmedBefore !== null && confirmedBefore !== proposal.action.id) return "id-used";
  if (proposal.confirmed !== null) return "already-confirmed";
  if (isSamePerson(proposal.action, given.action)) return "same-person";
  return atMs >= proposal.expiresAtMs ? "proposal-expired" : null;
}

function isSecondPersonOperation(name: string): name is SecondPersonOperation {
  return name in secondPersonOperations;
}
