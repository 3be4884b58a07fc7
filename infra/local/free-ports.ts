// Ports that nobody listens on just now. Another process may be faster; who uses them must be ready to ask again.

import { once } from "node:events";
import { createServer } from "node:net";

export const loopback = "127.0.0.1";

/** `count` different free ports; those of `wanted` that are free come first. */
export async function freePorts(count: number, wanted: readonly number[] = []): Promise<readonly number[]> {
  const asked = [...wanted.slice(0, count), ...Array.from({ length: Math.max(0, count - wanted.length) }, () => 0)];
  const held = await Promise.all(asked.map(async (port) => hold(port).catch(() => hold(0))));
  const ports = held.map(({ port }) => port);
  await Promise.all(held.map(async (one) => one.release()));
  return ports;
}

async function hold(port: number): Promise<{ readonly port: number; release(): Promise<void> }> {
  const server = createServer();
  server.listen(port, loopback);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a listening server has a port");
  return {
    port: address.port,
    async release() {
      server.close();
      await once(server, "close");
    },
  };
}
