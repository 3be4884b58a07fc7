import * as fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import {
  utf8,
  ed25519Signer,
  signedHeaders,
  signedAtMs,
  signedPosting,
  symmetricSigner,
  type SignedPosting,
  type TestSigner,
} from "./signed.fixture.ts";
import { readKeys, type ReceiverKey } from "./keys.ts";
import { verify, type VerifyResult } from "./verify.ts";

const [old, next, foreign] = [symmetricSigner(1), symmetricSigner(2), symmetricSigner(3)];
const asymmetric = ed25519Signer();

async function loadKeys(...signers: readonly TestSigner[]): Promise<readonly ReceiverKey[]> {
  const read = await readKeys(signers.map(({ key }) => key));
  if (!read.ok) throw new Error(read.reason);
  return read.keys;
}

async function verifyWith(given: {
  readonly by: readonly TestSigner[];
  readonly with: readonly TestSigner[];
  readonly posting?: Partial<SignedPosting>;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly toleranceMs?: number;
}): Promise<VerifyResult> {
  const sent = { ...signedPosting, ...given.posting };
  const body = given.body === undefined ? sent.body : utf8(given.body);
  const { toleranceMs } = given;
  return verify({
    headers: { ...signedHeaders(sent, given.by), ...given.headers },
    body,
    keys: await loadKeys(...given.with),
    nowMs: signedAtMs,
    ...(toleranceMs === undefined ? {} : { toleranceMs }),
  });
}

describe("a signature", () => {
  test.each([
    ["symmetric", old],
    ["ed25519", asymmetric],
  ])("that is %s and fits a key is taken, and says id, time and key", async (_kind, signer) => {
    const verdict = await verifyWith({ by: [signer], with: [foreign, signer] });
    expect(verdict).toEqual({ ok: true, webhookId: signedPosting.webhookId, sentAtMs: signedAtMs, key: 1 });
  });

  test("the reference library's signature is taken, and the reference library takes the tests' signatures", async () => {
    const body = '{"value":1250.50,"name":"Zoë"}';
    const library = new Webhook(old.key);
    const signature = library.sign("msg_1", new Date(signedAtMs), body);
    const headers = { "webhook-id": "msg_1", "webhook-timestamp": String(signedAtMs / 1_000), "webhook-signature": signature };
    expect(await verify({ headers, body: utf8(body), keys: await loadKeys(old), nowMs: signedAtMs })).toMatchObject({ ok: true });
    // The library compares the time with the machine's clock.
    const now = { ...signedPosting, atMs: Date.now(), body: utf8(body) };
    expect(library.verify(body, signedHeaders(now, [old]))).toEqual(JSON.parse(body));
  });

  test("the specification's own example is taken", async () => {
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const read = await readKeys(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]);
    const keys = read.ok ? read.keys : [];
    const verdict = await verify({ headers, body: utf8('{"test": 2432232314}'), keys, nowMs: 1_614_265_330_000 });
    expect(verdict).toMatchObject({ ok: true });
  });

  test("while a key is replaced either key fits, whichever of the two signatures comes first", async () => {
    for (const by of [
      [old, next],
      [next, old],
      [asymmetric, next, old],
    ]) {
      for (const held of [[old], [next], [old, next], [next, old]])
        expect(await verifyWith({ by, with: held })).toMatchObject({ ok: true });
    }
    expect(await verifyWith({ by: [old], with: [next] })).toEqual({ ok: false, reason: "no-match" });
  });

  test("another kind of key is never used, even with the bytes of a good one", async () => {
    const headers = signedHeaders(signedPosting, [old]);
    const renamed = { "webhook-signature": (headers["webhook-signature"] ?? "").replace("v1,", "v1a,") };
    expect(await verifyWith({ by: [old], with: [old, asymmetric], headers: renamed })).toEqual({ ok: false, reason: "no-match" });
  });

  test("a repeat after hours is taken, because it is signed again; a recording of the first is not", async () => {
    const hoursMs = 5 * 3_600_000;
    const recorded = signedHeaders({ ...signedPosting, atMs: signedAtMs - hoursMs }, [old]);
    expect(await verifyWith({ by: [old], with: [old] })).toMatchObject({ ok: true });
    expect(await verifyWith({ by: [old], with: [old], headers: recorded })).toEqual({ ok: false, reason: "too-old" });
    expect(await verifyWith({ by: [old], with: [old], headers: recorded, toleranceMs: hoursMs })).toMatchObject({ ok: true });
  });

  test.each([
    [-300_000, "taken"],
    [-301_000, "too-old"],
    [300_000, "taken"],
    [301_000, "too-new"],
  ])("whose time is %i ms from now is %s", async (awayMs, said) => {
    const verdict = await verifyWith({ by: [old], with: [old], posting: { atMs: signedAtMs + awayMs } });
    expect(verdict.ok ? "taken" : verdict.reason).toBe(said);
  });

  test("the parts cannot be cut differently between id, time and body", async () => {
    const body = `${signedAtMs / 1_000}.{}`;
    const sent = { webhookId: "a", atMs: signedAtMs, body: utf8(body) };
    const moved = { "webhook-id": `a.${signedAtMs / 1_000}` };
    expect(await verifyWith({ by: [old], with: [old], posting: sent })).toMatchObject({ ok: true });
    expect(await verifyWith({ by: [old], with: [old], posting: sent, headers: moved, body: "{}" })).toEqual({ ok: false, reason: "no-id" });
  });
});

