// The TLS in front of a simulated bank, as a bank's own edge would end it: it shows a certificate, may demand one of the caller that its authority
// has signed, and keeps who was let in and why others were not. What is said inside goes on to the simulator as it came.

import { connect, type Socket } from "node:net";
import { createServer } from "node:tls";
import type { Certificate } from "@sluice/testkit";

export interface TlsDoor extends AsyncDisposable {
  readonly port: number;
  /** Names in the certificates of callers who said something; empty where none was demanded. One for each connection. */
  readonly letIn: readonly string[];
  /** Why the bank refused a caller. */
  readonly turnedAway: readonly string[];
  /** Codes of callers who left before they were let in or refused. */
  readonly left: readonly string[];
  /** Whoever is inside is put out, and has to come again on these terms. */
  changeTerms(terms: DoorTerms): void;
  /** Base address of the simulator; nobody is let in before. */
  leadTo(url: string): void;
}

export interface DoorTerms {
  readonly shown: Certificate;
  /** PEM of the authority of its callers; null: it does not ask who calls. */
  readonly believes: string | null;
}

export async function openTlsDoor(host: string, first: DoorTerms): Promise<TlsDoor> {
  const [letIn, turnedAway, left]: [string[], string[], string[]] = [[], [], []];
  const sockets = new Set<Socket>();
  let terms = first;
  let behind: URL | null = null;
  const server = createServer({ ...contextOf(first), requestCert: true, rejectUnauthorized: false }, (near) => {
    const refusal = terms.believes === null || near.authorized ? null : String(near.authorizationError);
    if (refusal !== null || behind === null) {
      turnedAway.push(refusal ?? "nobody behind");
      near.destroy();
      return;
    }
    const name = terms.believes === null ? "" : String(near.getPeerCertificate().subject.CN);
    near.once("data", () => letIn.push(name));
    const far = keep(connect(Number(behind.port), behind.hostname));
    near.pipe(far).pipe(near);
    near.once("close", () => far.destroy());
    far.once("close", () => near.destroy());
  });
  server.on("secureConnection", keep);
  server.on("tlsClientError", (error) => left.push("code" in error ? String(error.code) : error.message));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a door has a port");

  function keep<Kept extends Socket>(socket: Kept): Kept {
    sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
    return socket;
  }
  function putOut(): void {
    for (const socket of sockets) socket.destroy();
  }
  return {
    port: address.port,
    letIn,
    turnedAway,
    left,
    changeTerms(next) {
      terms = next;
      server.setSecureContext(contextOf(next));
      putOut();
    },
    leadTo: (url) => void (behind = new URL(url)),
    async [Symbol.asyncDispose]() {
      putOut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function contextOf({ shown: { certificatePem: cert, keyPem: key }, believes }: DoorTerms) {
  return believes === null ? { cert, key } : { cert, key, ca: [believes] };
}
