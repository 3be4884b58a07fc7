// The key service as a port: it holds one key for each scope and never gives it away. Adapters: a folder of files
// (`keyring/`) and Vault's transit engine (`vault/`); both pass `conformance/`.
//
// #1 What was wrapped under the key of a scope is unwrapped by that key alone.
// #2 A scope whose key was destroyed has none again, ever: nothing that it wrapped can be unwrapped, wherever it lies.
// #3 Several processes may ask for the first key of one scope at once; they all use the same key.
// #4 While the service does not answer, each call rejects with the retryable Fault `secrecy.unavailable`.

/** A data key, and the same key encrypted under the key of its scope. */
interface DataKey {
  readonly plain: Uint8Array;
  readonly wrapped: Uint8Array;
}

export interface WrappedKey {
  readonly scope: string;
  readonly wrapped: Uint8Array;
}

export interface KeyService {
  /** Makes a data key; the first one makes the key of the scope. Null: the key of the scope was destroyed. */
  create(scope: string): Promise<DataKey | null>;
  /**
   * Unwraps at most 100 keys, in their order. Null: the key of the scope was destroyed, or is not known. Rejects with
   * the Fault `secrecy.not-wrapped` (not retryable) where a key was not wrapped under its scope.
   */
  unwrap(keys: readonly WrappedKey[]): Promise<readonly (Uint8Array | null)[]>;
  /** Derives 32 secret bytes from the key of each scope, always the same ones; null as for `unwrap`. At most 100. */
  derive(scopes: readonly string[]): Promise<readonly (Uint8Array | null)[]>;
  /** Lists the scopes that have or had a key, in order. */
  list(): Promise<readonly { readonly scope: string; readonly isDestroyed: boolean }[]>;
  /** Destroys the key of a scope for good; one that is destroyed already, or never was, stays so. */
  destroy(scope: string): Promise<void>;
}

/** The most keys or scopes of one call. */
export const keysAtOnceMax = 100;

const scopePattern = /^[a-z0-9-]{1,32}\/\d{4}-(0[1-9]|1[0-2])$/;

/** A scope is a bank or connector and a month in UTC, such as `alpha/2026-11`. */
export function isScope(text: string): boolean {
  return scopePattern.test(text);
}

export function scopeFor(party: string, atMs: number): string {
  return `${party}/${new Date(atMs).toISOString().slice(0, "yyyy-mm".length)}`;
}
