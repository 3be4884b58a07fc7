// A proxy between a service and its store that counts commands by name. It needs no support from the store, so it works
// with every store that speaks the protocol without TLS.

import { connect, createServer, type Server, type Socket } from "node:net";

export interface StoreProxy {
  /** Address that replaces the store's own. */
  readonly url: string;
  /** Returns the number of commands so far, by name. */
  counts(): ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** Matches `mongodb://`, optional credentials, one host and port, and the rest. */
const addressPattern = /^(mongodb:\/\/(?:[^@/]*@)?)([^/,:@]+):(\d+)(?:\/([^?]*))?(?:\?(.*))?$/;
const host = "127.0.0.1";

/** Returns null for an address that the proxy cannot serve: several hosts, or a name that resolves to them. */
export async function openStoreProxy(url: string): Promise<StoreProxy | null> {
  const [, before = "", storeHost = "", storePort = "", database = "", query = ""] = addressPattern.exec(url) ?? [];
  if (storeHost === "") return null;
  const counts = new Map<string, number>();
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (caller) => {
    const store = connect({ host: storeHost, port: Number(storePort), noDelay: true });
    const reader = createCommandReader();
    caller.on("data", (chunk: Buffer) => {
      for (const name of reader.read(chunk)) counts.set(name, (counts.get(name) ?? 0) + 1);
    });
    for (const [one, other] of [
      [caller, store],
      [store, caller],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  const port = await listen(server);
  const otherOptions = query.split("&").filter((option) => option !== "" && !option.toLowerCase().startsWith("directconnection="));
  const options = ["directConnection=true", ...otherOptions].join("&");
  return {
    url: `${before}${host}:${port}/${database}?${options}`,
    counts: () => new Map(counts),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const messageOpcode = 2_013;
const opcodeAt = 12;
const kindAt = 20;
const nameAt = 26;
/** Enough of a message to hold its length, its kind and the name of any command. */
const headBytes = 64;

/**
 * Reads one direction of one connection and returns the name of each command as it begins; a message that is no OP_MSG
 * counts as "other".
 */
export function createCommandReader(): { readonly read: (chunk: Buffer) => readonly string[] } {
  let head = Buffer.alloc(0);
  let skipBytes = 0;
  return {
    read(chunk) {
      const names: string[] = [];
      let rest = chunk;
      while (rest.byteLength > 0) {
        if (skipBytes > 0) {
          const skipped = Math.min(skipBytes, rest.byteLength);
          skipBytes -= skipped;
          rest = rest.subarray(skipped);
          continue;
        }
        const taken = Math.min(headBytes - head.byteLength, rest.byteLength);
        head = Buffer.concat([head, rest.subarray(0, taken)]);
        rest = rest.subarray(taken);
        while (head.byteLength >= 4) {
          const bytes = head.readInt32LE(0);
          if (head.byteLength < Math.min(bytes, headBytes)) break;
          names.push(readCommandName(head));
          skipBytes = Math.max(0, bytes - head.byteLength);
          head = head.subarray(Math.min(bytes, head.byteLength));
        }
      }
      return names;
    },
  };
}

function readCommandName(head: Buffer): string {
  if (head.readInt32LE(opcodeAt) !== messageOpcode || head[kindAt] !== 0) return "other";
  const end = head.indexOf(0, nameAt);
  return end < 0 ? "other" : head.toString("latin1", nameAt, end);
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}
