// The simulated bank and connector of the tests stand for real ones: here they are held against what the document says that those do.

import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { machineRandom, machineTime, type Time } from "@sluice/runtime";
import {
  acknowledge,
  bankServedPaths,
  connectorServedPaths,
  creditTransfer,
  directDebit,
  refuse,
  reportMade,
  reportNotMade,
  reportPending,
  startBankSimulator,
  startConnectorSimulator,
  statusReport,
  type BankSimulator,
} from "@sluice/testkit";
import { afterEach, describe, expect, test, vi } from "vitest";
import { deliveries, type Delivery } from "./deliveries.ts";
import { createDocumentCheck, type Exchange } from "./document-check.ts";
import { sentExamples } from "./sent-examples.ts";

const check = createDocumentCheck();
const opened = new Set<() => Promise<void>>();
afterEach(async () => {
  for (const close of opened) await close();
  opened.clear();
});

const machine = { time: machineTime, random: machineRandom, host: "127.0.0.1", port: 0, token: "t" };

/** An ingress that takes everything, or answers nothing, and keeps what it was sent. */
async function givenIngress({ isSilent = false } = {}) {
  const exchanges: Exchange[] = [];
  const keep = async (request: IncomingMessage): Promise<void> => {
    const body = await bodyOf(request);
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

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
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

/** Sends every example of what Sluice sends, and answers what was said of it. */
async function deliver(receiver: "bank" | "connector", baseUrl: string): Promise<readonly string[]> {
  const examples = sentExamples();
  const complaints: string[] = [];
  const tag = receiver === "bank" ? "bankServes" : "connectorServes";
  for (const { name, path } of deliveries.filter((delivery: Delivery) => delivery.tag === tag)) {
    for (const example of examples[name]) {
      const body = new TextEncoder().encode(JSON.stringify(example.value));
      const headers = headersFor(`${name}-${example.name}`.slice(-35));
      const { status } = await fetch(`${baseUrl}${path}`, { method: "POST", headers, body });
      complaints.push(...check.delivered({ receiver, path, body, headers, status }));
    }
  }
  return complaints;
}

describe("the simulated bank and connector serve what the document says", () => {
  test("a bank takes every message that Sluice sends to banks, and answers as documented", async () => {
    const bank = await startBankSimulator({ ...machine, bankId: "first", ingressUrl: null, script: [{ reports: [] }] });
    opened.add(() => bank.stop());
    expect(await deliver("bank", bank.url)).toEqual([]);
    expect(bank.recorded.receivedEntries().every(({ status }) => status === 202)).toBe(true);
  });

  test("a connector takes every outcome, and answers as documented", async () => {
    const connector = await startConnectorSimulator({ ...machine, connectorId: "pch", ingressUrl: null });
    opened.add(() => connector.stop());
    expect(await deliver("connector", connector.url)).toEqual([]);
  });

  test("they serve the documented addresses and no others", () => {
    const said = (tag: Delivery["tag"]) => deliveries.filter((delivery: Delivery) => delivery.tag === tag).map(({ path }) => path);
    expect(Object.keys(bankServedPaths).toSorted()).toEqual(said("bankServes").toSorted());
    expect(Object.keys(connectorServedPaths).toSorted()).toEqual(said("connectorServes").toSorted());
  });

  test("troubled answers of theirs are documented too", async () => {
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

describe("the simulated bank and connector send what the document says", () => {
  test("debits, credits, declarations and reports of all kinds [4 step-1] [4 step-9]", async () => {
    const ingress = await givenIngress();
    const script = [{ reports: [reportMade(), reportNotMade(), reportPending()] }];
    const bank = await startBankSimulator({ ...machine, bankId: "first", ingressUrl: ingress.url, script });
    const connector = await startConnectorSimulator({ ...machine, connectorId: "pch", ingressUrl: ingress.url });
    opened.add(() => bank.stop()).add(() => connector.stop());
    await bank.sendDebit(directDebit());
    await bank.declareCreditsFinal();
    await connector.sendDebit(directDebit());
    await connector.sendCredit(creditTransfer());
    await connector.declareCreditsFinal();
    await deliver("bank", bank.url);
    await vi.waitFor(() => expect(ingress.exchanges.length).toBeGreaterThanOrEqual(5 + 2 * 3));
    expect(ingress.exchanges.flatMap((exchange) => check.served(exchange))).toEqual([]);
    expect(new Set(ingress.exchanges.map(({ path }) => path)).size).toBe(7);
  });
});

describe("a bank that hears nothing of Sluice", () => {
  /** Ten times as fast as the machine's. */
  const time: Time = {
    nowMs: () => machineTime.nowMs(),
    monotonicMs: () => machineTime.monotonicMs() * 10,
    after: (delayMs, action) => machineTime.after(delayMs / 10, action),
  };

  test.each([
    ["a debit [7.1]", "/transactions/outbound/direct-debit", (bank: BankSimulator) => bank.sendDebit(directDebit())],
    ["a report [7.10]", "/transactions/inbound/direct-debit-response", (bank: BankSimulator) => bank.sendReport(statusReport())],
  ])("sends the same bytes again, a set number of times, and gives up: %s", async (_what, path, send) => {
    const ingress = await givenIngress({ isSilent: true });
    const patience = { time, giveUpAfterMs: 3_500, slowRepeatMs: 60_000 };
    const bank = await startBankSimulator({ ...machine, bankId: "first", ingressUrl: ingress.url, ...patience });
    opened.add(() => bank.stop());
    expect(await send(bank)).toMatchObject({ status: null, attempts: 4 });
    expect(ingress.exchanges.map((exchange) => exchange.path)).toEqual([path, path, path, path]);
    expect(new Set(ingress.exchanges.map(({ body }) => Buffer.from(body ?? []).toString())).size).toBe(1);
  });
});

describe("what is not documented is a complaint", () => {
  const body = new TextEncoder().encode(JSON.stringify(directDebit()));
  const headers = headersFor("a");
  const good = { receiver: "bank", path: "/inbound/direct-debit", body, headers, status: 202 } as const;

  test.each([
    ["an address", { ...good, path: "/inbound/debit" }, "is not said to serve"],
    ["a receiver", { ...good, receiver: "connector" as const }, "is not said to serve"],
    ["a status", { ...good, status: 302 }, "which the document does not name"],
    ["a header", { ...good, headers: { ...headers, traceparent: "x" } }, "header traceparent"],
    ["a body", { ...good, body: new TextEncoder().encode('{"schema":"DirectDebit"}') }, "a body that does not fit"],
  ])("%s", (_what, request, complaint) => {
    expect(check.delivered(good)).toEqual([]);
    expect(check.delivered(request).join()).toContain(complaint);
  });

  test("a body that was taken, and an answer's body", () => {
    const exchange = { method: "POST", path: "/transactions/outbound/direct-debit", body, status: 202 };
    expect(check.served(exchange)).toEqual([]);
    expect(check.served({ ...exchange, body: new TextEncoder().encode("{}") }).join()).toContain("took a body that does not fit");
    expect(check.served({ ...exchange, status: 418 }).join()).toContain("does not name");
    expect(check.served({ ...exchange, status: 400, answer: new TextEncoder().encode('{"error":1}') }).join()).toContain("does not fit");
    expect(check.served({ ...exchange, path: "/transactions/elsewhere/x" }).join()).toContain("is not in the document");
  });
});
