// The ids of operators' actions that an aggregate has decided. The notes of decisions forget; these do not.
//
// #1 An id is decided once, however long ago: again with the same content it changes nothing, with another it is
//    refused.
// #2 Of each action 16 characters are kept: half from its id, half from the hash of its content. Two ids with the same
//    half would only make the second one refused, never decided twice.
// #3 The set is bounded. At the bound a new action is refused, and no id is forgotten.

import type { OperatorAction } from "./operator-fact.ts";

/** Actions that one aggregate of each kind decides in its life. */
export const usedActionsMax = { transaction: 200, day: 5_000, bank: 10_000 } as const;

type UsedAction = Pick<OperatorAction, "id" | "contentSha256">;

export type ActionUse = "already-decided" | "id-used" | "too-many-decisions";

const halfCharacters = 8;

/** Null: the action may be decided. */
export function findActionUse(used: readonly string[], action: UsedAction, usedMax = Number.POSITIVE_INFINITY): ActionUse | null {
  const entry = toEntry(action);
  if (used.includes(entry)) return "already-decided";
  const id = entry.slice(0, halfCharacters);
  if (used.some((other) => other.startsWith(id))) return "id-used";
  return used.length >= usedMax ? "too-many-decisions" : null;
}

export function addUsedAction(used: readonly string[], action: UsedAction): readonly string[] {
  return [...used, toEntry(action)];
}

/** #2 */
function toEntry({ id, contentSha256 }: UsedAction): string {
  return `${shortHash(id)}${contentSha256.slice(0, halfCharacters)}`;
}

/** FNV-1a over UTF-16 units, 32 bits in hex: this package has no cryptography, and #2 needs none. */
function shortHash(text: string): string {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  return (hash >>> 0).toString(16).padStart(halfCharacters, "0");
}
