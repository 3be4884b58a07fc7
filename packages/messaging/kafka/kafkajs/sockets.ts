// The sockets of a connection, in the place of kafkajs. It has one name for all of them: an event of a socket that is
// over changes the one that followed it, and a request that is in flight then is neither answered nor refused. A
// consumer that waits for it waits for ever, and the rest of its group with it.
//
// #1 Each socket has what it carries: the requests that were written to it, and the beginning of the next answer. Its
//    end refuses its own requests and no other's.
// #2 A socket that is over is destroyed. It neither connects later, nor does anything that it says count.
// #3 Callers who connect at the same time share one socket.
// #4 An end that somebody asked for waits for the answers that are still to come. A new socket waits for nothing.

import kafkajs from "kafkajs";
import errors from "kafkajs/src/errors.js";
import type { Connection } from "kafkajs/src/network/connection.js";
import type { SocketRequest } from "kafkajs/src/network/requestQueue/index.js";
import type { Socket } from "node:net";

const lengthBytes = 4;
const numberBytes = 4;
const drainedCheckMs = 10;

interface Link {
  readonly socket: Socket;
  /** Refuses those who wait for its connect; without effect once it is connected. */
  readonly refuse: (error: Error) => void;
  isOver: boolean;
  /** What has come of the next answers, and how many bytes the first of them needs. */
  chunks: Buffer[];
  buffered: number;
  needed: number;
}

/** The link of a connection that is connected, or connects. */
const links = new WeakMap<Connection, Link>();
const connecting = new WeakMap<Connection, Promise<true>>();
/** The link that the requests of a queue are written to: the newest one. */
const linkOfQueue = new WeakMap<object, Link>();
/** #1 */
const carriedBy = new WeakMap<SocketRequest, Link>();

export function repairSockets(connection: Connection): void {
  connection.connect = async function (this: Connection) {
    if (this.isConnected()) return true;
    // #3
    const opening = connecting.get(this) ?? open(this).finally(() => connecting.delete(this));
    connecting.set(this, opening);
    return await opening;
  };
  connection.disconnect = async function (this: Connection) {
    const link = leave(this);
    if (link === null) return true;
    // #4
    while (!link.isOver && isAwaited(this, link)) await new Promise((resolve) => void setTimeout(resolve, drainedCheckMs));
    end(this, link, new errors.KafkaJSConnectionClosedError("Closed connection", this));
    return true;
  };
}

/** #1: a request of the queue is written now. */
export function noteWritten(queue: object, request: SocketRequest): void {
  const link = linkOfQueue.get(queue);
  if (link !== undefined) carriedBy.set(request, link);
}

async function open(connection: Connection): Promise<true> {
  const opened = Promise.withResolvers<true>();
  const { host, port } = connection;
  const broker = `${host}:${port}`;
  connection.authenticatedAt = null;

  function onConnect(): void {
    clearTimeout(timer);
    // #2
    if (link.isOver) return void socket.destroy();
    connection.connectionStatus = "connected";
    connection.requestQueue.scheduleRequestTimeoutCheck();
    opened.resolve(true);
  }

  function fail(error: Error): void {
    clearTimeout(timer);
    end(connection, link, error);
  }

  function onTrouble(text: string, more: { readonly code?: string | undefined; readonly stack?: string | undefined } = {}): void {
    if (link.isOver) return;
    connection.logError(text, more.stack === undefined ? {} : { stack: more.stack });
    fail(new kafkajs.KafkaJSConnectionError(text, { broker, ...(more.code === undefined ? {} : { code: more.code }) }));
  }

  const socket = makeSocket(connection, onConnect);
  const link: Link = { socket, refuse: opened.reject, isOver: false, chunks: [], buffered: 0, needed: lengthBytes };
  const timer = setTimeout(() => onTrouble("Connection timeout"), connection.connectionTimeout);
  links.set(connection, link);
  linkOfQueue.set(connection.requestQueue, link);
  connection.socket = socket;
  socket.on("data", (bytes: Buffer) => {
    if (!link.isOver && !takeBytes(connection, link, bytes)) onTrouble("Connection error: an answer without a length");
  });
  const onEnd = (): void => fail(new errors.KafkaJSConnectionClosedError("Closed connection", { host, port }));
  socket.on("end", onEnd);
  socket.on("close", onEnd);
  socket.on("error", (error: NodeJS.ErrnoException) => onTrouble(`Connection error: ${error.message}`, error));
  socket.on("timeout", () => onTrouble("Connection timeout"));
  return await opened.promise;
}