describe("what is refused", () => {
  const many = Array.from({ length: 17 }, () => "v1,AAAA").join(" ");
  test.each<[string, Record<string, string>, string]>([
    ["no id", { "webhook-id": "" }, "no-id"],
    ["two ids in one header", { "webhook-id": "a, b" }, "no-id"],
    ["a long id", { "webhook-id": "a".repeat(129) }, "no-id"],
    ["a time in words", { "webhook-timestamp": "now" }, "no-time"],
    ["a time with a sign", { "webhook-timestamp": "-1" }, "no-time"],
    ["a time with a fraction", { "webhook-timestamp": "1795312800.0" }, "no-time"],
    ["a time of many digits", { "webhook-timestamp": "9".repeat(13) }, "no-time"],
    ["no signature", { "webhook-signature": "" }, "no-signature"],
    ["a signature without a version", { "webhook-signature": "AAAA" }, "no-match"],
    ["a signature of a later version", { "webhook-signature": "v2,AAAA" }, "no-match"],
    ["a signature that is no base64", { "webhook-signature": "v1,****" }, "no-match"],
    ["more than 16 signatures", { "webhook-signature": many }, "too-many-signatures"],
    ["a signature header of 5 KiB", { "webhook-signature": `v1,${"A".repeat(5_000)}` }, "too-many-signatures"],
  ])("%s", async (_what, headers, reason) => {
    expect(await verifyWith({ by: [old], with: [old], headers })).toEqual({ ok: false, reason });
  });

  test("headers that are missing, given twice, or only inherited", async () => {
    const keys = await loadKeys(old);
    const { body } = signedPosting;
    const good = signedHeaders(signedPosting, [old]);
    expect(await verify({ headers: {}, body, keys, nowMs: signedAtMs })).toEqual({ ok: false, reason: "no-id" });
    expect(await verify({ headers: { ...good, "Webhook-Id": "other" }, body, keys, nowMs: signedAtMs })).toEqual({
      ok: false,
      reason: "no-id",
    });
    expect(await verify({ headers: Object.create(good), body, keys, nowMs: signedAtMs })).toEqual({ ok: false, reason: "no-id" });
    const shouted = Object.fromEntries(Object.entries(good).map(([name, value]) => [name.toUpperCase(), value]));
    expect(await verify({ headers: shouted, body, keys, nowMs: signedAtMs })).toMatchObject({ ok: true });
    expect(await verify({ headers: new Headers(good), body, keys, nowMs: signedAtMs })).toMatchObject({ ok: true });
  });

  test("any changed byte of body, id, time or signature", async () => {
    const bodies = fc.uint8Array({ minLength: 1, maxLength: 200 });
    const places = fc.nat();
    const keys = await loadKeys(old, asymmetric);
    await fc.assert(
      fc.asyncProperty(
        bodies,
        places,
        fc.integer({ min: 1, max: 255 }),
        fc.constantFrom(old, asymmetric),
        async (given, at, by, signer) => {
          const body = Uint8Array.from(given);
          const headers = signedHeaders({ ...signedPosting, body }, [signer]);
          expect(await verify({ headers, body, keys, nowMs: signedAtMs })).toMatchObject({ ok: true });
          const changed = body.map((byte, index) => (index === at % body.length ? byte ^ by : byte));
          expect(await verify({ headers, body: changed, keys, nowMs: signedAtMs })).toEqual({ ok: false, reason: "no-match" });
          for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature"]) {
            const text = headers[name] ?? "";
            const place = at % text.length;
            const other = String.fromCharCode(text.charCodeAt(place) === 49 ? 50 : 49);
            const touched = { ...headers, [name]: text.slice(0, place) + other + text.slice(place + 1) };
            const verdict = await verify({ headers: touched, body, keys, nowMs: signedAtMs });
            // The last base64 character before `=` has bits that do not count.
            expect(verdict.ok && name !== "webhook-signature").toBe(false);
          }
        },
      ),
    );
  });

  test("hostile headers of any kind, without a throw", async () => {
    const keys = await loadKeys(old, asymmetric);
    const text = fc.oneof(
      fc.array(fc.nat(0x2ff), { maxLength: 60 }).map((codes) => String.fromCharCode(...codes)),
      fc.string({ maxLength: 20 }).map((end) => `v1,${end}`),
    );
    const value = fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.constant(undefined));
    const names = fc.constantFrom("webhook-id", "webhook-timestamp", "webhook-signature", "get", "__proto__", "WEBHOOK-ID");
    await fc.assert(
      fc.asyncProperty(fc.dictionary(names, value), fc.boolean(), async (hostile, isBeside) => {
        const headers = { ...(isBeside ? signedHeaders(signedPosting, [foreign]) : {}), ...hostile };
        expect((await verify({ headers, body: signedPosting.body, keys, nowMs: signedAtMs })).ok).toBe(false);
      }),
    );
  });
});

