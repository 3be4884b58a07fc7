// Sets how many bytes a second a client may fetch, by the broker's own request (AlterClientQuotas, version 0): kafkajs
// has none.

import { once } from "node:events";
import { connect } from "node:net";
import { testConnection } from "./kafka.fixture.ts";

const alterClientQuotas = 49;

/** Sets the quota of a client id, in bytes a second; null: none. */
export async function setFetchQuota(clientId: string, bytesPerSecond: number | null): Promise<void> {
  const [host = "", port = ""] = (testConnection.brokers[0] ?? "").split(":");
  const socket = connect({ host, port: Number(port) });
  await once(socket, "connect");
  const head = Buffer.concat([int16(alterClientQuotas), int16(0), int32(1), text("quotas")]);
  const entity = Buffer.concat([int32(1), text("client-id"), text(clientId)]);
  const isRemoved = Buffer.of(bytesPerSecond === null ? 1 : 0);
  const change = Buffer.concat([int32(1), text("consumer_byte_rate"), float64(bytesPerSecond ?? 0), isRemoved]);
  const request = Buffer.concat([head, int32(1), entity, change, Buffer.of(0)]);
  socket.write(Buffer.concat([int32(request.length), request]));
  const answer = await new Promise<Buffer>((resolve) => socket.once("data", resolve));
  socket.destroy();
  // Length, correlation id, throttle time, number of entries, and the first one's error.
  const error = answer.readInt16BE(16);
  if (error !== 0) throw new Error(`the quota was refused with error ${error}`);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function float64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.concat([int16(Buffer.byteLength(value)), Buffer.from(value)]);
}
