// The example for banks that sign, on real sockets: what it signs ingress takes, what it gets it verifies.

import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { openFolders } from "@sluice/connection/folder.fixture";
import { createUndiciGateway } from "@sluice/delivery/gateway-undici";
import { machineRandom, machineTime, silentLogger, silentMetrics } from "@sluice/kernel";
import { isFromSluice, isReceipt, signMessage } from "@sluice/receiver/signed-messages";
import { buildDirectDebit, encodeBody, sampleBank, sampleToken } from "@sluice/testkit";
import { expect, test } from "vitest";
import { interfaceConfiguration, startListeningIngress } from "./listening-ingress.fixture.ts";

const { folder, defer } = openFolders();
const bank = generateKeyPairSync("ed25519");
const sluice = generateKeyPairSync("ed25519");
const stranger = generateKeyPairSync("ed25519");
const nowS = (): number => Math.floor(machineTime.nowMs() / 1_000);
const spki = (key: KeyObject): string => key.export({ format: "der", type: "spki" }).toString("base64");

async function writeOwnKey(): Promise<string> {
  return await (await folder()).write("sluice.pem", sluice.privateKey.export({ format: "pem", type: "pkcs8" }));
}

const plain = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

test("docs/message-signatures.md shows the example word for word", () => {
  const text = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");
  expect(text("docs/message-signatures.md")).toContain(`\`\`\`ts\n${text("packages/receiver/example/signed-messages.ts")}\`\`\`\n`);
});

test("what the example signs is taken, and it knows the receipt from every other answer [D10.91] [D10.92]", async () => {
  const messageSignatures = {
    keys: [{ id: "first-2026", publicKey: spki(bank.publicKey), notAfterMs: null }],
    deliveries: null,
    receipts: { keyFile: await writeOwnKey(), keyId: null },
  };
  const banks = [sampleBank({ id: "first", messageSignatures })];
  const origin = "https://payments.example";
  await using given = await startListeningIngress({ configuration: { ...interfaceConfiguration, banks }, origins: [origin] });
  const path = "/transactions/outbound/direct-debit";
  const url = `${origin}${path}`;
  const body = encodeBody(buildDirectDebit());
  const post = async (signed: ReturnType<typeof signMessage>, sent: Uint8Array = body) => {
    const headers = { ...signed, authorization: `Bearer ${sampleToken("first")}`, "content-type": "application/json" };
    const answer = await fetch(`${given.url}${path}`, { method: "POST", headers, body: Buffer.from(sent) });
    await answer.arrayBuffer();
    return { status: answer.status, headers: Object.fromEntries(answer.headers) };
  };
  const signed = signMessage(bank.privateKey, "first-2026", url, body, nowS());
  const { status, headers } = await post(signed);
  expect(status).toBe(202);
  expect(isReceipt(sluice.publicKey, url, signed, status, headers)).toBe(true);
  expect(isReceipt(stranger.publicKey, url, signed, status, headers)).toBe(false);
  expect(isReceipt(sluice.publicKey, url, signed, 200, headers)).toBe(false);
  const other = signMessage(bank.privateKey, "first-2026", url, body, nowS() - 1);
  expect(isReceipt(sluice.publicKey, url, other, status, headers)).toBe(false);
  expect(isReceipt(sluice.publicKey, url, signed, status, { ...headers, signature: "" })).toBe(false);
  expect(await post(signed, encodeBody({}))).toMatchObject({ status: 401 });
  expect(await post(signMessage(stranger.privateKey, "first-2026", url, body, nowS()))).toMatchObject({ status: 401 });
  expect(given.journal()).toHaveLength(1);
});

test("the example verifies what Sluice sends, and nothing else [D10.92]", async () => {
  const came: { readonly headers: Record<string, string>; readonly body: Buffer }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      came.push({ headers: plain(request.headers), body: Buffer.concat(chunks) });
      response.writeHead(202).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  defer(() => server.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const messageSignatures = { keys: null, deliveries: { keyFile: await writeOwnKey(), keyId: null }, receipts: null };
  const receiver = sampleBank({ id: "first", baseUrl, eventsUrl: baseUrl, allowedAddresses: ["127.0.0.0/8"], messageSignatures });
  const ports = { time: machineTime, random: machineRandom, logger: silentLogger, metrics: silentMetrics };
  const gateway = createUndiciGateway([receiver], ports);
  defer(() => gateway.close());
  const headers = { "content-type": "application/json", "webhook-id": "m1", "webhook-timestamp": `${nowS()}`, "sluice-sequence": "1" };
  const sent = { receiverId: "first", operation: "events", headers, body: Buffer.from('{"value":1250.50}'), timeoutMs: 5_000 } as const;
  expect(await gateway.post(sent)).toMatchObject({ status: 202 });
  const [message] = came;
  const url = `${baseUrl}/events`;
  const key = createPublicKey(sluice.privateKey);
  const isTaken = (changed: Partial<typeof message> = {}, at = url, atS = nowS(), by = key): boolean =>
    isFromSluice(by, at, changed.headers ?? message!.headers, changed.body ?? message!.body, atS);
  expect(isTaken()).toBe(true);
  expect(isTaken({ body: Buffer.from('{"value":9250.50}') })).toBe(false);
  expect(isTaken({ headers: { ...message!.headers, "webhook-id": "m2" } })).toBe(false);
  expect(isTaken({ headers: { ...message!.headers, "sluice-previous-id": "m0" } })).toBe(false);
  expect(isTaken({}, `${baseUrl}/inbound/direct-debit`)).toBe(false);
  expect(isTaken({}, url, nowS() + 301)).toBe(false);
  expect(isTaken({}, url, nowS(), stranger.publicKey)).toBe(false);
});
