// Checks that the simulated bank and connector of the tests behave as the document says that real ones do.

import { createServer, type IncomingMessage } from "node:http";
import { machineRandom, machineTime, type Time } from "@sluice/kernel";
import {
  acknowledge,
  bankServedPaths,
  connectorServedPaths,
  buildCreditTransfer,
  buildDirectDebit,
  refuse,
  reportSettled,
  reportRejected,
  reportPending,
  startBankSimulator,
  startConnectorSimulator,
  buildStatusReport,
  type BankSimulator,
} from "@sluice/testkit";
import { afterEach, describe, expect, test, vi } from "vitest";
import { deliveries, type DocumentedDelivery } from "../openapi/deliveries.ts";
import { createDocumentCheck, type ObservedExchange } from "./document-check.ts";
import { buildSentExamples } from "../examples/sent-examples.ts";

const check = createDocumentCheck();
const opened = new Set<() => Promise<void>>();
afterEach(async () => {
  for (const close of opened) await close();
  opened.clear();
});

const machine = { time: machineTime, random: machineRandom, host: "127.0.0.1", port: 0, token: "t" };

/** Starts an ingress that accepts everything, or never answers, and records its requests. */
async function startIngress({ isSilent = false } = {}) {
  const exchanges: ObservedExchange[] = [];
  const keep = async (request: IncomingMessage): Promise<void> => {
    const body = await readRequestBody(request);
    exchanges.push({ method: request.method ?? "", path: request.url ?? "", body, status: 202, answer: new Uint8Array() });
  };
  const server = createServer((request, response) => {
    void keep(request).finally(() => (isSilent ? response.destroy() : response.writeHead(202).end()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.add(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no address");
  return { url: `http://127.0.0.1:${address.port}`, exchanges };
}

async function readRequestBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function headersFor(id: string): Record<string, string> {
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "idempotency-key": id,
    "webhook-timestamp": "1795154401",
    traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  };
}

/** Sends every example of what Sluice sends, and returns the complaints. */
async function deliver(receiver: "bank" | "connector", baseUrl: string): Promise<readonly string[]> {
  const examples = buildSentExamples();
  const complaints: string[] = [];
  const tag = receiver === "bank" ? "bankServes" : "connectorServes";
  for (const { name, path } of deliveries.filter((delivery: DocumentedDelivery) => delivery.tag === tag)) {
    for (const example of examples[name]) {
      const body = new TextEncoder().encode(JSON.stringify(example.value));
      const headers = headersFor(`${name}-${example.name}`.slice(-35));
      const { status } = await fetch(`${baseUrl}${path}`, { method: "POST", headers, body });
      complaints.push(...check.checkDelivered({ receiver, path, body, headers, status }));
    }
  }
  return complaints;
}

describe("the simulated bank and connector serve what the document describes", () => {
  test("a bank takes every message that Sluice sends to banks, and answers as documented", async () => {
    const bank = await startBankSimulator({ ...machine, bankId: "first", ingressUrl: null, script: [{ reports: [] }] });
    opened.add(() => bank.stop());
    expect(await deliver("bank", bank.url)).toEqual([]);
    expect(bank.recorded.receivedEntries().every(({ status }) => status === 202)).toBe(true);
  });

  test("a connector takes every outcome report, and answers as documented", async () => {
    const connector = await startConnectorSimulator({ ...machine, connectorId: "pch", ingressUrl: null });
    opened.add(() => connector.stop());
    expect(await deliver("connector", connector.url)).toEqual([]);
  });

  test("both serve the documented addresses and no others", () => {
    const said = (tag: DocumentedDelivery["tag"]) =>
      deliveries.filter((delivery: DocumentedDelivery) => delivery.tag === tag).map(({ path }) => path);
    expect(Object.keys(bankServedPaths).toSorted()).toEqual(said("bankServes").toSorted());
    expect(Object.keys(connectorServedPaths).toSorted()).toEqual(said("connectorServes").toSorted());
  });

  test("a header that the document does not name is a complaint", () => {
    const body = new TextEncoder().encode(JSON.stringify(buildSentExamples().inboundDirectDebit[0]?.value));
    const request = { receiver: "bank", path: "/inbound/direct-debit", body, status: 202 } as const;
    expect(check.checkDelivered({ ...request, headers: headersFor("d-1") })).toEqual([]);
    expect(check.checkDelivered({ ...request, headers: { ...headersFor("d-1"), "x-more": "1" } })).toEqual([
      "/inbound/direct-debit: header x-more is not in the document",
    ]);
  });

  test("their error answers are documented too", async () => {
    const bank = await startBankSimulator({
      ...machine,
      bankId: "first",
      ingressUrl: null,
      script: [{ attempts: [1, 1], answer: refuse(503, "3") }, { attempts: [2, 2], answer: refuse(409) }, { answer: acknowledge() }],
    });
    opened.add(() => bank.stop());
    for (let attempt = 0; attempt < 3; attempt += 1) expect(await deliver("bank", bank.url)).toEqual([]);
  });
});

describe("the simulated bank and connector send what the document describes", () => {
  test("debits, credits, declarations and reports of all kinds [4 step-1] [4 step-9]", async () => {
    const ingress = await startIngress();
    const script = [{ reports: [reportSettled(), reportRejected(), reportPending()] }];
    const bank = await startBankSimulator({ ...machine, bankId: "first", ingressUrl: ingress.url, script });
    const connector = await startConnectorSimulator({ ...machine, connectorId: "pch", ingressUrl: ingress.url });
    opened.add(() => bank.stop()).add(() => connector.stop());
    await bank.sendDebit(buildDirectDebit());
    await bank.declareCreditsFinal();
    await connector.sendDebit(buildDirectDebit());
    await connector.sendCredit(buildCreditTransfer());
    await connector.declareCreditsFinal();
    await deliver("bank", bank.url);
    await vi.waitFor(() => expect(ingress.exchanges.length).toBeGreaterThanOrEqual(5 + 2 * 3));
    expect(ingress.exchanges.flatMap((exchange) => check.checkServed(exchange))).toEqual([]);
    expect(new Set(ingress.exchanges.map(({ path }) => path)).size).toBe(7);
  });
});

describe("a bank that gets no answer from Sluice", () => {
  /** A clock that runs ten times as fast as the machine's. */
  const time: Time = {
    nowMs: () => machineTime.nowMs(),
    monotonicMs: () => machineTime.monotonicMs() * 10,
    after: (delayMs, action) => machineTime.after(delayMs / 10, action),
  };

  test.each([
    ["a debit [7.1]", "/transactions/outbound/direct-debit", (bank: BankSimulator) => bank.sendDebit(buildDirectDebit())],
    ["a report [7.10]", "/transactions/inbound/direct-debit-response", (bank: BankSimulator) => bank.sendReport(buildStatusReport())],
  ])("sends the same bytes again, until its patience ends, and gives up: %s", async (_what, path, send) => {
    const ingress = await startIngress({ isSilent: true });
    const patience = { time, giveUpAfterMs: 3_500, slowRepeatMs: 60_000 };
    const bank = await startBankSimulator({ ...machine, bankId: "first", ingressUrl: ingress.url, ...patience });
    opened.add(() => bank.stop());
    const { status, attempts } = await send(bank);
    expect(status).toBeNull();
    // Four, or fewer where the machine is so busy that an attempt begins late.
    expect([2, 3, 4]).toContain(attempts);
    expect(ingress.exchanges.map((exchange) => exchange.path)).toEqual(Array.from({ length: attempts }, () => path));
    expect(new Set(ingress.exchanges.map(({ body }) => Buffer.from(body ?? []).toString())).size).toBe(1);
  });
});

describe("anything undocumented is a complaint", () => {
  const body = new TextEncoder().encode(JSON.stringify(buildDirectDebit()));
  const headers = headersFor("a");
  const good = { receiver: "bank", path: "/inbound/direct-debit", body, headers, status: 202 } as const;

  test.each([
    ["an address", { ...good, path: "/inbound/debit" }, "is not said to serve"],
    ["a receiver", { ...good, receiver: "connector" as const }, "is not said to serve"],
    ["a status", { ...good, status: 302 }, "which the document does not name"],
    ["a header", { ...good, headers: { ...headers, traceparent: "x" } }, "header traceparent"],
    ["a body", { ...good, body: new TextEncoder().encode('{"schema":"DirectDebit"}') }, "a body that does not fit"],
  ])("%s", (_what, request, complaint) => {
    expect(check.checkDelivered(good)).toEqual([]);
    expect(check.checkDelivered(request).join()).toContain(complaint);
  });

  test("a body that was accepted is checked, and so is the body of an answer", () => {
    const exchange = { method: "POST", path: "/transactions/outbound/direct-debit", body, status: 202 };
    expect(check.checkServed(exchange)).toEqual([]);
    expect(check.checkServed({ ...exchange, body: new TextEncoder().encode("{}") }).join()).toContain("took a body that does not fit");
    expect(check.checkServed({ ...exchange, status: 418 }).join()).toContain("does not name");
    expect(check.checkServed({ ...exchange, status: 400, answer: new TextEncoder().encode('{"error":1}') }).join()).toContain(
      "does not fit",
    );
    expect(check.checkServed({ ...exchange, path: "/transactions/elsewhere/x" }).join()).toContain("is not in the document");
  });
});
