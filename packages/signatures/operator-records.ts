// Signatures of operators' records: the console signs what an operator decided, and the service that would act on it
// verifies that. A broker knows who may write a topic, and not which records.
//
// #1 It covers the topic, the key, the bytes of the value, and the headers that say what the record is for. A trace is
//    not among them, nor the mark of a replayed dead letter: a replay is the same decision, with the same signature.
// #2 When it was appended decides what counts: a record from before `requiredFromMs` is judged as it was then, and a
//    key counts for records up to its end. So a rebuild judges each record as it was judged at first, as long as ended
//    keys stay in the configuration.
// #3 A record that is repeated as it is carries the same action, and an action counts once.

import { createPublicKey, hash } from "node:crypto";
import type { MessageKey } from "@sluice/kernel";
import { isSignatureOf, type KnownKeys, openMessageKeys, signText } from "./message-keys.ts";
import type { OwnKey } from "./signing-key.ts";

export interface OperatorSignatures {
  /** Epoch milliseconds from which on an operator's record counts only with a signature. */
  readonly requiredFromMs: number;
  readonly keys: readonly MessageKey[];
}

export interface SignedRecord {
  readonly topic: string;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export interface AppendedRecord extends SignedRecord {
  readonly appendedAtMs: number;
}

export const recordRefusalReasons = ["not-signed", "key-unknown", "key-ended", "signature-wrong"] as const;
export type RecordRefusalReason = (typeof recordRefusalReasons)[number];

export const operatorSignatureHeader = "sluice-operator-signature";
/** #1 */
export const coveredHeaders = ["sluice-skip", "sluice-unreadable-batch", "sluice-quarantined-from", "sluice-quarantined-to"] as const;

/** Returns the value of the header; `keyId` is the name of the key in the configuration. */
export function signRecord(key: OwnKey, keyId: string, record: SignedRecord): string {
  return `${keyId}=${Buffer.from(signText(key, signedText(record))).toString("base64")}`;
}

/** The name under which the configuration has the public half of a key; null: it has not. */
export function findOwnKeyId(key: OwnKey, { keys }: OperatorSignatures): string | null {
  const own = createPublicKey(key.key).export({ format: "der", type: "spki" }).toString("base64");
  return keys.find(({ publicKey }) => publicKey === own)?.id ?? null;
}

/** Returns a function that says why an operator's record does not count; null: it counts. */
export function createRecordJudge(settings: () => OperatorSignatures | null): (record: AppendedRecord) => RecordRefusalReason | null {
  let opened: { readonly from: readonly MessageKey[]; readonly keys: KnownKeys } | null = null;
  return (record) => {
    const now = settings();
    if (now === null || record.appendedAtMs < now.requiredFromMs) return null;
    if (opened?.from !== now.keys) opened = { from: now.keys, keys: openMessageKeys(now.keys) };
    return judgeRecord(record, opened.keys);
  };
}

function judgeRecord(record: AppendedRecord, keys: KnownKeys): RecordRefusalReason | null {
  const [, keyId, signature] = /^([^=]+)=([A-Za-z0-9+/]+=*)$/.exec(record.headers[operatorSignatureHeader] ?? "") ?? [];
  if (keyId === undefined || signature === undefined) return "not-signed";
  const key = keys.get(keyId);
  if (key === undefined) return "key-unknown";
  // #2
  if (key.notAfterMs !== null && record.appendedAtMs > key.notAfterMs) return "key-ended";
  return isSignatureOf(key, signedText(record), Buffer.from(signature, "base64")) ? null : "signature-wrong";
}

function signedText({ topic, key, value, headers }: SignedRecord): string {
  const digests = [key, value].map((bytes) => (bytes === null ? "-" : hash("sha256", bytes, "hex")));
  const covered = coveredHeaders.flatMap((name) => (headers[name] === undefined ? [] : [`${name}: ${headers[name]}`]));
  return ["sluice-operator-record/1", topic, ...digests, ...covered].join("\n");
}
