// Serves a simulated bank or connector over real HTTP, and carries out the answers of `receive` with their faults on
// the wire.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { assert, type Random, type Time } from "@sluice/kernel";
import type { AnswerPlan, DeliveredOperation } from "./script.ts";
import { drawDelayMs, type SimulatedParty } from "./simulated-party.ts";

type Receives = Pick<SimulatedParty, "receive">;

const bodyBytesMax = 1_048_576;

/** Maps each path to its operation. */
export type ServedPaths = Readonly<Record<string, DeliveredOperation>>;

export const bankServedPaths: ServedPaths = {
  "/outbound/direct-debit-response": "outboundDirectDebitResponse",
  "/inbound/direct-debit": "inboundDirectDebit",
  "/inbound/credit-transfer-authorisation": "inboundCreditTransferAuthorization",
  "/events": "events",
};

export const connectorServedPaths: ServedPaths = {
  "/inbound/direct-debit-response": "inboundDirectDebitResponse",
  "/inbound/credit-transfer-authorisation-response": "inboundCreditTransferAuthorizationResponse",
};

export interface PartyServer {
  /** `http://host:port`, without a trailing slash. */
  readonly url: string;
  /** Stops accepting connections, so that callers are refused. Resolves when the present connections have ended. */
  stopAccepting(): Promise<void>;
  /** Accepts connections again, at the same address. */
  startAccepting(): Promise<void>;
  /** Rejects if the party itself failed on a request, because that missing answer was not scripted. */
  stop(): Promise<void>;
}

export interface PartyServerPorts {
  readonly time: Time;
  readonly random: Random;
  readonly host: string;
  /** The port to listen on; 0 means any free port. */
  readonly port: number;
  readonly paths: ServedPaths;
}

export async function startPartyServer(party: Receives, ports: PartyServerPorts): Promise<PartyServer> {
  const failures: unknown[] = [];
  const server = createServer((request, response) => {
    serve(party, ports, request, response).catch((error: unknown) => {
      // A caller that left in the middle of its body is a fault that the test injected. Any other error is the party's
      // own.
      if (!request.destroyed || request.complete) failures.push(error);
      response.destroy();
    });
  });
  await listen(server, ports.port, ports.host);
  const address = server.address();
  assert(typeof address === "object" && address !== null, "a listening server has an address");
  const { port } = address;
  return { url: `http://${ports.host}:${port}`, stopAccepting: () => drain(server, ports.time), startAccepting: openDoor, stop };

  async function openDoor(): Promise<void> {
    await listen(server, port, ports.host);
  }

  async function stop(): Promise<void> {
    await close(server);
    if (failures.length > 0) throw new AggregateError(failures, "the simulated bank failed");
  }
}

async function serve(party: Receives, ports: PartyServerPorts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const operation = ports.paths[request.url ?? ""];
  const body = await readBody(request);
  if (operation === undefined || request.method !== "POST" || body === null) {
    response.writeHead(operation === undefined ? 404 : body === null ? 413 : 405).end();
    return;
  }
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  carryOut(party.receive({ operation, body, headers }), ports, response);
}

function carryOut(plan: AnswerPlan, ports: PartyServerPorts, response: ServerResponse): void {
  if (plan.kind === "silent") return;
  if (plan.kind === "drop") {
    response.destroy();
    return;
  }
  const timer = ports.time.after(drawDelayMs(ports.random, plan), () => {
    const { socket } = response;
    response.writeHead(plan.status, plan.retryAfter === null ? {} : { "retry-after": plan.retryAfter });
    response.end(() => {
      if (plan.copies === 2) socket?.write(`HTTP/1.1 ${plan.status} Again\r\ncontent-length: 0\r\n\r\n`);
    });
  });
  response.once("close", () => timer[Symbol.dispose]());
}

async function readBody(request: IncomingMessage): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Uint8Array)) continue;
    bytes += chunk.byteLength;
    if (bytes > bodyBytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** Milliseconds between two checks for idle connections while the server stops accepting. */
export const idleCheckMs = 10;

/**
 * Closes each connection once its request is answered. It stops closing when all connections have ended, because the
 * server may accept new ones by then.
 */
async function drain(server: Server, time: Time): Promise<void> {
  let isDrained = false;
  const drained = new Promise<void>((resolve) => {
    server.close(() => {
      isDrained = true;
      resolve();
    });
  });
  const closeIdle = (): void => {
    if (isDrained) return;
    server.closeIdleConnections();
    time.after(idleCheckMs, closeIdle);
  };
  closeIdle();
  await drained;
}

/** Closes all connections, because a request that gets no answer would keep its connection open forever. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
