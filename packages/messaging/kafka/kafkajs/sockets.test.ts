// A connection of kafkajs whose socket ends, hangs or comes late, against a server on a real socket.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import Connection from "kafkajs/src/network/connection.js";
import { afterEach, expect, test } from "vitest";
import "./kafkajs-repairs.ts";

const connectMaxMs = 100;
const requestMaxMs = 1_000;
const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

const request = { apiKey: 3, apiName: "Metadata", apiVersion: 6, encode: async () => ({ buffer: Buffer.from("body") }) };
const response = {
  decode: async (payload: Buffer) => ({ text: payload.toString(), clientSideThrottleTime: null }),
  parse: async (decoded: object) => ("text" in decoded ? decoded.text : null),
};

interface Served {
  /** Connections so far, the oldest first. */
  readonly sockets: readonly Socket[];
  /** Numbers of the requests that have come, with their sockets. */
  readonly asked: readonly { readonly socket: Socket; readonly correlationId: number }[];
  readonly port: number;
}

async function serve(): Promise<Served> {
  const sockets: Socket[] = [];
  const asked: { socket: Socket; correlationId: number }[] = [];
  const server = createServer({ allowHalfOpen: false }, (socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; at += 4 + bytes.readInt32BE(at)) asked.push({ socket, correlationId: bytes.readInt32BE(at + 8) });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has one
  return { sockets, asked, port: (server.address() as AddressInfo).port };
}

function answerTo(correlationId: number, text: string): Buffer {
  const bytes = Buffer.alloc(8 + text.length);
  bytes.writeInt32BE(4 + text.length, 0);
  bytes.writeInt32BE(correlationId, 4);
  bytes.write(text, 8);
  return bytes;
}

type SocketFactory = (at: { readonly host: string; readonly port: number; readonly onConnect: () => void }) => Socket;

const atOnce: SocketFactory = ({ host, port, onConnect }) => connect({ host, port }, onConnect);

function createConnection(port: number, socketFactory: SocketFactory = atOnce) {
  const silent = { info() {}, error() {}, warn() {}, debug() {}, namespace: () => silent };
  const connection = new Connection({
    host: "127.0.0.1",
    port,
    logger: silent,
    socketFactory,
    requestTimeout: requestMaxMs,
    enforceRequestTimeout: true,
    connectionTimeout: connectMaxMs,
    clientId: "c",
  });
  open.push(() => connection.socket?.destroy());
  return connection;
}

async function until(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { timeout: 2_000, interval: 5 }).toBe(true);
}

/** A connection with one request that the server has and has not answered. */
async function openAsking() {
  const served = await serve();
  const connection = createConnection(served.port);
  await connection.connect();
  const asking = connection.send({ request, response });
  asking.catch(() => {});
  await until(() => served.asked.length === 1);
  return { served, connection, asking };
}

test.each([
  ["what is in flight on a connection that the broker ends is refused, and the next connection is used", 0],
  ["the beginning of an answer that never came whole is not taken for one of the next connection", 10],
])("Z: %s", async (_promise, begunBytes) => {
  const { served, connection, asking: first } = await openAsking();
  served.sockets[0]?.end(answerTo(0, "an answer").subarray(0, begunBytes));
  await expect(first).rejects.toMatchObject({ name: "KafkaJSConnectionClosedError" });
  await connection.connect();
  const second = connection.send({ request, response });
  await until(() => served.asked.length === 2);
  served.asked[1]?.socket.write(answerTo(1, "second"));
  expect(await second).toBe("second");
});

test("Z: a socket that connects after its time connects nothing, and what another one carries goes on", async () => {
  const served = await serve();
  let isLate = true;
  const connection = createConnection(served.port, ({ host, port, onConnect }) => {
    if (!isLate) return connect({ host, port }, onConnect);
    const socket = new Socket();
    setTimeout(() => socket.connect(port, host, onConnect), 3 * connectMaxMs);
    return socket;
  });
  await expect(connection.connect()).rejects.toThrow("timeout");
  await delay(4 * connectMaxMs);
  expect(connection.isConnected()).toBe(false);
  isLate = false;
  await connection.connect();
  const asking = connection.send({ request, response });
  await until(() => served.asked.length === 1);
  const [asked] = served.asked;
  asked?.socket.write(answerTo(asked.correlationId, "here"));
  expect([await asking, connection.isConnected()]).toEqual(["here", true]);
});