function makeSocket({ socketFactory, host, port, ssl }: Connection, onConnect: () => void): Socket {
  try {
    return socketFactory({ host, port, ssl, onConnect });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new kafkajs.KafkaJSConnectionError(`Failed to connect: ${reason}`, { broker: `${host}:${port}` });
  }
}

/** New requests are no longer written to the connection's link; null: it has none. */
function leave(connection: Connection): Link | null {
  const link = links.get(connection) ?? null;
  links.delete(connection);
  connection.authenticatedAt = null;
  connection.connectionStatus = "disconnected";
  // A login that is under way there waits for nothing any more.
  connection.authHandlers?.onError();
  return link;
}

function end(connection: Connection, link: Link, error: Error): void {
  if (link.isOver) return;
  link.isOver = true;
  const { requestQueue: queue } = connection;
  const unsent = linkOfQueue.get(queue) === link ? queue.pending.splice(0) : [];
  link.refuse(error);
  if (links.get(connection) === link) leave(connection);
  for (const request of [...findCarried(connection, link), ...unsent]) {
    queue.inflight.delete(request.correlationId);
    request.rejected(error);
  }
  link.socket.destroy();
}

/** Whether answers are still to come to it, or requests to be written to it. */
function isAwaited(connection: Connection, link: Link): boolean {
  const { requestQueue: queue } = connection;
  return findCarried(connection, link).length > 0 || (linkOfQueue.get(queue) === link && queue.pending.length > 0);
}

/** #1 */
function findCarried({ requestQueue }: Connection, link: Link): readonly SocketRequest[] {
  return [...requestQueue.inflight.values()].filter((request) => carriedBy.get(request) === link);
}

/** Returns false if what came cannot be the beginning of an answer. */
function takeBytes(connection: Connection, link: Link, bytes: Buffer): boolean {
  const isCurrent = links.get(connection) === link;
  if (isCurrent && connection.authHandlers !== null && !connection.authExpectResponse) {
    connection.authHandlers.onSuccess(bytes);
    return true;
  }
  link.chunks.push(bytes);
  link.buffered += bytes.length;
  while (link.buffered >= link.needed) {
    const [only] = link.chunks;
    const buffer = link.chunks.length === 1 && only !== undefined ? only : Buffer.concat(link.chunks);
    const wholeBytes = lengthBytes + buffer.readInt32BE(0);
    if (wholeBytes < lengthBytes + numberBytes) return false;
    const isWhole = buffer.length >= wholeBytes;
    const rest = isWhole ? buffer.subarray(wholeBytes) : buffer;
    link.chunks = [rest];
    link.buffered = rest.length;
    link.needed = isWhole ? lengthBytes : wholeBytes;
    if (isWhole) takeAnswer(connection, isCurrent, buffer.subarray(0, wholeBytes));
  }
  return true;
}

function takeAnswer(connection: Connection, isCurrent: boolean, answer: Buffer): void {
  if (isCurrent && connection.authHandlers !== null) return connection.authHandlers.onSuccess(answer);
  connection.requestQueue.fulfillRequest({
    size: answer.length - lengthBytes,
    correlationId: answer.readInt32BE(lengthBytes),
    payload: answer.subarray(lengthBytes + numberBytes),
  });
}
