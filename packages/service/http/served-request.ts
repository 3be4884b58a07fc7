// A request as services read it, and two ways to it: from the objects of the Fetch API, and from Node's own. The former
// have headers, streams and signals of their own, which cost more than to take a message does.

import type { IncomingMessage } from "node:http";

export interface ServedRequest {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  /** Returns a header by its name in lower case; null: it was not sent. What was sent twice is joined by a comma. */
  header(name: string): string | null;
  /** Reads the whole body. Rejects if the connection ends before it has come. */
  bytes(): Promise<Uint8Array>;
}

export function fromFetch(request: Request): ServedRequest {
  return {
    method: request.method,
    url: request.url,
    header: (name) => request.headers.get(name),
    bytes: async () => new Uint8Array(await request.arrayBuffer()),
  };
}

/** The request names a host, and its target is a path. Headers sent twice are joined (`joinDuplicateHeaders`). */
export function fromNode(incoming: IncomingMessage): ServedRequest {
  return new NodeRequest(incoming);
}

class NodeRequest implements ServedRequest {
  readonly #incoming: IncomingMessage;

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
  }

  get method(): string {
    return this.#incoming.method ?? "";
  }

  get url(): string {
    const { socket, headers, url } = this.#incoming;
    return `${"encrypted" in socket ? "https" : "http"}://${headers.host}${url}`;
  }

  header(name: string): string | null {
    const { headers } = this.#incoming;
    // A caller's signature may name any header, also what every object has.
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return typeof value === "string" ? value : (value?.join(", ") ?? null);
  }

  bytes(): Promise<Uint8Array> {
    const incoming = this.#incoming;
    if (incoming.destroyed) return Promise.reject(endedEarly());
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => void chunks.push(chunk));
      incoming.once("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
      incoming.once("error", reject);
      // After the end of a body it says nothing.
      incoming.once("close", () => reject(endedEarly()));
    });
  }
}

function endedEarly(): Error {
  return new Error("the connection ended before the whole body had come");
}
