// A serde that seals records with personal members, over the one that encodes them.
//
// #1 A sealed record has the whole record encrypted, and in clear what is left of it without its personal members. So
//    one that is erased can still be folded, and nothing depends on putting two halves together.
// #2 The tag binds the record to its topic, its key, its name and scope, and to what it shows in clear.
// #3 What follows from a record is sealed under the data key of that record, or not at all where it is clear. So a
//    replay gives the same bytes, whatever the configuration says by then.
// #4 Clear records are read as before. Readers of an older release know no SealedRecord: their partition waits.

import {
  type AnyDecodedRecord,
  readSchemaId,
  type RecordName,
  type Records,
  type Seal,
  type SealedRecord,
  type Serde,
} from "@sluice/contracts";
import { Fault } from "@sluice/kernel";
import { hashTerm, openBytes, sealBytes } from "./cipher.ts";
import type { DataKeys, OpenKey } from "./data-keys.ts";
import { hasPersonalMembers, spliceLastBytes, withholdPersonal } from "./withhold.ts";

const suite = 1;
/** A registry holds a few schemas for each record. */
const schemasMax = 10_000;

interface SealingSerdeOptions {
  readonly serde: Serde;
  /** Null: no key service is configured; sealed records then make their readers wait. */
  readonly keys: DataKeys | null;
}

export function createSealingSerde({ serde, keys }: SealingSerdeOptions): Serde {
  /** The envelope of records that others follow from, as long as somebody has their bytes. */
  const outers = new WeakMap<Uint8Array, SealedRecord>();
  /** Schemas that are not the envelope's: their records are not decoded to learn that they are clear. */
  const clearSchemas = new Set<number>();
  const isClearKnown = createClearCheck(serde);

  /** Null: the record is clear. */
  function readOuter(bytes: Uint8Array): SealedRecord | null {
    const known = outers.get(bytes);
    if (known !== undefined) return known;
    const schema = readSchemaId(bytes);
    if (clearSchemas.has(schema)) return null;
    const decoded = serde.decode(bytes);
    if (decoded.name === "SealedRecord") {
      outers.set(bytes, decoded.value);
      return decoded.value;
    }
    if (clearSchemas.size < schemasMax) clearSchemas.add(schema);
    return null;
  }

  function encode<N extends RecordName>(name: N, value: Records[N], seal: Seal | null = null): Uint8Array {
    if (seal === null || !hasPersonalMembers(name)) return serde.encode(name, value);
    const under = "scope" in seal.under ? findOwnKey(keys, seal.under.scope) : findKeyOf(keys, readOuter(seal.under.as));
    if (under === null) return serde.encode(name, value);
    return sealRecord(serde, { name, value, seal, under });
  }

  function decode(bytes: Uint8Array): AnyDecodedRecord {
    const decoded = serde.decode(bytes);
    return decoded.name === "SealedRecord" ? open(decoded.value) : decoded;
  }

  function open(sealed: SealedRecord): AnyDecodedRecord {
    const key = requireKey(keys, sealed);
    if (key === null) return { ...serde.decode(sealed.clear), isErased: true };
    return requireNamed(serde.decode(openContent(key, sealed)), sealed.record);
  }

  /** The record's own schema may be unknown as well; it is in the header of both of its forms. */
  async function learn(bytes: Uint8Array): Promise<void> {
    if (!isKnown(serde, bytes)) await serde.learn(bytes);
    const outer = serde.decode(bytes);
    if (outer.name !== "SealedRecord") return;
    const { scope, wrappedKey, clear } = outer.value;
    await Promise.all([
      keys === null ? noService() : keys.fetch(scope, wrappedKey),
      isKnown(serde, clear) ? undefined : serde.learn(clear),
    ]);
  }

  return {
    encode,
    decode,
    learn,
    knows(bytes) {
      try {
        const outer = readOuter(bytes);
        return outer === null || (keys?.find(outer.scope, outer.wrappedKey) !== undefined && isClearKnown(outer));
      } catch (error) {
        return !(error instanceof Fault && error.isRetryable);
      }
    },
    isErased(bytes) {
      const outer = readOuter(bytes);
      return outer !== null && requireKey(keys, outer) === null;
    },
    makeKey: (scope) => (keys === null ? noService() : keys.makeOwn(scope)),
    searchTerm(record, text) {
      const outer = readOuter(record);
      if (outer === null) return text;
      const key = requireKey(keys, outer);
      return key === null ? null : hashTerm(key.search, text);
    },
  };
}

