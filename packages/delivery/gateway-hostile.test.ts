// Banks that mean harm, or are broken badly, on real sockets: rows 16 to 19 of the faults to survive. What plainer trouble brings is in
// `gateway-undici.test.ts`.

import type { Socket } from "node:net";
import { sampleBank, seededRandom } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { answerBytesMax } from "./gateway-undici-exchange.ts";
import { createUndiciGateway } from "./gateway-undici.ts";
import { exchangeBytesMax } from "./gateway-undici-bounds.ts";
import { gatewayGround, gatewayOptions, loopback, request } from "./gateway.fixture.ts";
import type { BankAnswer } from "./port.ts";
import { backOffFirstMaxMs, classify, leavesOpen, retryAfterMaxMs, retryAfterMinMs, waitMs } from "./retry-law.ts";

const { defer, rawBank, httpBank, gatewayTo } = gatewayGround();
const accepted = "HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";
const acknowledges = (status: number): boolean => status === 202;
const silentFor = (reason: string): BankAnswer => ({ kind: "silent", reason });
const classOf = (answer: BankAnswer): string => classify(answer, acknowledges);

describe("fault 16: a bank that cannot be reached, or hangs", () => {
  it("whose name server says nothing, or whose TLS never begins, is silence at the deadline, and again", async () => {
    const never = (): Promise<never> => new Promise(() => undefined);
    const unnamed = gatewayTo("https://bank.test", { connections: 1 }, { resolve: never });
    const unsecured = gatewayTo((await rawBank(() => undefined)).replace("http:", "https:"), { connections: 1 });
    for (const gateway of [unnamed, unnamed, unsecured, unsecured]) {
      const answer = await gateway.post(request({ timeoutMs: 50 }));
      expect([answer, classOf(answer)]).toEqual([silentFor("timeout"), "transient"]);
    }
  });

  it("what was given up before there was a connection is not sent when there is one", async () => {
    const came: (string | undefined)[] = [];
    const url = await httpBank(({ headers }, response) => {
      came.push(headers["webhook-id"]?.toString());
      response.writeHead(202).end();
    });
    const found = Promise.withResolvers<readonly { readonly address: string; readonly family: number }[]>();
    const gateway = gatewayTo(url.replace("127.0.0.1", "bank.test"), { connections: 1 }, { resolve: () => found.promise });
    const given = await Promise.all(["m1", "m2"].map((id) => gateway.post(request({ timeoutMs: 50, headers: { "webhook-id": id } }))));
    expect(given).toEqual([silentFor("timeout"), silentFor("timeout")]);
    found.resolve([{ address: "127.0.0.1", family: 4 }]);
    expect(await gateway.post(request({ headers: { "webhook-id": "m3" } }))).toMatchObject({ status: 202 });
    expect(came).toEqual(["m3"]);
  });

  it("I14: one that hangs, on every connection, holds up nobody else", async () => {
    const hanging = await rawBank(() => undefined);
    const healthy = await httpBank((_, response) => void response.writeHead(202).end());
    const banks = [
      sampleBank({ id: "first", baseUrl: hanging, allowedAddresses: loopback, connections: 4 }),
      sampleBank({ id: "second", baseUrl: healthy, allowedAddresses: loopback, connections: 4 }),
    ];
    const gateway = createUndiciGateway(banks, gatewayOptions);
    defer(() => gateway.close());
    let ended = 0;
    const hung = Array.from({ length: 40 }, async () => {
      await gateway.post(request({ timeoutMs: 20_000 }));
      ended += 1;
    });
    for (let index = 0; index < 100; index += 1) {
      expect(await gateway.post(request({ bank: "second" }))).toMatchObject({ status: 202 });
    }
    expect(ended).toBe(0);
    await gateway.close();
    await Promise.all(hung);
  });
});

describe("fault 17: an acknowledgement that is lost on its way", () => {
  it("is silence that leaves the message open; what is sent again has the same bytes and id", async () => {
    const came: string[] = [];
    const url = await rawBank((socket, head) => {
      if (came.push(head) === 1) socket.write("HTTP/1.1 202 Acc", () => socket.resetAndDestroy());
      else socket.write(accepted);
    });
    const gateway = gatewayTo(url);
    const first = await gateway.post(request());
    expect([first.kind, classOf(first), leavesOpen(first, () => false)]).toEqual(["silent", "transient", true]);
    expect(await gateway.post(request())).toMatchObject({ status: 202 });
    expect(came[0]).toContain("webhook-id: m1");
    expect(came[1]).toBe(came[0]);
  });
});

