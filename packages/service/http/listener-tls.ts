// A listener's server, with or without TLS.
//
// #1 A certificate that was replaced counts for new connections; nothing is restarted and no connection is cut.
// #2 A peer that is asked for a certificate may have none, or one that nobody here trusts: who needs which one is
//    decided for each caller (`callers/peer-certificate.ts`). No session is resumed then, because a resumed one has no
//    chain.
// #3 A handshake has as long as the headers of a request. A peer that fails it, or speaks plain HTTP, is cut and gets
//    no answer.

import { constants } from "node:crypto";
import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Duplex } from "node:stream";
import { tlsSettings } from "@sluice/kernel";

/** A certificate and its key, PEM; `clientAuthorities` are those whose certificates of peers are trusted. */
interface ListenerCertificate {
  readonly certificate: Buffer;
  readonly key: Buffer;
  readonly clientAuthorities: readonly string[] | null;
}

/** `required`: a peer without a certificate of one of the authorities gets no answer. */
export type ClientCertificates = "none" | "asked" | "required";

export interface ListenerTls {
  readonly clientCertificates: ClientCertificates;
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
  const { clientCertificates } = tls;
  const own = {
    handshakeTimeout: settings.headersTimeout,
    requestCert: clientCertificates !== "none",
    rejectUnauthorized: clientCertificates === "required",
  };
  const server = createTlsServer({ ...settings, ...own, ...secureOptions(tls) }, handle);
  const renewal = tls.onRenewal(() => server.setSecureContext(secureOptions(tls)));
  server.once("close", () => renewal[Symbol.dispose]());
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // #3
    if (/^ERR_(SSL|TLS)_/.test(error.code ?? "")) socket.destroy();
    else clientError(error, socket);
  });
  return server;
}

function secureOptions(tls: ListenerTls) {
  const { certificate, key, clientAuthorities } = tls.current();
  const own = { cert: certificate, key, ...tlsSettings };
  if (tls.clientCertificates === "none") return own;
  // Without a list Node would trust the public authorities.
  return { ...own, ca: [...(clientAuthorities ?? [])], secureOptions: constants.SSL_OP_NO_TICKET };
}
