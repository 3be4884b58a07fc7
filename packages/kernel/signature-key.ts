// Keys of message signatures (RFC 9421), and the algorithm of each.
//
// #1 The kind of a key decides on its algorithm: nothing in a message chooses one.

import type { KeyObject } from "node:crypto";

export const signatureAlgorithms = ["ed25519", "ecdsa-p256-sha256", "rsa-pss-sha512"] as const;
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number];

/** A public key with which a caller signs its messages. */
export interface MessageKey {
  /** `keyid` of its signatures. */
  readonly id: string;
  /** The key as SubjectPublicKeyInfo, in base64. */
  readonly publicKey: string;
  /** When it ends, in Unix milliseconds; null: it has no end. */
  readonly notAfterMs: number | null;
}

/** Large keys are slow to verify with, and a caller chooses when that is done. */
const modulusBits = { min: 2_048, max: 4_096 } as const;

/** #1. Null: there is no algorithm for such a key. */
export function findSignatureAlgorithm({ asymmetricKeyType: kind, asymmetricKeyDetails: details }: KeyObject): SignatureAlgorithm | null {
  if (kind === "ed25519") return "ed25519";
  if (kind === "ec") return details?.namedCurve === "prime256v1" ? "ecdsa-p256-sha256" : null;
  const bits = kind === "rsa" ? (details?.modulusLength ?? 0) : 0;
  return bits >= modulusBits.min && bits <= modulusBits.max ? "rsa-pss-sha512" : null;
}
