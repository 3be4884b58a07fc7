// How much one person may have proposed, so that nobody can push out what others propose.
//
// #1 What waits takes room, and what its own person retracted takes it until it would have expired: the book of
//    proposals keeps it too, and nobody else had to agree. What another person confirmed or rejected takes none.

import { isSamePerson } from "@sluice/domain";
import type { Proposal } from "./proposal.ts";

export const openOfPersonMax = 200;
/** Characters: a tenth of what the book keeps, and six of the largest bodies. */
export const openCharactersOfPersonMax = 800_000;

/** Whether the person may propose this too. */
export function hasRoom(proposals: readonly Proposal[], { action, body }: Pick<Proposal, "action" | "body">, nowMs: number): boolean {
  const own = proposals.filter((proposal) => takesRoom(proposal, nowMs) && isSamePerson(proposal.action, action));
  const characters = own.reduce((sum, proposal) => sum + proposal.body.length, body.length);
  return own.length < openOfPersonMax && characters <= openCharactersOfPersonMax;
}

/** #1 */
function takesRoom({ end, expiresAtMs }: Proposal, nowMs: number): boolean {
  return nowMs < expiresAtMs && (end === null || end.kind === "retracted");
}
