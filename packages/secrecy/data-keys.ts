// The data keys that a process has at hand.
//
// #1 What many ask for at the same moment goes to the key service in one call. If that rejects, each goes alone: what
//    is wrong with one, such as a forged one, is no trouble of the others.
// #2 A key is asked for again once it was kept for `keptMs`, in the background. So a key that was destroyed is
//    forgotten soon, and while the service is away, work goes on for up to `keptWithoutServiceMs`.
// #3 At most `keysMax` keys are kept; the one that was used longest ago goes first.
// #4 That a key was destroyed is remembered like a key.
// #5 Once a process seals in a new month it forgets its own keys of the months before.

import { Fault, gatherCalls, type Time } from "@sluice/kernel";
import type { KeyObject } from "node:crypto";
import { deriveKey, deriveSealKeys, type CipherKeys } from "./cipher.ts";
import { type KeyService, keysAtOnceMax, type WrappedKey } from "./key-service.ts";

export interface DataKeys {
  /** Returns null where the key was destroyed, undefined where it is not at hand. */
  find(scope: string, wrapped: Uint8Array): OpenKey | null | undefined;
  /** Resolves when `find` has an answer. */
  fetch(scope: string, wrapped: Uint8Array): Promise<void>;
  /** The key under which this process seals new messages of a scope; undefined where it is not at hand. */
  own(scope: string): OwnKey | undefined;
  makeOwn(scope: string): Promise<void>;
}

export interface OpenKey extends CipherKeys {
  /** Hashes what the store is searched by. */
  readonly search: KeyObject;
}
interface OwnKey extends OpenKey {
  readonly wrapped: Uint8Array;
}

interface Kept {
  readonly key: OpenKey | null;
  askedMs: number;
  isAsking: boolean;
}

interface DataKeysOptions {
  readonly service: KeyService;
  readonly time: Time;
  /** Milliseconds after which a key is asked for again; 5 minutes where it is not given. */
  readonly keptMs?: number;
  /** Milliseconds for which a key is used while the service does not answer; an hour where it is not given. */
  readonly keptWithoutServiceMs?: number;
}

const keysMax = 10_000;
const ownKeysMax = 4_096;
/** Messages sealed under one data key before another is made: with what follows from them fewer than 2^32 records. */
const ownUsesMax = 2 ** 27;

export function createDataKeys(options: DataKeysOptions): DataKeys {
  const { service, time, keptMs = 300_000, keptWithoutServiceMs = 3_600_000 } = options;
  const kept = createKeptKeys(time, keptWithoutServiceMs);
  const fetching = new Map<string, Promise<void>>();
  const own = createOwnKeys();
  const unwrap = gatherCalls<WrappedKey, Uint8Array | null>({
    time,
    itemsMax: keysAtOnceMax,
    isRepeatedAlone: true,
    call: (keys) => service.unwrap(keys),
  });
  const derive = gatherCalls<string, Uint8Array | null>({
    time,
    itemsMax: keysAtOnceMax,
    isRepeatedAlone: true,
    call: (scopes) => service.derive(scopes),
  });

  /** #1 */
  async function ask(id: string, scope: string, wrapped: Uint8Array): Promise<void> {
    const [secret, searchSecret] = await Promise.all([unwrap({ scope, wrapped }), derive(scope)]);
    kept.keep(id, secret === null || searchSecret === null ? null : openKey(secret, searchSecret));
  }

  function fetchOnce(id: string, scope: string, wrapped: Uint8Array): Promise<void> {
    const known = fetching.get(id);
    if (known !== undefined) return known;
    const started = ask(id, scope, wrapped).finally(() => fetching.delete(id));
    fetching.set(id, started);
    return started;
  }

  return {
    find(scope, wrapped) {
      const id = keyId(scope, wrapped);
      const one = kept.find(id);
      // #2
      if (one !== undefined && !one.isAsking && time.monotonicMs() - one.askedMs > keptMs) {
        one.isAsking = true;
        fetchOnce(id, scope, wrapped).catch(() => (one.isAsking = false));
      }
      return one?.key;
    },
    fetch: (scope, wrapped) => fetchOnce(keyId(scope, wrapped), scope, wrapped),
    own: (scope) => own.use(scope),
    async makeOwn(scope) {
      const [key, searchSecret] = [await service.create(scope), await derive(scope)];
      if (key === null || searchSecret === null)
        throw new Fault("secrecy.destroyed", `the key of ${scope} was destroyed`, { isRetryable: true });
      const opened = { ...openKey(key.plain, searchSecret), wrapped: key.wrapped };
      own.set(scope, opened);
      kept.keep(keyId(scope, key.wrapped), opened);
    },
  };
}

function openKey(secret: Uint8Array, searchSecret: Uint8Array): OpenKey {
  return { ...deriveSealKeys(secret), search: deriveKey(searchSecret, "search") };
}

/** #3, #4 */
function createKeptKeys(time: Time, keptMaxMs: number) {
  const kept = new Map<string, Kept>();
  return {
    keep(id: string, key: OpenKey | null): void {
      kept.delete(id);
      kept.set(id, { key, askedMs: time.monotonicMs(), isAsking: false });
      dropOldest(kept, keysMax);
    },
    find(id: string): Kept | undefined {
      const one = kept.get(id);
      if (one === undefined) return undefined;
      if (time.monotonicMs() - one.askedMs > keptMaxMs) {
        kept.delete(id);
        return undefined;
      }
      // A map keeps the order in which its entries were set. While there is room, nobody has to be last.
      if (kept.size > keysMax / 2) {
        kept.delete(id);
        kept.set(id, one);
      }
      return one;
    },
  };
}

/** #5. The keys that this process seals with, each for a bounded number of messages. */
function createOwnKeys() {
  const owned = new Map<string, { readonly key: OwnKey; uses: number }>();
  return {
    set(scope: string, key: OwnKey): void {
      for (const other of owned.keys()) if (monthOf(other) < monthOf(scope)) owned.delete(other);
      owned.delete(scope);
      owned.set(scope, { key, uses: 0 });
      dropOldest(owned, ownKeysMax);
    },
    use(scope: string): OwnKey | undefined {
      const one = owned.get(scope);
      if (one === undefined || one.uses >= ownUsesMax) return undefined;
      one.uses += 1;
      return one.key;
    },
  };
}

function monthOf(scope: string): string {
  return scope.slice(scope.indexOf("/") + 1);
}

function dropOldest(map: Map<string, unknown>, max: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= max) break;
    map.delete(oldest);
  }
}

/** Wrapped keys are short: their bytes as text are the name. */
function keyId(scope: string, wrapped: Uint8Array): string {
  return `${scope} ${Buffer.from(wrapped.buffer, wrapped.byteOffset, wrapped.byteLength).toString("latin1")}`;
}
