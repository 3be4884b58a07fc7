import { createHmac, createPublicKey, generateKeyPairSync, randomBytes, verify } from "node:crypto";
import * as fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { signatureHeader, createSigner, type WebhookSigner } from "./sign.ts";

const makeSecret = (bytes: Uint8Array): string => `whsec_${Buffer.from(bytes).toString("base64")}`;
const secret = makeSecret(Buffer.alloc(32, 7));
const body = Buffer.from('{"value":1250.50,"name":"Müller"}');
/** The reference library compares with its own clock. */
const timestamp = String(Math.floor(Date.now() / 1_000));
const signed = { id: "m1", timestamp, body };

function ed25519Key() {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const [seed, open] = [
    privateKey.export({ format: "der", type: "pkcs8" }).subarray(-32),
    publicKey.export({ format: "der", type: "spki" }),
  ];
  return {
    secret: `whsk_${seed.toString("base64")}`,
    whole: Buffer.concat([seed, open.subarray(-32)]),
    publicKey: createPublicKey(publicKey.export({ format: "pem", type: "spki" })),
  };
}

function signer(kind: "symmetric" | "ed25519", text: string): WebhookSigner {
  const found = createSigner(kind, text);
  if (found === null) throw new Error("no signer");
  return found;
}

const headersWith = (signature: string): Record<string, string> => ({
  "webhook-id": "m1",
  "webhook-timestamp": timestamp,
  "webhook-signature": signature,
});

describe("signatures", () => {
  it("made with a shared secret are the ones that the reference library makes and verifies [D10.14]", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 24, maxLength: 64 }), fc.json(), (key, text) => {
        const made = signatureHeader([signer("symmetric", makeSecret(key))], { ...signed, body: Buffer.from(text) });
        const webhook = new Webhook(makeSecret(key));
        expect(made).toBe(webhook.sign("m1", new Date(Number(timestamp) * 1_000), text));
        expect(() => webhook.verify(text, headersWith(made))).not.toThrow();
      }),
      { numRuns: 50 },
    );
  });

  it("match the specification's own example", () => {
    const example = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: "1614265330", body: Buffer.from('{"test": 2432232314}') };
    expect(signatureHeader([signer("symmetric", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")], example)).toBe(
      "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    );
  });

  it("cover id, time and every byte", () => {
    const sign = signer("symmetric", secret);
    const whole = sign(signed);
    expect(sign({ ...signed, id: "m2" })).not.toBe(whole);
    expect(sign({ ...signed, timestamp: "1" })).not.toBe(whole);
    expect(sign({ ...signed, body: Buffer.from(body.toString().replace("1250", "1251")) })).not.toBe(whole);
    const webhook = new Webhook(secret);
    expect(() => webhook.verify(`${body.toString()} `, headersWith(whole))).toThrow("No matching signature");
  });

  it("are made over the bytes of a body that is no text", () => {
    const bytes = randomBytes(64);
    const expected = createHmac("sha256", Buffer.alloc(32, 7)).update(`m1.${timestamp}.`).update(bytes).digest("base64");
    expect(signatureHeader([signer("symmetric", secret)], { ...signed, body: bytes })).toBe(`v1,${expected}`);
  });

  it("made with a private key are verified by its public half, whichever way the key is written", () => {
    const { secret: short, whole, publicKey } = ed25519Key();
    for (const text of [short, `whsk_${whole.toString("base64")}`]) {
      const [version, signature = ""] = signatureHeader([signer("ed25519", text)], signed).split(",");
      expect(version).toBe("v1a");
      const content = Buffer.concat([Buffer.from(`m1.${timestamp}.`), body]);
      expect(verify(null, content, publicKey, Buffer.from(signature, "base64"))).toBe(true);
      expect(verify(null, Buffer.concat([content, Buffer.from(" ")]), publicKey, Buffer.from(signature, "base64"))).toBe(false);
    }
  });

  it("of several keys are listed together, and a receiver that knows either accepts them", () => {
    const next = makeSecret(Buffer.alloc(24, 9));
    const made = signatureHeader([signer("symmetric", secret), signer("symmetric", next), signer("ed25519", ed25519Key().secret)], signed);
    expect(made.split(" ").map((one) => one.split(",")[0])).toEqual(["v1", "v1", "v1a"]);
    for (const known of [secret, next]) expect(() => new Webhook(known).verify(body.toString(), headersWith(made))).not.toThrow();
    expect(() => new Webhook(makeSecret(Buffer.alloc(32, 8))).verify(body.toString(), headersWith(made))).toThrow("No matching");
  });

  it("are not made with a key of another kind, a wrong length, no base64, or halves that do not belong together", () => {
    const { whole } = ed25519Key();
    const mixed = Buffer.concat([whole.subarray(0, 32), ed25519Key().whole.subarray(32)]);
    const bad: readonly (readonly ["symmetric" | "ed25519", string])[] = [
      ["symmetric", ""],
      ["symmetric", "whsec_"],
      ["symmetric", makeSecret(Buffer.alloc(23))],
      ["symmetric", makeSecret(Buffer.alloc(65))],
      ["symmetric", `${secret}!`],
      ["symmetric", secret.replace("whsec_", "")],
      ["symmetric", `whsk_${whole.toString("base64")}`],
      ["ed25519", secret],
      ["ed25519", `whsk_${whole.subarray(1, 32).toString("base64")}`],
      ["ed25519", `whsk_${whole.subarray(0, 63).toString("base64")}`],
      ["ed25519", `whsk_${mixed.toString("base64")}`],
    ];
    expect(bad.filter(([kind, text]) => createSigner(kind, text) !== null)).toEqual([]);
  });
});
