// Every address of ingress, on a real port, with every way to sign a message, and not to.

import { verify } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { openFolders } from "@sluice/connection/folder.fixture";
import type { MessageSignatures } from "@sluice/config";
import { servedOperations } from "@sluice/contracts";
import { silentLogger } from "@sluice/kernel";
import { listen, listenLimitsDefault } from "@sluice/service";
import { type CallerKey, callerKeys, digestOf, messageKey, nowMs, signedBy, type SigningOptions } from "@sluice/signatures/signed.fixture";
import { buildStatusReport, encodeBody, sampleBank, sampleConnector, sampleToken } from "@sluice/testkit";
import { httpbis } from "http-message-signatures";
import { afterAll, describe, expect, test, vi } from "vitest";
import { debitBody, ingressStartAtMs, sampleParties, startTestIngress } from "../ingress.fixture.ts";

const { folder, defer } = openFolders();
const origin = "https://payments.example";
const ids = { bank: "first", connector: "clearing" } as const;
type Kind = keyof typeof ids;

const signing: MessageSignatures = {
  keys: [messageKey("k1", callerKeys.ed25519), messageKey("ended", callerKeys.rsa, nowMs - 1)],
  deliveries: null,
  receipts: null,
};
const others: MessageSignatures = { ...signing, keys: [messageKey("k2", callerKeys.ec)] };

/** The first bank and the first connector must sign, and the others have keys of their own. */
async function open(messageSignatures: MessageSignatures = signing, origins: readonly string[] = [origin]) {
  const banks = [
    sampleBank({ id: "first", messageSignatures }),
    sampleBank({ id: "second", branch: "250656", messageSignatures: others }),
    sampleBank({ id: "third", branch: "250657" }),
  ];
  const connectors = [sampleConnector({ messageSignatures }), sampleConnector({ id: "rapid", messageSignatures: others })];
  const tokenPorts = { loadKeySet: async () => await Promise.resolve(""), origins };
  const environment = await startTestIngress({ ...sampleParties, banks, connectors }, null, { tokenPorts });
  const listener = await listen({
    async fetch(asked, connection) {
      // The body comes in the machine's time, and everything else happens in the virtual one.
      const body = await asked.arrayBuffer();
      const { url, method, headers } = asked;
      const whole = new Request(url, { method, headers, ...(body.byteLength === 0 ? {} : { body }) });
      return await environment.settled(environment.ingress.fetch(whole, connection));
    },
    host: "127.0.0.1",
    port: 0,
    limits: listenLimitsDefault,
    logger: silentLogger,
  });
  return { ...environment, port: listener.port, close: () => listener.close(0) };
}

interface Answered {
  readonly status: number | undefined;
  readonly reason: string | null;
  readonly headers: IncomingMessage["headers"];
}

async function send(
  port: number,
  path: string,
  caller: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): Promise<Answered> {
  const all = {
    ...headers,
    authorization: `Bearer ${sampleToken(caller)}`,
    "content-type": "application/json",
    "content-length": body.byteLength,
  };
  const asked = request({ host: "127.0.0.1", port, path, method: "POST", agent: false, headers: all });
  asked.end(body);
  const [answer]: IncomingMessage[] = await once(asked, "response");
  answer?.resume();
  const challenge = answer?.headers["www-authenticate"] ?? null;
  return { status: answer?.statusCode, reason: /error="([^"]+)"/.exec(challenge ?? "")?.[1] ?? challenge, headers: answer?.headers ?? {} };
}

interface Way extends SigningOptions {
  readonly name: string;
  /** Null: the message is taken. */
  readonly refusal: string | null;
  /** Headers that are sent in place of the signed ones; an empty one is left out. */
  readonly sent?: Readonly<Record<string, string>>;
  readonly sentBody?: Uint8Array;
  /** Who sends it, if it is not the caller itself. */
  readonly thief?: Readonly<Record<Kind, string>>;
}

