// The versions of parked rows, and what a write does about the row that it finds (pure).
//
// #1 Each write has a version of its own, made of the owner epoch and a count: of two writes of one owner the later one
//    has the greater version, and every write of a later owner is greater than all of an earlier one.
// #2 A write replaces a row of a lesser version only. So a write that reaches the store late, behind those of a later
//    owner or behind newer ones of its own, loses.
// #3 A message that is parked although the store has it leaves what is stored, unless it knows more: it was tried more
//    often, or it has ended and the stored one has not.

import { assert } from "@sluice/kernel";
import type { ParkedMessage } from "@sluice/store";

/** Bits for the count: at 10,000 writes a second a process counts for three years. */
const countBits = 40n;

/** #1 */
export function rowVersion(ownerEpoch: number, count: number): bigint {
  assert(BigInt(count) < 1n << countBits, "a process counts fewer writes than fit into a version");
  return (BigInt(ownerEpoch) << countBits) + BigInt(count);
}

export function ownerEpochIn(version: bigint): number {
  return Number(version >> countBits);
}

/**
 * What a write does about a stored row: it is there already, it replaces it, it loses to a newer write of its owner, or
 * a later owner has written.
 */
export type WriteVerdict = "written" | "replaces" | "superseded" | "fenced";

/** #2 */
export function judgeWrite(version: bigint, storedVersion: bigint): WriteVerdict {
  if (version === storedVersion) return "written";
  if (version > storedVersion) return "replaces";
  return ownerEpochIn(storedVersion) > ownerEpochIn(version) ? "fenced" : "superseded";
}

type Progress = Pick<ParkedMessage, "attempts" | "ended">;

/** #3 */
export function knowsMore(parked: Progress, stored: Progress): boolean {
  if (stored.ended !== null) return false;
  return parked.ended !== null || parked.attempts > stored.attempts;
}
