// A small egress proxy that opens tunnels (CONNECT) to known names and refuses all others.

import { createServer } from "node:http";
import { connect, type Socket } from "node:net";

export interface EgressProxy extends AsyncDisposable {
  readonly url: string;
  /** The `name:port` of each requested tunnel. */
  readonly requestedTunnels: readonly string[];
}

/** Opens a proxy. `ports` maps each `name:port` that may be requested to a port of this host. */
export async function openEgressProxy(host: string, ports: Readonly<Record<string, number>>): Promise<EgressProxy> {
  const [requested, sockets]: [string[], Set<Socket>] = [[], new Set()];
  const server = createServer((_, response) => void response.writeHead(400).end());
  server.on("connect", ({ url = "" }, near: Socket) => {
    requested.push(url);
    const port = ports[url];
    keep(near);
    if (port === undefined) {
      near.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    const far = keep(connect(port, host, () => near.write("HTTP/1.1 200 Connection established\r\n\r\n")));
    near.pipe(far).pipe(near);
    near.once("close", () => far.destroy());
    far.once("close", () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a proxy has a port");

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    return socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
  }
  return {
    url: `http://${host}:${address.port}`,
    requestedTunnels: requested,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
