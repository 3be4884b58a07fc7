// A flooding caller on a thread of its own. It sends the same request on many connections, as fast as it is answered,
// reopens closed connections, and reports its counts every 100 ms.

import { connect, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

export interface FloodOrder {
  readonly port: number;
  readonly connections: number;
  readonly request: Uint8Array;
}

export interface FloodCounts {
  readonly accepted: number;
  readonly refused: number;
}

const order: FloodOrder = workerData;
let accepted = 0;
let refused = 0;

function open(): void {
  const socket = connect(order.port, "127.0.0.1");
  socket.setNoDelay(true).setEncoding("latin1");
  socket.on("connect", () => ask(socket));
  socket.on("data", (answer: string) => {
    const count = answer.split("HTTP/1.1 ").length - 1;
    if (answer.startsWith("HTTP/1.1 202")) accepted += count;
    else refused += count;
    ask(socket);
  });
  socket.on("error", () => socket.destroy());
  socket.on("close", open);
}

function ask(socket: Socket): void {
  if (socket.writable) socket.write(order.request);
}

for (let count = 0; count < order.connections; count += 1) open();
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
setInterval(() => parentPort?.postMessage({ accepted, refused } satisfies FloodCounts), 100);
