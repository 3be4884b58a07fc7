// What the image starts as a process of its own: the services, and all of them in one process.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const projectRoot = fileURLToPath(new URL("../..", import.meta.url));

/** Returns the folder of each, by its name; it has a `main.ts` and a `memory.json`. */
export function findEntries(): ReadonlyMap<string, string> {
  const services = join(projectRoot, "services");
  const names = readdirSync(services).filter((name) => existsSync(join(services, name, "main.ts")));
  return new Map([...names.map((name) => [name, join(services, name)] as const), ["all", join(projectRoot, "infra", "all")]]);
}
