// What the end of an account may be stored as: each scope hashes it with a key of its own, which goes with the scope.
// So a search asks for the hashes of all scopes that have a key.
//
// #1 The keys of a scope are asked for again after five minutes, as data keys are.
// #2 Of more than `scopesMax` scopes a search has to name the bank.

import type { Time } from "@sluice/kernel";
import type { KeyObject } from "node:crypto";
import { deriveKey, hashTerm } from "./cipher.ts";
import { type KeyService, keysAtOnceMax } from "./key-service.ts";

/** Returns the hashes of a text in all scopes, or in those of one bank; null: there are too many scopes (#2). */
export type SearchHashes = (text: string, bank: string | undefined) => Promise<readonly string[] | null>;

const scopesMax = 5_000;
const keptMs = 300_000;

export function createSearchHashes({ service, time }: { readonly service: KeyService; readonly time: Time }): SearchHashes {
  const kept = new Map<string, { readonly key: KeyObject; readonly untilMs: number }>();

  async function fetchMissing(scopes: readonly string[]): Promise<void> {
    const nowMs = time.monotonicMs();
    const missing = scopes.filter((scope) => (kept.get(scope)?.untilMs ?? 0) <= nowMs);
    for (let from = 0; from < missing.length; from += keysAtOnceMax) {
      const bulk = missing.slice(from, from + keysAtOnceMax);
      const secrets = await service.derive(bulk);
      for (const [index, scope] of bulk.entries()) {
        const secret = secrets[index] ?? null;
        if (secret === null) kept.delete(scope);
        else kept.set(scope, { key: deriveKey(secret, "search"), untilMs: nowMs + keptMs });
      }
    }
    // Scopes of former banks are few; all are asked for again when they are needed.
    if (kept.size > 2 * scopesMax) kept.clear();
  }

  return async (text, bank) => {
    const all = (await service.list()).filter(
      ({ scope, isDestroyed }) => !isDestroyed && (bank === undefined || scope.startsWith(`${bank}/`)),
    );
    if (all.length > scopesMax) return null;
    const scopes = all.map(({ scope }) => scope);
    await fetchMissing(scopes);
    return scopes.flatMap((scope) => {
      const found = kept.get(scope);
      return found === undefined ? [] : [hashTerm(found.key, text)];
    });
  };
}
