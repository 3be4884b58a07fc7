// What a file that is wrong still takes away: revoking a token must not depend on the rest of the file.
//
// #1 A wrong file only takes away: tokens that it no longer lists under their holder, roles that an operator no longer
//    has, and the tokens of a holder that it no longer lists. It adds and changes nothing.
// #2 It counts as far as it can be read. Text that is not YAML says nothing, nor does a list that is missing, empty, or
//    has a member without an id. A holder whose own tokens cannot be read keeps them.

import type { CallerSettings } from "./callers.ts";
import type { ConfiguredOperator } from "./configuration.ts";

export interface Holders {
  readonly callers: readonly CallerSettings[];
  readonly operators: readonly ConfiguredOperator[];
}

/** Returns the holders that are left. `tree` is the wrong file as read, its variables replaced; undefined: not YAML. */
export function takeAway(tree: unknown, { callers, operators }: Holders): Holders {
  const lists = { bank: readEntries(tree, "banks"), connector: readEntries(tree, "connectors") };
  const listed = readEntries(tree, "operators");
  return {
    callers: callers.map((caller) => ({ ...caller, tokenSha256: remainingTokens(caller, lists[caller.kind]) })),
    operators: operators.map((operator) => {
      const roles = readTexts(listed?.get(operator.id), "roles");
      const left = roles === null ? operator.roles : operator.roles.filter((role) => roles.includes(role));
      return { ...operator, roles: left, tokenSha256: remainingTokens(operator, listed) };
    }),
  };
}

type Entries = ReadonlyMap<string, unknown> | null;

function remainingTokens({ id, tokenSha256 }: Pick<CallerSettings, "id" | "tokenSha256">, entries: Entries): readonly string[] {
  if (entries === null) return tokenSha256;
  if (!entries.has(id)) return [];
  const hashes = readTexts(entries.get(id), "tokenSha256");
  if (hashes === null || !hashes.every((hash) => /^[0-9a-f]{64}$/i.test(hash))) return tokenSha256;
  const named = new Set(hashes.map((hash) => hash.toLowerCase()));
  return tokenSha256.filter((hash) => named.has(hash));
}

/** #2: the members of a list by their ids. */
function readEntries(tree: unknown, name: string): Entries {
  const list = memberOf(tree, name);
  if (!Array.isArray(list) || list.length === 0) return null;
  const entries = new Map<string, unknown>();
  for (const entry of list as readonly unknown[]) {
    const id = memberOf(entry, "id");
    if (typeof id !== "string") return null;
    entries.set(id, entry);
  }
  return entries;
}

function readTexts(entry: unknown, name: string): readonly string[] | null {
  const texts = memberOf(entry, name);
  return Array.isArray(texts) && texts.every((text) => typeof text === "string") ? texts : null;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}
