import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { silentLogger } from "@sluice/kernel";
import { afterEach, expect, test, vi } from "vitest";
import { type HttpListener, listen, type ListenLimits, listenLimitsDefault, type ListenOptions } from "./listen.ts";
import { sendRaw } from "./raw-request.fixture.ts";
import { readBody } from "./read-body.ts";
import { fromFetch } from "./served-request.ts";
import type { ClientConnection } from "./track-connections.ts";

const open: HttpListener[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close(0)));
});

async function listening(fetch: ListenOptions["fetch"], limits: Partial<ListenLimits> = {}) {
  const server = await listen({ fetch, host: "127.0.0.1", port: 0, limits: { ...listenLimitsDefault, ...limits }, logger: silentLogger });
  open.push(server);
  return server;
}

async function echo(request: Request): Promise<Response> {
  const reading = await readBody(fromFetch(request), 10);
  return reading.ok ? new Response(new TextDecoder().decode(reading.bytes)) : reading.response;
}

test("a body within the bound is read, and a larger one is refused unread", async () => {
  const { port } = await listening(echo);
  const small = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "0123456789" });
  expect([small.status, await small.text()]).toEqual([200, "0123456789"]);
  const large = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "0123456789a" });
  expect([large.status, await large.json()]).toMatchObject([413, { schema: "ErrorDetail" }]);
});

test("a body without a length is refused with 411", async () => {
  const { port } = await listening(echo);
  const head = "POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n";
  expect(await sendRaw(port, `${head}transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`)).toMatch(/^HTTP\/1.1 411 /);
});

test("more bytes than the content-length says never reach the handler", async () => {
  const { port } = await listening(echo);
  const next = "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
  const answer = await sendRaw(port, `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc${next}`);
  expect(answer).toContain("\r\n\r\nabcHTTP/1.1 411 ");
});

test("bytes after a complete request that are not HTTP are never answered in its place", async () => {
  const started = Promise.withResolvers<void>();
  const { port } = await listening(async (request) => {
    await readBody(fromFetch(request), 10);
    started.resolve();
    return new Promise(() => {});
  });
  const answer = sendRaw(port, "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc\0\0\0");
  await started.promise;
  expect(await answer).toBe("");
});

test("a complete request followed by bytes that are not HTTP gets its answer, and the connection ends", async () => {
  const { port } = await listening(echo);
  const answer = await sendRaw(port, "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc\0\0\0");
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer).toMatch(/connection: close\r\n[^]*\r\n\r\nabc$/i);
});

test.each([
  ["GET /a HTTP/1.1\r\n\r\n", 400],
  ["GET /a HTTP/1.1\r\nhost: a\r\nHost: b\r\n\r\n", 400],
  ["GET /a HTTP/1.1\r\nhost: a\r\nexpect: 200-ok\r\n\r\n", 400],
  ["GET /a HTTP/1.1\r\nhost: a\r\nexpect: 100-continue, 200-ok\r\n\r\n", 400],
  ["GET /a/../b HTTP/1.1\r\nhost: a\r\n\r\n", 400],
  ["GET /a/%2E./b HTTP/1.1\r\nhost: a\r\n\r\n", 400],
  ["GET /a HTTP/2.0\r\nhost: a\r\n\r\n", 400],
  [`GET /a HTTP/1.1\r\nhost: a\r\n${"a: 1\r\n".repeat(100)}\r\n`, 431],
  ["CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n", 405],
])("%j is answered %i with an ErrorDetail, and the connection is closed", async (text, status) => {
  const { port } = await listening(() => new Response("reached"));
  const answer = await sendRaw(port, text);
  expect(answer).toMatch(
    new RegExp(`^(HTTP/1.1 100 Continue\r\n\r\n)?HTTP/1.1 ${status} [^]*connection: close[^]*"schema":"ErrorDetail"`, "i"),
  );
  expect(answer).not.toContain("reached");
});

