// A receiver behind Node's own server: `createServer(nodeListener(receiver))`.
//
// A request that cannot be told as a `Request` is 400; one that goes away on the way is left. Time limits are those of the server.

import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
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
    const headers = new Headers();
    for (const [name, values = []] of Object.entries(incoming.headersDistinct)) for (const value of values) headers.append(name, value);
    const method = incoming.method ?? "GET";
    const body = method === "GET" || method === "HEAD" ? null : Readable.toWeb(incoming);
    // The path alone counts: what a caller says of hosts is not looked at.
    return new Request(new URL(`http://localhost${new URL(incoming.url ?? "/", "http://localhost").pathname}`), {
      method,
      headers,
      body,
      duplex: "half",
    });
  } catch {
    return null;
  }
}
