// The way out to banks and scheme connectors: one undici pool for each address of a receiver.
//
// #1 `post` never rejects. An answer counts only if it was read to its end, or to 64 KiB; a cut or late one is silence, for
//    nobody knows what the bank meant to say.
// #2 One deadline covers waiting for a connection, connecting, sending and reading.
// #3 No redirect is followed, nothing is decompressed, no request is sent twice.
// #4 What proves who we are is added here and nowhere else: token, signature, client certificate. It is read anew while the service runs:
//    new connections show the new certificate, old ones end with what is under way on them.
// #5 What a connection must be is in `gateway-undici-connect.ts`, and through a receiver's proxy in `gateway-undici-tunnel.ts`. Proxies of the
//    environment have no effect.

import type { SecureContext } from "node:tls";
import type { Time } from "@sluice/runtime";
import type { Log, Metrics } from "@sluice/telemetry";
import { Pool, type buildConnector, type Dispatcher } from "undici";
import type { AddressRefusal } from "./address-check.ts";
import { urlOf, type Receiver } from "./addresses.ts";
import { credentialsReport } from "./credentials-report.ts";
import { credentialsOf, type Credentials } from "./credentials.ts";
import { boundedConnector } from "./gateway-undici-bounds.ts";
import { checkedConnector, refusalOf, systemResolve, type Resolve } from "./gateway-undici-connect.ts";
import { tunnelConnector } from "./gateway-undici-tunnel.ts";
import type { BankAnswer, BankGateway } from "./port.ts";
import { createSecretFiles } from "./secret-files.ts";

export const answerBytesMax = 64 * 1024;
const headerBytesMax = 16 * 1024;
const connectTimeoutMs = 5_000;
const keepAliveMs = 4_000;

export interface UndiciGatewayOptions {
  readonly time: Time;
  readonly log: Log;
  readonly metrics: Metrics;
  /** How often files are looked at; not given: every 5 s. */
  readonly filesPollMs?: number;
  /** Not given: the machine's. */
  readonly resolve?: Resolve;
}

/** A receiver, what it is called with, and the pool, or the refusal, for each of its addresses. */
interface Called {
  readonly receiver: Receiver;
  readonly credentials: Credentials;
  readonly ways: Map<string, Pool | AddressRefusal>;
}

export function createUndiciGateway(receivers: readonly Receiver[], options: UndiciGatewayOptions): BankGateway {
  const { time, filesPollMs, resolve = systemResolve() } = options;
  const report = credentialsReport(options);
  const files = createSecretFiles({ time, ...report, ...(filesPollMs === undefined ? {} : { pollMs: filesPollMs }) });
  const ending = new Set<Pool>();
  const calledById = new Map(receivers.map((receiver) => [receiver.id, calledOf(receiver)]));
  let isStarted = false;
  const started = files.started().then(() => (isStarted = true));

  function calledOf(receiver: Receiver): Called {
    const ways: Called["ways"] = new Map();
    function tlsChanged(): void {
      for (const way of ways.values()) if (typeof way !== "string") void end(way);
      ways.clear();
    }
    const certificateEnds = (atMs: number): void => report.certificateEnds(receiver.id, atMs);
    return { receiver, credentials: credentialsOf(receiver, files, { tlsChanged, certificateEnds }), ways };
  }

  /** Once what is under way on it has ended. */
  async function end(pool: Pool): Promise<void> {
    ending.add(pool);
    await Promise.allSettled([pool.close()]);
    ending.delete(pool);
  }

  function wayTo({ receiver, credentials, ways }: Called, url: URL): Pool | AddressRefusal | "credentials-not-read" {
    const known = ways.get(url.origin);
    if (known !== undefined) return known;
    const secureContext = url.protocol === "https:" ? credentials.secureContext() : undefined;
    if (secureContext === null) return "credentials-not-read";
    const way =
      refusalOf(url, receiver.allowedAddresses, receiver.egressProxy !== null) ??
      poolTo(receiver, url.origin, boundedConnector(connectorTo(receiver, url, secureContext ?? null, { time, resolve })));
    ways.set(url.origin, way);
    return way;
  }

  return {
    async post(request) {
      if (!isStarted) await started;
      const called = calledById.get(request.bank);
      const url = called === undefined ? null : urlOf(called.receiver, request.operation);
      if (called === undefined || url === null) return silent("no-address");
      const way = wayTo(called, url);
      if (typeof way === "string") return silent(way);
      const headers = called.credentials.headersOf(request.headers, request.body);
      if (headers === null) return silent("credentials-not-read");
      return withinDeadline(time, request.timeoutMs, { pool: way, url, headers, body: request.body });
    },
    async close() {
      await files.stop();
      const ways = [...calledById.values()].flatMap((called) => [...called.ways.values()]);
      const pools = [...ending, ...ways.filter((way) => typeof way !== "string")];
      await Promise.allSettled(pools.map((pool) => pool.destroy()));
    },
  };
}

const silent = (reason: string): BankAnswer => ({ kind: "silent", reason });

function poolTo(receiver: Receiver, origin: string, connect: buildConnector.connector): Pool {
  return new Pool(origin, {
    connections: receiver.connections,
    pipelining: 1,
    allowH2: false,
    connect,
    headersTimeout: receiver.answerTimeoutMs,
    bodyTimeout: receiver.answerTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: headerBytesMax,
  });
}

/** `secureContext`: null where the address has no TLS. */
function connectorTo(
  { egressProxy, allowedAddresses, answerTimeoutMs }: Receiver,
  url: URL,
  secureContext: SecureContext | null,
  { time, resolve }: { readonly time: Time; readonly resolve: Resolve },
): buildConnector.connector {
  const timeoutMs = Math.min(connectTimeoutMs, answerTimeoutMs);
  if (egressProxy !== null) return tunnelConnector({ time, proxy: new URL(egressProxy), timeoutMs, secureContext });
  return checkedConnector({ url, allowedAddresses, timeoutMs, secureContext, resolve });
}

/** The way out, what it carries, and until when. */
interface Exchange {
  readonly pool: Pool;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** #2. A request that waits in the pool hears of the end only when it has its turn; then it is not sent. */
async function withinDeadline(time: Time, timeoutMs: number, exchange: Exchange): Promise<BankAnswer> {
  const deadline = Promise.withResolvers<BankAnswer>();
  const givingUp = new AbortController();
  using _ = time.after(timeoutMs, () => {
    deadline.resolve(silent("timeout"));
    givingUp.abort();
  });
  return await Promise.race([deadline.promise, answerTo(exchange, givingUp.signal)]);
}

async function answerTo({ pool, url, headers, body }: Exchange, signal: AbortSignal): Promise<BankAnswer> {
  try {
    const path = `${url.pathname}${url.search}`;
    const response = await pool.request({ method: "POST", path, headers: { ...headers }, body, signal });
    const answer = await readCapped(response.body);
    return { kind: "answered", status: response.statusCode, retryAfter: single(response.headers["retry-after"]), body: answer };
  } catch (error) {
    return silent(reasonOf(error));
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
