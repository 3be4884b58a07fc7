// Hostile or badly broken banks on real sockets: rows 16 to 19 of the faults to survive. `gateway-undici.test.ts` has
// the plainer troubles.

import type { Socket } from "node:net";
import { sampleBank, seededRandom } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { answerBytesMax } from "./exchange.ts";
import { createUndiciGateway } from "./gateway-undici.ts";
import { exchangeBytesMax } from "./exchange-bounds.ts";
import { openGatewayEnvironment, gatewayOptions, loopbackBlocks, buildReceiverRequest } from "./gateway.fixture.ts";
import type { ReceiverAnswer } from "../port.ts";
import { backOffFirstMaxMs, classifyAnswer, mayHaveTaken, retryAfterMaxMs, retryAfterMinMs, retryWaitMs } from "../attempt/retry-law.ts";

const { defer, rawBank, httpBank, gatewayTo } = openGatewayEnvironment();
const accepted = "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";
const acknowledges = (status: number): boolean => status === 202;
const noResponse = (reason: string): ReceiverAnswer => ({ kind: "silent", reason });
const classFor = (answer: ReceiverAnswer): string => classifyAnswer(answer, acknowledges);

describe("fault 16: a bank that cannot be reached, or hangs", () => {
  it("a name server that does not answer, or a TLS handshake that never begins, gives no response at the deadline, each time", async () => {
    const never = (): Promise<never> => new Promise(() => undefined);
    const unnamed = gatewayTo("https://bank.test", { connections: 1 }, { resolve: never });
    const unsecured = gatewayTo((await rawBank(() => undefined)).replace("http:", "https:"), { connections: 1 });
    for (const gateway of [unnamed, unnamed, unsecured, unsecured]) {
      const answer = await gateway.post(buildReceiverRequest({ timeoutMs: 50 }));
      expect([answer, classFor(answer)]).toEqual([noResponse("timeout"), "transient"]);
    }
  });

  it("a request given up before it had a connection is not sent when there is one", async () => {
    const came: (string | undefined)[] = [];
    const url = await httpBank(({ headers }, response) => {
      came.push(headers["webhook-id"]?.toString());
      response.writeHead(202).end();
    });
    const found = Promise.withResolvers<readonly { readonly address: string; readonly family: number }[]>();
    const gateway = gatewayTo(url.replace("127.0.0.1", "bank.test"), { connections: 1 }, { resolve: () => found.promise });
    const given = await Promise.all(
      ["m1", "m2"].map((id) => gateway.post(buildReceiverRequest({ timeoutMs: 50, headers: { "webhook-id": id } }))),
    );
    expect(given).toEqual([noResponse("timeout"), noResponse("timeout")]);
    found.resolve([{ address: "127.0.0.1", family: 4 }]);
    expect(await gateway.post(buildReceiverRequest({ headers: { "webhook-id": "m3" } }))).toMatchObject({ status: 202 });
    expect(came).toEqual(["m3"]);
  });

  it("I14: a bank that hangs on every connection delays no other bank", async () => {
    const hanging = await rawBank(() => undefined);
    const healthy = await httpBank((_, response) => void response.writeHead(202).end());
    const banks = [
      sampleBank({ id: "first", baseUrl: hanging, allowedAddresses: loopbackBlocks, connections: 4 }),
      sampleBank({ id: "second", baseUrl: healthy, allowedAddresses: loopbackBlocks, connections: 4 }),
    ];
    const gateway = createUndiciGateway(banks, gatewayOptions);
    defer(() => gateway.close());
    let ended = 0;
    const hung = Array.from({ length: 40 }, async () => {
      await gateway.post(buildReceiverRequest({ timeoutMs: 20_000 }));
      ended += 1;
    });
    for (let index = 0; index < 100; index += 1) {
      expect(await gateway.post(buildReceiverRequest({ receiverId: "second" }))).toMatchObject({ status: 202 });
    }
    expect(ended).toBe(0);
    await gateway.close();
    await Promise.all(hung);
  });
});

