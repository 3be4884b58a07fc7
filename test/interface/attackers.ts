// Attackers on a thread of their own: strangers that hold silent connections from many addresses and open each again
// that was closed, and a bank that sends bodies that are made to cost much.

import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

export interface AttackOrder {
  readonly port: number;
  readonly strangers: number;
  /** Milliseconds after which a stranger whose connection was closed opens another one. */
  readonly againAfterMs: number;
  readonly request: Uint8Array;
  readonly requestsPerSecond: number;
}

export interface AttackCounts {
  readonly opened: number;
  readonly answered: number;
}

const order: AttackOrder = workerData;
const addressesPerNetwork = 250;
let opened = 0;
let answered = 0;

function hold(index: number): void {
  const localAddress = `127.0.${1 + Math.floor(index / addressesPerNetwork)}.${1 + (index % addressesPerNetwork)}`;
  const socket = connect({ port: order.port, host: "127.0.0.1", localAddress });
  socket.on("connect", () => (opened += 1));
  socket.on("error", () => socket.destroy());
  socket.on("close", () => setTimeout(() => hold(index), order.againAfterMs));
}

function send(): void {
  const socket = connect({ port: order.port, host: "127.0.0.1", localAddress: "127.0.0.2" });
  socket.on("data", () => {
    answered += 1;
    socket.destroy();
  });
  socket.on("error", () => socket.destroy());
  socket.write(order.request);
}

for (let index = 0; index < order.strangers; index += 1) setTimeout(() => hold(index), (index * order.againAfterMs) / order.strangers);
setInterval(send, 1_000 / order.requestsPerSecond);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
setInterval(() => parentPort?.postMessage({ opened, answered } satisfies AttackCounts), 100);
