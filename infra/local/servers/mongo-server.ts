// Runs mongo-java-server by `java/LocalMongo.java`: good enough for a laptop and tests, never for production
// (README.md).

import { mkdir } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { MongoClient } from "mongodb";
import { loopbackAddress } from "../free-ports.ts";
import type { ServerKind } from "./server-kind.ts";

const answerTimeoutMs = 1_000;

export const mongoServer: ServerKind = {
  name: "mongo",
  ports: 1,
  hasArchive: false,
  async plan({ installed, directory, ports, storage, isForLoad }) {
    const [port = 0] = ports;
    await mkdir(join(directory, "mongo"), { recursive: true });
    const classPath = [installed.classes, installed.libs].join(delimiter);
    const backend = storage === "memory" ? "memory" : join("mongo", "data");
    const address = `mongodb://${loopbackAddress}:${port}`;
    return {
      arguments: ["-Xms64m", isForLoad ? "-Xmx8g" : "-Xmx1g", "-cp", classPath, "LocalMongo", loopbackAddress, String(port), backend],
      address,
      isReady: () => answersPing(address),
    };
  },
};

async function answersPing(address: string): Promise<boolean> {
  await using client = new MongoClient(address, { serverSelectionTimeoutMS: answerTimeoutMs, connectTimeoutMS: answerTimeoutMs });
  const answer = await client.db("admin").command({ ping: 1 });
  return answer["ok"] === 1;
}
