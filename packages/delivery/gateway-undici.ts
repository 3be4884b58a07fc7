// The way out to banks and scheme connectors: one undici pool for each address of a receiver.
//
// #1 `post` never rejects; what an exchange is, is in `gateway-undici-exchange.ts`.
// #2 What proves who we are is added here and nowhere else: token, signature, client certificate. It is read anew while the service runs:
//    new connections show the new certificate, old ones end with what is under way on them.
// #3 What a connection must be is in `gateway-undici-connect.ts`, and through a receiver's proxy in `gateway-undici-tunnel.ts`. Proxies of the
//    environment have no effect.

import type { SecureContext } from "node:tls";
import type { Time } from "@sluice/runtime";
import type { Log, Metrics } from "@sluice/telemetry";
import { Pool, type buildConnector } from "undici";
import type { AddressRefusal } from "./address-check.ts";
import { addressOf, type Address, type Receiver } from "./addresses.ts";
import { credentialsReport } from "./credentials-report.ts";
import { credentialsOf, type Credentials } from "./credentials.ts";
import { WaitsByLength } from "./equal-waits.ts";
import { boundedConnector } from "./gateway-undici-bounds.ts";
import { checkedConnector, refusalOf, systemResolve, type Resolve } from "./gateway-undici-connect.ts";
import { exchange, silence } from "./gateway-undici-exchange.ts";
import { tunnelConnector } from "./gateway-undici-tunnel.ts";
import type { BankAnswer, BankGateway, BankRequest } from "./port.ts";
import { createSecretFiles } from "./secret-files.ts";

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
  let renewed: ((bank: string) => void) | null = null;
  const files = createSecretFiles({
    time,
    ...report,
    read(owner) {
      report.read(owner);
      if (isStarted) renewed?.(owner.bank);
    },
    ...(filesPollMs === undefined ? {} : { pollMs: filesPollMs }),
  });
  const ending = new Set<Pool>();
  const calledById = new Map(receivers.map((receiver) => [receiver.id, calledOf(receiver)]));
  // As many as the receivers have different time-outs.
  const deadlines = new WaitsByLength(time);
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

  function wayTo({ receiver, credentials, ways }: Called, { url, origin }: Address): Pool | AddressRefusal | "credentials-not-read" {
    const known = ways.get(origin);
    if (known !== undefined) return known;
    const secureContext = url.protocol === "https:" ? credentials.secureContext() : undefined;
    if (secureContext === null) return "credentials-not-read";
    const way =
      refusalOf(url, receiver.allowedAddresses, receiver.egressProxy !== null) ??
      poolTo(receiver, origin, boundedConnector(connectorTo(receiver, url, secureContext ?? null, { time, resolve })));
    ways.set(origin, way);
    return way;
  }

  function post({ bank, operation, headers: given, body, timeoutMs }: BankRequest): Promise<BankAnswer> {
    const called = calledById.get(bank);
    const address = called === undefined ? null : addressOf(called.receiver, operation);
    if (called === undefined || address === null) return Promise.resolve(silence("no-address"));
    const way = wayTo(called, address);
    if (typeof way === "string") return Promise.resolve(silence(way));
    const headers = called.credentials.headersOf(given, body);
    if (headers === null) return Promise.resolve(silence("credentials-not-read"));
    return exchange(time, { way, path: address.path, headers, body, deadlines: deadlines.of(timeoutMs) });
  }

  return {
    post: (request) => (isStarted ? post(request) : started.then(() => post(request))),
    onRenewed: (listener) => void (renewed = listener),
    async close() {
      await files.stop();
      const ways = [...calledById.values()].flatMap((called) => [...called.ways.values()]);
      const pools = [...ending, ...ways.filter((way) => typeof way !== "string")];
      await Promise.allSettled(pools.map((pool) => pool.destroy()));
    },
  };
}

function poolTo(receiver: Receiver, origin: string, connect: buildConnector.connector): Pool {
  return new Pool(origin, {
    connections: receiver.connections,
    pipelining: 1,
    allowH2: false,
    connect,
    // An exchange has its own deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
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
