// Serves a fetch handler on a port, on Node's own server (`request-listener.ts`). Everything that a peer can send or
// hold is bounded.
//
// #1 `close` accepts no new connection, lets requests in flight finish (and tells their peers to close), and cuts the
//    rest after the grace time. It may be called twice. A connection without a request stays open for `lullMs`: what
//    is on its way there when the close begins would else get no answer.
// #2 Input that the HTTP parser refuses (bad syntax, headers too large, too slow) is answered with an ErrorDetail too.
//    But if a complete request is in flight on the connection, only that request is answered and the connection is
//    closed, because the peer would take a refusal as the answer to that request.
// #3 A head that could be read in two ways is refused before it becomes a request (`request-head.ts`). CONNECT is
//    refused. A requested upgrade is ignored, and the request is answered as it is.
// #4 Strangers have few of the connections (`connection-places.ts`).

import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";
import { Server as NetServer } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "@sluice/kernel";
import type { ConnectionLimits } from "./connection-places.ts";
import { createListenerServer, type ListenerTls } from "./listener-tls.ts";
import { problemBody } from "./problem.ts";
import { expectationRefusal, refuseHead, type HeadRefusal } from "./request-head.ts";
import { createRequestListener, type RequestHandlers } from "./request-listener.ts";
import { trackConnections } from "./track-connections.ts";

export interface ListenLimits extends ConnectionLimits {
  /** Milliseconds for the headers, and for the whole request with its body, from the first byte. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** Milliseconds that a connection may stay idle between requests. */
  readonly keepAliveTimeoutMs: number;
  /** Milliseconds that a peer may leave its answer unread, or a handler may take, before the connection is cut. */
  readonly idleTimeoutMs: number;
  readonly headerBytesMax: number;
  readonly headersMax: number;
}

export interface ListenOptions extends RequestHandlers {
  readonly host: string;
  /** Port to listen on; 0 takes any free port. */
  readonly port: number;
  readonly limits: ListenLimits;
  readonly logger: Logger;
  /** Counts a connection that had to close for another one, or found no place (`connection-places.ts`). */
  readonly dropped?: () => void;
  /** Without it the listener speaks plain HTTP. */
  readonly tls?: ListenerTls | null;
}

export interface HttpListener {
  readonly port: number;
  close(graceMs: number): Promise<void>;
}

/** Limits for an API that answers within a second. */
export const listenLimitsDefault: ListenLimits = {
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 10_000,
  keepAliveTimeoutMs: 75_000,
  idleTimeoutMs: 30_000,
  headerBytesMax: 16 * 1024,
  headersMax: 100,
  connectionsMax: 4_096,
  strangersMax: 256,
  // As many as a caller may have, because it may open all of them at once before it has sent anything.
  strangersPerAddressMax: 64,
  acquaintancesMax: 1_024,
  acquaintancesPerAddressMax: 256,
};

const timeoutCheckMs = 1_000;
/** #1: milliseconds. */
const lullMs = 2_000;
/** Milliseconds for the answer to a request after which the connection cannot be read any more. */
const lastAnswerMs = 2_000;

export async function listen(options: ListenOptions): Promise<HttpListener> {
  const { limits, logger } = options;
  const inFlight = new Set<ServerResponse>();
  let isClosing = false;
  let isLullOver = false;
  const server = createListenerServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      maxHeaderSize: limits.headerBytesMax,
      connectionsCheckingInterval: timeoutCheckMs,
      // Node would refuse such a request without a body; `refuseHead` refuses it with one.
      requireHostHeader: false,
      // What `served-request.ts` needs. `refuseHead` refuses the headers that may come once.
      joinDuplicateHeaders: true,
    },
    options.tls ?? null,
    (incoming, outgoing) => {
      inFlight.add(outgoing);
      connections.begin(incoming.socket);
      outgoing.once("close", () => {
        inFlight.delete(outgoing);
        connections.end(incoming.socket);
        if (isLullOver) server.closeIdleConnections();
      });
      if (isClosing) outgoing.setHeader("connection", "close");
      const refused = refuseHead(incoming, limits.headersMax);
      if (refused === null) handle(incoming, outgoing);
      else answerRefused(outgoing, refused);
    },
    answerUnreadable,
  );
  const connections = trackConnections(server, limits, () => options.dropped?.());
  const handle = createRequestListener(options, connections, logger);
  server.setTimeout(limits.idleTimeoutMs);
  server.on("checkExpectation", (_incoming, outgoing: ServerResponse) => answerRefused(outgoing, expectationRefusal));
  server.on("connect", (_incoming, socket: Duplex) => endWith(socket, "405 Method Not Allowed", "Method not allowed", "allow: POST\r\n"));
  server.listen(options.port, options.host);
  await once(server, "listening");
  server.on("error", (error) => logger.error("http.server-failed", { error }));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  let closing: Promise<void> | null = null;
  return {
    port,
    close(graceMs) {
      isClosing = true;
      for (const outgoing of inFlight) if (!outgoing.headersSent) outgoing.setHeader("connection", "close");
      closing ??= closeServer(server, graceMs, () => (isLullOver = true));
      return closing;
    },
  };
}

function answerRefused(outgoing: ServerResponse, { status, body }: HeadRefusal): void {
  outgoing.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body), connection: "close" });
  outgoing.end(body);
}

/** #1. The close of an HTTP server ends idle connections at once; that of its base class only listens no more. */
function closeServer(server: Server, graceMs: number, lullOver: () => void): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    const lull = setTimeout(endLull, Math.min(lullMs, graceMs));
    function endLull(): void {
      lullOver();
      server.close();
    }
    NetServer.prototype.close.call(server, () => {
      clearTimeout(cut);
      clearTimeout(lull);
      server.close();
      resolve();
    });
  });
}

const unreadable = {
  HPE_HEADER_OVERFLOW: { line: "431 Request Header Fields Too Large", message: "Headers too large" },
  ERR_HTTP_REQUEST_TIMEOUT: { line: "408 Request Timeout", message: "Too slow" },
} as const;

function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex & { _httpMessage?: ServerResponse | null }): void {
  const current = socket._httpMessage ?? null;
  const isComplete = current !== null && current.req.complete;
  if (error.code === "ECONNRESET" || !socket.writable || current?.headersSent === true) {
    socket.destroy();
    return;
  }
  if (isComplete) {
    current?.setHeader("connection", "close");
    setTimeout(() => socket.destroy(), lastAnswerMs).unref();
    return;
  }
  const answer =
    error.code === "HPE_HEADER_OVERFLOW" || error.code === "ERR_HTTP_REQUEST_TIMEOUT"
      ? unreadable[error.code]
      : { line: "400 Bad Request", message: "Not HTTP" };
  endWith(socket, answer.line, answer.message);
}

function endWith(socket: Duplex, line: string, message: string, header = ""): void {
  const body = problemBody(message, "The request was not read to its end.");
  const headers = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${header}connection: close`;
  socket.end(`HTTP/1.1 ${line}\r\n${headers}\r\n\r\n${body}`, () => socket.destroy());
}
