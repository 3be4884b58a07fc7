// Applies the bounds of `connection-places.ts` to the connections of a server.
//
// #1 With TLS a request has another socket than the one that was accepted. The accepted one has the place, from before
//    the handshake on, so that a stranger who never makes it is counted too.

import type { Metrics } from "@sluice/kernel";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { createConnectionPlaces, type ConnectionLimits } from "./connection-places.ts";
import { type PeerCertificate, readPeerCertificate } from "../callers/peer-certificate.ts";

/** The connection of a request; all requests of one connection share this object. */
export interface ClientConnection {
  /** The peer's address; null: it has gone. */
  readonly remoteAddress: string | null;
  /** What the peer showed in the handshake; null or left out: no certificate. */
  readonly certificate?: PeerCertificate | null;
  /** Runs `action` once, when the connection is closed. */
  onClose(action: () => void): void;
  /** Says that a caller was authenticated on it, so that it keeps its place. */
  authenticated(caller: string): void;
}

export interface TrackedConnections {
  find(socket: Socket): ClientConnection;
  /** A request of the connection is being answered, until `end`. */
  begin(socket: Socket): void;
  end(socket: Socket): void;
}

/**
 * Counts dropped connections of a port, by the name under which `service.listening` logs it. The count is there from
 * the start: an alarm asks for its increase.
 */
export function countDroppedConnections(metrics: Metrics, port: string): () => void {
  const dropped = metrics.counter("sluice_connections_dropped_total", "Connections without a caller that were closed to make room", [
    "port",
  ]);
  dropped.add({ port }, 0);
  return () => dropped.add({ port });
}

/**
 * Connections that one turn of the event loop may accept while closed ones still count for the platform. Beyond the
 * sum it accepts nothing.
 */
const acceptedAtOnceMax = 512;

/** `dropped` is called for each connection that had to close for another, or found no place. */
export function trackConnections(server: Server, limits: ConnectionLimits, dropped: () => void): TrackedConnections {
  const busy = new Map<Socket, number>();
  const known = new WeakMap<Socket, ClientConnection>();
  /** The accepted sockets by their peer, and those under a TLS socket (#1). */
  const accepted = new Map<string, Socket>();
  const underTls = new WeakMap<Socket, Socket>();
  const placed = (socket: Socket): Socket => underTls.get(socket) ?? socket;
  const places = createConnectionPlaces<Socket>(limits, (socket) => busy.has(socket));

  server.maxConnections = limits.connectionsMax + acceptedAtOnceMax;
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    const closing = remoteAddress === undefined ? socket : places.enter(socket, remoteAddress);
    if (closing !== socket) {
      const peer = peerOf(socket);
      accepted.set(peer, socket);
      socket.once("close", () => {
        places.leave(socket);
        if (accepted.get(peer) === socket) accepted.delete(peer);
      });
    }
    if (closing === null) return;
    dropped();
    closing.resetAndDestroy();
  });

  server.on("secureConnection", (socket: Socket) => {
    const below = accepted.get(peerOf(socket));
    if (below !== undefined) underTls.set(socket, below);
  });

  function count(socket: Socket, by: 1 | -1): void {
    const requests = (busy.get(socket) ?? 0) + by;
    if (requests === 0) busy.delete(socket);
    else busy.set(socket, requests);
  }

  return {
    find(socket) {
      const found = known.get(socket);
      if (found !== undefined) return found;
      const actions: (() => void)[] = [];
      socket.once("close", () => actions.splice(0).forEach((action) => action()));
      const connection: ClientConnection = {
        remoteAddress: socket.remoteAddress ?? null,
        certificate: readPeerCertificate(socket),
        onClose: (action) => void (socket.destroyed ? action() : actions.push(action)),
        authenticated: (caller) => places.authenticated(placed(socket), caller),
      };
      known.set(socket, connection);
      return connection;
    },
    begin: (socket) => count(placed(socket), 1),
    end: (socket) => count(placed(socket), -1),
  };
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