test.each(["/a..b", "/.well-known", "/a?b=/../c", "/...", "/a.%2e.b"])("%s is accepted as an ordinary path", async (path) => {
  const { port } = await listening(() => new Response("reached", { headers: { connection: "close" } }));
  expect(await sendRaw(port, `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
});

test("all requests of one connection share one connection object, which reports its close", async () => {
  const seen: ClientConnection[] = [];
  const closed = Promise.withResolvers<void>();
  const { port } = await listening((_, connection) => {
    seen.push(connection);
    if (seen.length === 2) connection.onClose(closed.resolve);
    return new Response("ok", { headers: seen.length === 2 ? { connection: "close" } : {} });
  });
  await sendRaw(port, "GET / HTTP/1.1\r\nhost: a\r\n\r\nGET / HTTP/1.1\r\nhost: a\r\n\r\n");
  await closed.promise;
  await sendRaw(port, "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  expect([seen.length, seen[0] === seen[1], seen[1] === seen[2]]).toEqual([3, true, false]);
});

test("a length and chunks together are refused", async () => {
  const { port } = await listening(echo);
  const answer = await sendRaw(
    port,
    "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
  );
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
});

test("a body that arrives too slowly is answered with 408", async () => {
  const { port } = await listening(echo, { requestTimeoutMs: 200, headersTimeoutMs: 200 });
  const answer = await sendRaw(port, "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\na");
  expect(answer).toMatch(/^HTTP\/1.1 408 /);
  expect(answer).toContain("ErrorDetail");
});

test("a peer that leaves its answer unread is cut off and holds no resources", async () => {
  const cut = Promise.withResolvers<void>();
  const { port } = await listening(
    (_, connection) => {
      connection.onClose(cut.resolve);
      return new Response(new Uint8Array(64 * 1024 * 1024));
    },
    { idleTimeoutMs: 100 },
  );
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => socket.destroy());
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
  await cut.promise;
  expect(socket.bytesRead).toBeLessThan(64 * 1024 * 1024);
  socket.destroy();
});

test("headers above the bound are refused with 431", async () => {
  const { port } = await listening(echo, { headerBytesMax: 1024 });
  expect(await sendRaw(port, `GET / HTTP/1.1\r\nhost: a\r\nx: ${"y".repeat(2000)}\r\n\r\n`)).toMatch(/^HTTP\/1.1 431 /);
});

test("a handler that throws is answered with 500, and the server continues", async () => {
  let calls = 0;
  const { port } = await listening(() => {
    calls += 1;
    if (calls === 1) throw new Error("broken");
    return new Response("ok");
  });
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(500);
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
});

test("close lets a request in flight finish and accepts no new one", async () => {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const server = await listening(async () => {
    started.resolve();
    await finish.promise;
    return new Response("done");
  });
  const answer = fetch(`http://127.0.0.1:${server.port}/`);
  await started.promise;
  const closed = server.close(30_000);
  await expect(fetch(`http://127.0.0.1:${server.port}/`)).rejects.toThrow("fetch failed");
  finish.resolve();
  expect(await (await answer).text()).toBe("done");
  await closed;
});

test("close answers a request that comes on a connection that was kept open, and only then ends it [D10.40]", async () => {
  const server = await listening(echo);
  const socket = connect(server.port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const ask = (): boolean => socket.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\nok");
  ask();
  await vi.waitFor(() => expect(text).toMatch(/ok$/));
  expect(text).not.toMatch(/connection: close/i);
  const closed = server.close(30_000);
  await new Promise((resolve) => setTimeout(resolve, 300));
  text = "";
  ask();
  await once(socket, "close");
  expect(text).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*ok$/i);
  await closed;
});

test("close ends connections on which nothing comes any more long before the grace time", async () => {
  const server = await listening(echo);
  const socket = connect(server.port, "127.0.0.1");
  socket.resume();
  await once(socket, "connect");
  const fromMs = performance.now();
  await server.close(30_000);
  expect(performance.now() - fromMs).toBeLessThan(10_000);
});

test("close cuts requests that are still in flight after the grace time", async () => {
  const started = Promise.withResolvers<void>();
  const server = await listening(() => {
    started.resolve();
    return new Promise(() => {});
  });
  const answer = fetch(`http://127.0.0.1:${server.port}/`).then(
    () => "answered",
    () => "cut",
  );
  await started.promise;
  await server.close(50);
  expect(await answer).toBe("cut");
});

/** Opens silent connections and replaces each that is closed, until it is stopped. */
function holdSilent(port: number, count: number, localAddress: (index: number) => string): { stop(): void; opened(): number } {
  let isStopped = false;
  let opened = 0;
  const held = new Set<Socket>();
  const hold = (index: number): void => {
    if (isStopped) return;
    const socket = connect({ port, host: "127.0.0.1", localAddress: localAddress(index) });
    held.add(socket);
    socket.on("connect", () => (opened += 1));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      held.delete(socket);
      setTimeout(() => hold(index), 5);
    });
  };
  for (let index = 0; index < count; index += 1) hold(index);
  return {
    stop() {
      isStopped = true;
      for (const socket of held) socket.destroy();
    },
    opened: () => opened,
  };
}

/** Asks on a new connection; an answer of the server, or what went wrong. */
async function askOnce(port: number, authorization: string): Promise<string> {
  const answer = await sendRaw(port, `GET / HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization}\r\nconnection: close\r\n\r\n`);
  return answer === "" ? "no answer" : answer.slice(9, 12);
}

/** Knows one caller, as a service does. */
function knowing(request: Request, connection: ClientConnection): Response {
  if (request.headers.get("authorization") !== "known") return new Response(null, { status: 401, headers: { connection: "close" } });
  connection.authenticated("first");
  return new Response(null, { status: 204 });
}

test.each([
  ["from many addresses", (index: number) => `127.0.1.${1 + index}`],
  ["from the caller's own address", () => "127.0.0.1"],
])("I14: while strangers hold and replace silent connections %s, a caller is answered on new ones", async (_name, localAddress) => {
  const { port } = await listening(knowing, { connectionsMax: 128, strangersMax: 32, strangersPerAddressMax: 8 });
  const strangers = holdSilent(port, 200, localAddress);
  try {
    await vi.waitFor(() => expect(strangers.opened()).toBeGreaterThan(250), { timeout: 10_000 });
    const answers: string[] = [];
    for (let count = 0; count < 20; count += 1) answers.push(await askOnce(port, "known"));
    expect(answers.filter((answer) => answer === "204").length).toBeGreaterThanOrEqual(18);
  } finally {
    strangers.stop();
  }
});

test("a connection on which a caller was authenticated stays open while strangers come and go", async () => {
  const { port } = await listening(knowing, { connectionsMax: 64, strangersMax: 16, strangersPerAddressMax: 16 });
  const kept = connect(port, "127.0.0.1");
  const answers: string[] = [];
  kept.setEncoding("utf8").on("data", (text: string) => answers.push(text.slice(9, 12)));
  const ask = async (): Promise<void> => {
    const before = answers.length;
    kept.write("GET / HTTP/1.1\r\nhost: a\r\nauthorization: known\r\n\r\n");
    await vi.waitFor(() => expect(answers.length).toBe(before + 1));
  };
  await ask();
  const strangers = holdSilent(port, 100, () => "127.0.0.1");
  await vi.waitFor(() => expect(strangers.opened()).toBeGreaterThan(100));
  await ask();
  strangers.stop();
  kept.destroy();
  expect(answers).toEqual(["204", "204"]);
});
