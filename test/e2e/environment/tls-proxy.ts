// Terminates TLS in front of a simulated bank, as a bank's own edge would. It presents a certificate, may require a
// caller's certificate that its authority signed, and records which callers were admitted and why others were not. It
// forwards the decrypted bytes to the simulator unchanged.

import { connect, type Socket } from "node:net";
import { createServer } from "node:tls";
import type { Certificate } from "@sluice/testkit";

export interface TlsProxy extends AsyncDisposable {
  readonly port: number;
  /** One entry for each connection that sent data: the name in the caller's certificate, or "" if none was required. */
  readonly admitted: readonly string[];
  /** The reasons for which the bank refused callers. */
  readonly refused: readonly string[];
  /** The error codes of callers who disconnected before they were admitted or refused. */
  readonly abandoned: readonly string[];
  /** Closes all connections. New ones must meet the new terms. */
  changeTerms(terms: TlsTerms): void;
  /** Sets the base address of the simulator. Callers are refused before that. */
  forwardTo(url: string): void;
}

export interface TlsTerms {
  readonly certificate: Certificate;
  /** The PEM of the authority of its callers; null if it requires no certificate. */
  readonly callerAuthority: string | null;
}

export async function openTlsProxy(host: string, first: TlsTerms): Promise<TlsProxy> {
  const [admitted, refused, left]: [string[], string[], string[]] = [[], [], []];
  const sockets = new Set<Socket>();
  let terms = first;
  let target: URL | null = null;
  const server = createServer({ ...tlsContext(first), requestCert: true, rejectUnauthorized: false }, (near) => {
    const refusal = terms.callerAuthority === null || near.authorized ? null : String(near.authorizationError);
    if (refusal !== null || target === null) {
      refused.push(refusal ?? "no target");
      near.destroy();
      return;
    }
    const name = terms.callerAuthority === null ? "" : String(near.getPeerCertificate().subject.CN);
    near.once("data", () => admitted.push(name));
    const far = keep(connect(Number(target.port), target.hostname));
    near.pipe(far).pipe(near);
    near.once("close", () => far.destroy());
    far.once("close", () => near.destroy());
  });
  server.on("secureConnection", keep);
  server.on("tlsClientError", (error) => left.push("code" in error ? String(error.code) : error.message));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TLS proxy has a port");

  function keep<Kept extends Socket>(socket: Kept): Kept {
    sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
    return socket;
  }
  function disconnectAll(): void {
    for (const socket of sockets) socket.destroy();
  }
  return {
    port: address.port,
    admitted,
    refused,
    abandoned: left,
    changeTerms(next) {
      terms = next;
      server.setSecureContext(tlsContext(next));
      disconnectAll();
    },
    forwardTo: (url) => void (target = new URL(url)),
    async [Symbol.asyncDispose]() {
      disconnectAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function tlsContext({ certificate: { certificatePem: cert, keyPem: key }, callerAuthority }: TlsTerms) {
  return callerAuthority === null ? { cert, key } : { cert, key, ca: [callerAuthority] };
}
