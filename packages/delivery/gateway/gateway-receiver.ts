// One receiver of the gateway: its credentials, and one undici pool for each of its origins.
//
// #1 Nothing leaves before the credential files of the receiver were looked at.
// #2 Pools that are replaced, by other credentials or because the receiver itself is replaced, end with the requests
//    under way on them.

import type { SecureContext } from "node:tls";
import type { ConfiguredAccessToken } from "@sluice/config";
import { createSecretFiles, type TokenCache } from "@sluice/connection";
import type { Random, Time } from "@sluice/kernel";
import type { buildConnector, Pool } from "undici";
import UndiciPool from "undici/lib/dispatcher/pool.js";
import type { DeliveryReceiver, OperationAddress } from "../endpoint/operation-addresses.ts";
import type { AddressRefusal } from "./address-check.ts";
import { createCheckedConnector, findAddressRefusal, type ResolveHost } from "./connect.ts";
import type { CredentialsReport } from "./credentials/credentials-report.ts";
import { createCredentials, type Credentials, type ReceiverFiles } from "./credentials/credentials.ts";
import { createOwnToken } from "./credentials/own-token.ts";
import { noResponse } from "./exchange.ts";
import type { ReceiverAnswer } from "../port.ts";
import { createBoundedConnector } from "./exchange-bounds.ts";
import type { ConnectingLimit } from "./connecting-limit.ts";
import { createTunnelConnector } from "./tunnel.ts";

const headerBytesMax = 16 * 1024;
const connectTimeoutMs = 5_000;
const keepAliveMs = 4_000;

export interface GatewayReceiverPorts {
  readonly time: Time;
  readonly random: Random;
  readonly resolve: ResolveHost;
  readonly connecting: ConnectingLimit;
  readonly report: CredentialsReport;
  readonly filesPollMs?: number;
  /** Called with the receiver's id when credentials were replaced, but not for the first ones. */
  readonly renewed: (receiverId: string) => void;
  /** #2. Keeps a pool until it is closed. */
  readonly closeLater: (pool: Pool) => void;
  /** Posts to a path of the client's origin. */
  readonly exchange: (client: Pool, path: string, headers: Readonly<Record<string, string>>, body: Uint8Array) => Promise<ReceiverAnswer>;
}

export class GatewayReceiver {
  readonly receiver: DeliveryReceiver;
  readonly credentials: Credentials;
  /** The access tokens with which we come to it; null: it wants none. */
  readonly ownToken: TokenCache | null;
  readonly #ports: GatewayReceiverPorts;
  readonly #files: ReceiverFiles;
  /** For each origin the pool, or the refusal to call it. */
  readonly #clients = new Map<string, Pool | AddressRefusal>();
  /** #1. Null once the files were looked at. */
  starting: Promise<void> | null;

  constructor(receiver: DeliveryReceiver, ports: GatewayReceiverPorts) {
    const { time, report, filesPollMs } = ports;
    this.receiver = receiver;
    this.#ports = ports;
    this.#files = createSecretFiles({
      time,
      ...report,
      read: (owner) => {
        report.read(owner);
        if (this.starting === null) ports.renewed(receiver.id);
      },
      ...(filesPollMs === undefined ? {} : { pollMs: filesPollMs }),
    });
    this.credentials = createCredentials(receiver, this.#files, {
      tlsChanged: () => this.#endPools(),
      certificateEnds: (atMs) => report.certificateEnds(receiver.id, atMs),
    });
    const { accessToken } = receiver;
    this.ownToken = accessToken === null ? null : this.#createOwnToken(accessToken);
    this.starting = this.#files.started().then(() => void (this.starting = null));
  }

  #createOwnToken(settings: ConfiguredAccessToken): TokenCache {
    const { time, random, report, exchange } = this.#ports;
    const url = new URL(settings.tokenUrl);
    return createOwnToken(this.receiver.id, settings, {
      time,
      random,
      report,
      files: this.#files,
      send: async (headers, body) => {
        const client = this.clientFor({ url, origin: url.origin });
        return typeof client === "string" ? noResponse(client) : await exchange(client, `${url.pathname}${url.search}`, headers, body);
      },
    });
  }

  clientFor({ url, origin }: Pick<OperationAddress, "url" | "origin">): Pool | AddressRefusal | "credentials-not-read" {
    const known = this.#clients.get(origin);
    if (known !== undefined) return known;
    const secureContext = url.protocol === "https:" ? this.credentials.secureContext() : undefined;
    if (secureContext === null) return "credentials-not-read";
    const { receiver } = this;
    const client =
      findAddressRefusal(url, receiver.allowedAddresses, receiver.egressProxy !== null) ??
      createPool(receiver, origin, this.#createConnector(url, secureContext ?? null));
    this.#clients.set(origin, client);
    return client;
  }

  /** `secureContext` is null where the address has no TLS. */
  #createConnector(url: URL, secureContext: SecureContext | null): buildConnector.connector {
    const { egressProxy, allowedAddresses, answerTimeoutMs } = this.receiver;
    const { time, resolve, connecting } = this.#ports;
    const timeoutMs = Math.min(connectTimeoutMs, answerTimeoutMs);
    const authorization = (): string | null => this.credentials.proxyAuthorization();
    const connector =
      egressProxy === null
        ? createCheckedConnector({ url, allowedAddresses, timeoutMs, secureContext, resolve })
        : createTunnelConnector({ time, proxy: new URL(egressProxy), timeoutMs, secureContext, resolve, authorization });
    return createBoundedConnector(connecting.limit(connector));
  }

  get pools(): readonly Pool[] {
    return [...this.#clients.values()].filter((client) => typeof client !== "string");
  }

  stopFiles(): Promise<void> {
    return this.#files.stop();
  }

  /** Ends what belongs to a receiver that was removed or changed. */
  retire(): void {
    void this.stopFiles();
    this.#ports.report.forget(this.receiver.id);
    this.#endPools();
  }

  /** #2 */
  #endPools(): void {
    for (const pool of this.pools) this.#ports.closeLater(pool);
    this.#clients.clear();
  }
}

function createPool(receiver: DeliveryReceiver, origin: string, connect: buildConnector.connector): Pool {
  return new UndiciPool(origin, {
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
