// Verifies the signature of a caller's message (RFC 9421) with the caller's own keys.
//
// #1 It covers at least the method, the address (`@target-uri` or `@path`) and the digest of the body. The message's id
//    is in the body. What else it covers is up to the caller, but components with parameters are refused: their values
//    could be made of other parts of the message than the name says.
// #2 The key decides on the algorithm. A signature that names another one is refused.
// #3 It was made at most `ageMaxS` ago, and not later than `aheadMaxS` from now; where it says when it ends, it has not
//    ended. A message that somebody repeats within that time is a repeat, which has no effect.
// #4 The head is judged before the body is read, because the signature covers the digest alone.
// #5 Of several signatures by the caller's keys one good one is enough, so that keys can overlap. At most
//    `signaturesMax` are looked at.

import { type InnerList, isInnerList, type Item, parseDictionary, type Parameters } from "structured-headers";
import { isDigest, isDigestOf } from "./content-digest.ts";
import { isSignatureOf, type KnownKey, type KnownKeys } from "./message-keys.ts";
import { buildSignatureBase, type CoveredComponent, readComponent, type RequestHead } from "./signature-base.ts";

export type SignatureRefusalReason =
  | "signature-missing"
  | "signature-malformed"
  | "signature-incomplete"
  | "signature-key-unknown"
  | "signature-key-expired"
  | "signature-expired"
  | "signature-wrong"
  | "digest-wrong";

export interface VerifiedSignature {
  readonly keyId: string;
  /** The name of the signature in its headers. */
  readonly label: string;
  readonly signature: Uint8Array;
}

export type SignatureVerdict =
  | { readonly ok: true; readonly verified: VerifiedSignature }
  | { readonly ok: false; readonly reason: SignatureRefusalReason };

/** #3 */
const ageMaxS = 300;
const aheadMaxS = 60;
const headerCharactersMax = 8_192;
const componentsMax = 16;
/** #5 */
const signaturesMax = 4;
const digestHeader = "content-digest";

/** #4. `nowMs` is the time of the machine. */
export function judgeHead(head: RequestHead, keys: KnownKeys, nowMs: number): SignatureVerdict {
  const [input, text] = [head.header("signature-input"), head.header("signature")];
  if (input === null || text === null) return refused("signature-missing");
  if (input.length > headerCharactersMax || text.length > headerCharactersMax) return refused("signature-malformed");
  const signatures = readSignatures(input, text);
  if (signatures === null) return refused("signature-malformed");
  const known = signatures.flatMap((signature) => {
    const key = keys.get(signature.keyId);
    return key === undefined ? [] : [{ signature, key }];
  });
  const verdicts = known.slice(0, signaturesMax).map(({ signature, key }) => judgeSignature(head, signature, key, nowMs));
  return verdicts.find(({ ok }) => ok) ?? verdicts[0] ?? refused("signature-key-unknown");
}

/** Tells whether the body is the one whose digest was signed. */
export function isSignedBody(head: Pick<RequestHead, "header">, body: Uint8Array): boolean {
  return isDigestOf(head.header(digestHeader) ?? "", body);
}

interface GivenSignature {
  readonly label: string;
  readonly keyId: string;
  readonly items: readonly Item[];
  readonly parameters: Parameters;
  readonly bytes: Uint8Array;
}

/** Null: the headers cannot be read, or do not fit together. */
function readSignatures(inputText: string, signatureText: string): readonly GivenSignature[] | null {
  try {
    const [inputs, signatures] = [parseDictionary(inputText), parseDictionary(signatureText)];
    return [...inputs].map(([label, input]) => {
      const [bytes, own] = signatures.get(label) ?? [];
      // A receipt covers the value of a signature as it stands, and parameters of it would be lost.
      if (!isInnerList(input) || !(bytes instanceof ArrayBuffer) || (own?.size ?? 0) > 0) throw new Error("no signature");
      return toGivenSignature(label, input, new Uint8Array(bytes));
    });
  } catch {
    return null;
  }
}

function toGivenSignature(label: string, [items, parameters]: InnerList, bytes: Uint8Array): GivenSignature {
  const keyId = parameters.get("keyid");
  return { label, keyId: typeof keyId === "string" ? keyId : "", items, parameters, bytes };
}

function judgeSignature(head: RequestHead, given: GivenSignature, key: KnownKey, nowMs: number): SignatureVerdict {
  const { parameters, items } = given;
  const algorithm = parameters.get("alg");
  // #2
  if (algorithm !== undefined && algorithm !== key.algorithm) return refused("signature-malformed");
  const names = items.map(([name, own]) => (typeof name === "string" && own.size === 0 ? name : ""));
  const components = readComponents(head, items, names);
  if (components === null || new Set(names).size < names.length) return refused("signature-malformed");
  if (!isComplete(names) || !isDigest(head.header(digestHeader) ?? "")) return refused("signature-incomplete");
  const time = judgeTimes(parameters, nowMs);
  if (time !== null) return refused(time);
  if (key.notAfterMs !== null && nowMs > key.notAfterMs) return refused("signature-key-expired");
  const { text } = buildSignatureBase(components, parameters);
  if (!isSignatureOf(key, text, given.bytes)) return refused("signature-wrong");
  return { ok: true, verified: { keyId: key.id, label: given.label, signature: given.bytes } };
}

/** #1 */
function isComplete(names: readonly string[]): boolean {
  return names.includes("@method") && names.includes(digestHeader) && (names.includes("@target-uri") || names.includes("@path"));
}

/** #1. Null: one of them cannot be covered, or the message has none. */
function readComponents(head: RequestHead, items: readonly Item[], names: readonly string[]): readonly CoveredComponent[] | null {
  if (items.length > componentsMax) return null;
  const values = names.map((name) => readComponent(name, head));
  return values.includes(null) ? null : items.map((item, index) => ({ item, value: values[index] ?? "" }));
}

/** #3. Null: they are good. */
function judgeTimes(parameters: Parameters, nowMs: number): "signature-incomplete" | "signature-malformed" | "signature-expired" | null {
  const [created, expires] = [parameters.get("created"), parameters.get("expires")];
  if (created === undefined) return "signature-incomplete";
  if (!isSeconds(created) || !(expires === undefined || isSeconds(expires))) return "signature-malformed";
  const nowS = nowMs / 1_000;
  if (created > nowS + aheadMaxS || created < nowS - ageMaxS) return "signature-expired";
  return expires !== undefined && expires < nowS ? "signature-expired" : null;
}

function isSeconds(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value);
}

function refused(reason: SignatureRefusalReason): SignatureVerdict {
  return { ok: false, reason };
}
