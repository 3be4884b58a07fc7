// Signatures as the file has them: of messages (RFC 9421) in both directions for a bank or a connector, and of
// operators' records.
//
// #1 The kind of a key decides on the algorithm. A key of another kind is refused here, not at the first message.

import { createPublicKey } from "node:crypto";
import type { MessageKey } from "@sluice/kernel";
import { findSignatureAlgorithm, signatureAlgorithms } from "@sluice/kernel/signature-key";
import { z } from "zod";
import type { ConfiguredOperatorSignatures, MessageSignatures } from "../configuration.ts";
import { end } from "./held-tokens.ts";

const file = z.string().min(1, "must not be empty").max(1_024, "at most 1024 characters");
/** Stands between quotes in a header. */
const keyId = z.string().regex(/^[A-Za-z0-9._:/-]{1,128}$/, "1 to 128 of A-Z, a-z, 0-9 and . _ : / -");
const publicKey = z
  .string()
  .max(1_024, "at most 1024 characters")
  .refine(isMessageKey, `a public key in base64 (SubjectPublicKeyInfo) for ${signatureAlgorithms.join(", ")}`);

const keysMax = 4;
/** Ended keys of consoles stay for as long as the journal. */
const consoleKeysMax = 64;

const ownKey = z.strictObject({ keyFile: file, keyId: keyId.nullable().default(null) });

function publicKeys(most: number) {
  return z
    .array(z.strictObject({ id: keyId, publicKey, notAfter: end.nullable().default(null) }))
    .min(1, "at least one")
    .max(most)
    .refine((keys) => new Set(keys.map(({ id }) => id)).size === keys.length, "an id twice")
    .refine((keys) => new Set(keys.map((key) => key.publicKey)).size === keys.length, "a key twice");
}

export const operatorSignaturesSchema = z.strictObject({ requiredFrom: end, keys: publicKeys(consoleKeysMax) });

const messageSignatures = z
  .strictObject({
    keys: publicKeys(keysMax).nullable().default(null),
    deliveries: ownKey.nullable().default(null),
    receipts: ownKey.nullable().default(null),
  })
  .refine(({ keys, receipts }) => receipts === null || keys !== null, {
    message: "only together with keys: a receipt is bound to the signature of the message",
    path: ["receipts"],
  });

/** A member of banks and connectors. */
export const signatureMembers = { messageSignatures: messageSignatures.nullable().default(null) };

type SignaturesInFile = z.infer<typeof messageSignatures>;

export function toMessageSignatures(file: SignaturesInFile | null): MessageSignatures | null {
  return file === null ? null : { ...file, keys: file.keys === null ? null : toMessageKeys(file.keys) };
}

export function toOperatorSignatures(file: z.infer<typeof operatorSignaturesSchema> | null): ConfiguredOperatorSignatures | null {
  return file === null ? null : { requiredFromMs: file.requiredFrom, keys: toMessageKeys(file.keys) };
}

function toMessageKeys(keys: NonNullable<SignaturesInFile["keys"]>): readonly MessageKey[] {
  return keys.map(({ notAfter, ...same }) => ({ ...same, notAfterMs: notAfter }));
}

/** #1 */
function isMessageKey(text: string): boolean {
  try {
    const der = Buffer.from(text, "base64");
    return der.toString("base64") === text && findSignatureAlgorithm(createPublicKey({ key: der, format: "der", type: "spki" })) !== null;
  } catch {
    return false;
  }
}