const nowS = nowMs / 1_000;
const other = encodeBody({ other: true });
const created = (seconds: number) => ({ created: new Date((nowS + seconds) * 1_000), expires: new Date((nowS + seconds + 600) * 1_000) });
const ways: readonly Way[] = [
  { name: "a signature of its address", refusal: null },
  { name: "a signature of its path", refusal: null, fields: ["@method", "@path", "content-digest"] },
  { name: "a signature without an end", refusal: null, params: ["created", "keyid"] },
  { name: "no signature", refusal: "signature-missing", sent: { signature: "", "signature-input": "" } },
  { name: "a signature without its input", refusal: "signature-missing", sent: { "signature-input": "" } },
  { name: "no digest", refusal: "signature-malformed", sent: { "content-digest": "" } },
  { name: "the digest of another body", refusal: "signature-wrong", sent: { "content-digest": digestOf(Buffer.from(other)) } },
  { name: "another body", refusal: "digest-wrong", sentBody: other },
  { name: "another key", refusal: "signature-wrong", key: { ...callerKeys.rsa, algorithm: "ed25519" } },
  { name: "another bank's key", refusal: "signature-key-unknown", key: callerKeys.ec, keyId: "k2" },
  { name: "a key that ended", refusal: "signature-key-expired", key: callerKeys.rsa, keyId: "ended" },
  { name: "a signature that is too old", refusal: "signature-expired", values: created(-301) },
  { name: "a signature past its end", refusal: "signature-expired", values: { ...created(-10), expires: new Date((nowS - 1) * 1_000) } },
  { name: "a signature from the future", refusal: "signature-expired", values: created(61) },
  { name: "a signature for another method", refusal: "signature-wrong", method: "PUT" },
  { name: "a signature for another installation", refusal: "signature-wrong", url: "https://test.payments.example" },
  { name: "a signature for another address", refusal: "signature-wrong", url: `${origin}/else` },
  { name: "a signature without a time", refusal: "signature-incomplete", params: ["keyid"] },
  { name: "a signature without the body", refusal: "signature-incomplete", fields: ["@method", "@target-uri"] },
  { name: "a signature without the address", refusal: "signature-incomplete", fields: ["@method", "content-digest"] },
  { name: "alg none", refusal: "signature-malformed", values: { alg: "none" } },
  { name: "another alg", refusal: "signature-malformed", values: { alg: "rsa-pss-sha512" } },
  { name: "alg hmac-sha256", refusal: "signature-malformed", values: { alg: "hmac-sha256" } },
  { name: "its message, sent by another caller", refusal: "signature-key-unknown", thief: { bank: "second", connector: "rapid" } },
];

const routes = servedOperations
  .filter(({ service }) => service === "ingress")
  .flatMap(({ caller, paths }) => paths.map((path) => ({ path, kind: caller === "bank" ? ("bank" as const) : ("connector" as const) })));
const cases = routes.flatMap(({ path, kind }) => ways.map((way) => ({ path, kind, way, name: way.name })));
const signedBody = Buffer.from(encodeBody({}));

async function signFor(path: string, way: SigningOptions = {}, body: Buffer = signedBody): Promise<Record<string, string>> {
  const { url = origin, ...rest } = way;
  return await signedBy({ keyId: "k1", ...rest, body, url: url.endsWith("/else") ? url : `${url}${path}` });
}

const shared = open();
afterAll(async () => {
  await (await shared).close();
});

describe("every address of ingress", () => {
  test("has every way to sign", () => {
    expect(ingressStartAtMs).toBe(nowMs);
    expect(cases.length).toBe(routes.length * ways.length);
    expect(routes.length).toBeGreaterThanOrEqual(9);
  });

  test.each(cases)("$path with $name [D10.91]", async ({ path, kind, way }) => {
    const { port, journal } = await shared;
    const before = journal().length;
    const headers = { ...(await signFor(path, way)), ...way.sent };
    const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ""));
    const { status, reason } = await send(port, path, way.thief?.[kind] ?? ids[kind], given, way.sentBody ?? signedBody);
    // A message that is taken turns out not to fit.
    expect({ status, reason }).toEqual({ status: way.refusal === null ? 400 : 401, reason: way.refusal });
    expect(journal().length).toBe(before);
  });
});

const debitPath = "/transactions/outbound/direct-debit";
const debit = Buffer.from(debitBody);

test("a message that is repeated as it was is taken again while its signature counts, and refused afterwards [D10.91]", async () => {
  const { port, time, journal, close } = await open();
  defer(close);
  const headers = await signFor(debitPath, { params: ["created", "keyid"] }, debit);
  for (const stored of [1, 2]) {
    expect((await send(port, debitPath, "first", headers, debit)).status).toBe(202);
    expect(journal()).toHaveLength(stored);
  }
  await time.advance(301_000);
  expect(await send(port, debitPath, "first", headers, debit)).toMatchObject({ status: 401, reason: "signature-expired" });
  expect(journal()).toHaveLength(2);
});

test("without public origins no signature of the host counts, because its sender says the host [D10.91]", async () => {
  const { port, environment, close } = await open(signing, []);
  defer(close);
  expect(environment.lines).toContainEqual(expect.objectContaining({ event: "ingress.origins-not-said", fields: { callers: 4 } }));
  // Signed for another installation, and repeated here with its host.
  const host = "test.payments.example";
  const elsewhere = { ...(await signFor(debitPath, { url: `http://${host}` }, debit)), host };
  expect(await send(port, debitPath, "first", elsewhere, debit)).toMatchObject({ status: 401, reason: "signature-malformed" });
  const byPath = await signFor(debitPath, { fields: ["@method", "@path", "content-digest"] }, debit);
  expect((await send(port, debitPath, "first", byPath, debit)).status).toBe(202);
});

