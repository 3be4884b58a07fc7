// Makes a connection to a receiver.
//
// #1 Every address that a name resolves to is checked before anything is sent; one address that is not allowed refuses
//    the whole name. An address in the URL itself is checked too, and so is the address that the socket has reached, so
//    that a name which resolves differently the second time is of no use.
// #2 TLS is 1.2 or later and always verified; neither the environment nor Node's options change that. A connection
//    carries one HTTP/1.1 exchange at a time.

import { isIP, type LookupFunction } from "node:net";
import type { SecureContext } from "node:tls";
import type { buildConnector } from "undici";
import connectTo from "undici/lib/core/connect.js";
import { createAddressCheck, type AddressCheck, type AddressRefusal } from "./address-check.ts";
import type { ResolvedAddress } from "./names/resolved-address.ts";

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
  const connect = connectTo({
    timeout: options.timeoutMs,
    allowH2: false,
    lookup: createCheckedLookup(options.resolve, check),
    ...(options.secureContext === null ? {} : { secureContext: options.secureContext, rejectUnauthorized: true }),
  });
  return (to, callback) => {
    connect(to, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      const failure = judgePeer(check, socket.remoteAddress);
      if (failure === null) return callback(null, socket);
      socket.destroy();
      callback(new ConnectFailure(failure), null);
    });
  };
}

/** Why a new connection is not used; null where it is. A socket that has no peer any more was reset by it. */
export function judgePeer(check: AddressCheck, peer: string | undefined): AddressRefusal | "ECONNRESET" | null {
  return peer === undefined ? "ECONNRESET" : check(peer);
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
  return createLookup(async (hostname) => {
    const addresses = await resolve(hostname);
    const refusal = addresses.map(({ address }) => check(address)).find((found) => found !== null);
    if (refusal !== undefined) throw new ConnectFailure(refusal);
    return addresses;
  });
}

/** Gives `resolve` the form in which Node asks for addresses, unchecked. */
export function createLookup(resolve: ResolveHost): LookupFunction {
  async function found(hostname: string): Promise<readonly ResolvedAddress[] | Error> {
    try {
      return await resolve(hostname);
    } catch (error) {
      return error instanceof Error ? error : new ConnectFailure("ENOTFOUND");
    }
  }
  async function answer(...[hostname, { all }, callback]: Parameters<LookupFunction>): Promise<void> {
    const addresses = await found(hostname);
    if (addresses instanceof Error) return callback(addresses, []);
    const [first] = addresses;
    if (first === undefined) return callback(new ConnectFailure("ENOTFOUND"), []);
    if (all === true) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  }
  return (...asked) => void answer(...asked);
}
