// Counts what a service seals and opens: each use of the cipher with a data key.

import type { DataKeys } from "@sluice/secrecy";

export type CipherUse = "seal" | "open";
type OpenKey = NonNullable<ReturnType<DataKeys["find"]>>;

/** Returns keys that count their uses. Sealing takes the key of the nonce first, opening takes no such key. */
export function countCipherUses(keys: DataKeys, count: (use: CipherUse) => void): DataKeys {
  return {
    find: (scope, wrapped) => {
      const key = keys.find(scope, wrapped);
      return key === null || key === undefined ? key : countedKey(key, count);
    },
    fetch: (scope, wrapped) => keys.fetch(scope, wrapped),
    own: (scope) => {
      const key = keys.own(scope);
      return key === undefined ? undefined : Object.assign(countedKey(key, count), { wrapped: key.wrapped });
    },
    makeOwn: (scope) => keys.makeOwn(scope),
  };
}

function countedKey(key: OpenKey, count: (use: CipherUse) => void): OpenKey {
  let use: CipherUse = "open";
  return {
    search: key.search,
    get nonce() {
      use = "seal";
      return key.nonce;
    },
    get encryption() {
      count(use);
      use = "open";
      return key.encryption;
    },
  };
}
