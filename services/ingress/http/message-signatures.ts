// Signatures of messages (RFC 9421): those of callers that must sign, and the receipts that such callers get.
//
// #1 The head is judged before the body is read. The digest that it signs is compared with the body afterwards.
// #2 `@target-uri` and `@authority` are those under which callers reach us: the setting of public origins says them,
//    and not the request, whose host is chosen by who sends it. Without the setting they cannot be covered, because a
//    message that was signed for another installation would count here too.

import { type CallerSettings, type Configuration, listCallers } from "@sluice/config";
import type { Time } from "@sluice/kernel";
import {
  type AddedHeaders,
  isSignedBody,
  judgeHead,
  type KnownKeys,
  openMessageKeys,
  type OwnKey,
  type RequestHead,
  type SignatureRefusalReason,
  signReceipt,
  type VerifiedSignature,
} from "@sluice/signatures";
import { problemResponse, type ServedRequest } from "@sluice/service";
import { createReceiptKeys, type ReceiptKey, type ReceiptKeyPorts } from "./receipt-keys.ts";

export interface SignatureJudge {
  /** Null: the caller need not sign. */
  judge(caller: string, request: ServedRequest): JudgedHead | null;
  replace(configuration: Configuration): void;
  stop(): Promise<void>;
}

export type JudgedHead =
  | { readonly ok: true; readonly message: SignedMessage }
  | { readonly ok: false; readonly reason: SignatureRefusalReason };

interface SignedMessage {
  readonly keyId: string;
  isBody(body: Uint8Array): boolean;
  /** Null: the caller gets no receipt. `not-read`: it must get one, and the key cannot be had. */
  openReceipt(): Promise<SignedReceipt | "not-read" | null>;
}

interface SignedReceipt {
  /** The headers of the 202. */
  sign(): AddedHeaders;
}

interface SignaturePorts extends ReceiptKeyPorts {
  readonly configuration: Configuration;
  /** #2 */
  readonly origins: readonly string[];
}

export function createSignatureJudge(ports: SignaturePorts): SignatureJudge {
  const { time, logger, origins } = ports;
  const receiptKeys = createReceiptKeys(ports);
  let keysByCaller: ReadonlyMap<string, KnownKeys> = new Map();

  function replace(configuration: Configuration): void {
    const callers = listCallers(configuration);
    keysByCaller = new Map(callers.flatMap(openKeys));
    if (origins.length === 0 && keysByCaller.size > 0) logger.warn("ingress.origins-not-said", { callers: keysByCaller.size });
    receiptKeys.replace(callers);
  }

  replace(ports.configuration);
  return {
    judge(caller, request) {
      const keys = keysByCaller.get(caller);
      if (keys === undefined) return null;
      const head = readHead(request, origins);
      const judged = judgeHead(head, keys, time.nowMs());
      return judged.ok ? { ok: true, message: toMessage(head, judged.verified, receiptKeys.keyOf(caller), time) } : judged;
    },
    replace,
    stop: () => receiptKeys.stop(),
  };
}

function openKeys({ id, messageSignatures }: CallerSettings): readonly (readonly [string, KnownKeys])[] {
  const keys = messageSignatures?.keys ?? null;
  return keys === null ? [] : [[id, openMessageKeys(keys)]];
}

function toMessage(head: RequestHead, verified: VerifiedSignature, receiptKey: ReceiptKey | null, time: Time): SignedMessage {
  const toReceipt = (key: OwnKey): SignedReceipt => ({
    sign: () => signReceipt(key, head, verified, Math.floor(time.nowMs() / 1_000)),
  });
  return {
    keyId: verified.keyId,
    isBody: (body) => isSignedBody(head, body),
    async openReceipt() {
      if (receiptKey === null) return null;
      const key = await receiptKey.read();
      return key === null ? "not-read" : toReceipt(key);
    },
  };
}

/** #2: of several origins the one that the request names, or the first. */
function readHead(request: ServedRequest, origins: readonly string[]): RequestHead {
  const own = new URL(request.url);
  const origin = origins.find((one) => new URL(one).host === own.host) ?? origins[0];
  const url = origin === undefined ? own : new URL(`${own.pathname}${own.search}`, origin);
  return { method: request.method, url, isOriginKnown: origin !== undefined, header: (name) => request.header(name) };
}

const explained: Readonly<Record<SignatureRefusalReason, string>> = {
  "signature-missing": "Your messages must be signed: the headers signature-input and signature are needed.",
  "signature-malformed": "The signature cannot be read, names another algorithm, or covers what cannot be covered.",
  "signature-incomplete": "The signature must cover @method, @target-uri or @path, and content-digest, and say when it was created.",
  "signature-key-unknown": "The signature names none of your keys.",
  "signature-key-expired": "The key of the signature is past its end.",
  "signature-expired": "The signature is too old, past its end, or ahead of our clock.",
  "signature-wrong": "The signature is not that of this message by this key.",
  "digest-wrong": "The body is not the one whose digest was signed.",
};

export function signatureRefused(reason: SignatureRefusalReason): Response {
  return problemResponse(401, "Signature not accepted", explained[reason], {
    "www-authenticate": `Signature error="${reason}"`,
    connection: "close",
  });
}