describe("fault 17: an acknowledgement that is lost on its way", () => {
  it("leaves the message open, and the repeat has the same bytes and id [D4.19] [D4.23]", async () => {
    const came: string[] = [];
    const url = await rawBank((socket, head) => {
      if (came.push(head) === 1) socket.write("HTTP/1.1 202 Acc", () => socket.resetAndDestroy());
      else socket.write(accepted);
    });
    const gateway = gatewayTo(url);
    const first = await gateway.post(buildReceiverRequest());
    expect([first.kind, classFor(first), mayHaveTaken(first, () => false)]).toEqual(["silent", "transient", true]);
    expect(await gateway.post(buildReceiverRequest())).toMatchObject({ status: 202 });
    expect(came[0]).toContain("webhook-id: m1");
    expect(came[1]).toBe(came[0]);
  });
});

describe("fault 18: answers that are no HTTP answers", () => {
  it.each([
    ["200", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", 200, "address"],
    ["204", "HTTP/1.1 204 No Content\r\n\r\n", 204, "address"],
    ["304", "HTTP/1.1 304 Not Modified\r\n\r\n", 304, "address"],
    ["308", "HTTP/1.1 308 Permanent Redirect\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n", 308, "address"],
    ["999", "HTTP/1.1 999 Denied\r\ncontent-length: 0\r\n\r\n", 999, "transient"],
    [
      "202 after interim answers",
      `HTTP/1.1 103 Early Hints\r\n\r\n${"HTTP/1.1 102 Processing\r\n\r\n".repeat(100)}${accepted}`,
      202,
      "acknowledged",
    ],
    ["202 with more behind it", `${accepted}HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\ngarbage`, 202, "acknowledged"],
  ])("%s: only 202 counts", async (_, speech, status, answerClass) => {
    const gateway = gatewayTo(await rawBank((socket) => void socket.write(speech)));
    for (const answer of [await gateway.post(buildReceiverRequest()), await gateway.post(buildReceiverRequest())]) {
      expect([answer.kind === "answered" && answer.status, classFor(answer)]).toEqual([status, answerClass]);
    }
  });

  it.each([
    ["an interim answer alone", "HTTP/1.1 100 Continue\r\n\r\n"],
    ["a code below 100", "HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n"],
    ["a code of four digits", "HTTP/1.1 2020 Odd\r\ncontent-length: 0\r\n\r\n"],
    ["a code with a sign", "HTTP/1.1 +202 Odd\r\ncontent-length: 0\r\n\r\n"],
    ["line feeds alone", "HTTP/1.1 202 Accepted\ncontent-length: 0\n\n"],
    ["two lengths", "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\ncontent-length: 5\r\n\r\nhello"],
    ["a length below zero", "HTTP/1.1 202 Accepted\r\ncontent-length: -5\r\n\r\n"],
    ["a length beyond all numbers", "HTTP/1.1 202 Accepted\r\ncontent-length: 99999999999999999999999\r\n\r\n"],
    ["a length and chunks", "HTTP/1.1 202 Accepted\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["a chunk that is none", "HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"],
  ])("%s counts as no response, whatever its code", async (_, speech) => {
    const answer = await gatewayTo(await rawBank((socket) => void socket.write(speech))).post(buildReceiverRequest());
    expect([answer.kind, classFor(answer), mayHaveTaken(answer, () => false)]).toEqual(["silent", "transient", true]);
    expect(answer.kind === "silent" && answer.reason).toMatch(/^[A-Za-z_]+$/);
  });

  it("I15: interim answers that come slowly and never end count as no response at the deadline", async () => {
    const url = await rawBank((socket) => {
      const timer = setInterval(() => void (socket.destroyed ? clearInterval(timer) : socket.write("HTTP/1.1 102 Processing\r\n\r\n")), 10);
    });
    expect(await gatewayTo(url).post(buildReceiverRequest({ timeoutMs: 200 }))).toEqual({ kind: "silent", reason: "timeout" });
  });

  it.each([
    ["status line", "HTTP/1.1 202 ", "a".repeat(65_536)],
    ["list of headers", "HTTP/1.1 202 Accepted\r\n", "a: b\r\n".repeat(10_000)],
    ["chunk's extension", "HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\n1;", "a".repeat(65_536)],
    ["list of trailers", "HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\n0\r\n", "a: b\r\n".repeat(10_000)],
    ["row of empty lines", "", "\r\n".repeat(32_768)],
    ["row of interim answers", "", "HTTP/1.1 102 Processing\r\n\r\n".repeat(1_000)],
  ])("I15: little is read of an endless %s, and it counts as no response", async (_, head, endless) => {
    let sentBytes = 0;
    const url = await rawBank((socket) => {
      socket.write(head);
      sentBytes += pourInto(socket, Buffer.from(endless), (bytes) => (sentBytes += bytes));
    });
    const answer = await gatewayTo(url).post(buildReceiverRequest({ timeoutMs: 20_000 }));
    expect([answer.kind, classFor(answer)]).toEqual(["silent", "transient"]);
    expect(answer.kind === "silent" && answer.reason).toMatch(/^answer-too-long$|OVERFLOW$/);
    expect(sentBytes).toBeLessThan(64 * 1024 * 1024);
  });

  it("a bank that answers much, and ends each answer, is read each time on the same connection", async () => {
    const ports = new Set<number | undefined>();
    const said = Buffer.alloc(60 * 1024, "x");
    const url = await httpBank(({ socket }, response) => {
      ports.add(socket.remotePort);
      response.writeHead(202).end(said);
    });
    const gateway = gatewayTo(url, { connections: 1 });
    for (let index = 0; index < 30; index += 1)
      expect(await gateway.post(buildReceiverRequest())).toMatchObject({ kind: "answered", status: 202 });
    expect([ports.size, 30 * said.byteLength > exchangeBytesMax]).toEqual([1, true]);
  });

  it("I15: an endless body is cut, and the next request gets a connection of its own", async () => {
    const url = await rawBank((socket) => {
      socket.write("HTTP/1.1 202 Accepted\r\n\r\n");
      pourInto(socket, Buffer.alloc(65_536, "x"), () => undefined);
    });
    const gateway = gatewayTo(url, { connections: 1 });
    for (let index = 0; index < 5; index += 1) {
      const answer = await gateway.post(buildReceiverRequest());
      expect(answer.kind === "answered" && [answer.status, answer.body.byteLength]).toEqual([202, answerBytesMax]);
    }
  });
});

/** Writes until the other side has enough; returns 0. */
function pourInto(socket: Socket, chunk: Buffer, count: (bytes: number) => void): number {
  const pour = (): void => {
    while (!socket.destroyed) {
      count(chunk.byteLength);
      if (!socket.write(chunk)) return void socket.once("drain", pour);
    }
  };
  pour();
  return 0;
}

describe("fault 19: answers in turn, with a hostile Retry-After", () => {
  const [readable, unreadable] = [true, false];

  it.each([
    ["now", "0", readable],
    ["in 32 years", "1000000000", readable],
    ["in a number of 400 digits", "9".repeat(400), readable],
    ["long past", "Sun, 06 Nov 1994 08:49:37 GMT", readable],
    ["at the end of all dates", "Fri, 31 Dec 9999 23:59:59 GMT", readable],
    ["before now", "-1", unreadable],
    ["in another notation", "1e3", unreadable],
    ["in hex", "0x10", unreadable],
    ["in words", "soon", unreadable],
    ["twice", "120, 5", unreadable],
  ])("the wait after an answer with %s is bounded, and leaves an attempt before the deadline", async (_, retryAfter, isReadable) => {
    let requests = 0;
    const url = await httpBank((_, response) => {
      const status = [503, 429, 202][requests % 3] ?? 500;
      requests += 1;
      response.writeHead(status, { "retry-after": retryAfter }).end();
    });
    const gateway = gatewayTo(url);
    const nowMs = Date.UTC(2026, 10, 22, 4, 0, 0);
    const random = seededRandom(19);
    for (const expected of [503, 429]) {
      const answer = await gateway.post(buildReceiverRequest());
      expect(answer).toMatchObject({ kind: "answered", status: expected });
      const heard = answer.kind === "answered" ? answer.retryAfter : null;
      const failure = { class: "transient", attempts: 1, retryAfter: heard, nowMs, attemptTimeoutMs: 5_000 } as const;
      const free = retryWaitMs({ ...failure, deadlineMs: null }, random);
      expect(free).toBeGreaterThanOrEqual(isReadable ? retryAfterMinMs : 0);
      expect(free).toBeLessThanOrEqual(isReadable ? retryAfterMaxMs : backOffFirstMaxMs);
      expect(retryWaitMs({ ...failure, deadlineMs: nowMs + 30_000 }, random)).toBeLessThanOrEqual(25_000);
    }
    expect(classFor(await gateway.post(buildReceiverRequest()))).toBe("acknowledged");
  });
});
