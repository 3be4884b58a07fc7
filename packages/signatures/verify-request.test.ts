import { createPublicKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { isSignatureOf, isSignedBody, judgeHead, openMessageKeys } from "./index.ts";
import { buildSignatureBase, componentItem } from "./signature-base.ts";
import { address, body, callerKeys, digestOf, headWith, messageKey, nowMs, nowS, signedBy, type SigningOptions } from "./signed.fixture.ts";

const keys = openMessageKeys([
  messageKey("first-2026", callerKeys.ed25519),
  messageKey("first-ec", callerKeys.ec),
  messageKey("first-rsa", callerKeys.rsa),
  messageKey("first-2025", callerKeys.ed25519, nowMs - 1),
]);

const judge = (headers: Readonly<Record<string, string>>, atMs = nowMs) => judgeHead(headWith(headers), keys, atMs);

/** RFC 9421, B.2.6. */
it("builds the base of the standard's own example, and verifies its signature", () => {
  const values = {
    date: "Tue, 20 Apr 2021 02:07:55 GMT",
    "@method": "POST",
    "@path": "/foo",
    "@authority": "example.com",
    "content-type": "application/json",
    "content-length": "18",
  };
  const parameters = new Map<string, string | number>([
    ["created", 1618884473],
    ["keyid", "test-key-ed25519"],
  ]);
  const components = Object.entries(values).map(([name, value]) => ({ item: componentItem(name), value }));
  const { text } = buildSignatureBase(components, parameters);
  const spki = Buffer.from("MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=", "base64");
  const key = createPublicKey({ key: spki, format: "der", type: "spki" });
  const signature = Buffer.from("wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==", "base64");
  expect(isSignatureOf({ id: "", algorithm: "ed25519", notAfterMs: null, key }, text, signature)).toBe(true);
  expect(isSignatureOf({ id: "", algorithm: "ed25519", notAfterMs: null, key }, `${text} `, signature)).toBe(false);
});

describe("a message that another implementation signed", () => {
  it.each([
    ["with its whole address", {}],
    ["with its path", { fields: ["@method", "@path", "content-digest"] }],
    ["with more than is asked for", { fields: ["@method", "@authority", "@path", "@query", "content-digest", "content-type"] }],
    ["with a nonce and a tag", { params: ["created", "keyid", "nonce", "tag"], values: { nonce: "n1", tag: "first" } }],
    ["without an end", { params: ["created", "keyid"] }],
    ["with P-256", { key: callerKeys.ec, keyId: "first-ec" }],
    ["with RSA", { key: callerKeys.rsa, keyId: "first-rsa" }],
  ] as readonly [string, SigningOptions][])("is accepted %s", async (_, options) => {
    const headers = await signedBy(options);
    expect(judge(headers)).toMatchObject({ ok: true, verified: { keyId: options.keyId ?? "first-2026", label: "sig" } });
    expect(isSignedBody(headWith(headers), body)).toBe(true);
  });

  it("is accepted with one good signature of several", async () => {
    const [good, bad] = [await signedBy(), await signedBy({ key: callerKeys.rsa })];
    const both = {
      ...good,
      "signature-input": `${bad["signature-input"]!.replace("sig=", "other=")}, ${good["signature-input"]}`,
      signature: `${bad["signature"]!.replace("sig=", "other=")}, ${good["signature"]}`,
    };
    expect(judge(both)).toMatchObject({ ok: true, verified: { label: "sig" } });
  });
});

describe("a message is refused", () => {
  it.each([
    ["one second too old", { created: new Date(nowMs - 301_000), expires: null }, "signature-expired"],
    ["too far ahead of our clock", { created: new Date(nowMs + 61_000), expires: new Date(nowMs + 90_000) }, "signature-expired"],
    ["past the end that it names", { created: new Date(nowMs - 10_000), expires: new Date(nowMs - 1_000) }, "signature-expired"],
  ])("%s", async (_, values, reason) => {
    const params = values.expires === null ? ["created", "keyid"] : ["created", "expires", "keyid"];
    expect(judge(await signedBy({ values, params }))).toEqual({ ok: false, reason });
  });

  it.each([
    ["by a key that is not the caller's", { keyId: "second-2026" }, "signature-key-unknown"],
    ["by a key without its name", { params: ["created", "alg"] }, "signature-key-unknown"],
    ["by a key that ended", { keyId: "first-2025" }, "signature-key-expired"],
    ["by another key under the caller's name", { key: callerKeys.rsa, params: ["created", "keyid"] }, "signature-wrong"],
    ["without its method", { fields: ["@target-uri", "content-digest"] }, "signature-incomplete"],
    ["without its address", { fields: ["@method", "@authority", "content-digest"] }, "signature-incomplete"],
    ["without the digest of its body", { fields: ["@method", "@path", "content-type"] }, "signature-incomplete"],
    ["without its time", { params: ["expires", "keyid"] }, "signature-incomplete"],
    ["with a digest of no known algorithm", { headers: { "content-digest": "md5=:AAAA:" } }, "signature-incomplete"],
    ["signed for another method", { method: "PUT" }, "signature-wrong"],
    ["signed for another host", { url: "https://test.example/transactions/outbound/direct-debit" }, "signature-wrong"],
    ["signed for another path", { url: "https://payments.example/transactions/credits-final" }, "signature-wrong"],
    ["with the name of another algorithm", { values: { alg: "rsa-pss-sha512" } }, "signature-malformed"],
    ["with a shared secret as its algorithm", { values: { alg: "hmac-sha256" } }, "signature-malformed"],
    ["with no algorithm", { values: { alg: "none" } }, "signature-malformed"],
    ["with its algorithm in other letters", { values: { alg: "ED25519" } }, "signature-malformed"],
    ["with a component that has parameters", { fields: ["@method", "@path", "content-digest", "content-type;bs"] }, "signature-malformed"],
  ] satisfies [string, SigningOptions, string][])("%s", async (_, options, reason) => {
    expect(judge(await signedBy(options))).toEqual({ ok: false, reason });
  });

  it.each(["@target-uri", "@authority"])("with %s, where only the sender says the host", async (name) => {
    const headers = await signedBy({ fields: ["@method", "@path", "content-digest", name] });
    expect(judge(headers)).toMatchObject({ ok: true });
    expect(judgeHead({ ...headWith(headers), isOriginKnown: false }, keys, nowMs)).toEqual({ ok: false, reason: "signature-malformed" });
    const byPath = await signedBy({ fields: ["@method", "@path", "content-digest"] });
    expect(judgeHead({ ...headWith(byPath), isOriginKnown: false }, keys, nowMs)).toMatchObject({ ok: true });
  });

  it("with a public key as the secret of an HMAC", async () => {
    const { createHmac } = await import("node:crypto");
    const pem = callerKeys.ed25519.pair.publicKey.export({ format: "pem", type: "spki" });
    const key = {
      ...callerKeys.ed25519,
      algorithm: "hmac-sha256",
      sign: (text: Buffer) => createHmac("sha256", pem).update(text).digest(),
    };
    expect(judge(await signedBy({ key, params: ["created", "keyid"] }))).toEqual({ ok: false, reason: "signature-wrong" });
    expect(judge(await signedBy({ key }))).toEqual({ ok: false, reason: "signature-malformed" });
  });

  it.each([
    ["signature-input", "sig=()", "signature-key-unknown"],
    ["signature-input", "no dictionary", "signature-malformed"],
    ["signature-input", 'other=("@method" "@path" "content-digest");created=1;keyid="first-2026"', "signature-malformed"],
    ["signature-input", `sig=("@method" "@path" "content-digest" "@method");created=${nowS};keyid="first-2026"`, "signature-malformed"],
    ["signature-input", `sig=("@method" "@path" "content-digest" "x-missing");created=${nowS};keyid="first-2026"`, "signature-malformed"],
    ["signature-input", `sig=("@method" "@path" "content-digest" "@status");created=${nowS};keyid="first-2026"`, "signature-malformed"],
    ["signature-input", `sig=("@method" "@path" content-digest);created=${nowS};keyid="first-2026"`, "signature-malformed"],
    ["signature-input", `sig=("@method" "@path" "content-digest");created="${nowS}";keyid="first-2026"`, "signature-malformed"],
    ["signature-input", `sig=("@method" "@path" "content-digest");created=${nowS}.5;keyid="first-2026"`, "signature-malformed"],
    ["signature-input", `sig=("@method" "@path" "content-digest");created=${nowS};keyid=first-2026`, "signature-key-unknown"],
    ["signature-input", `sig=("@method" "@path" "content-digest");created=${nowS};keyid="first-2026"`, "signature-wrong"],
    ["signature-input", `sig=${"x".repeat(8_192)}`, "signature-malformed"],
    ["signature", "sig=:AAAA:", "signature-wrong"],
    ["signature", "sig=1", "signature-malformed"],
    ["signature", "other=:AAAA:", "signature-malformed"],
    ["signature", "sig=:AAAA:;of=1", "signature-malformed"],
    ["content-digest", digestOf(Buffer.from("{}")), "signature-wrong"],
    ["content-digest", "no digest", "signature-incomplete"],
  ])("with %s: %s", async (name, value, reason) => {
    expect(judge({ ...(await signedBy()), [name]: value })).toEqual({ ok: false, reason });
  });

  it.each(["signature-input", "signature"])("without %s", async (name) => {
    const { [name]: _, ...rest } = await signedBy();
    expect(judge(rest)).toEqual({ ok: false, reason: "signature-missing" });
  });

  it("whose body is another, by either digest", async () => {
    const headers = await signedBy();
    expect(isSignedBody(headWith(headers), Buffer.from('{"schema":"DirectDebi7"}'))).toBe(false);
    const wrongSecond = { "content-digest": `${digestOf(body)}, sha-512=:${Buffer.alloc(64).toString("base64")}:` };
    expect(isSignedBody(headWith(wrongSecond), body)).toBe(false);
  });

  it("at every address but its own", async () => {
    const headers = await signedBy();
    for (const path of ["/outbound/direct-debit", "/transactions/outbound/direct-debit?x=1"]) {
      expect(judgeHead(headWith(headers, "POST", new URL(path, address)), keys, nowMs)).toEqual({ ok: false, reason: "signature-wrong" });
    }
  });
});
