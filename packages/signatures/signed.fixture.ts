// Messages that a caller signs, and what can be wrong with them. Signed by another implementation of RFC 9421 than the
// one under test.

import { constants, createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { httpbis } from "http-message-signatures";
import type { MessageKey } from "@sluice/kernel";
import type { RequestHead } from "./index.ts";

export const nowMs = Date.UTC(2026, 10, 20, 6);
export const nowS = nowMs / 1_000;
export const body = Buffer.from('{"schema":"DirectDebit"}');
export const address = new URL("https://payments.example/transactions/outbound/direct-debit");

export interface CallerKey {
  readonly pair: { readonly privateKey: KeyObject; readonly publicKey: KeyObject };
  readonly algorithm: string;
  readonly sign: (text: Buffer) => Buffer;
}

const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 };
const ed25519 = generateKeyPairSync("ed25519");
const ec = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 });

export const callerKeys = {
  ed25519: { pair: ed25519, algorithm: "ed25519", sign: (text) => sign(null, text, ed25519.privateKey) },
  ec: { pair: ec, algorithm: "ecdsa-p256-sha256", sign: (text) => sign("sha256", text, { key: ec.privateKey, dsaEncoding: "ieee-p1363" }) },
  rsa: { pair: rsa, algorithm: "rsa-pss-sha512", sign: (text) => sign("sha512", text, { key: rsa.privateKey, ...pss }) },
} as const satisfies Record<string, CallerKey>;

export function messageKey(id: string, { pair }: CallerKey, notAfterMs: number | null = null): MessageKey {
  return { id, publicKey: pair.publicKey.export({ format: "der", type: "spki" }).toString("base64"), notAfterMs };
}

export interface SigningOptions {
  readonly key?: CallerKey;
  readonly keyId?: string;
  readonly fields?: readonly string[];
  readonly params?: readonly string[];
  readonly values?: Readonly<Record<string, unknown>>;
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export const digestOf = (content: Buffer): string => `sha-256=:${createHash("sha256").update(content).digest("base64")}:`;

/** Returns all headers of the signed message. */
export async function signedBy(options: SigningOptions = {}): Promise<Record<string, string>> {
  const { key = callerKeys.ed25519, keyId = "first-2026", fields = ["@method", "@target-uri", "content-digest"], headers = {} } = options;
  const message = {
    method: options.method ?? "POST",
    url: options.url ?? address.href,
    headers: { "content-type": "application/json", "content-digest": digestOf(options.body ?? body), ...headers },
  };
  const times = { created: new Date(nowMs), expires: new Date(nowMs + 60_000) };
  const signed = await httpbis.signMessage(
    {
      key: { id: keyId, alg: key.algorithm, sign: async (text) => await Promise.resolve(key.sign(text)) },
      fields: [...fields],
      params: [...(options.params ?? ["created", "expires", "keyid", "alg"])],
      paramValues: { ...times, ...options.values },
    },
    message,
  );
  return Object.fromEntries(Object.entries(signed.headers).map(([name, value]) => [name.toLowerCase(), value]));
}

export function headWith(headers: Readonly<Record<string, string>>, method = "POST", url: URL = address): RequestHead {
  return { method, url, isOriginKnown: true, header: (name) => headers[name] ?? null };
}
