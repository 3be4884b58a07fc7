// How much memory a service is given: the table `memory.json` beside its entry, which images and charts read too.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { projectRoot } from "./run-program.ts";

export const memoryProfileNames = ["small", "large"] as const;

export interface MemoryProfile {
  readonly nodeArguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The most resident memory that was measured; null where nothing was. */
  readonly residentMiB: number | null;
}

export interface MemoryTable {
  /** The profile of demo, tests, trials and benches. */
  readonly localProfile: (typeof memoryProfileNames)[number];
  readonly profiles: Readonly<Record<(typeof memoryProfileNames)[number], MemoryProfile>>;
}

export async function readMemoryTable(service: string): Promise<MemoryTable> {
  // Tests hold the form of each table.
  const table: MemoryTable = JSON.parse(await readFile(join(projectRoot, "services", service, "memory.json"), "utf8"));
  return table;
}

export async function readLocalMemoryProfile(service: string): Promise<MemoryProfile> {
  const { localProfile, profiles } = await readMemoryTable(service);
  return profiles[localProfile];
}
