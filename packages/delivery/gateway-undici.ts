// The way out to banks and scheme connectors: one undici pool for each address of a receiver.
//
// #1 `post` never rejects. An answer counts only if it was read to its end, or to 64 KiB; a cut or late one is silence, for
//    nobody knows what the bank meant to say.
// #2 One deadline covers waiting for a connection, connecting, sending and reading.
// #3 No redirect is followed, nothing is decompressed, no request is sent twice.
// #4 The receiver's bearer token is added here and nowhere else.
// #5 What a connection must be is in `gateway-undici-connect.ts`. Proxies of the environment have no effect.

import { createSecureContext } from "node:tls";
import { Pool, type Dispatcher } from "undici";
import { urlOf, type Receiver } from "./addresses.ts";
import type { AddressRefusal } from "./address-check.ts";
import { checkedConnector, refusalOf, systemResolve, type Resolve } from "./gateway-undici-connect.ts";
import type { BankAnswer, BankGateway, BankRequest } from "./port.ts";

export const answerBytesMax = 64 * 1024;
const headerBytesMax = 16 * 1024;
const connectTimeoutMs = 5_000;
const keepAliveMs = 4_000;

export interface UndiciGatewayOptions {
  /** Not given: the machine's. */
  readonly resolve?: Resolve;
}

export function createUndiciGateway(receivers: readonly Receiver[], options: UndiciGatewayOptions = {}): BankGateway {
  const { resolve = systemResolve() } = options;
  const receiverById = new Map(receivers.map((receiver) => [receiver.id, receiver]));
  const ways = new Map<string, Pool | AddressRefusal>();

  function wayTo(receiver: Receiver, url: URL): Pool | AddressRefusal {
    const key = `${receiver.id} ${url.origin}`;
    const known = ways.get(key);
    if (known !== undefined) return known;
    const way = refusalOf(url, receiver.allowedAddresses) ?? poolTo(receiver, url, resolve);
    ways.set(key, way);
    return way;
  }

  return {
    async post(request) {
      const receiver = receiverById.get(request.bank);
      const url = receiver === undefined ? null : urlOf(receiver, request.operation);
      if (receiver === undefined || url === null) return { kind: "silent", reason: "no-address" };
      const way = wayTo(receiver, url);
      return typeof way === "string" ? { kind: "silent", reason: way } : exchange(way, url, receiver.bearerToken, request);
    },
    async close() {
      await Promise.all([...ways.values()].flatMap((way) => (typeof way === "string" ? [] : [way.destroy()])));
      ways.clear();
    },
  };
}

function poolTo(receiver: Receiver, url: URL, resolve: Resolve): Pool {
  return new Pool(url.origin, {
    connections: receiver.connections,
    pipelining: 1,
    allowH2: false,
    connect: checkedConnector({
      url,
      allowedAddresses: receiver.allowedAddresses,
      timeoutMs: Math.min(connectTimeoutMs, receiver.answerTimeoutMs),
      secureContext: url.protocol === "https:" ? createSecureContext({ minVersion: "TLSv1.2" }) : null,
      resolve,
    }),
    headersTimeout: receiver.answerTimeoutMs,
    bodyTimeout: receiver.answerTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: headerBytesMax,
  });
}

async function exchange(pool: Pool, url: URL, bearerToken: string | null, request: BankRequest): Promise<BankAnswer> {
  const signal = AbortSignal.timeout(request.timeoutMs);
  try {
    const response = await pool.request({
      method: "POST",
      path: `${url.pathname}${url.search}`,
      headers: bearerToken === null ? { ...request.headers } : { ...request.headers, authorization: `Bearer ${bearerToken}` },
      body: request.body,
      signal,
    });
    const body = await readCapped(response.body);
    return { kind: "answered", status: response.statusCode, retryAfter: single(response.headers["retry-after"]), body };
  } catch (error) {
    return { kind: "silent", reason: signal.aborted ? "timeout" : reasonOf(error) };
  }
}

/** Leaving the loop early destroys the body, and with it the connection: what is left of a giant answer is not read. */
async function readCapped(body: Dispatcher.ResponseData["body"]): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk.subarray(0, answerBytesMax - bytes));
    bytes += chunk.byteLength;
    if (bytes >= answerBytesMax) break;
  }
  return Buffer.concat(chunks);
}

function single(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null;
}

const timeoutCodes: ReadonlySet<string> = new Set(["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);

/** A stable code, never the message: that may hold an address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  return timeoutCodes.has(code) ? "timeout" : code;
}
