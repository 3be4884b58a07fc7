// Counts what a service asks of its store, from between the two: a pass-through that reads the name of each command. It needs nothing of the store,
// so it works with every one that speaks the protocol without TLS.

import { connect, createServer } from "node:net";
import type { Server, Socket } from "node:net";

export interface StoreWatch {
  /** In place of the store's own. */
  readonly url: string;
  /** Commands so far, by name. */
  counts(): ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** `mongodb://`, perhaps somebody's name, one host and port, and the rest. */
const addressPattern = /^(mongodb:\/\/(?:[^@/]*@)?)([^/,:@]+):(\d+)(?:\/([^?]*))?(?:\?(.*))?$/;
const host = "127.0.0.1";

/** Null: an address that cannot be watched (several hosts, or a name to be resolved to them). */
export async function watchStore(url: string): Promise<StoreWatch | null> {
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
  const port = await listening(server);
  const given = query.split("&").filter((option) => option !== "" && !option.toLowerCase().startsWith("directconnection="));
  const options = ["directConnection=true", ...given].join("&");
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
/** As much of a message as its length, its kind and any command's name take. */
const headBytes = 64;

/** Reads one direction of one connection. Names of commands as they begin; what is no OP_MSG counts as "other". */
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
          names.push(nameOf(head));
          skipBytes = Math.max(0, bytes - head.byteLength);
          head = head.subarray(Math.min(bytes, head.byteLength));
        }
      }
      return names;
    },
  };
}

function nameOf(head: Buffer): string {
  if (head.readInt32LE(opcodeAt) !== messageOpcode || head[kindAt] !== 0) return "other";
  const end = head.indexOf(0, nameAt);
  return end < 0 ? "other" : head.toString("latin1", nameAt, end);
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}