test("a bank without keys need not sign, and what it signs is not looked at [D10.91]", async () => {
  const { port, close } = await open();
  defer(close);
  const report = Buffer.from(encodeBody(buildStatusReport()));
  const path = "/transactions/inbound/direct-debit-response";
  for (const headers of [{}, { signature: "none", "signature-input": "none" }]) {
    const answer = await send(port, path, "third", headers, report);
    expect(answer.status).toBe(202);
    expect(answer.headers.signature).toBeUndefined();
  }
});

test("log and audit name the key that signed, and why a message was refused [D10.91]", async () => {
  const { port, time, audit, environment, close } = await open();
  defer(close);
  await send(port, debitPath, "first", await signFor(debitPath, {}, debit), debit);
  await send(port, debitPath, "first", await signFor(debitPath, { keyId: "k2" }, debit), debit);
  await time.advance(1_000);
  const credential = expect.stringMatching(/^[0-9a-f]{12}$/) as unknown;
  const known = { caller: "first", credential, address: "127.0.0.1" };
  expect(audit().slice(1)).toEqual([
    ["sign-in", { ...known, signature: "k1" }],
    ["refused", { status: 401, operation: "outboundDirectDebit", ...known, reason: "signature-key-unknown" }],
  ]);
  const lines = environment.lines.filter(({ event }) => event === "ingress.answered").map(({ fields }) => fields);
  expect(lines).toMatchObject([
    { status: 202, signatureKeyId: "k1" },
    { status: 401, refusal: "signature-key-unknown" },
  ]);
});

describe("a receipt", () => {
  /** The file is read in the machine's time. */
  async function openWithKey(keyFile: string, keyId: string | null, expected: string) {
    const environment = await open({ ...signing, receipts: { keyFile, keyId } });
    defer(environment.close);
    const { lines } = environment.environment;
    await vi.waitFor(() => expect(lines.map(({ event }) => event)).toContain(expected));
    return environment;
  }

  const pem = (key: CallerKey = callerKeys.ed25519): string => key.pair.privateKey.export({ format: "pem", type: "pkcs8" });

  /** What another implementation says of the answer's signature. */
  async function isReceipt(headers: Readonly<Record<string, string>>, answer: Answered): Promise<boolean | null> {
    const asked = { method: "POST", url: `${origin}${debitPath}`, headers };
    const response = { status: answer.status ?? 0, headers: answer.headers as Record<string, string> };
    const key = {
      algs: ["ed25519"],
      verify: async (text: Buffer, bytes: Buffer) => await Promise.resolve(verify(null, text, callerKeys.ed25519.pair.publicKey, bytes)),
    };
    return await httpbis.verifyMessage(
      { keyLookup: async () => await Promise.resolve(key), tolerance: 1e10, notAfter: new Date(8.64e15) },
      response,
      asked,
    );
  }

  test("is the signature of the 202, bound to the message that it answers [D10.92]", async () => {
    const keyFile = await (await folder()).write("receipts.pem", pem());
    const { port } = await openWithKey(keyFile, "sluice-receipts", "ingress.receipt-key-read");
    const headers = await signFor(debitPath, {}, debit);
    const answer = await send(port, debitPath, "first", headers, debit);
    expect(answer.status).toBe(202);
    expect(answer.headers["signature-input"]).toContain('keyid="sluice-receipts"');
    expect(await isReceipt(headers, answer)).toBe(true);
    const again = await signFor(debitPath, { values: created(-1) }, debit);
    expect(await isReceipt(again, answer)).toBe(false);
    // What is not taken has no receipt.
    const refused = await send(port, debitPath, "first", await signFor(debitPath), signedBody);
    expect([refused.status, refused.headers.signature]).toEqual([400, undefined]);
  });

  test("is made with the key that the file has now, without a restart [D10.92]", async () => {
    const files = await folder();
    const keyFile = await files.write("receipts.pem", pem());
    const { port, time } = await openWithKey(keyFile, null, "ingress.receipt-key-read");
    const keyIdOf = async (): Promise<string | undefined> => {
      const { headers } = await send(port, debitPath, "first", await signFor(debitPath, {}, debit), debit);
      return /keyid="([^"]+)"/.exec(String(headers["signature-input"]))?.[1];
    };
    const first = await keyIdOf();
    expect(first).toMatch(/^[\w-]{43}$/);
    await files.write("receipts.pem", pem(callerKeys.ec));
    await vi.waitFor(async () => {
      await time.advance(5_000);
      expect(await keyIdOf()).not.toBe(first);
    });
  });

  test("that cannot be signed is no 202: nothing is stored, and the caller sends again [D10.92]", async () => {
    const keyFile = await (await folder()).write("receipts.pem", "no key");
    const { port, journal, environment } = await openWithKey(keyFile, null, "ingress.receipt-key-not-read");
    expect((await send(port, debitPath, "first", await signFor(debitPath, {}, debit), debit)).status).toBe(503);
    expect(journal()).toHaveLength(0);
    expect(environment.lines).toContainEqual({
      event: "ingress.receipt-key-not-read",
      fields: { caller: "first", reason: "no-signing-key" },
    });
  });
});
