// Records what `up` has started, for `up`, `down`, `send` and `tx`.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerAddresses } from "@sluice/local-servers";
import { isRunning, readRecord } from "@sluice/local-servers/running-record";
import { Fault } from "@sluice/kernel";

export interface UpState extends ServerAddresses {
  /** The settings of the connections as `up` was given them: names of files, never their content. */
  readonly connections: Readonly<Record<string, string>>;
  readonly database: string;
  readonly configurationFile: string;
  /** Number of partitions that the topics were created with. */
  readonly partitionCount: number;
  readonly ingressUrl: string;
  /** Address at which banks ask for the state of their transactions. */
  readonly consoleUrl: string;
  /** Address of the control API, which operators' verbs call. */
  readonly controlUrl: string;
  /** Addresses of the operations ports, by service. */
  readonly operations: Readonly<Record<string, string>>;
}

export const upDirectory = fileURLToPath(new URL("../../../../.sluice/up", import.meta.url));

const stateFile = join(upDirectory, "up.json");

export function writeUpState(state: UpState): void {
  writeFileSync(stateFile, `${JSON.stringify(state, null, 2)}\n`);
}

/** Null: nothing is up, or not everything. */
export async function readUpState(): Promise<UpState | null> {
  const processes = readRecord(upDirectory)?.processes ?? [];
  const running = await Promise.all(processes.map(isRunning));
  return running.length === 0 || running.includes(false) ? null : readUpFile();
}

/** Reads what the last `up` recorded, whether or not it still runs. */
export function readUpFile(): UpState | null {
  try {
    const state: UpState = JSON.parse(readFileSync(stateFile, "utf8"));
    return state;
  } catch {
    return null;
  }
}

/** Throws Fault `cli.not-up`. */
export async function requireUpState(): Promise<UpState> {
  const state = await readUpState();
  if (state === null) throw new Fault("cli.not-up", "nothing is up, or not all of it: start with ./sluice up", { isRetryable: false });
  return state;
}

export function describeUp(state: UpState): string {
  const operations = Object.entries(state.operations).map(([name, address]) => `  ${name.padEnd(16)} ${address}/readyz`);
  return [
    `banks post to    ${state.ingressUrl}/transactions/…`,
    `banks ask        ${state.consoleUrl}/transactions/{uetr}`,
    `operators        ${state.controlUrl}/control/v1`,
    `Kafka            ${state.kafkaBrokers}`,
    `schema registry  ${state.schemaRegistryUrl}`,
    `MongoDB          ${describeMongo(state)}`,
    `configuration    ${state.configurationFile}`,
    `data and logs    ${upDirectory}`,
    "operations",
    ...operations,
  ].join("\n");
}

/** An address may hold a password. */
function describeMongo({ mongoUrl, database }: UpState): string {
  return mongoUrl === "" ? `by its file, ${database}` : `${mongoUrl.replace(/\/\/[^/]*@/, "//")}/${database}`;
}
