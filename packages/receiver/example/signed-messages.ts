// Messages signed in both directions by RFC 9421 and RFC 9530, with nothing but Node: a bank signs what it sends,
// checks the receipt in the answer, and checks what it gets. Every key here is ed25519.

import { createHash, sign, verify, type KeyObject } from "node:crypto";

type Headers = Readonly<Record<string, string>>;

function digestOf(body: Uint8Array): string {
  return `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
}

/** Returns the headers to add to a POST. `url` is the whole address, as you call it. */
export function signMessage(key: KeyObject, keyId: string, url: string, body: Uint8Array, nowS: number) {
  const digest = digestOf(body);
  const parameters = `("@method" "@target-uri" "content-digest");created=${nowS};expires=${nowS + 60};keyid="${keyId}"`;
  const base = [`"@method": POST`, `"@target-uri": ${url}`, `"content-digest": ${digest}`, `"@signature-params": ${parameters}`].join("\n");
  const signature = sign(null, Buffer.from(base), key).toString("base64");
  return { "content-digest": digest, "signature-input": `sig=${parameters}`, signature: `sig=:${signature}:` };
}

/** Tells whether an answer is Sluice's receipt for what `sent` was added to. */
export function isReceipt(key: KeyObject, url: string, sent: ReturnType<typeof signMessage>, status: number, answer: Headers): boolean {
  return isSigned(key, answer, {
    '"@status"': String(status),
    '"@method";req': "POST",
    '"@path";req': new URL(url).pathname,
    '"content-digest";req': sent["content-digest"],
    '"signature";req;key="sig"': sent.signature.slice("sig=".length),
  });
}

/** Tells whether a message is Sluice's. `url` is your address as Sluice has it, with the path of this message. */
export function isFromSluice(key: KeyObject, url: string, headers: Headers, body: Uint8Array, nowS: number): boolean {
  const created = Number(/;created=(\d+)/.exec(headers["signature-input"] ?? "")?.[1]);
  if (!(Math.abs(nowS - created) <= 300) || headers["content-digest"] !== digestOf(body)) return false;
  const named = ["webhook-id", "sluice-sequence", "sluice-previous-id"].filter((name) => headers[name] !== undefined);
  const values = ["content-digest", ...named].map((name) => [`"${name}"`, headers[name] ?? ""]);
  return isSigned(key, headers, { '"@method"': "POST", '"@target-uri"': url, ...Object.fromEntries(values) });
}

/** Only a signature over exactly these components counts: what is not signed could be anybody's. */
function isSigned(key: KeyObject, headers: Headers, components: Readonly<Record<string, string>>): boolean {
  const parameters = /^sluice=(.+)$/.exec(headers["signature-input"] ?? "")?.[1] ?? "";
  const signature = /^sluice=:(.+):$/.exec(headers["signature"] ?? "")?.[1] ?? "";
  if (!parameters.startsWith(`(${Object.keys(components).join(" ")});`)) return false;
  const lines = Object.entries(components).map(([name, value]) => `${name}: ${value}`);
  const base = [...lines, `"@signature-params": ${parameters}`].join("\n");
  return verify(null, Buffer.from(base), key, Buffer.from(signature, "base64"));
}
