// Connects through an egress proxy: one tunnel (CONNECT) for each connection, with TLS and without.
//
// #1 The proxy resolves the receiver's name, and guards what lies inside. It sees a name, a port and, with TLS, nothing
//    more; token, signature and message are for the receiver alone.
// #2 The proxy's own credentials (Basic) go with each tunnel, as they are then. No tunnel is asked for without them.
// #3 A proxy that does not answer is given up after `timeoutMs`, and TLS inside the tunnel after the same time again.

import { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import { type Time, tlsSettings } from "@sluice/kernel";
import type { buildConnector } from "undici";
import requestTunnel from "undici/lib/api/api-connect.js";
import connectTo from "undici/lib/core/connect.js";
import Client from "undici/lib/dispatcher/client.js";
import { ConnectFailure, createLookup, type ResolveHost } from "./connect.ts";

export interface TunnelOptions {
  readonly time: Time;
  readonly proxy: URL;
  readonly timeoutMs: number;
  /** Null where the receiver is called without TLS. */
  readonly secureContext: SecureContext | null;
  /** Resolves the proxy's own name. */
  readonly resolve: ResolveHost;
  /** The header that says who asks: null while it is not known, empty where the proxy asks for none. */
  authorization(): string | null;
}

export function createTunnelConnector(options: TunnelOptions): buildConnector.connector {
  const { time, proxy, timeoutMs, secureContext, resolve } = options;
  const lookup = createLookup(resolve);
  const verified = { rejectUnauthorized: true, ...tlsSettings } as const;
  const connectInside = connectTo({
    timeout: timeoutMs,
    allowH2: false,
    ...verified,
    ...(secureContext === null ? {} : { secureContext }),
  });

  async function openTunnel(target: string): Promise<Socket | ConnectFailure> {
    const authorization = options.authorization();
    if (authorization === null) return new ConnectFailure("credentials-not-read");
    const headers = { host: target, ...(authorization === "" ? {} : { "proxy-authorization": authorization }) };
    const client = new Client(proxy.origin, { allowH2: false, connect: { timeout: timeoutMs, lookup, ...verified } });
    const givingUp = new AbortController();
    using _ = time.after(timeoutMs, () => givingUp.abort());
    try {
      const { statusCode, socket } = await requestTunnel.call(client, { path: target, headers, signal: givingUp.signal });
      if (statusCode >= 200 && statusCode < 300 && socket instanceof Socket) return socket;
      socket.on("error", () => undefined).destroy();
      return new ConnectFailure(toProxyFailure(statusCode));
    } catch {
      await client.destroy();
      return new ConnectFailure("proxy-unreachable");
    }
  }

  async function connect(...[to, callback]: Parameters<buildConnector.connector>): Promise<void> {
    const isSecured = to.protocol === "https:";
    const socket = await openTunnel(`${formatHost(to.hostname)}:${to.port === "" ? (isSecured ? 443 : 80) : to.port}`);
    if (socket instanceof ConnectFailure) return callback(socket, null);
    if (isSecured) connectInside({ ...to, httpSocket: socket }, callback);
    else callback(null, socket);
  }
  return (...asked) => void connect(...asked);
}

function toProxyFailure(statusCode: number): string {
  if (statusCode === 407) return "proxy-authentication-required";
  return statusCode >= 400 && statusCode < 500 ? "proxy-refused" : "proxy-failed";
}

function formatHost(hostname: string): string {
  return hostname.includes(":") ? `[${hostname}]` : hostname;
}