describe("fault 18: answers that are none", () => {
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
    for (const answer of [await gateway.post(request()), await gateway.post(request())]) {
      expect([answer.kind === "answered" && answer.status, classOf(answer)]).toEqual([status, answerClass]);
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
  ])("%s is silence, however the code reads", async (_, speech) => {
    const answer = await gatewayTo(await rawBank((socket) => void socket.write(speech))).post(request());
    expect([answer.kind, classOf(answer), leavesOpen(answer, () => false)]).toEqual(["silent", "transient", true]);
    expect(answer.kind === "silent" && answer.reason).toMatch(/^[A-Za-z_]+$/);
  });

  it("I15: interim answers that come slowly and never end are silence at the deadline", async () => {
    const url = await rawBank((socket) => {
      const timer = setInterval(() => void (socket.destroyed ? clearInterval(timer) : socket.write("HTTP/1.1 102 Processing\r\n\r\n")), 10);
    });
    expect(await gatewayTo(url).post(request({ timeoutMs: 200 }))).toEqual({ kind: "silent", reason: "timeout" });
  });

  it.each([
    ["status line", "HTTP/1.1 202 ", "a".repeat(65_536)],
    ["list of headers", "HTTP/1.1 202 Accepted\r\n", "a: b\r\n".repeat(10_000)],
    ["chunk's extension", "HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\n1;", "a".repeat(65_536)],
    ["list of trailers", "HTTP/1.1 202 Accepted\r\ntransfer-encoding: chunked\r\n\r\n0\r\n", "a: b\r\n".repeat(10_000)],
    ["row of empty lines", "", "\r\n".repeat(32_768)],
    ["row of interim answers", "", "HTTP/1.1 102 Processing\r\n\r\n".repeat(1_000)],
  ])("I15: of an endless %s little is read, and the answer is silence", async (_, head, endless) => {
    let sentBytes = 0;
    const url = await rawBank((socket) => {
      socket.write(head);
      sentBytes += pourInto(socket, Buffer.from(endless), (bytes) => (sentBytes += bytes));
    });
    const answer = await gatewayTo(url).post(request({ timeoutMs: 20_000 }));
    expect([answer.kind, classOf(answer)]).toEqual(["silent", "transient"]);
    expect(answer.kind === "silent" && answer.reason).toMatch(/^answer-too-long$|OVERFLOW$/);
    expect(sentBytes).toBeLessThan(64 * 1024 * 1024);
  });

  it("a bank that says much, and ends, is heard each time on the same connection", async () => {
    const ports = new Set<number | undefined>();
    const said = Buffer.alloc(60 * 1024, "x");
    const url = await httpBank(({ socket }, response) => {
      ports.add(socket.remotePort);
      response.writeHead(202).end(said);
    });
    const gateway = gatewayTo(url, { connections: 1 });
    for (let index = 0; index < 30; index += 1) expect(await gateway.post(request())).toMatchObject({ kind: "answered", status: 202 });
    expect([ports.size, 30 * said.byteLength > exchangeBytesMax]).toEqual([1, true]);
  });

  it("I15: an endless body is cut, and the next request finds a connection of its own", async () => {
    const url = await rawBank((socket) => {
      socket.write("HTTP/1.1 202 Accepted\r\n\r\n");
      pourInto(socket, Buffer.alloc(65_536, "x"), () => undefined);
    });
    const gateway = gatewayTo(url, { connections: 1 });
    for (let index = 0; index < 5; index += 1) {
      const answer = await gateway.post(request());
      expect(answer.kind === "answered" && [answer.status, answer.body.byteLength]).toEqual([202, answerBytesMax]);
    }
  });
});

/** Until the other side has enough. Returns 0. */
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

describe("fault 19: answers in turn, with a Retry-After that means harm", () => {
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
  ])("the wait after one that says %s has its bounds, and leaves an attempt before the deadline", async (_, retryAfter, isReadable) => {
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
      const answer = await gateway.post(request());
      expect(answer).toMatchObject({ kind: "answered", status: expected });
      const heard = answer.kind === "answered" ? answer.retryAfter : null;
      const failure = { class: "transient", attempts: 1, retryAfter: heard, nowMs, attemptTimeoutMs: 5_000 } as const;
      const free = waitMs({ ...failure, deadlineMs: null }, random);
      expect(free).toBeGreaterThanOrEqual(isReadable ? retryAfterMinMs : 0);
      expect(free).toBeLessThanOrEqual(isReadable ? retryAfterMaxMs : backOffFirstMaxMs);
      expect(waitMs({ ...failure, deadlineMs: nowMs + 30_000 }, random)).toBeLessThanOrEqual(25_000);
    }
    expect(classOf(await gateway.post(request()))).toBe("acknowledged");
  });
});
