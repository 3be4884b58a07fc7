// A listener's server, with or without TLS.
//
// #1 A certificate that was replaced counts for new connections; nothing is restarted and no connection is cut.
// #2 A handshake has as long as the headers of a request. A peer that fails it, or speaks plain HTTP, is cut and gets
//    no answer.

import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Duplex } from "node:stream";

/** A certificate and its key, PEM; with `clientAuthorities` a peer must show a certificate of one of them. */
interface ListenerCertificate {
  readonly certificate: Buffer;
  readonly key: Buffer;
  readonly clientAuthorities: readonly string[] | null;
}

export interface ListenerTls {
  /** What new connections are served with. */
  current(): ListenerCertificate;
  /** Calls `renewed` each time when that was replaced, until it is disposed. */
  onRenewal(renewed: () => void): Disposable;
}

type ClientError = (error: NodeJS.ErrnoException, socket: Duplex) => void;

export function createListenerServer(
  settings: ServerOptions,
  tls: ListenerTls | null,
  handle: RequestListener,
  clientError: ClientError,
): Server {
  if (tls === null) return createServer(settings, handle).on("clientError", clientError);
  const isAsked = tls.current().clientAuthorities !== null;
  const own = { handshakeTimeout: settings.headersTimeout, requestCert: isAsked, rejectUnauthorized: isAsked };
  const server = createTlsServer({ ...settings, ...own, ...secureOptions(tls) }, handle);
  const renewal = tls.onRenewal(() => server.setSecureContext(secureOptions(tls)));
  server.once("close", () => renewal[Symbol.dispose]());
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // #2
    if (/^ERR_(SSL|TLS)_/.test(error.code ?? "")) socket.destroy();
    else clientError(error, socket);
  });
  return server;
}

function secureOptions(tls: ListenerTls) {
  const { certificate, key, clientAuthorities } = tls.current();
  return { cert: certificate, key, minVersion: "TLSv1.2" as const, ...(clientAuthorities === null ? {} : { ca: [...clientAuthorities] }) };
}