interface Sealing<N extends RecordName> {
  readonly name: N;
  readonly value: Records[N];
  readonly seal: Seal;
  readonly under: FoundKey;
}

/** #1 */
function sealRecord<N extends RecordName>(serde: Serde, { name, value, seal, under }: Sealing<N>): Uint8Array {
  const clear = serde.encode(name, withholdPersonal(name, value));
  const content = spliceLastBytes(name, value, clear) ?? serde.encode(name, value);
  const { topic, key } = seal;
  const { scope, wrappedKey } = under;
  const { nonce, sealed } = sealBytes(under.key, associatedData({ record: name, topic, key, scope, suite }, clear), content);
  return serde.encode("SealedRecord", { record: name, topic, key, suite, scope, wrappedKey, nonce, clear, sealed });
}

interface FoundKey {
  readonly key: OpenKey;
  readonly scope: string;
  readonly wrappedKey: Uint8Array;
}

function findOwnKey(keys: DataKeys | null, scope: string): FoundKey {
  const own = keys?.own(scope);
  if (own === undefined) throw noKey(scope);
  return { key: own, scope, wrappedKey: own.wrapped };
}

/** #3. Null: the record that this one follows from is clear. */
function findKeyOf(keys: DataKeys | null, before: SealedRecord | null): FoundKey | null {
  if (before === null) return null;
  const key = requireKey(keys, before);
  if (key === null) throw new Fault("contracts.erased", "nothing follows from an erased record", { isRetryable: false });
  return { key, scope: before.scope, wrappedKey: before.wrappedKey };
}

/** Returns null where the key was destroyed. */
function requireKey(keys: DataKeys | null, { scope, wrappedKey }: SealedRecord): OpenKey | null {
  const key = keys?.find(scope, wrappedKey);
  if (key === undefined) throw noKey(scope);
  return key;
}

function openContent(key: OpenKey, sealed: SealedRecord): Uint8Array {
  if (sealed.suite !== suite) throw new Fault("contracts.unknown-symbol", `sealed by suite ${sealed.suite}`, { isRetryable: true });
  const content = openBytes(key, associatedData(sealed, sealed.clear), sealed.nonce, sealed.sealed);
  if (content === null) throw new Fault("contracts.unreadable", "a sealed record that is not what was sealed", { isRetryable: false });
  return content;
}

/** A record that is sealed again inside, or under another name, was not made here. */
function requireNamed(decoded: AnyDecodedRecord, name: string): AnyDecodedRecord {
  if (decoded.name === name) return decoded;
  throw new Fault("contracts.unreadable", `a sealed ${name} that holds another record`, { isRetryable: false });
}

/** #2. Each part has its length before it, so that no two places have one text. */
function associatedData({ topic, key, record, scope, suite }: Place, clear: Uint8Array): Uint8Array {
  const places = `${topic.length}:${topic}${key.length}:${key}${record.length}:${record}${scope.length}:${scope}${String(suite).length}:${suite}`;
  const length = Buffer.byteLength(places);
  const associated = Buffer.allocUnsafe(length + clear.length);
  associated.write(places);
  associated.set(clear, length);
  return associated;
}

type Place = Pick<SealedRecord, "topic" | "key" | "record" | "scope" | "suite">;

/** Whether what a sealed record shows in clear can be decoded. A schema that is known once stays known. */
function createClearCheck(serde: Serde): (outer: SealedRecord) => boolean {
  const known = new Set<number>();
  return ({ clear }) => {
    const schema = readSchemaId(clear);
    if (known.has(schema)) return true;
    if (!isKnown(serde, clear)) return false;
    if (known.size < schemasMax) known.add(schema);
    return true;
  };
}

function isKnown(serde: Serde, bytes: Uint8Array): boolean {
  try {
    serde.decode(bytes);
    return true;
  } catch (error) {
    return !(error instanceof Fault && error.isRetryable);
  }
}

function noKey(scope: string): Fault {
  return new Fault("contracts.no-key", `the key of ${scope} is not at hand`, { isRetryable: true });
}

function noService(): Promise<never> {
  return Promise.reject(new Fault("secrecy.no-service", "no key service is configured, and a record is sealed", { isRetryable: true }));
}
