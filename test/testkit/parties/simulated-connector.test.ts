import type { ReceiverRequest } from "@sluice/delivery";
import { describe, expect, it } from "vitest";
import type { PartyTransport, TransportAnswer, TransportRequest } from "./client.ts";
import { createMemoryRecorder } from "./recorder.ts";
import { refuse, reportSettled, reportRejected, reportPending, type ScriptRule } from "./script.ts";
import {
  encodeBody,
  buildCreditTransfer,
  buildOffUsDebit,
  sampleUetr,
  buildStatusReport,
  type MessageObject,
} from "../messages/builders.ts";
import { seededRandom } from "../seeded-random.ts";
import { createSimulatedBank } from "./simulated-bank.ts";
import { createSimulatedConnector } from "./simulated-connector.ts";
import type { PartyPorts } from "./simulated-party.ts";
import { createVirtualTime } from "../virtual-time.ts";

const startAtMs = Date.UTC(2026, 10, 20, 6);

/** Creates the ports of a party whose every request is answered 202, and keeps the requests. */
function createPorts(script: readonly ScriptRule[] = []) {
  const time = createVirtualTime({ startAtMs });
  const recorder = createMemoryRecorder();
  const posts: (TransportRequest & { readonly atMs: number })[] = [];
  const accepted: TransportAnswer = { status: 202, retryAfter: null, body: new Uint8Array() };
  const transport: PartyTransport = {
    post(request) {
      posts.push({ ...request, atMs: time.monotonicMs() });
      return Promise.resolve(accepted);
    },
    close: () => Promise.resolve(),
  };
  const random = seededRandom(1);
  const ports: PartyPorts = { time, recorder, transport, random, script, token: "t", expectedToken: null, giveUpAfterMs: 900_000 };
  return { ports, time, recorder, posts };
}

function request(operation: ReceiverRequest["operation"], id: string, message: MessageObject): ReceiverRequest {
  return { receiverId: "x", operation, body: encodeBody(message), headers: { "webhook-id": id }, timeoutMs: 5_000 };
}

function parseMessage(post: TransportRequest | undefined): Record<string, Record<string, unknown>> {
  const message: Record<string, Record<string, unknown>> = JSON.parse(new TextDecoder().decode(post?.body));
  return message;
}

describe("a simulated connector without sockets", () => {
  it("sends off-us debits, credits and declarations to the paths of connectors, and records them", async () => {
    const { ports, time, recorder, posts } = createPorts();
    const connector = createSimulatedConnector({ ...ports, connectorId: "clearing" });
    const sent = [connector.sendDebit(buildOffUsDebit()), connector.sendCredit(buildCreditTransfer()), connector.declareCreditsFinal()];
    await time.advance(1_000);
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(posts.map(({ path }) => path)).toEqual([
      "/scheme/inbound/direct-debit",
      "/scheme/inbound/credit-transfer-authorisation",
      "/scheme/credits-final",
    ]);
    expect(new TextDecoder().decode(posts[2]?.body)).toBe('{"scheme":"ZA_EFT","businessDate":"2026-11-20"}');
    expect(recorder.sentEntries()).toMatchObject([
      { bank: "clearing", operation: "inboundDirectDebit", uetr: sampleUetr, messageIdentification: "CLEARING-20261120-000001" },
      { operation: "inboundCreditTransferAuthorization", uetr: sampleUetr, messageIdentification: "CLEARING-20261120-900001" },
      { operation: "creditsFinal", uetr: "ZA_EFT:2026-11-20", messageIdentification: "" },
    ]);
  });

  it("acknowledges outcomes as scripted, reports on none of them, and records each with its headers", async () => {
    const down: ScriptRule = { betweenMs: [startAtMs, startAtMs + 60_000], answer: refuse(503, "30") };
    const { ports, time, recorder, posts } = createPorts([down]);
    const connector = createSimulatedConnector({ ...ports, connectorId: "clearing" });
    const outcome = request("inboundDirectDebitResponse", "o1", buildStatusReport({ messageIdentification: "o1" }));
    const first = connector.handle(outcome);
    await time.advance(60_000);
    const second = connector.handle(outcome);
    await time.advance(1_000);
    expect(await first).toMatchObject({ status: 503, retryAfter: "30" });
    expect(await second).toMatchObject({ status: 202 });
    expect(recorder.receivedEntries()).toMatchObject([
      { bank: "clearing", operation: "inboundDirectDebitResponse", webhookId: "o1", uetr: sampleUetr, status: 503 },
      { webhookId: "o1", status: 202, stageVersion: null, state: null },
    ]);
    expect(recorder.requests[0]?.headers).toEqual({ "webhook-id": "o1" });
    expect(posts).toEqual([]);
  });

  it("has no path for operations that only a bank may call", async () => {
    const { ports } = createPorts();
    const connector = createSimulatedConnector({ ...ports, connectorId: "clearing" });
    await expect(connector.send("outboundDirectDebit", buildOffUsDebit())).rejects.toThrow("no address");
  });
});

