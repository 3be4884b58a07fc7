// A simulated bank or connector on real HTTP: the server that carries out what `receive` decides, wire faults included.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { assert, type Random, type Time } from "@sluice/runtime";
import type { AnswerPlan, BankOperation } from "./bank-script.ts";
import { latenessMs, type SimulatedParty } from "./simulated-party.ts";

type Receives = Pick<SimulatedParty, "receive">;

const bodyBytesMax = 1_048_576;

/** Path to operation. */
export type ServedPaths = Readonly<Record<string, BankOperation>>;

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

export interface BankServer {
  /** `http://host:port`, without a trailing slash. */
  readonly url: string;
  /** Takes no connection any more, so that callers are refused; resolves when those that it has are gone. */
  closeDoor(): Promise<void>;
  /** At the same address. */
  openDoor(): Promise<void>;
  /** Rejects if the bank itself broke on a request: its silence was none of the script's. */
  stop(): Promise<void>;
}

export interface BankServerPorts {
  readonly time: Time;
  readonly random: Random;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly paths: ServedPaths;
}

export async function startBankServer(party: Receives, ports: BankServerPorts): Promise<BankServer> {
  const broken: unknown[] = [];
  const server = createServer((request, response) => {
    serve(party, ports, request, response).catch((error: unknown) => {
      // A caller that left in the middle of its body is a fault of the test's making; anything else is the bank's own.
      if (!request.destroyed || request.complete) broken.push(error);
      response.destroy();
    });
  });
  await listen(server, ports.port, ports.host);
  const address = server.address();
  assert(typeof address === "object" && address !== null, "a listening server has an address");
  const { port } = address;
  return { url: `http://${ports.host}:${port}`, closeDoor: () => leave(server, ports.time), openDoor, stop };

  async function openDoor(): Promise<void> {
    await listen(server, port, ports.host);
  }

  async function stop(): Promise<void> {
    await close(server);
    if (broken.length > 0) throw new AggregateError(broken, "the simulated bank broke");
  }
}

async function serve(party: Receives, ports: BankServerPorts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const operation = ports.paths[request.url ?? ""];
  const body = await readBody(request);
  if (operation === undefined || request.method !== "POST" || body === null) {
    response.writeHead(operation === undefined ? 404 : body === null ? 413 : 405).end();
    return;
  }
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  carryOut(party.receive({ operation, body, headers }), ports, response);
}

function carryOut(plan: AnswerPlan, ports: BankServerPorts, response: ServerResponse): void {
  if (plan.kind === "silent") return;
  if (plan.kind === "drop") {
    response.destroy();
    return;
  }
  const timer = ports.time.after(latenessMs(ports.random, plan), () => {
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

/** Between two looks for connections that became free, while the door is being closed. */
export const idleLookMs = 10;

/** What is under way is answered: only then its connection goes. Nothing is cut once all are gone: the door may be open again. */
async function leave(server: Server, time: Time): Promise<void> {
  let isLeft = false;
  const left = new Promise<void>((resolve) => {
    server.close(() => {
      isLeft = true;
      resolve();
    });
  });
  const cut = (): void => {
    if (isLeft) return;
    server.closeIdleConnections();
    time.after(idleLookMs, cut);
  };
  cut();
  await left;
}

/** Silent requests hold their connections for ever, so all are cut. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
