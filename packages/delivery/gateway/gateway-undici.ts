// The gateway to banks and scheme connectors: one undici pool for each endpoint of a receiver.
//
// #1 `post` never rejects; exchange.ts defines what one exchange is.
// #2 The proof of our identity is added here and nowhere else: token, signature, client certificate. It may be replaced
//    while the service runs: new connections use the new certificate, and old ones end with the requests under way on
//    them. The same holds where the receivers are replaced: those that did not change keep their connections.
// #3 connect.ts defines what a connection must be, tunnel.ts one through a receiver's proxy. Proxies of the environment
//    have no effect.
// #4 A receiver to which we come with an access token gets no message without one: the server that issues it is the
//    receiver's trouble alone. A token that the receiver answers with 401 is not used again.

import type { Logger, Metrics, Random, Time } from "@sluice/kernel";
import type { TokenCache } from "@sluice/connection";
import type { Pool } from "undici";
import { findOperationAddress, type DeliveryReceiver } from "../endpoint/operation-addresses.ts";
import { findReceiverChanges } from "../endpoint/receiver-changes.ts";
import { createCredentialsReport } from "./credentials/credentials-report.ts";
import { TimeoutGroups } from "../timeout-group.ts";
import type { ResolveHost } from "./connect.ts";
import { ConnectingLimit } from "./connecting-limit.ts";
import { type Exchange, runExchange, noResponse } from "./exchange.ts";
import { GatewayReceiver, type GatewayReceiverPorts } from "./gateway-receiver.ts";
import { createNameReport } from "./names/name-report.ts";
import { NameResolver } from "./names/name-resolver.ts";
import type { ReceiverAnswer, ReceiverGateway, ReceiverRequest } from "../port.ts";

export interface UndiciGatewayOptions {
  readonly time: Time;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Milliseconds between two looks at the credential files; 5 s where it is not given. */
  readonly filesPollMs?: number;
  /** Name servers in place of those of the machine. */
  readonly nameServers?: readonly string[] | null;
  /** Where it is not given, names are resolved with the machine's hosts file and name servers. */
  readonly resolve?: ResolveHost;
}

export function createUndiciGateway(receivers: readonly DeliveryReceiver[], options: UndiciGatewayOptions): ReceiverGateway {
  const { time } = options;
  const names = openNames(options);
  const report = createCredentialsReport(options);
  let renewed: ((receiverId: string) => void) | null = null;
  const ending = new Set<Pool>();
  const ports: GatewayReceiverPorts = {
    ...options,
    resolve: (hostname) => names.resolve(hostname),
    connecting: new ConnectingLimit(options.metrics),
    report,
    renewed: (receiverId) => renewed?.(receiverId),
    closeLater: (pool) => void end(pool),
    exchange: (client, path, headers, body) =>
      runExchange(time, { client, method: "POST", path, headers, body, timeouts: deadlines.withDelay(tokenTimeoutMs) }),
  };
  const receiversById = new Map(receivers.map((receiver) => [receiver.id, new GatewayReceiver(receiver, ports)]));
  // One group for each time-out that the receivers have.
  const deadlines = new TimeoutGroups(time);

  /** Closes a pool once the requests under way on it have ended. */
  async function end(pool: Pool): Promise<void> {
    ending.add(pool);
    await Promise.allSettled([pool.close()]);
    ending.delete(pool);
  }

  function send(to: GatewayReceiver, request: ReceiverRequest, method: "POST" | "OPTIONS"): Promise<ReceiverAnswer> {
    const { operation, headers: given, body, timeoutMs } = request;
    const address = findOperationAddress(to.receiver, operation);
    if (address === null) return Promise.resolve(noResponse("no-address"));
    const client = to.clientFor(address);
    if (typeof client === "string") return Promise.resolve(noResponse(client));
    const headers = to.credentials.addHeaders({ method, url: address.url, headers: given, body });
    if (headers === null) return Promise.resolve(noResponse("credentials-not-read"));
    const exchange = { client, method, path: address.path, body, timeouts: deadlines.withDelay(timeoutMs) } as const;
    const { ownToken } = to;
    return ownToken === null ? runExchange(time, { ...exchange, headers }) : sendWithToken(time, ownToken, { ...exchange, headers });
  }

  function call(request: ReceiverRequest, method: "POST" | "OPTIONS"): Promise<ReceiverAnswer> {
    const known = receiversById.get(request.receiverId);
    if (known === undefined) return Promise.resolve(noResponse("no-address"));
    return known.starting === null ? send(known, request, method) : known.starting.then(() => send(known, request, method));
  }

  return {
    post: (request) => call(request, "POST"),
    check: (request) => call({ ...request, body: noBody }, "OPTIONS"),
    replaceReceivers(next) {
      const before = new Map([...receiversById].map(([id, { receiver }]) => [id, receiver]));
      const changes = findReceiverChanges(before, next);
      for (const id of changes.changed) {
        const receiver = changes.receivers.get(id);
        receiversById.get(id)?.retire();
        if (receiver === undefined) receiversById.delete(id);
        else receiversById.set(id, new GatewayReceiver(receiver, ports));
      }
    },
    onCredentialsReplaced: (listener) => void (renewed = listener),
    async close() {
      names.close();
      const known = [...receiversById.values()];
      await Promise.all(known.map((one) => one.stopFiles()));
      const pools = [...ending, ...known.flatMap((one) => one.pools)];
      await Promise.allSettled(pools.map((pool) => pool.destroy()));
    },
  };
}

/** #4 */
async function sendWithToken(time: Time, ownToken: TokenCache, exchange: Exchange): Promise<ReceiverAnswer> {
  const token = await ownToken.take().catch(() => null);
  if (token === null) return noResponse("no-access-token");
  const answer = await runExchange(time, { ...exchange, headers: { ...exchange.headers, authorization: `Bearer ${token}` } });
  if (answer.kind === "answered" && answer.status === 401) ownToken.drop(token);
  return answer;
}

const noBody = new Uint8Array();
const tokenTimeoutMs = 5_000;

function openNames({ resolve, nameServers = null, ...options }: UndiciGatewayOptions): Pick<NameResolver, "resolve" | "close"> {
  if (resolve !== undefined) return { resolve, close: () => undefined };
  return new NameResolver({ time: options.time, report: createNameReport(options), servers: nameServers });
}
