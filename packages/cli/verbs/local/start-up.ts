// Starts servers that keep their data, then every service as a process; all of them outlive this process. If one does
// not start, those that were started with it are stopped.

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Configuration, connectionSettingsOf, readConfigurationFile } from "@sluice/config";
import { generateConfigSchema } from "@sluice/config/generate";
import { freePorts, startServers, stopRecordedProcesses } from "@sluice/local-servers";
import {
  prepareSecured,
  prepareSignIn,
  projectRoot,
  provision,
  type Secured,
  serviceEnvironment,
  type ServiceName,
  serviceNames,
  type ServiceProcess,
  startService,
  startSignInProvider,
} from "@sluice/environment";
import { settingsOfSignIn } from "@sluice/environment/development-people";
import { Fault } from "@sluice/kernel";
import { auditKeyFile, ensureKey, operatorKeyFile } from "../audit/audit-key-file.ts";
import { sampleFile } from "./configuration-option.ts";
import { describeConfigurationChange, type ConfigurationNames } from "./up-plan.ts";
import { findUpProcesses, isSecured, upDirectory, writeUpState, type UpState } from "./up-state.ts";

const database = "sluice";
const httpPortWanted = 8080;
const consolePortWanted = 8081;
const controlPortWanted = 8082;
const signInPortWanted = 8083;

/** `noted` is what the last `up` recorded; null: there was none. */
export async function startUp(configurationFile: string, noted: UpState | null, wantsSecured: boolean): Promise<UpState> {
  const configuration = readConfigurationFile(configurationFile, process.env);
  if (noted !== null && noted.configurationFile !== configurationFile) sayChange(noted.configurationFile, configuration);
  generateConfigSchema(projectRoot);
  await stopRecordedProcesses(upDirectory);
  try {
    return await startAll(configurationFile, configuration, wantsSecured ? openSecured() : null);
  } catch (error) {
    await stopRecordedProcesses(upDirectory);
    throw error;
  }
}

/** This process asks the services whether they are ready, so it trusts their authority. */
function openSecured(): Secured {
  const secured = prepareSecured(upDirectory, database);
  secured.trust();
  return secured;
}

/** Starts these services with the servers, ports and configuration of the others, which go on. */
export async function startMissing(noted: UpState, names: readonly string[]): Promise<UpState> {
  const { configurationFile, connections, kafkaBrokers, schemaRegistryUrl, mongoUrl } = noted;
  readConfigurationFile(configurationFile, process.env);
  const missing = serviceNames.filter((name) => names.includes(name));
  const [httpPort = 0, consolePort = 0, controlPort = 0] = await portsFor(noted, missing);
  const servers = { kafkaBrokers, schemaRegistryUrl, mongoUrl };
  const followed = noted.signIn?.configurationFile ?? configurationFile;
  const settings = { servers, configurationFile: followed, database: noted.database, httpPort, consolePort, controlPort };
  const secured = isSecured(noted) ? openSecured() : null;
  const own = { ...consoleKeys(), ...helpFolder(), ...settingsOfSignIn(noted.signIn ?? null) };
  const operations = await operationsPorts(noted, missing);
  const environment = { ...connections, ...serviceEnvironment(settings), ...own };
  const started = (await findUpProcesses()).filter(({ kind }) => kind === "server");
  const services = await startServices(missing, environment, operations, securityOf(secured, started));
  const urls = urlsOf(services, noted, schemeOf(secured));
  const state = { ...noted, ...urls, operations: { ...noted.operations, ...operationsOf(services, schemeOf(secured)) } };
  writeUpState(state);
  say("is up");
  return state;
}

/** The keys that seal the audit and sign operators' records; each is made once, and kept. */
function consoleKeys(): Readonly<Record<string, string>> {
  return { SLUICE_AUDIT_KEY_FILE: ensureKey(auditKeyFile), SLUICE_OPERATOR_KEY_FILE: ensureKey(operatorKeyFile) };
}

/** Where `./sluice docs` has built the documentation site, the console serves it. */
function helpFolder(): Readonly<Record<string, string>> {
  const folder = join(projectRoot, ".sluice", "docs", "site");
  return existsSync(folder) ? { SLUICE_HELP_FOLDER: folder } : {};
}

/** SHA-256, hex; empty if the file cannot be read. */
export function hashFile(path: string): string {
  try {
    return createHash("sha256").update(readFileSync(path)).digest("hex");
  } catch {
    return "";
  }
}

