// Signs what we send: a message to a bank, and the 202 that is its receipt (RFC 9421). Pure.
//
// #1 A message is signed with its method, its whole address, the digest of its body, and the headers that name it.
// #2 A receipt is bound to the request that it answers: to its method, path, digest and signature. So it shows for
//    which message it was given, and is of no use for another.
// #3 The tag says what a signature is for, so that one of them is never taken for another.

import { serializeDictionary } from "structured-headers";
import { contentDigest } from "./content-digest.ts";
import { signText } from "./message-keys.ts";
import { buildSignatureBase, type CoveredComponent, componentItem, readComponent, type RequestHead } from "./signature-base.ts";
import type { OwnKey } from "./signing-key.ts";
import type { VerifiedSignature } from "./verify-request.ts";

export type AddedHeaders = Readonly<Record<string, string>>;

interface SentMessage extends Omit<RequestHead, "isOriginKnown"> {
  readonly body: Uint8Array;
}

/** Seconds for which a signature of ours counts. */
const signatureLifeS = 300;

const label = "sluice";
/** The headers that name a message; those that it does not have are not covered. */
const namingHeaders = ["webhook-id", "sluice-sequence", "sluice-previous-id"] as const;

/** #1. Returns the headers to add. */
export function signRequest(key: OwnKey, message: SentMessage, createdS: number): AddedHeaders {
  const digest = contentDigest(message.body);
  const head: RequestHead = {
    ...message,
    isOriginKnown: true,
    header: (name) => (name === "content-digest" ? digest : message.header(name)),
  };
  const components = ["@method", "@target-uri", "content-digest", ...namingHeaders].flatMap((name): readonly CoveredComponent[] => {
    const value = readComponent(name, head);
    return value === null ? [] : [{ item: componentItem(name), value }];
  });
  return { "content-digest": digest, ...sign(key, components, createdS, "sluice-message") };
}

/** #2. Returns the headers of the 202. */
export function signReceipt(
  key: OwnKey,
  request: RequestHead,
  { label: signed, signature }: VerifiedSignature,
  createdS: number,
): AddedHeaders {
  const ofRequest = (name: string, parameters: readonly (readonly [string, string])[] = []) =>
    componentItem(name, new Map<string, string | true>([["req", true], ...parameters]));
  const components = [
    { item: componentItem("@status"), value: "202" },
    ...["@method", "@path", "content-digest"].map((name) => ({ item: ofRequest(name), value: readComponent(name, request) ?? "" })),
    { item: ofRequest("signature", [["key", signed]]), value: `:${Buffer.from(signature).toString("base64")}:` },
  ];
  return sign(key, components, createdS, "sluice-receipt");
}

/** #3 */
function sign(key: OwnKey, components: readonly CoveredComponent[], createdS: number, tag: string): AddedHeaders {
  const parameters = new Map<string, string | number>([
    ["created", createdS],
    ["expires", createdS + signatureLifeS],
    ["keyid", key.id],
    ["alg", key.algorithm],
    ["tag", tag],
  ]);
  const { text, input } = buildSignatureBase(components, parameters);
  return {
    "signature-input": serializeDictionary(new Map([[label, input]])),
    signature: serializeDictionary(new Map([[label, [signText(key, text), new Map()]]])),
  };
}
