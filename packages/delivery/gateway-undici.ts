// The way out to banks: one undici pool for each address of a bank.
//
// #1 `post` never rejects. An answer counts only if it was read to its end, or to 64 KiB; a cut or late one is silence, for
//    nobody knows what the bank meant to say.
// #2 One deadline covers waiting for a connection, connecting, sending and reading.
// #3 No redirect is followed, nothing is decompressed, no request is sent twice.
// #4 The bank's bearer token is added here and nowhere else.

import type { Bank } from "@sluice/config";
import { Pool, type Dispatcher } from "undici";
import type { BankAnswer, BankGateway, BankRequest } from "./port.ts";

export const answerBytesMax = 64 * 1024;
const headerBytesMax = 16 * 1024;
const connectTimeoutMs = 5_000;
const keepAliveMs = 4_000;

const paths = {
  outboundDirectDebitResponse: "/outbound/direct-debit-response",
  inboundDirectDebit: "/inbound/direct-debit",
} as const;

export function createUndiciGateway(banks: readonly Bank[]): BankGateway {
  const bankById = new Map(banks.map((bank) => [bank.id, bank]));
  const pools = new Map<string, Pool>();

  function poolOf(bank: Bank, origin: string): Pool {
    const key = `${bank.id} ${origin}`;
    const known = pools.get(key);
    if (known !== undefined) return known;
    const pool = new Pool(origin, {
      connections: bank.connections,
      pipelining: 1,
      connect: { timeout: Math.min(connectTimeoutMs, bank.answerTimeoutMs) },
      headersTimeout: bank.answerTimeoutMs,
      bodyTimeout: bank.answerTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      maxHeaderSize: headerBytesMax,
    });
    pools.set(key, pool);
    return pool;
  }

  return {
    async post(request) {
      const bank = bankById.get(request.bank);
      const url = bank === undefined ? null : urlOf(bank, request.operation);
      if (bank === undefined || url === null) return { kind: "silent", reason: "no-address" };
      return exchange(poolOf(bank, url.origin), url, bank.bearerToken, request);
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
      pools.clear();
    },
  };
}

/** Where a message of that operation goes; null: the bank has no such address. */
export function urlOf(bank: Bank, operation: BankRequest["operation"]): URL | null {
  if (operation === "events") return bank.eventsUrl === null ? null : new URL(`${bank.eventsUrl}/events`);
  return new URL(bank.operationUrls[operation] ?? `${bank.baseUrl}${paths[operation]}`);
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