async function startAll(configurationFile: string, { partitionCount, topics }: Configuration, secured: Secured | null): Promise<UpState> {
  const instead = secured === null ? {} : { secured: secured.servers };
  const servers = await startServers({ directory: upDirectory, storage: "file", isDetached: true, progress: say, ...instead });
  say("topics, schemas, indexes");
  // A broker that was started here is alone.
  const isOurs = servers.started.some(({ name }) => name === "kafka");
  const connections = { ...connectionSettingsOf(process.env), ...secured?.connectionsTo(servers.started) };
  await provision(servers, database, {
    partitionCount,
    ...(isOurs ? {} : { topics }),
    ...(secured === null ? {} : { environment: { ...process.env, ...connections } }),
    ...(secured === null || !isOurs ? {} : { principalOf: secured.principalOf }),
  });
  const wanted = [httpPortWanted, consolePortWanted, controlPortWanted];
  const [httpPort = 0, consolePort = 0, controlPort = 0, ...opsPorts] = await freePorts(wanted.length + serviceNames.length, wanted);
  const operations = new Map(serviceNames.map((name, index) => [name, opsPorts[index] ?? 0]));
  const provider = secured === null || configurationFile !== sampleFile ? null : await openSignIn(secured, controlPort);
  const followed = provider?.signIn.configurationFile ?? configurationFile;
  const environment = serviceEnvironment({ servers, configurationFile: followed, database, httpPort, consolePort, controlPort });
  const own = { ...consoleKeys(), ...helpFolder(), ...settingsOfSignIn(provider?.signIn ?? null) };
  const [services] = await Promise.all([
    startServices(serviceNames, { ...environment, ...own }, operations, securityOf(secured, servers.started)),
    provider === null ? null : startSignInProvider(upDirectory, provider.port),
  ]);
  const { kafkaBrokers, schemaRegistryUrl, mongoUrl } = servers;
  const state = {
    kafkaBrokers,
    schemaRegistryUrl,
    mongoUrl,
    connections,
    database,
    configurationFile,
    configurationSha256: hashFile(configurationFile),
    partitionCount,
    authorityFile: secured?.authorityFile ?? null,
    signIn: provider?.signIn ?? null,
    ...urlsOf(services, { ingressUrl: "", consoleUrl: "", controlUrl: "" }, schemeOf(secured)),
    operations: operationsOf(services, schemeOf(secured)),
  };
  writeUpState(state);
  say("is up");
  return state;
}

/** Only the sample is given a provider: another file says itself where its operators sign in. */
async function openSignIn({ authorityFile, listener }: Secured, consolePort: number) {
  const [port = 0] = await freePorts(1, [signInPortWanted]);
  return { port, signIn: prepareSignIn({ upFolder: upDirectory, sampleFile, authorityFile, ...listener, port, consolePort }) };
}

/** What a service is secured with. */
interface Security {
  settingsOf(service: string): Readonly<Record<string, string>>;
}

function securityOf(secured: Secured | null, started: Parameters<Secured["connectionsTo"]>[0]): Security | null {
  return secured === null ? null : { settingsOf: (service) => secured.settingsOf(service, started) };
}

type OperationsPorts = ReadonlyMap<string, number>;

/** `operations` has the port of every service, so that the console knows where all of them are. */
async function startServices(
  names: readonly ServiceName[],
  environment: Readonly<Record<string, string>>,
  operations: OperationsPorts,
  security: Security | null,
) {
  say(`starting ${names.join(", ")}`);
  const addresses = [...operations.values()].map((port) => localUrl(port, schemeOf(security)));
  const all = { ...environment, SLUICE_OPERATIONS_ADDRESSES: addresses.join(",") };
  const options = { directory: upDirectory, isDetached: true };
  return await Promise.all(
    names.map(async (name) => {
      const own = { ...all, ...security?.settingsOf(name), SLUICE_OPS_PORT: String(operations.get(name) ?? 0) };
      const service = await startService(name, own, join(upDirectory, `${name}.log`), options);
      await service.ready();
      return service;
    }),
  );
}

/** The operations ports of all services. Those that were started before keep theirs, so that the console knows them. */
async function operationsPorts(noted: UpState, missing: readonly ServiceName[]): Promise<OperationsPorts> {
  const had = (name: ServiceName): number => Number(new URL(noted.operations[name] ?? localUrl(0, "http")).port);
  const free = await freePorts(missing.length, missing.map(had));
  return new Map(serviceNames.map((name) => [name, free[missing.indexOf(name)] ?? had(name)]));
}

/** The ports that ingress and console had, if they are free; for services that have none, the three are not used. */
async function portsFor(noted: UpState, missing: readonly ServiceName[]): Promise<readonly number[]> {
  const had = [noted.ingressUrl, noted.consoleUrl, noted.controlUrl].map((url) => Number(new URL(url).port));
  return missing.some((name) => name === "ingress" || name === "console") ? await freePorts(had.length, had) : had;
}

type UpUrls = Pick<UpState, "ingressUrl" | "consoleUrl" | "controlUrl">;

/** The addresses of the services that were started, and for the others the former ones. */
function urlsOf(services: readonly ServiceProcess[], former: UpUrls, scheme: Scheme): UpUrls {
  const find = (wanted: ServiceName) => services.find(({ name }) => name === wanted);
  const [ingress, console] = [find("ingress"), find("console")];
  return {
    ingressUrl: ingress === undefined ? former.ingressUrl : localUrl(ingress.port, scheme),
    consoleUrl: console === undefined ? former.consoleUrl : localUrl(console.port, scheme),
    controlUrl: console === undefined ? former.controlUrl : localUrl(console.controlPort, scheme),
  };
}

type Scheme = "http" | "https";

function schemeOf(secured: object | null): Scheme {
  return secured === null ? "http" : "https";
}

function localUrl(port: number | null, scheme: Scheme): string {
  return `${scheme}://127.0.0.1:${port ?? 0}`;
}

function operationsOf(services: readonly ServiceProcess[], scheme: Scheme): Readonly<Record<string, string>> {
  return Object.fromEntries(services.map(({ name, opsPort }) => [name, localUrl(opsPort, scheme)]));
}

function sayChange(formerFile: string, configuration: Configuration): void {
  try {
    const former = readConfigurationFile(formerFile, process.env);
    for (const line of describeConfigurationChange(namesIn(former), namesIn(configuration))) say(line);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    say(`what changes is not known: ${formerFile} cannot be read any more`);
  }
}

function namesIn({ banks, connectors, schemes }: Configuration): ConfigurationNames {
  return { banks: banks.map(({ id }) => id), connectors: connectors.map(({ id }) => id), schemes: schemes.map(({ id }) => id) };
}

function say(text: string): void {
  process.stderr.write(`sluice: ${text}\n`);
}
