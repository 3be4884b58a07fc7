import { connect } from "node:net";
import { silentLogger } from "@sluice/kernel";
import { afterEach, expect, test } from "vitest";
import { type HttpListener, listen, listenLimitsDefault } from "./listen.ts";
import { problemResponse } from "./problem.ts";
import { sendRaw } from "./raw-request.fixture.ts";
import { readBody } from "./read-body.ts";
import type { DirectHandler } from "./request-listener.ts";

const open: HttpListener[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close(0)));
});

/** A listener whose address `/direct` is answered without the Fetch API, and all others by it. */
async function listening(handler: DirectHandler, byFetch: (request: Request) => void = () => undefined): Promise<number> {
  const events: string[] = [];
  const server = await listen({
    fetch(request) {
      byFetch(request);
      return new Response(`fetch ${request.method} ${new URL(request.url).pathname}`);
    },
    direct: (method, path) => (method === "POST" && path === "/direct" ? handler : null),
    host: "127.0.0.1",
    port: 0,
    limits: listenLimitsDefault,
    logger: { ...silentLogger, error: (event) => void events.push(event) },
  });
  open.push(server);
  return server.port;
}

const head = (path: string, more = ""): string => `POST ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${more}`;

test("a plain answer has its status and headers and no body, and its handler reads method, address, headers and body", async () => {
  const seen: unknown[] = [];
  const port = await listening(async (request, connection) => {
    const reading = await readBody(request, 10);
    const { method, url } = request;
    seen.push(method, url, request.header("x-two"), request.header("x-none"), reading.ok && Buffer.from(reading.bytes).toString());
    seen.push(connection.remoteAddress);
    return { status: 202, headers: { "content-length": "0", "x-own": "1" } };
  });
  const answer = await sendRaw(port, head("/direct", "x-two: 1\r\nX-Two: 2\r\ncontent-length: 3\r\n\r\nabc"));
  expect(answer).toMatch(/^HTTP\/1\.1 202 Accepted\r\ncontent-length: 0\r\nx-own: 1\r\n[^]*\r\n\r\n$/i);
  expect(seen).toEqual(["POST", "http://a/direct", "1, 2", null, "abc", "127.0.0.1"]);
});

test.each(["/direct", "/other"])(
  "a header that is sent twice is joined at %s, also one of which Node would keep the first",
  async (path) => {
    const seen: unknown[] = [];
    const port = await listening(
      (request) => {
        seen.push(request.header("referer"));
        return Promise.resolve({ status: 202, headers: {} });
      },
      (request) => seen.push(request.headers.get("referer")),
    );
    await sendRaw(port, head(path, "referer: https://a.test/\r\nreferer: https://b.test/\r\ncontent-length: 0\r\n\r\n"));
    expect(seen).toEqual(["https://a.test/, https://b.test/"]);
  },
);

test.each(["constructor", "__proto__"])("a header %s that was not sent is none, though every object has it", async (name) => {
  const seen: unknown[] = [];
  const port = await listening((request) => {
    seen.push(request.header(name));
    return Promise.resolve({ status: 202, headers: {} });
  });
  expect(await sendRaw(port, head("/direct", "content-length: 0\r\n\r\n"))).toMatch(/^HTTP\/1\.1 202 /);
  expect(seen).toEqual([null]);
});

test.each([
  ["another path", head("/other", "content-length: 0\r\n\r\n"), "fetch POST /other"],
  ["a query", head("/direct?a=b", "content-length: 0\r\n\r\n"), "fetch POST /direct"],
  ["another method", "GET /direct HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n", "fetch GET /direct"],
  ["a whole address as target", head("http://b/direct", "content-length: 0\r\n\r\n"), "fetch POST /direct"],
  ["a host in capitals", "POST /direct HTTP/1.1\r\nhost: A\r\nconnection: close\r\ncontent-length: 0\r\n\r\n", "fetch POST /direct"],
])("%s goes by the Fetch API", async (_, text, body) => {
  const port = await listening(() => Promise.resolve({ status: 202, headers: {} }));
  expect(await sendRaw(port, text)).toMatch(new RegExp(`^HTTP/1\\.1 200 OK\r\n[^]*\r\n\r\n${body}$`));
});

test("a host that two readers could take for different ones is refused, also at a direct address", async () => {
  const port = await listening(() => Promise.resolve({ status: 202, headers: {} }));
  expect(await sendRaw(port, "POST /direct HTTP/1.1\r\nhost: a@b\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")).toMatch(
    /^HTTP\/1\.1 400 /,
  );
});

test.each(["1.2.3.4.5", "999.1", "a:99999"])(
  "the host %s, which is no name and no address, is refused before a handler sees it",
  async (host) => {
    const port = await listening((request) => Promise.resolve({ status: 202, headers: { "x-host": new URL(request.url).host } }));
    const answer = await sendRaw(port, `POST /direct HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*no name and no address/);
  },
);

test("a refusal before the body is read is sent, and the connection can be used again", async () => {
  let calls = 0;
  const port = await listening(async (request) => {
    calls += 1;
    if (calls === 1) return problemResponse(422, "Not now", "Nothing was read.");
    await readBody(request, 10);
    return { status: 202, headers: { "content-length": "0" } };
  });
  const first = "POST /direct HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nabc";
  expect(await sendRaw(port, `${first}${head("/direct", "content-length: 2\r\n\r\nde")}`)).toMatch(
    /^HTTP\/1\.1 422 [^]*Nothing was read[^]*HTTP\/1\.1 202 /,
  );
});

test("a handler that fails is answered 500, and the listener goes on", async () => {
  let calls = 0;
  const port = await listening(() => {
    calls += 1;
    return calls === 1 ? Promise.reject(new Error("broken")) : Promise.resolve({ status: 202, headers: {} });
  });
  expect(await sendRaw(port, head("/direct", "content-length: 0\r\n\r\n"))).toMatch(/^HTTP\/1\.1 500 /);
  expect(await sendRaw(port, head("/direct", "content-length: 0\r\n\r\n"))).toMatch(/^HTTP\/1\.1 202 /);
});

test("an answer that cannot be sent is answered 500, and the listener goes on", async () => {
  let calls = 0;
  const port = await listening(() => {
    calls += 1;
    return Promise.resolve({ status: 202, headers: { "content-length": "0", "x-own": calls === 1 ? "a\nb" : "a" } });
  });
  expect(await sendRaw(port, head("/direct", "content-length: 0\r\n\r\n"))).toMatch(/^HTTP\/1\.1 500 /);
  expect(await sendRaw(port, head("/direct", "content-length: 0\r\n\r\n"))).toMatch(/^HTTP\/1\.1 202 /);
});

test("a body that ends early is never taken for a whole one", async () => {
  const read = Promise.withResolvers<boolean>();
  const port = await listening(async (request) => {
    const reading = await readBody(request, 10);
    read.resolve(reading.ok);
    return { status: 202, headers: {} };
  });
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(head("/direct", "content-length: 5\r\n\r\nab"), () => setTimeout(() => socket.destroy(), 50));
  expect(await read.promise).toBe(false);
});