describe("keys", () => {
  test.each<[string, readonly string[], number, string]>([
    ["none", [], 0, "1 to 16 keys"],
    ["more than 16", Array.from({ length: 17 }, () => old.key), 0, "1 to 16 keys"],
    ["no prefix", [old.key, "c2VjcmV0"], 2, "begins with"],
    ["a private key", [`whsk_${Buffer.alloc(64).toString("base64")}`], 1, "public half"],
    ["no base64", ["whsec_this is no base64"], 1, "base64"],
    ["a short secret", [symmetricSigner(1, 23).key], 1, "24 to 64 bytes"],
    ["a long secret", [symmetricSigner(1, 65).key], 1, "24 to 64 bytes"],
    ["a short public key", [`whpk_${Buffer.alloc(31).toString("base64")}`], 1, "32 bytes"],
  ])("%s: the error names the number, never the text", async (_what, texts, number, part) => {
    const read = await readKeys(texts);
    expect(read).toEqual({ ok: false, number, reason: expect.stringContaining(part) });
    for (const text of texts) expect(JSON.stringify(read)).not.toContain(text.slice(6));
  });

  test("of the least and the greatest length, with a line end or without padding, are read and cannot be exported", async () => {
    const read = await readKeys([`${symmetricSigner(1, 24).key}\n`, symmetricSigner(1, 64).key.replaceAll("=", ""), asymmetric.key]);
    expect(read).toMatchObject({ ok: true, keys: [{ kind: "symmetric" }, { kind: "symmetric" }, { kind: "ed25519" }] });
    if (!read.ok) return;
    expect(read.keys[0]?.key.extractable).toBe(false);
    await expect(crypto.subtle.exportKey("raw", read.keys[1]!.key)).rejects.toThrow("extractable");
  });
});
