// Serves a receiver with Node's own server: `createServer(nodeListener(receiver))`.
//
// A request that cannot become a `Request` is answered 400; one that breaks off is dropped. Time limits are the
// server's.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Receiver } from "./receiver.ts";

export function nodeListener(receiver: Receiver): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  return (incoming, outgoing) => {
    serve(receiver, incoming, outgoing).catch(() => outgoing.destroy());
  };
}

async function serve(receiver: Receiver, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const request = buildRequest(incoming);
  if (request === null) {
    outgoing.writeHead(400, { connection: "close" }).end();
    return;
  }
  const response = await receiver(request);
  // An unread body cannot be followed by another request on the connection.
  if (!incoming.complete) outgoing.setHeader("connection", "close");
  const body = Buffer.from(await response.arrayBuffer());
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), "content-length": body.length }).end(body);
}

function buildRequest(incoming: IncomingMessage): Request | null {
  try {
    const method = incoming.method ?? "GET";
    const body = method === "GET" || method === "HEAD" ? null : buildBody(incoming);
    // The type is widened, because not every runtime's types know `duplex`, which a streaming body needs.
    const init: RequestInit & { readonly duplex: "half" } = { method, headers: buildHeaders(incoming), body, duplex: "half" };
    // Only the path is used; a host that the caller names is ignored.
    return new Request(new URL(`http://localhost${new URL(incoming.url ?? "/", "http://localhost").pathname}`), init);
  } catch {
    return null;
  }
}

/**
 * `Readable.toWeb` would end the connection where the receiver stops reading, and in some runtimes send its own answer.
 */
function buildBody(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = incoming[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
}

/** Reads the raw list of name, value, name, and so on, with repeats: every runtime that imitates Node has it. */
function buildHeaders({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  return headers;
}
