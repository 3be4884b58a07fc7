// Sends requests in the place of kafkajs. It copies each one twice, into zeroed buffers, and puts texts together for
// log lines that nobody reads.
//
// #1 A connection that has still to log in, or to log in again, is left to kafkajs, which does that first. One without
//    a login never counts as logged in there.
// #2 A request and its head are one write, because each write to a socket costs more than copying some kilobytes.

import type { Connection, SentRequest } from "kafkajs/src/network/connection.js";

/** Bytes before the client's name: length 4, API 2, its version 2, number of the request 4, length of the name 2. */
const headBytes = 14;
const lengthBytes = 4;

export function repairConnection(connection: Connection): void {
  const { send } = connection;
  connection.send = async function (this: Connection, asked) {
    // #1
    return this.sasl === null || this.isAuthenticated() ? await sendOwn(this, asked) : await send.call(this, asked);
  };
}

async function sendOwn(connection: Connection, asked: SentRequest): Promise<unknown> {
  const { request, response, requestTimeout = null, logResponseError = true } = asked;
  const { apiKey, apiName, apiVersion } = request;
  connection.failIfNotConnected();
  const expectResponse = request.expectResponse === undefined || request.expectResponse();
  const correlationId = connection.nextCorrelationId();
  const body = await request.encode();
  const bytes = frameRequest({ apiKey, apiVersion, correlationId, clientId: connection.clientId }, body.buffer);
  const answered = Promise.withResolvers<{ readonly payload: Buffer; readonly size: number }>();
  connection.failIfNotConnected();
  connection.requestQueue.push({
    entry: { apiKey, apiName, apiVersion, correlationId, resolve: answered.resolve, reject: answered.reject },
    expectResponse,
    requestTimeout,
    sendRequest: () => void connection.socket?.write(bytes),
  });
  const { payload, size } = await answered.promise;
  if (!expectResponse) return undefined;
  try {
    const decoded = await response.decode(payload);
    connection.requestQueue.maybeThrottle(decoded.clientSideThrottleTime ?? null);
    return await response.parse(decoded);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (logResponseError) {
      connection.logError(`Response ${apiName}(key: ${apiKey}, version: ${apiVersion})`, { error: reason, correlationId, size });
    }
    throw error;
  }
}

interface RequestHead {
  readonly apiKey: number;
  readonly apiVersion: number;
  readonly correlationId: number;
  readonly clientId: string;
}

/** #2 */
export function frameRequest({ apiKey, apiVersion, correlationId, clientId }: RequestHead, body: Buffer): Buffer {
  const nameBytes = Buffer.byteLength(clientId);
  const bytes = Buffer.allocUnsafe(headBytes + nameBytes + body.length);
  bytes.writeInt32BE(bytes.length - lengthBytes, 0);
  bytes.writeInt16BE(apiKey, 4);
  bytes.writeInt16BE(apiVersion, 6);
  bytes.writeInt32BE(correlationId, 8);
  bytes.writeInt16BE(nameBytes, 12);
  bytes.write(clientId, headBytes);
  body.copy(bytes, headBytes + nameBytes);
  return bytes;
}
