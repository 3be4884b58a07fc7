// Receivers on real sockets, and a gateway to them. Everything that a test opens is closed after it.

import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createHttpsServer, type ServerOptions } from "node:https";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createServer, type Server as NetServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ListedSample, type Logger, machineRandom, machineTime, type Metrics, silentLogger, silentMetrics } from "@sluice/kernel";
import { sampleBank } from "@sluice/testkit";
import { afterEach } from "vitest";
import type { DeliveryReceiver } from "../endpoint/operation-addresses.ts";
import { createUndiciGateway, type UndiciGatewayOptions } from "./gateway-undici.ts";
import type { ReceiverGateway, ReceiverRequest } from "../port.ts";

const silentTelemetry = { logger: silentLogger, metrics: silentMetrics } as const;
export const gatewayOptions: UndiciGatewayOptions = { time: machineTime, random: machineRandom, ...silentTelemetry };

/** The loopback has many addresses; a bank listens on one. */
export const loopbackBlocks = ["127.0.0.0/8"] as const;

export const buildReceiverRequest = (members: Partial<ReceiverRequest> = {}): ReceiverRequest => ({
  receiverId: "first",
  operation: "inboundDirectDebit",
  body: new TextEncoder().encode('{"value":1250.50}'),
  headers: { "content-type": "application/json", "webhook-id": "m1", "webhook-timestamp": "1790000000" },
  timeoutMs: 5_000,
  ...members,
});

export type AnswerHandler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** Puts a whole file in place atomically, and resolves with its path. */
export type FileWriter = (name: string, content: string) => Promise<string>;

export interface GatewayEnvironment {
  readonly defer: (close: () => Promise<unknown>) => void;
  /** Calls `speak` for each connection when its first bytes have come. */
  readonly rawBank: (speak: (socket: Socket, first: string) => void) => Promise<string>;
  readonly httpBank: (answer: AnswerHandler) => Promise<string>;
  /** Listens on the loopback, to be called by a name of its certificate; resolves with its port. */
  readonly tlsBank: (tls: ServerOptions, answer: AnswerHandler) => Promise<number>;
  readonly gatewayTo: (baseUrl: string, bank?: Partial<DeliveryReceiver>, options?: Partial<UndiciGatewayOptions>) => ReceiverGateway;
  readonly folder: () => Promise<{ readonly write: FileWriter }>;
}

/** To be called once in each test file. */
export function openGatewayEnvironment(): GatewayEnvironment {
  const opened: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of opened.splice(0).toReversed()) await close();
  });

  async function listening(server: NetServer, cut: () => void): Promise<number> {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    opened.push(async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    });
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    return address.port;
  }

  return {
    defer: (close) => void opened.push(close),
    async rawBank(speak) {
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.on("error", () => undefined);
        socket.once("data", (first: Buffer) => speak(socket, first.toString("latin1")));
      });
      return `http://127.0.0.1:${await listening(server, () => sockets.forEach((socket) => socket.destroy()))}`;
    },
    async httpBank(answer) {
      const server = createHttpServer(whole(answer));
      return `http://127.0.0.1:${await listening(server, () => server.closeAllConnections())}`;
    },
    async tlsBank(tls, answer) {
      const server = createHttpsServer(tls, whole(answer));
      return listening(server, () => server.closeAllConnections());
    },
    gatewayTo(baseUrl, bank = {}, options = {}) {
      const members = { id: "first", baseUrl, eventsUrl: baseUrl, connections: 2, allowedAddresses: loopbackBlocks, ...bank };
      const gateway = createUndiciGateway([sampleBank(members)], { ...gatewayOptions, ...options });
      opened.push(() => gateway.close());
      return gateway;
    },
    async folder() {
      const path = await mkdtemp(join(tmpdir(), "sluice-gateway-"));
      opened.push(() => rm(path, { recursive: true }));
      return {
        async write(name, content) {
          await writeFile(join(path, `${name}.new`), content);
          await rename(join(path, `${name}.new`), join(path, name));
          return join(path, name);
        },
      };
    },
  };
}

function whole(answer: AnswerHandler): RequestListener {
  return (asked, response) => {
    const chunks: Buffer[] = [];
    asked.on("data", (chunk: Buffer) => chunks.push(chunk));
    asked.on("end", () => answer(asked, response, Buffer.concat(chunks)));
  };
}

/** Records what is logged; `gauge` reads a listed metric of a receiver, undefined where it is not shown. */
export function recordTelemetry(): {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly lines: unknown[][];
  readonly gauge: (name: string, receiver?: string) => number | undefined;
} {
  const lines: unknown[][] = [];
  const lists: (() => readonly ListedSample[])[] = [];
  const line = (event: string, fields?: unknown): void => void lines.push([event, fields]);
  return {
    logger: { debug: line, info: line, warn: line, error: line },
    metrics: { ...silentMetrics, listed: (_, list) => void lists.push(list) },
    lines,
    gauge: (name, receiver = "first") =>
      lists.flatMap((list) => list()).find((one) => one.name === name && (one.labels["receiver"] ?? "") === receiver)?.value,
  };
}
