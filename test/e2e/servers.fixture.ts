// Addresses of servers and configurations with which several end-to-end tests start.

import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { ServerAddresses } from "@sluice/local-servers";
import { sampleToken } from "@sluice/testkit";

export const workFolder = fileURLToPath(new URL("../../.sluice/run/", import.meta.url));

/** Returns the servers that the test run started. */
export function serversFromEnvironment(): ServerAddresses {
  const read = (name: string): string => {
    const value = process.env[name];
    if (value === undefined || value === "") throw new Error(`${name} is not set: run this by ./sluice test e2e`);
    return value;
  };
  return { kafkaBrokers: read("KAFKA_BROKERS"), schemaRegistryUrl: read("SCHEMA_REGISTRY_URL"), mongoUrl: read("MONGO_URL") };
}

/** Returns the environment for a test that starts servers of its own. */
export function environmentWithoutServers(): NodeJS.ProcessEnv {
  const { KAFKA_BROKERS: _kafka, SCHEMA_REGISTRY_URL: _registry, MONGO_URL: _mongo, ...rest } = process.env;
  return rest;
}

/** A configuration of two banks at addresses where nothing listens. */
export const twoBanksYaml = `banks:\n${bankYaml("first", "250655")}${bankYaml("second", "470010")}`;

function bankYaml(id: string, branch: string): string {
  const tokenSha256 = createHash("sha256").update(sampleToken(id)).digest("hex");
  return `
  - id: ${id}
    name: Bank ${id}
    agents:
      - memberId: "${branch}"
        branchRanges: [["${branch}", "${branch}"]]
    tokenSha256: ["${tokenSha256}"]
    baseUrl: http://127.0.0.1:9
    allowedAddresses: ["127.0.0.0/8"]
`;
}
