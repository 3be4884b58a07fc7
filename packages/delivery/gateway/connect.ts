// Makes a connection to a receiver.
//
// #1 Every address that a name resolves to is checked before anything is sent; one address that is not allowed refuses
//    the whole name. An address in the URL itself is checked too, and so is the address that the socket has reached, so
//    that a name which resolves differently the second time is of no use.
// #2 TLS is 1.2 or later and always verified; neither the environment nor Node's options change that. A connection
//    carries one HTTP/1.1 exchange at a time.

import { lookup as systemLookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import type { SecureContext } from "node:tls";
import { buildConnector } from "undici";
import { createAddressCheck, type AddressCheck, type AddressRefusal } from "./address-check.ts";

interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves all addresses of a name; rejects with an error that has a `code`. */
export type ResolveHost = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface ConnectorOptions {
  readonly url: URL;
  readonly allowedAddresses: readonly string[];
  readonly timeoutMs: number;
  /** Null where the receiver is called without TLS. */
  readonly secureContext: SecureContext | null;
  readonly resolve: ResolveHost;
}

/** Our refusal or failure to connect; `code` says why. */
export class ConnectFailure extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

export function createCheckedConnector(options: ConnectorOptions): buildConnector.connector {
  const check = createAddressCheck(options.allowedAddresses, options.url.protocol === "https:");
  const connect = buildConnector({
    timeout: options.timeoutMs,
    allowH2: false,
    lookup: createCheckedLookup(options.resolve, check),
    ...(options.secureContext === null ? {} : { secureContext: options.secureContext, rejectUnauthorized: true }),
  });
  return (to, callback) => {
    connect(to, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      const refused = check(socket.remoteAddress ?? "");
      if (refused === null) return callback(null, socket);
      socket.destroy();
      callback(new ConnectFailure(refused), null);
    });
  };
}

/**
 * Checks an address in the URL itself. A name is checked when it is resolved; through a proxy nobody can check it, so
 * it needs TLS.
 */
export function findAddressRefusal(
  { hostname, protocol }: URL,
  allowedAddresses: readonly string[],
  isProxied: boolean,
): AddressRefusal | null {
  const address = hostname.replaceAll(/^\[|\]$/g, "");
  const isSecured = protocol === "https:";
  if (isIP(address) === 0) return isProxied && !isSecured ? "tls-required" : null;
  return createAddressCheck(allowedAddresses, isSecured)(address);
}

/** #1 */
export function createCheckedLookup(resolve: ResolveHost, check: AddressCheck): LookupFunction {
  async function permitted(hostname: string): Promise<readonly ResolvedAddress[] | Error> {
    try {
      const addresses = await resolve(hostname);
      const refusal = addresses.map(({ address }) => check(address)).find((found) => found !== null);
      return refusal === undefined ? addresses : new ConnectFailure(refusal);
    } catch (error) {
      return error instanceof Error ? error : new ConnectFailure("ENOTFOUND");
    }
  }
  async function answer(...[hostname, { all }, callback]: Parameters<LookupFunction>): Promise<void> {
    const found = await permitted(hostname);
    if (found instanceof Error) return callback(found, []);
    const [first] = found;
    if (first === undefined) return callback(new ConnectFailure("ENOTFOUND"), []);
    if (all === true) callback(null, [...found]);
    else callback(null, first.address, first.family);
  }
  return (...asked) => void answer(...asked);
}

/**
 * Resolves names as the machine does, with one query per name at a time: each blocks one of few threads, and a slow
 * name must not take them all.
 */
export function createSystemResolve(lookup = async (hostname: string) => systemLookup(hostname, { all: true })): ResolveHost {
  const asked = new Map<string, Promise<readonly ResolvedAddress[]>>();
  return (hostname) => {
    const known = asked.get(hostname);
    if (known !== undefined) return known;
    const asking = lookup(hostname).finally(() => asked.delete(hostname));
    asked.set(hostname, asking);
    return asking;
  };
}
