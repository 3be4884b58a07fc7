// The digest of a body in a header (RFC 9530).
//
// #1 Every digest of a known algorithm must fit. One of an unknown algorithm alone says nothing.

import { hash, timingSafeEqual } from "node:crypto";
import { parseDictionary, serializeDictionary } from "structured-headers";

const algorithms = { "sha-256": "sha256", "sha-512": "sha512" } as const;

export function contentDigest(body: Uint8Array): string {
  return serializeDictionary(new Map([["sha-256", [hash("sha256", body, "buffer"), new Map()]]]));
}

/** #1 */
export function isDigestOf(header: string, body: Uint8Array): boolean {
  const digests = readDigests(header);
  return digests !== null && digests.every(({ algorithm, digest }) => isEqual(digest, hash(algorithms[algorithm], body, "buffer")));
}

/** Tells whether there is a digest that can be judged, before the body is there. */
export function isDigest(header: string): boolean {
  return readDigests(header) !== null;
}

interface Digest {
  readonly algorithm: keyof typeof algorithms;
  readonly digest: Uint8Array;
}

/** Null: there is none of a known algorithm. */
function readDigests(header: string): readonly Digest[] | null {
  try {
    const given = parseDictionary(header);
    const digests = (["sha-256", "sha-512"] as const).flatMap((algorithm) => {
      const found = given.get(algorithm);
      return found === undefined
        ? []
        : [{ algorithm, digest: found[0] instanceof ArrayBuffer ? new Uint8Array(found[0]) : new Uint8Array() }];
    });
    return digests.length === 0 ? null : digests;
  } catch {
    return null;
  }
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.byteLength === other.byteLength && timingSafeEqual(one, other);
}
