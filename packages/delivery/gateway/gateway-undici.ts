// The gateway to banks and scheme connectors: one undici pool for each endpoint of a receiver.
//
// #1 `post` never rejects; exchange.ts defines what one exchange is.
// #2 The proof of our identity is added here and nowhere else: token, signature, client certificate. It may be replaced
//    while the service runs: new connections use the new certificate, and old ones end with the requests under way on
//    them.
// #3 connect.ts defines what a connection must be, tunnel.ts one through a receiver's proxy. Proxies of the environment
//    have no effect.

import type { SecureContext } from "node:tls";
import { createSecretFiles } from "@sluice/connection";
import type { Logger, Metrics, Time } from "@sluice/kernel";
import { Pool, type buildConnector } from "undici";
import type { AddressRefusal } from "./address-check.ts";
import { findOperationAddress, type OperationAddress, type DeliveryReceiver } from "../endpoint/operation-addresses.ts";
import { createCredentialsReport } from "./credentials/credentials-report.ts";
import { createCredentials, type Credentials } from "./credentials/credentials.ts";
import { TimeoutGroups } from "../timeout-group.ts";
import { createBoundedConnector } from "./exchange-bounds.ts";
import { createCheckedConnector, findAddressRefusal, type ResolveHost } from "./connect.ts";
import { runExchange, noResponse } from "./exchange.ts";
import { createNameReport } from "./names/name-report.ts";
import { NameResolver } from "./names/name-resolver.ts";
import { createTunnelConnector } from "./tunnel.ts";
import type { ReceiverAnswer, ReceiverGateway, ReceiverRequest } from "../port.ts";

const headerBytesMax = 16 * 1024;
const connectTimeoutMs = 5_000;
const keepAliveMs = 4_000;

export interface UndiciGatewayOptions {
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Milliseconds between two looks at the credential files; 5 s where it is not given. */
  readonly filesPollMs?: number;
  /** Where it is not given, names are resolved with the machine's hosts file and name servers. */
  readonly resolve?: ResolveHost;
}

/** A receiver with its credentials, and for each of its origins the pool, or the refusal to call it. */
interface GatewayReceiver {
  readonly receiver: DeliveryReceiver;
  readonly credentials: Credentials;
  readonly clients: Map<string, Pool | AddressRefusal>;
}

export function createUndiciGateway(receivers: readonly DeliveryReceiver[], options: UndiciGatewayOptions): ReceiverGateway {
  const { time, filesPollMs } = options;
  const names = openNames(options);
  const resolve: ResolveHost = (hostname) => names.resolve(hostname);
  const report = createCredentialsReport(options);
  let renewed: ((receiverId: string) => void) | null = null;
  const files = createSecretFiles({
    time,
    ...report,
    read(owner) {
      report.read(owner);
      if (isStarted) renewed?.(owner.receiverId);
    },
    ...(filesPollMs === undefined ? {} : { pollMs: filesPollMs }),
  });
  const ending = new Set<Pool>();
  const receiversById = new Map(receivers.map((receiver) => [receiver.id, createGatewayReceiver(receiver)]));
  // One group for each time-out that the receivers have.
  const deadlines = new TimeoutGroups(time);
  let isStarted = false;
  const started = files.started().then(() => (isStarted = true));

  function createGatewayReceiver(receiver: DeliveryReceiver): GatewayReceiver {
    const clients: GatewayReceiver["clients"] = new Map();
    function tlsChanged(): void {
      for (const client of clients.values()) if (typeof client !== "string") void end(client);
      clients.clear();
    }
    const certificateEnds = (atMs: number): void => report.certificateEnds(receiver.id, atMs);
    return { receiver, credentials: createCredentials(receiver, files, { tlsChanged, certificateEnds }), clients };
  }

  /** Closes a pool once the requests under way on it have ended. */
  async function end(pool: Pool): Promise<void> {
    ending.add(pool);
    await Promise.allSettled([pool.close()]);
    ending.delete(pool);
  }

  function clientFor(
    { receiver, credentials, clients }: GatewayReceiver,
    { url, origin }: OperationAddress,
  ): Pool | AddressRefusal | "credentials-not-read" {
    const known = clients.get(origin);
    if (known !== undefined) return known;
    const secureContext = url.protocol === "https:" ? credentials.secureContext() : undefined;
    if (secureContext === null) return "credentials-not-read";
    const client =
      findAddressRefusal(url, receiver.allowedAddresses, receiver.egressProxy !== null) ??
      createPool(receiver, origin, createConnector(receiver, url, secureContext ?? null, { time, resolve, credentials }));
    clients.set(origin, client);
    return client;
  }

  function post({ receiverId, operation, headers: given, body, timeoutMs }: ReceiverRequest): Promise<ReceiverAnswer> {
    const gatewayReceiver = receiversById.get(receiverId);
    const address = gatewayReceiver === undefined ? null : findOperationAddress(gatewayReceiver.receiver, operation);
    if (gatewayReceiver === undefined || address === null) return Promise.resolve(noResponse("no-address"));
    const client = clientFor(gatewayReceiver, address);
    if (typeof client === "string") return Promise.resolve(noResponse(client));
    const headers = gatewayReceiver.credentials.addHeaders(given, body);
    if (headers === null) return Promise.resolve(noResponse("credentials-not-read"));
    return runExchange(time, { client, path: address.path, headers, body, timeouts: deadlines.withDelay(timeoutMs) });
  }

  return {
    post: (request) => (isStarted ? post(request) : started.then(() => post(request))),
    onCredentialsReplaced: (listener) => void (renewed = listener),
    async close() {
      names.close();
      await files.stop();
      const clients = [...receiversById.values()].flatMap((one) => [...one.clients.values()]);
      const pools = [...ending, ...clients.filter((client) => typeof client !== "string")];
      await Promise.allSettled(pools.map((pool) => pool.destroy()));
    },
  };
}

function openNames({ resolve, ...options }: UndiciGatewayOptions): Pick<NameResolver, "resolve" | "close"> {
  if (resolve !== undefined) return { resolve, close: () => undefined };
  return new NameResolver({ time: options.time, report: createNameReport(options) });
}

function createPool(receiver: DeliveryReceiver, origin: string, connect: buildConnector.connector): Pool {
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

interface ConnectorNeeds {
  readonly time: Time;
  readonly resolve: ResolveHost;
  readonly credentials: Credentials;
}

/** `secureContext` is null where the address has no TLS. */
function createConnector(
  { egressProxy, allowedAddresses, answerTimeoutMs }: DeliveryReceiver,
  url: URL,
  secureContext: SecureContext | null,
  { time, resolve, credentials }: ConnectorNeeds,
): buildConnector.connector {
  const timeoutMs = Math.min(connectTimeoutMs, answerTimeoutMs);
  const authorization = (): string | null => credentials.proxyAuthorization();
  return createBoundedConnector(
    egressProxy === null
      ? createCheckedConnector({ url, allowedAddresses, timeoutMs, secureContext, resolve })
      : createTunnelConnector({ time, proxy: new URL(egressProxy), timeoutMs, secureContext, resolve, authorization }),
  );
}
