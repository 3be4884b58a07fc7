// Runs mongo-java-server by `java/LocalMongo.java`: good enough for a laptop and tests, never for production
// (README.md).

import { mkdir } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { MongoClient } from "mongodb";
import { loopbackAddress } from "../free-ports.ts";
import type { ServerKind } from "./server-kind.ts";

const answerTimeoutMs = 1_000;

export const mongoServer = mongoKind(() => Promise.resolve({ properties: [], authorityPem: null }));

interface Guard {
  /** Properties of Java that name users and certificates. */
  readonly properties: readonly string[];
  /** Null: it speaks no TLS. */
  readonly authorityPem: string | null;
}

/** `guard` is given the server's directory. */
export function mongoKind(guard: (directory: string) => Promise<Guard>): ServerKind {
  return {
    name: "mongo",
    ports: 1,
    hasArchive: false,
    async plan({ installed, directory, ports, storage, isForLoad }) {
      const [port = 0] = ports;
      await mkdir(join(directory, "mongo"), { recursive: true });
      const { properties, authorityPem } = await guard(directory);
      const classPath = [installed.classes, installed.libs].join(delimiter);
      const backend = storage === "memory" ? "memory" : join("mongo", "data");
      const address = `mongodb://${loopbackAddress}:${port}`;
      const memory = ["-Xms64m", isForLoad ? "-Xmx8g" : "-Xmx1g"];
      return {
        arguments: [...memory, ...properties, "-cp", classPath, "LocalMongo", loopbackAddress, String(port), backend],
        address,
        isReady: () => answersPing(address, authorityPem),
      };
    },
  };
}

/** A ping needs no login. */
async function answersPing(address: string, authorityPem: string | null): Promise<boolean> {
  const tls = authorityPem === null ? {} : { tls: true, ca: authorityPem };
  await using client = new MongoClient(address, {
    ...tls,
    serverSelectionTimeoutMS: answerTimeoutMs,
    connectTimeoutMS: answerTimeoutMs,
  });
  const answer = await client.db("admin").command({ ping: 1 });
  return answer["ok"] === 1;
}
