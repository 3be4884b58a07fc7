import { verify } from "node:crypto";
import { httpbis, type Request, type Response, type SignatureParameters } from "http-message-signatures";
import { expect, it } from "vitest";
import { judgeHead, openMessageKeys, readSigningKey, signReceipt, signRequest } from "./index.ts";
import { body, callerKeys, headWith, messageKey, nowMs, nowS, signedBy } from "./signed.fixture.ts";

const { privateKey, publicKey } = callerKeys.ed25519.pair;
const own = readSigningKey(privateKey.export({ format: "pem", type: "pkcs8" }), "sluice-1");
const bankUrl = new URL("https://bank.example/base/inbound/direct-debit");

/** What another implementation says of what we signed. */
async function isVerified(message: Request | Response, request: Request | undefined, params: SignatureParameters): Promise<boolean | null> {
  const key = {
    id: "sluice-1",
    algs: ["ed25519"],
    verify: async (text: Buffer, signature: Buffer) => await Promise.resolve(verify(null, text, publicKey, signature)),
  };
  let seen: SignatureParameters = {};
  const config = {
    keyLookup: async (given: SignatureParameters) => {
      seen = given;
      return await Promise.resolve(key);
    },
    notAfter: new Date(8.64e15),
    tolerance: 1e9,
  };
  const verified =
    "status" in message ? await httpbis.verifyMessage(config, message, request) : await httpbis.verifyMessage(config, message);
  expect(seen).toMatchObject(params);
  return verified;
}

it("signs a message with its method, its whole address, its digest and its id, as another implementation verifies it", async () => {
  const headers = { "webhook-id": "m1", "sluice-sequence": "3" };
  const head = headWith(headers, "POST", bankUrl);
  const added = signRequest(own, { ...head, body }, nowS);
  expect(added["signature-input"]).toBe(
    `sluice=("@method" "@target-uri" "content-digest" "webhook-id" "sluice-sequence");created=${nowS};expires=${nowS + 300};keyid="sluice-1";alg="ed25519";tag="sluice-message"`,
  );
  const sent = { method: "POST", url: bankUrl.href, headers: { ...headers, ...added } };
  const tag = { tag: "sluice-message" };
  expect(await isVerified(sent, undefined, tag)).toBe(true);
  expect(await isVerified({ ...sent, url: "https://other.example/base/inbound/direct-debit" }, undefined, tag)).toBe(false);
  expect(await isVerified({ ...sent, headers: { ...sent.headers, "webhook-id": "m2" } }, undefined, tag)).toBe(false);
});

it("signs a receipt that is bound to the signature of its request", async () => {
  const headers = await signedBy();
  const head = headWith(headers);
  const judged = judgeHead(head, openMessageKeys([messageKey("first-2026", callerKeys.ed25519)]), nowMs);
  if (!judged.ok) throw new Error(judged.reason);
  const added = signReceipt(own, head, judged.verified, nowS);
  expect(added["signature-input"]).toBe(
    `sluice=("@status" "@method";req "@path";req "content-digest";req "signature";req;key="sig");created=${nowS};expires=${nowS + 300};keyid="sluice-1";alg="ed25519";tag="sluice-receipt"`,
  );
  const request = { method: "POST", url: head.url.href, headers };
  const answer = { status: 202, headers: { ...added } };
  const tag = { tag: "sluice-receipt" };
  expect(await isVerified(answer, request, tag)).toBe(true);
  expect(await isVerified({ ...answer, status: 200 }, request, tag)).toBe(false);
  const another = await signedBy({ values: { created: new Date(nowMs - 1_000) } });
  expect(await isVerified(answer, { ...request, headers: another }, tag)).toBe(false);
});

it("names a key without a name by its thumbprint, so that another key has another name", () => {
  // RFC 8037, appendix A.3.
  const d = Buffer.from("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A", "base64url");
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), d]);
  const pem = `-----BEGIN PRIVATE KEY-----\n${der.toString("base64")}\n-----END PRIVATE KEY-----\n`;
  expect(readSigningKey(pem).id).toBe("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
});

it.each(["", "no key", publicKey.export({ format: "pem", type: "spki" })])(
  "refuses a file that is no private key, and repeats nothing of it",
  (text) => {
    expect(() => readSigningKey(text)).toThrow(/^no-signing-key$/);
  },
);