test("Z: an end of one connection that waits for its answers does not end the next one", async () => {
  const { served, connection, asking: first } = await openAsking();
  const ended = connection.disconnect();
  await connection.connect();
  const second = connection.send({ request, response });
  await until(() => served.asked.length === 2);
  for (const { socket, correlationId } of served.asked) socket.write(answerTo(correlationId, `number ${correlationId}`));
  expect(await Promise.all([first, second])).toEqual(["number 0", "number 1"]);
  await ended;
  expect(connection.isConnected()).toBe(true);
  const third = connection.send({ request, response });
  await until(() => served.asked.length === 3);
  served.asked[2]?.socket.write(answerTo(2, "third"));
  expect(await third).toBe("third");
});

test("Z: callers who connect at the same time share one socket", async () => {
  const served = await serve();
  const connection = createConnection(served.port);
  await Promise.all([connection.connect(), connection.connect(), connection.connect()]);
  await delay(50);
  expect(served.sockets).toHaveLength(1);
});

test("Z: a request that is never answered ends in its time, also after an end of the connection", async () => {
  const served = await serve();
  const connection = createConnection(served.port);
  await connection.connect();
  await connection.disconnect();
  await connection.connect();
  await expect(connection.send({ request, response })).rejects.toThrow("timed out");
});

test("Z: who waits for a connect learns that somebody has ended the connection", async () => {
  const served = await serve();
  const connection = createConnection(served.port, () => new Socket());
  const connected = connection.connect();
  await Promise.all([expect(connected).rejects.toMatchObject({ name: "KafkaJSConnectionClosedError" }), connection.disconnect()]);
});

test("Z: an answer without a length ends the connection, and what it carries", async () => {
  const { served, connection, asking } = await openAsking();
  served.sockets[0]?.write(Buffer.alloc(8));
  await expect(asking).rejects.toThrow("an answer without a length");
  expect(connection.isConnected()).toBe(false);
});

/** A request of 16 bytes with its length before it. */
const loginStep = Buffer.concat([Buffer.from([0, 0, 0, 16]), Buffer.alloc(16)]);

test.each([
  ["the broker ends the connection", (served: Served) => void served.sockets[0]?.end()],
  ["somebody ends the connection", (_served: Served, end: () => void) => end()],
])("Z: a step of a login that waits for its answer fails where %s", async (_when, endIt) => {
  const served = await serve();
  const connection = createConnection(served.port);
  await connection.connect();
  const step = connection.sendAuthRequest({ request: { encode: async () => loginStep }, response });
  step.catch(() => {});
  await until(() => served.asked.length === 1);
  endIt(served, () => void connection.disconnect());
  await expect(step).rejects.toThrow("Connection closed by the server");
});

test("Z: a step of a login gets the bytes of its answer", async () => {
  const served = await serve();
  const connection = createConnection(served.port);
  await connection.connect();
  const step = connection.sendAuthRequest({ request: { encode: async () => loginStep }, response });
  await until(() => served.asked.length === 1);
  served.sockets[0]?.write(answerTo(1, "in").subarray(0, 6));
  await delay(20);
  served.sockets[0]?.write(answerTo(1, "in").subarray(6));
  expect(await step).toBe(answerTo(1, "in").toString());
});

test("Z: a socket that cannot be made refuses the connect, and nothing else", async () => {
  const served = await serve();
  let isRefused = true;
  const connection = createConnection(served.port, (at) => {
    if (isRefused) throw new Error("no certificate");
    return atOnce(at);
  });
  await expect(connection.connect()).rejects.toThrow("Failed to connect: no certificate");
  await delay(2 * connectMaxMs);
  isRefused = false;
  await connection.connect();
  expect(connection.isConnected()).toBe(true);
});
