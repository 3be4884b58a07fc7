// Decides which connections a port holds. A connection is a stranger's until somebody was authenticated on it.
//
// #1 Strangers have few places, in all and for each address. So nobody without credentials can fill a port.
// #2 A new connection always gets a place: if there is none, the oldest connection of its kind that is not being
//    answered gives up its own. A caller sends its request at once, and so is authenticated before that happens to it;
//    who holds silent connections loses those.
// #3 An address from which a caller was authenticated has places of its own for new connections, which strangers
//    elsewhere cannot take.
// #4 An authenticated connection is never given up. Callers' own limits bound them (`caller-limits.ts`), and in all
//    `connectionsMax`: only when it is reached by authenticated connections alone is a new one refused.
// #5 Remembered are the last `addressesPerCallerMax` addresses of each caller, so that one caller cannot make the port
//    forget another.

import { addressGroup } from "./address-group.ts";

export interface ConnectionLimits {
  /** Connections of all kinds. */
  readonly connectionsMax: number;
  /** Connections on which nobody was authenticated, in all and from one address. */
  readonly strangersMax: number;
  readonly strangersPerAddressMax: number;
  /** The same, from addresses from which somebody was authenticated before. */
  readonly acquaintancesMax: number;
  readonly acquaintancesPerAddressMax: number;
}

export interface ConnectionPlaces<C> {
  /** Gives the connection a place. Returns the connection that has to close for it, which may be this one. */
  enter(connection: C, remoteAddress: string): C | null;
  /** A caller was authenticated on this connection. */
  authenticated(connection: C, caller: string): void;
  leave(connection: C): void;
}

const addressesPerCallerMax = 64;

interface Place<C> {
  readonly address: string;
  /** Where it is counted; null: it is authenticated. */
  pool: Pool<C> | null;
}

/** `isBusy` tells whether a request of the connection is being answered. */
export function createConnectionPlaces<C>(limits: ConnectionLimits, isBusy: (connection: C) => boolean): ConnectionPlaces<C> {
  const strangers = new Pool<C>(limits.strangersMax, limits.strangersPerAddressMax, isBusy);
  const acquaintances = new Pool<C>(limits.acquaintancesMax, limits.acquaintancesPerAddressMax, isBusy);
  const places = new Map<C, Place<C>>();
  const known = new KnownAddresses();

  function leave(connection: C): void {
    const place = places.get(connection);
    if (place === undefined) return;
    place.pool?.delete(connection, place.address);
    places.delete(connection);
  }

  function findRoom(pool: Pool<C>, address: string): C | "free" | "full" {
    const rival = pool.rival(address);
    if (rival !== null) return rival;
    if (places.size < limits.connectionsMax) return "free";
    return strangers.oldest() ?? acquaintances.oldest() ?? "full";
  }

  return {
    enter(connection, remoteAddress) {
      const address = addressGroup(remoteAddress);
      const pool = known.has(address) ? acquaintances : strangers;
      const room = findRoom(pool, address);
      if (room === "full") return connection;
      if (room !== "free") leave(room);
      pool.add(connection, address);
      places.set(connection, { address, pool });
      return room === "free" ? null : room;
    },
    authenticated(connection, caller) {
      const place = places.get(connection);
      if (place === undefined) return;
      known.remember(caller, place.address);
      place.pool?.delete(connection, place.address);
      place.pool = null;
    },
    leave,
  };
}

/** Connections without a caller, oldest first, in all and by address. */
class Pool<C> {
  readonly #all = new Set<C>();
  readonly #byAddress = new Map<string, Set<C>>();
  readonly #max: number;
  readonly #perAddressMax: number;
  readonly #isBusy: (connection: C) => boolean;

  constructor(max: number, perAddressMax: number, isBusy: (connection: C) => boolean) {
    this.#max = max;
    this.#perAddressMax = perAddressMax;
    this.#isBusy = isBusy;
  }

  add(connection: C, address: string): void {
    this.#all.add(connection);
    const ofAddress = this.#byAddress.get(address) ?? new Set();
    this.#byAddress.set(address, ofAddress.add(connection));
  }

  delete(connection: C, address: string): void {
    this.#all.delete(connection);
    const ofAddress = this.#byAddress.get(address);
    ofAddress?.delete(connection);
    if (ofAddress?.size === 0) this.#byAddress.delete(address);
  }

  /** The connection that makes room for one of this address; null: there is room. */
  rival(address: string): C | null {
    const ofAddress = this.#byAddress.get(address);
    if (ofAddress !== undefined && ofAddress.size >= this.#perAddressMax) return this.#oldestOf(ofAddress);
    return this.#all.size >= this.#max ? this.oldest() : null;
  }

  oldest(): C | null {
    return this.#oldestOf(this.#all);
  }

  #oldestOf(connections: ReadonlySet<C>): C | null {
    for (const connection of connections) if (!this.#isBusy(connection)) return connection;
    return connections.values().next().value ?? null;
  }
}

/** #5 */
class KnownAddresses {
  readonly #byCaller = new Map<string, Set<string>>();
  /** How many callers use an address. */
  readonly #uses = new Map<string, number>();

  has(address: string): boolean {
    return this.#uses.has(address);
  }

  remember(caller: string, address: string): void {
    const addresses = this.#byCaller.get(caller) ?? new Set<string>();
    this.#byCaller.set(caller, addresses);
    if (!addresses.delete(address)) this.#count(address, 1);
    addresses.add(address);
    if (addresses.size <= addressesPerCallerMax) return;
    const [oldest] = addresses;
    if (oldest === undefined) return;
    addresses.delete(oldest);
    this.#count(oldest, -1);
  }

  #count(address: string, by: 1 | -1): void {
    const uses = (this.#uses.get(address) ?? 0) + by;
    if (uses === 0) this.#uses.delete(address);
    else this.#uses.set(address, uses);
  }
}