describe("a simulated bank and credits", () => {
  const credit = request(
    "inboundCreditTransferAuthorization",
    "c1",
    buildCreditTransfer({ scheme: "ZA_RTC", messageIdentification: "c1" }),
  );

  it("acknowledges a credit and reports on it once, at the path for credits, in the credit's scheme", async () => {
    const { ports, time, posts } = createPorts([{ reports: [reportPending(), reportSettled({ afterMs: 2_000, code: "ACCC" })] }]);
    const bank = createSimulatedBank({ ...ports, bankId: "first" });
    void bank.handle(credit);
    void bank.handle(credit);
    await time.advance(5_000);
    expect(posts.map(({ path, atMs }) => [path, atMs])).toEqual([
      ["/transactions/inbound/credit-transfer-authorisation-response", 0],
      ["/transactions/inbound/credit-transfer-authorisation-response", 2_000],
    ]);
    const [pending, made] = posts.map(parseMessage);
    expect(pending).toMatchObject({
      schema: "PaymentStatusReport",
      originalMessageIdentifiers: { messageIdentification: "c1" },
      paymentScheme: { schema: "ZA_RTC" },
      status: { code: "PDNG" },
    });
    expect(made).toMatchObject({ status: { code: "ACCC", outcome: "APPROVED" } });
    expect(pending?.["messageIdentifiers"]).not.toEqual(made?.["messageIdentifiers"]);
  });

  it("refuses a credit, does not answer it, or reports it as rejected later, as scripted", async () => {
    const { ports, time, posts } = createPorts([{ reports: [reportRejected({ afterMs: 90_000, reason: "AC04" })] }]);
    const bank = createSimulatedBank({ ...ports, bankId: "first" });
    bank.addRules([{ operation: "inboundCreditTransferAuthorization", attempts: [1, 1], answer: refuse(422) }]);
    const refused = bank.handle(credit);
    await time.advance(1_000);
    expect(await refused).toMatchObject({ status: 422 });
    expect(bank.pendingCount()).toBe(0);
    void bank.handle(credit);
    await time.advance(100_000);
    expect(parseMessage(posts[0])).toMatchObject({ status: { code: "RJCT", reasonInfo: [{ reason: { value: "AC04" } }] } });
    expect(posts).toHaveLength(1);
  });

  it("declares credits final for itself, at the path of banks", async () => {
    const { ports, time, posts } = createPorts();
    const bank = createSimulatedBank({ ...ports, bankId: "first" });
    const sent = bank.declareCreditsFinal({ businessDate: "2026-11-23" });
    await time.advance(10);
    expect(await sent).toMatchObject({ status: 202 });
    expect(posts).toMatchObject([{ operation: "creditsFinal", path: "/transactions/credits-final" }]);
  });

  it("accepts events of both classes, with or without a payload", async () => {
    const { ports, time, recorder } = createPorts();
    const bank = createSimulatedBank({ ...ports, bankId: "first" });
    const events: MessageObject[] = [
      { class: "TRANSACTION_STATE", type: "CREDIT_AUTH_RECEIVED", stageVersion: 1, tranInfo: { tranUetr: sampleUetr.toUpperCase() } },
      { class: "ESM_STATE", identifiers: { uetr: sampleUetr }, state: { transactionState: "RECEIVE_PENDING" } },
    ];
    for (const [index, event] of events.entries()) void bank.handle(request("events", `e${index}`, event));
    await time.advance(10);
    expect(recorder.receivedEntries()).toMatchObject([
      { operation: "events", uetr: sampleUetr, stageVersion: 1, state: "CREDIT_AUTH_RECEIVED", status: 202 },
      { operation: "events", uetr: sampleUetr, stageVersion: null, state: null, status: 202 },
    ]);
  });
});
