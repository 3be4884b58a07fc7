// A receiver behind Node's own server: `createServer(nodeListener(receiver))`.
//
// A request that cannot be told as a `Request` is 400; one that goes away on the way is left. Time limits are those of the server.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Receiver } from "./receiver.ts";

export function nodeListener(receiver: Receiver): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  return (incoming, outgoing) => {
    serve(receiver, incoming, outgoing).catch(() => outgoing.destroy());
  };
}

async function serve(receiver: Receiver, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const request = requestOf(incoming);
  if (request === null) {
    outgoing.writeHead(400, { connection: "close" }).end();
    return;
  }
  const response = await receiver(request);
  // What was not read cannot be followed by another request.
  if (!incoming.complete) outgoing.setHeader("connection", "close");
  const body = Buffer.from(await response.arrayBuffer());
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), "content-length": body.length }).end(body);
}

function requestOf(incoming: IncomingMessage): Request | null {
  try {
    const method = incoming.method ?? "GET";
    const body = method === "GET" || method === "HEAD" ? null : bodyOf(incoming);
    // Named so because not every runtime's types know `duplex`, which a body that is a stream needs.
    const init: RequestInit & { readonly duplex: "half" } = { method, headers: headersOf(incoming), body, duplex: "half" };
    // The path alone counts: what a caller says of hosts is not looked at.
    return new Request(new URL(`http://localhost${new URL(incoming.url ?? "/", "http://localhost").pathname}`), init);
  } catch {
    return null;
  }
}

/** `Readable.toWeb` would end the connection, in some runtimes with an answer of its own, where the receiver does not read on. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = incoming[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
}

/** A name, its value, the next name…, each as often as it came: every runtime that speaks for Node has them so. */
function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  return headers;
}
