// A decision that waits for a second person: proposed → confirmed, rejected, retracted or expired.
//
// #1 The log decides. Proposals, confirmations, rejections and retractions lie in one partition, and each is judged at
//    its place in it, by its append time. A console that is slow or has a wrong clock changes nothing.
// #2 The first proposal under an id counts. The first record that fits it and ends it counts, and no other one after
//    it: what was rejected or retracted is never confirmed.
// #3 A record fits if it names the offset and the hash of the proposal, comes in time, and under an id that ended
//    nothing else. Another person confirms or rejects; the person who proposed it retracts.

import {
  controlOperations,
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
  /** The record that ended it; null: none did. */
  readonly end: ProposalEnd | null;
}

export type EndKind = "confirmed" | "rejected" | "retracted";

interface ProposalEnd {
  readonly kind: EndKind;
  readonly action: Action;
  readonly atMs: number;
}

export type ProposalState = "proposed" | EndKind | "expired";

export function readProposalState({ end, expiresAtMs }: Proposal, nowMs: number): ProposalState {
  return end?.kind ?? (nowMs >= expiresAtMs ? "expired" : "proposed");
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
  return { action: { ...action }, operation, path, body, offset, contentSha256, proposedAtMs: appendedAtMs, expiresAtMs, end: null };
}

export interface GivenEnd {
  readonly kind: EndKind;
  readonly action: Pick<Action, "id" | "operator" | "person">;
  readonly offset: bigint;
  readonly contentSha256: string;
}

const kindByRecord = { DecisionConfirmed: "confirmed", DecisionRejected: "rejected", DecisionRetracted: "retracted" } as const;

/** Null: the record ends nothing. */
export function readEnd(record: AnyDecodedRecord): (GivenEnd & { readonly id: string; readonly action: Action }) | null {
  const { name, value } = record;
  if (name !== "DecisionConfirmed" && name !== "DecisionRejected" && name !== "DecisionRetracted") return null;
  const { action, proposal: id, proposalOffset: offset, proposalSha256: contentSha256 } = value;
  return { kind: kindByRecord[name], id, action: { ...action }, offset, contentSha256 };
}

export type EndRefusal = "nothing-to-confirm" | "id-used" | "same-person" | "other-person" | AlreadyEnded;
export type AlreadyEnded = `already-${EndKind}` | "proposal-expired";

/**
 * #3 Null: it fits. `endedBefore` is the id of the proposal that an earlier record under this id ended; null: there is
 * none.
 */
export function judgeEnd(proposal: Proposal, given: GivenEnd, endedBefore: string | null, atMs: number): EndRefusal | null {
  if (proposal.offset !== given.offset || proposal.contentSha256 !== given.contentSha256) return "nothing-to-confirm";
  if (endedBefore !== null && endedBefore !== proposal.action.id) return "id-used";
  if (proposal.end !== null) return explainEnd(proposal);
  const isOwn = isSamePerson(proposal.action, given.action);
  if (isOwn && given.kind !== "retracted") return "same-person";
  if (!isOwn && given.kind === "retracted") return "other-person";
  return atMs >= proposal.expiresAtMs ? explainEnd(proposal) : null;
}

/** Tells whether this very record ended the proposal, so that it may have been sent again. */
export function isEndedBy({ offset, contentSha256, end }: Proposal, given: GivenEnd): boolean {
  const isSame = offset === given.offset && contentSha256 === given.contentSha256 && end?.kind === given.kind;
  return isSame && end.action.id === given.action.id && end.action.operator === given.action.operator;
}

/** Why a proposal that has ended cannot end once more. */
export function explainEnd({ end }: Pick<Proposal, "end">): AlreadyEnded {
  return end === null ? "proposal-expired" : `already-${end.kind}`;
}

/** The parts of the address of what is proposed, by name. */
export function readProposedPath({ operation, path }: Pick<Proposal, "operation" | "path">): Readonly<Record<string, string>> {
  const template = controlOperations.find(({ name }) => name === operation)?.path ?? "";
  return { ...new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`).exec(path)?.groups };
}

function isSecondPersonOperation(name: string): name is SecondPersonOperation {
  return name in secondPersonOperations;
}
