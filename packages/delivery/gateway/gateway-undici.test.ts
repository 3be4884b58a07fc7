import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { sampleConnector } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { answerBytesMax } from "./exchange.ts";
import { createUndiciGateway } from "./gateway-undici.ts";
import { openGatewayEnvironment, gatewayOptions, buildReceiverRequest } from "./gateway.fixture.ts";
import type { ReceiverAnswer, ReceiverRequest } from "../port.ts";

const { defer, rawBank, httpBank, gatewayTo } = openGatewayEnvironment();
const post = async (baseUrl: string, members: Partial<ReceiverRequest> = {}): Promise<ReceiverAnswer> =>
  gatewayTo(baseUrl).post(buildReceiverRequest(members));

describe("the gateway to banks", () => {
  it("posts the given bytes and headers to the operation's address", async () => {
    const seen: { url: string | undefined; method: string | undefined; headers: IncomingMessage["headers"]; body: string }[] = [];
    const url = await httpBank(({ url, method, headers }, response, body) => {
      seen.push({ url, method, headers, body: body.toString() });
      response.writeHead(202).end();
    });
    const gateway = gatewayTo(`${url}/base`, { bearerToken: "secret", eventsUrl: `${url}/ev` });
    expect(await gateway.post(buildReceiverRequest())).toEqual({ kind: "answered", status: 202, retryAfter: null, body: Buffer.alloc(0) });
    await gateway.post(buildReceiverRequest({ operation: "outboundDirectDebitResponse" }));
    await gateway.post(buildReceiverRequest({ operation: "events" }));
    expect(seen.map((one) => one.url)).toEqual(["/base/inbound/direct-debit", "/base/outbound/direct-debit-response", "/ev/events"]);
    expect(seen[0]).toMatchObject({ method: "POST", body: '{"value":1250.50}' });
    expect(seen[0]?.headers).toMatchObject({ "content-type": "application/json", "webhook-id": "m1", authorization: "Bearer secret" });
    expect(seen[0]?.headers["accept-encoding"]).toBeUndefined();
  });

  it("calls an address without a message by OPTIONS, with the credentials of one, and says why it is not reached [D10 check]", async () => {
    const seen: unknown[] = [];
    const url = await httpBank(({ url: path, method, headers }, response, body) => {
      seen.push([method, path, headers.authorization, body.toString()]);
      response.writeHead(405).end();
    });
    const call = { receiverId: "first", operation: "inboundDirectDebit", headers: { "webhook-id": "check-1" }, timeoutMs: 5_000 } as const;
    const gateway = gatewayTo(`${url}/base`, { bearerToken: "secret" });
    expect(await gateway.check?.(call)).toMatchObject({ kind: "answered", status: 405 });
    expect(seen).toEqual([["OPTIONS", "/base/inbound/direct-debit", "Bearer secret", ""]]);
    expect(await gatewayTo("http://127.0.0.1:1").check?.(call)).toMatchObject({ kind: "silent", reason: "ECONNREFUSED" });
  });

  it("posts outcomes to a scheme connector with its own token, and reports where there is no address [D2.15]", async () => {
    const seen: (string | undefined)[][] = [];
    const url = await httpBank(({ url: path, headers }, response) => {
      seen.push([path, headers.authorization]);
      response.writeHead(202).end();
    });
    const connector = sampleConnector({ baseUrl: url, bearerToken: "theirs", allowedAddresses: ["127.0.0.1"] });
    const connected = createUndiciGateway([connector], gatewayOptions);
    defer(() => connected.close());
    const to = { receiverId: "clearing", operation: "inboundCreditTransferAuthorizationResponse" } as const;
    expect(await connected.post(buildReceiverRequest(to))).toMatchObject({ status: 202 });
    expect(seen).toEqual([["/inbound/credit-transfer-authorisation-response", "Bearer theirs"]]);
    expect(await connected.post(buildReceiverRequest({ ...to, operation: "events" }))).toEqual({ kind: "silent", reason: "no-address" });
    const gateway = gatewayTo("http://127.0.0.1:1", { eventsUrl: null });
    expect(await gateway.post(buildReceiverRequest({ operation: "events" }))).toEqual({ kind: "silent", reason: "no-address" });
    expect(await gateway.post(buildReceiverRequest({ receiverId: "other" }))).toEqual({ kind: "silent", reason: "no-address" });
  });

  it("returns the code, Retry-After and body of any answer", async () => {
    const url = await httpBank((_, response) => response.writeHead(503, { "retry-after": "7" }).end("busy"));
    expect(await post(url)).toEqual({ kind: "answered", status: 503, retryAfter: "7", body: Buffer.from("busy") });
  });

  it("follows no redirect", async () => {
    let requests = 0;
    const url = await httpBank((_, response) => {
      requests += 1;
      response.writeHead(307, { location: "/elsewhere" }).end();
    });
    expect(await post(url)).toMatchObject({ kind: "answered", status: 307 });
    expect(requests).toBe(1);
  });

  it("does not decompress: a gzip bomb stays as small as it came", async () => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
    const url = await httpBank((_, response) => response.writeHead(400, { "content-encoding": "gzip" }).end(bomb));
    const answer = await post(url);
    expect(answer.kind === "answered" && Buffer.compare(answer.body, bomb)).toBe(0);
  });

  it("I15: reads at most 64 KiB of a giant body, and the answer counts", async () => {
    let sentBytes = 0;
    const url = await httpBank((_, response) => {
      response.writeHead(202);
      const chunk = Buffer.alloc(16 * 1024, "x");
      const send = (): void => {
        while (!response.destroyed && sentBytes < 1024 ** 3) {
          sentBytes += chunk.byteLength;
          if (!response.write(chunk)) return void response.once("drain", send);
        }
      };
      send();
    });
    const answer = await post(url);
    expect(answer).toMatchObject({ kind: "answered", status: 202 });
    expect(answer.kind === "answered" && answer.body.byteLength).toBe(answerBytesMax);
    expect(sentBytes).toBeLessThan(64 * 1024 * 1024);
  });

  it.each([
    ["accepts and says nothing", () => undefined],
    ["never ends its headers", (socket: Socket) => void socket.write("HTTP/1.1 202 Accepted\r\ncontent-le")],
    ["never ends its body", (socket: Socket) => void socket.write("HTTP/1.1 202 Accepted\r\ncontent-length: 10\r\n\r\nx")],
    ["sends a byte now and then", (socket: Socket) => drip(socket, "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n")],
  ])("a bank that %s gives no response at the total deadline", async (_, speak) => {
    const url = await rawBank(speak);
    expect(await post(url, { timeoutMs: 150 })).toEqual({ kind: "silent", reason: "timeout" });
  });

  it.each([
    ["closes at once", (socket: Socket) => void socket.end()],
    ["resets", (socket: Socket) => void socket.resetAndDestroy()],
    ["closes half-way through its body", (socket: Socket) => void socket.end("HTTP/1.1 202 Accepted\r\ncontent-length: 10\r\n\r\nhalf")],
    ["speaks no HTTP", (socket: Socket) => void socket.end("SSH-2.0-OpenSSH\r\n")],
    ["sends giant headers", (socket: Socket) => void socket.end(`HTTP/1.1 202 Accepted\r\nx: ${"y".repeat(100_000)}\r\n\r\n`)],
    ["switches protocols", (socket: Socket) => void socket.end("HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n")],
  ])("a bank that %s gives no response, with a reason that names no address", async (_, speak) => {
    const answer = await post(await rawBank(speak));
    expect(answer.kind).toBe("silent");
    expect(answer.kind === "silent" && answer.reason).toMatch(/^[A-Za-z_]+$/);
  });

  it("an unreachable bank gives no response", async () => {
    expect(await post("http://127.0.0.1:1")).toEqual({ kind: "silent", reason: "ECONNREFUSED" });
  });

  it("waiting for a connection counts towards the total deadline", async () => {
    const gateway = gatewayTo(await rawBank(() => undefined));
    const answers = await Promise.all(Array.from({ length: 6 }, async () => gateway.post(buildReceiverRequest({ timeoutMs: 200 }))));
    expect(answers).toEqual(answers.map(() => ({ kind: "silent", reason: "timeout" })));
  });

  it("the bank sees no more connections than configured", async () => {
    const ports = new Set<number | undefined>();
    const url = await httpBank(({ socket }, response) => {
      ports.add(socket.remotePort);
      setTimeout(() => response.writeHead(202).end(), 20);
    });
    const gateway = gatewayTo(url, { connections: 2 });
    const answers = await Promise.all(Array.from({ length: 6 }, async () => gateway.post(buildReceiverRequest({ timeoutMs: 10_000 }))));
    expect(answers).toEqual(answers.map(() => expect.objectContaining({ kind: "answered", status: 202 })));
    expect(ports.size).toBe(2);
  });

  it("an answer that came in time counts, even if the process was busy until after the deadline", async () => {
    const url = await rawBank((socket) => {
      socket.write("HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_050);
    });
    expect(await post(url, { timeoutMs: 1_000 })).toMatchObject({ kind: "answered", status: 202 });
  });

  it("a request that is given up frees its connection at once", async () => {
    let requests = 0;
    const url = await rawBank((socket) => {
      requests += 1;
      if (requests > 1) socket.write("HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n");
    });
    const gateway = gatewayTo(url, { connections: 1 });
    expect(await gateway.post(buildReceiverRequest({ timeoutMs: 50 }))).toEqual({ kind: "silent", reason: "timeout" });
    expect(await gateway.post(buildReceiverRequest({ timeoutMs: 4_000 }))).toMatchObject({ kind: "answered", status: 202 });
  });

  it("sound connections are used again", async () => {
    const ports = new Set<number | undefined>();
    const url = await httpBank(({ socket }, response) => {
      ports.add(socket.remotePort);
      response.writeHead(202).end();
    });
    const gateway = gatewayTo(url);
    for (let index = 0; index < 5; index += 1) await gateway.post(buildReceiverRequest());
    expect(ports.size).toBeLessThanOrEqual(2);
  });
});

function drip(socket: Socket, text: string): void {
  let index = 0;
  const timer = setInterval(() => {
    if (socket.destroyed || index >= text.length) return clearInterval(timer);
    socket.write(text.slice(index, index + 1));
    index += 1;
  }, 40);
}
