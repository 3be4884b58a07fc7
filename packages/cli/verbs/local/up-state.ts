// Records what `up` has started, for `up`, `down`, `send` and `tx`.
//
// #1 A verb asks for the processes that it needs. It works while those run, whatever else of `up` is down.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerAddresses } from "@sluice/local-servers";
import { type DevelopmentSignIn, developmentPeople } from "@sluice/environment/development-people";
import { isRunning, type NotedProcess, readRecord } from "@sluice/local-servers/running-record";
import { Fault } from "@sluice/kernel";

export interface UpState extends ServerAddresses {
  /** The settings of the connections as `up` was given them: names of files, never their content. */
  readonly connections: Readonly<Record<string, string>>;
  readonly database: string;
  readonly configurationFile: string;
  /** SHA-256, hex, of the configuration file when `up` read it. */
  readonly configurationSha256: string;
  /** Number of partitions that the topics were created with. */
  readonly partitionCount: number;
  readonly ingressUrl: string;
  /** Address at which banks ask for the state of their transactions. */
  readonly consoleUrl: string;
  /** Address of the control API, which operators' verbs call. */
  readonly controlUrl: string;
  /** PEM file of the authority of all certificates; null: nothing is secured (`./sluice up --secured`). */
  readonly authorityFile?: string | null;
  /** Null: no provider of sign-ins was started here. */
  readonly signIn?: DevelopmentSignIn | null;
  /** Addresses of the operations ports, by service. */
  readonly operations: Readonly<Record<string, string>>;
}

export interface UpProcess extends Pick<NotedProcess, "kind" | "name"> {
  readonly isRunning: boolean;
}

export const upDirectory = fileURLToPath(new URL("../../../../.sluice/up", import.meta.url));

const stateFile = "up.json";
const howToStart = "start with ./sluice up";

export function writeUpState(state: UpState): void {
  writeFileSync(join(upDirectory, stateFile), `${JSON.stringify(state, null, 2)}\n`);
}

/** Reads what the last `up` recorded, whether or not it still runs. */
export function readUpFile(directory = upDirectory): UpState | null {
  try {
    const state: UpState = JSON.parse(readFileSync(join(directory, stateFile), "utf8"));
    return state;
  } catch {
    return null;
  }
}

/** The processes that the last `up` recorded; none: it never ran, or its folder is gone. */
export async function findUpProcesses(directory = upDirectory): Promise<readonly UpProcess[]> {
  const noted = readRecord(directory)?.processes ?? [];
  return await Promise.all(noted.map(async (one) => ({ kind: one.kind, name: one.name, isRunning: await isRunning(one) })));
}

/** #1 Null: nothing runs, or one of the named processes does not. */
export async function readUpState(needed: readonly string[], directory = upDirectory): Promise<UpState | null> {
  const processes = await findUpProcesses(directory);
  const isUp = processes.some((one) => one.isRunning) && findMissing(processes, needed).length === 0;
  return isUp ? readUpFile(directory) : null;
}

/** #1 Throws Fault `cli.not-up`. */
export async function requireUpState(needed: readonly string[], directory = upDirectory): Promise<UpState> {
  const processes = await findUpProcesses(directory);
  const missing = findMissing(processes, needed);
  const state = missing.length === 0 ? readUpFile(directory) : null;
  if (state !== null) return state;
  throw new Fault("cli.not-up", describeMissing(processes, missing), { isRetryable: false });
}

/** Says what a verb needs that does not run, and which command starts it. */
export function describeMissing(processes: readonly UpProcess[], missing: readonly string[]): string {
  if (!processes.some((one) => one.isRunning)) return `nothing is up: ${howToStart}`;
  const verb = missing.length === 1 ? "is" : "are";
  return `${missing.join(", ")} ${verb} down: ./sluice up starts what is missing, with the configuration that ran`;
}

/** A server that `up` did not start is in no record; whether it answers is seen when it is asked. */
function findMissing(processes: readonly UpProcess[], needed: readonly string[]): readonly string[] {
  const isServer = (name: string): boolean => name === "kafka" || name === "registry" || name === "mongo";
  return needed.filter((name) => {
    const noted = processes.find((one) => one.name === name);
    return noted === undefined ? !isServer(name) || processes.length === 0 : !noted.isRunning;
  });
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
    ...describeSignIn(state.signIn ?? null),
    ...(isSecured(state) ? [`secured          TLS, logins and rights; trust ${state.authorityFile} in browsers and clients`] : []),
    `data and logs    ${upDirectory}`,
    "operations",
    ...operations,
  ].join("\n");
}

/** The same for a program. The settings of connections stay in the file of `up`, which only this machine reads. */
export function membersOfUp(state: UpState): Readonly<Record<string, unknown>> {
  const { connections: _, mongoUrl, ...members } = state;
  return { schema: "Up", isSecured: isSecured(state), ...members, mongoUrl: withoutPassword(mongoUrl), folder: upDirectory };
}

function describeSignIn(signIn: DevelopmentSignIn | null): readonly string[] {
  if (signIn === null) return [];
  return [
    `services follow  ${signIn.configurationFile}, which up makes from it`,
    `sign in at       ${signIn.origin}/sign-in`,
    ...developmentPeople.map(
      ({ name, roles }) => `  ${name.padEnd(14)} roles ${roles.join(", ")}; no password: choose "with a second factor"`,
    ),
    `provider         ${signIn.issuer}`,
    ...describeCommandLine(signIn),
  ];
}

/** As it is typed: nothing is written to a person's profiles without being asked. */
function describeCommandLine({ issuer, origin, commandLine }: DevelopmentSignIn): readonly string[] {
  if (commandLine === undefined) return [];
  const { clientId, audience, caFile } = commandLine;
  return [
    `command line     ./sluice profile add up --url ${origin} --issuer ${issuer} \\`,
    `                   --client-id ${clientId} --audience ${audience} --ca-file ${caFile}`,
    "                 ./sluice login up    (then --profile up)",
  ];
}

export function isSecured(state: Pick<UpState, "authorityFile"> | null): boolean {
  return (state?.authorityFile ?? null) !== null;
}

function describeMongo({ mongoUrl, database }: UpState): string {
  return mongoUrl === "" ? `by its file, ${database}` : `${withoutPassword(mongoUrl)}/${database}`;
}

/** An address may hold a password. */
function withoutPassword(url: string): string {
  return url.replace(/\/\/[^/]*@/, "//");
}
