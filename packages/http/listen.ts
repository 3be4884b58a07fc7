// A fetch handler on a port, by @hono/node-server on Node's own server, with a bound on everything a peer can send or hold.
//
// 1. `close` takes no new connection, lets requests under way finish (and tells their peers to close), and after the grace time cuts
//    what is left. It may be called twice.
// 2. What the HTTP parser refuses (bad syntax, headers too large, too slow) is answered as an ErrorDetail too; but while a request
//    that was read whole is under way on the connection, it is cut without an answer: a refusal would be taken as that request's.
// 3. An exception in the handler is logged and answered 500; it never ends the process.

import { once } from "node:events";
import { createServer } from "node:http";
import type { Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import type { Log } from "@sluice/telemetry";
import { problem, problemText } from "./problem.ts";

export interface ListenLimits {
  /** Time for the headers, and for the whole request with its body, from the first byte. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How long a connection may stay idle between requests. */
  readonly keepAliveTimeoutMs: number;
  readonly headerBytesMax: number;
  readonly connectionsMax: number;
}

export interface ListenOptions {
  fetch(request: Request): Response | Promise<Response>;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly limits: ListenLimits;
  readonly log: Log;
}

export interface Listening {
  readonly port: number;
  close(graceMs: number): Promise<void>;
}

/** Fit for an API that answers within a second. */
export const listenLimitsDefault: ListenLimits = {
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 10_000,
  keepAliveTimeoutMs: 75_000,
  headerBytesMax: 16 * 1024,
  connectionsMax: 4_096,
};

const timeoutCheckMs = 1_000;

export async function listen(options: ListenOptions): Promise<Listening> {
  const { limits, log } = options;
  const underWay = new Set<ServerResponse>();
  let isClosing = false;
  const handle = getRequestListener((request) => options.fetch(request), {
    overrideGlobalObjects: false,
    errorHandler(error) {
      if (error instanceof Error && error.name === "RequestError")
        return problem(400, "Bad request", "The request line or host is not valid.");
      log.error("http.handler-failed", { error });
      return problem(500, "Internal error", "The request could not be processed.");
    },
  });
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      maxHeaderSize: limits.headerBytesMax,
      connectionsCheckingInterval: timeoutCheckMs,
    },
    (incoming, outgoing) => {
      underWay.add(outgoing);
      outgoing.once("close", () => {
        underWay.delete(outgoing);
        if (isClosing) server.closeIdleConnections();
      });
      if (isClosing) outgoing.setHeader("connection", "close");
      void handle(incoming, outgoing);
    },
  );
  server.maxConnections = limits.connectionsMax;
  server.on("clientError", answerUnreadable);
  server.listen(options.port, options.host);
  await once(server, "listening");
  server.on("error", (error) => log.error("http.server-failed", { error }));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  let closing: Promise<void> | null = null;
  return {
    port,
    close(graceMs) {
      isClosing = true;
      for (const outgoing of underWay) if (!outgoing.headersSent) outgoing.setHeader("connection", "close");
      closing ??= closeServer(server, graceMs);
      return closing;
    },
  };
}

function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}

const unreadable = {
  HPE_HEADER_OVERFLOW: { line: "431 Request Header Fields Too Large", message: "Headers too large" },
  ERR_HTTP_REQUEST_TIMEOUT: { line: "408 Request Timeout", message: "Too slow" },
} as const;

function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex & { _httpMessage?: ServerResponse | null }): void {
  const current = socket._httpMessage ?? null;
  const isTaken = current !== null && (current.headersSent || current.req.complete);
  if (error.code === "ECONNRESET" || !socket.writable || isTaken) {
    socket.destroy();
    return;
  }
  const answer =
    error.code === "HPE_HEADER_OVERFLOW" || error.code === "ERR_HTTP_REQUEST_TIMEOUT"
      ? unreadable[error.code]
      : { line: "400 Bad Request", message: "Not HTTP" };
  const body = problemText(answer.message, "The request was not read to its end.");
  const headers = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${answer.line}\r\n${headers}\r\n\r\n${body}`, () => socket.destroy());
}
