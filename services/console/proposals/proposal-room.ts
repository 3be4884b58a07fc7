// How much one person may have proposed that still waits, so that nobody can push out what others propose.

import { isSamePerson } from "@sluice/domain";
import { type Proposal, readProposalState } from "./proposal.ts";

export const openOfPersonMax = 200;
/** Characters: a tenth of what the book keeps, and six of the largest bodies. */
export const openCharactersOfPersonMax = 800_000;

/** Whether the person may propose this too. */
export function hasRoom(proposals: readonly Proposal[], { action, body }: Pick<Proposal, "action" | "body">, nowMs: number): boolean {
  const open = proposals.filter((proposal) => readProposalState(proposal, nowMs) === "proposed" && isSamePerson(proposal.action, action));
  const characters = open.reduce((sum, proposal) => sum + proposal.body.length, body.length);
  return open.length < openOfPersonMax && characters <= openCharactersOfPersonMax;
}
