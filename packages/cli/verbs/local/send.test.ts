import { createServer } from "node:http";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildCall } from "../../terminal/console.fixture.ts";
import { runSend, sendVerb } from "./send.ts";

let folder = "";
let url = "";
const received: string[] = [];
const server = createServer((request, response) => {
  received.push(`${request.method} ${request.url} ${request.headers.authorization}`);
  response.statusCode = 202;
  response.end();
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-send-"));
  received.length = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function send(schema: string, options: Readonly<Record<string, string>> = {}): Promise<number> {
  const file = join(folder, "message.json");
  writeFileSync(file, JSON.stringify({ schema }));
  return sendVerb.run(buildCall({ ingress: `${url}/`, ...options }, file), () => Promise.resolve([]));
}

test.each([
  ["DirectDebit", "/transactions/outbound/direct-debit"],
  ["PaymentStatusReport", "/transactions/inbound/direct-debit-response"],
  ["CreditTransfer", "/scheme/inbound/credit-transfer-authorisation"],
  ["CreditsFinal", "/transactions/credits-final"],
])("send posts a %s to its usual operation of any ingress", async (schema, path) => {
  expect(await send(schema)).toBe(0);
  expect(received).toEqual([`POST ${path} Bearer sample-bank-token`]);
});

test("send posts to the operation that is named, if it takes such a message", async () => {
  expect(await send("DirectDebit", { operation: "schemeInboundDirectDebit" })).toBe(0);
  expect(received).toEqual(["POST /scheme/inbound/direct-debit Bearer sample-bank-token"]);
  await expect(send("DirectDebit", { operation: "creditsFinal" })).rejects.toThrow("is a DirectDebit, which creditsFinal does not take");
  await expect(send("Other")).rejects.toThrow("its schema must be one of DirectDebit, PaymentStatusReport, CreditTransfer, CreditsFinal");
});

test("a program reads each answer, and whether all were accepted", async () => {
  const message = join(folder, "message.json");
  writeFileSync(message, JSON.stringify({ schema: "DirectDebit" }));
  const reported: unknown[] = [];
  const send = async (ingress: string) =>
    await runSend(buildCall({ ingress, json: true }, message), (text) => reported.push(JSON.parse(text)));
  expect([await send(url), await send("http://127.0.0.1:1")]).toEqual([0, 1]);
  expect(reported).toEqual([
    { schema: "Sent", isAccepted: true, messages: [{ file: message, status: 202, text: "" }] },
    { schema: "Sent", isAccepted: false, messages: [{ file: message, status: null, text: expect.any(String) as unknown }] },
  ]);
});
