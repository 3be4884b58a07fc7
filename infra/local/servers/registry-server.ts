// Apicurio Registry, used by its Confluent-compatible API.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { loopbackAddress } from "../free-ports.ts";
import type { ServerKind, Storage } from "./server-kind.ts";

const answerTimeoutMs = 1_000;

export const registryServer: ServerKind = {
  name: "registry",
  ports: 1,
  hasArchive: true,
  async plan({ installed, directory, ports, storage }) {
    const [port = 0] = ports;
    await mkdir(join(directory, "registry"), { recursive: true });
    const address = `http://${loopbackAddress}:${port}/apis/ccompat/v7`;
    const settings = { ...registryProperties(storage), "quarkus.http.port": String(port) };
    const defined = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
    return {
      arguments: ["-Xms64m", "-Xmx256m", ...defined, "-jar", installed.registryJar],
      address,
      isReady: async () => {
        const answer = await fetch(`${address}/subjects`, { signal: AbortSignal.timeout(answerTimeoutMs) });
        await answer.body?.cancel();
        return answer.ok;
      },
    };
  },
};

/** The settings of every registry. */
export function registryProperties(storage: Storage): Readonly<Record<string, string>> {
  return {
    "quarkus.http.host": loopbackAddress,
    "quarkus.http.access-log.enabled": "false",
    "apicurio.storage.kind": "sql",
    "apicurio.storage.sql.kind": "h2",
    "apicurio.datasource.url": storage === "memory" ? "jdbc:h2:mem:registry" : "jdbc:h2:file:./registry/data",
  };
}
