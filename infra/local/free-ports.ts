// Finds ports on which nobody listens now. Another process may take one first; their user must be ready to ask
// again.

import { once } from "node:events";
import { createServer } from "node:net";

export const loopbackAddress = "127.0.0.1";

/** Returns `count` different free ports, first those of `wanted` that are free. */
export async function freePorts(count: number, wanted: readonly number[] = []): Promise<readonly number[]> {
  const asked = [...wanted.slice(0, count), ...Array.from({ length: Math.max(0, count - wanted.length) }, () => 0)];
  const taken = await Promise.all(asked.map(async (port) => takePort(port).catch(() => takePort(0))));
  const ports = taken.map(({ port }) => port);
  await Promise.all(taken.map(async (one) => one.release()));
  return ports;
}

async function takePort(port: number): Promise<{ readonly port: number; release(): Promise<void> }> {
  const server = createServer();
  server.listen(port, loopbackAddress);
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
