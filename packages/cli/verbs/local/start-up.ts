// Starts servers that keep their data, then every service as a process; all of them outlive this process. If one does
// not start, those that did are stopped.

import { join } from "node:path";
import { type Configuration, connectionSettingsOf, readConfigurationFile } from "@sluice/config";
import { generateConfigSchema } from "@sluice/config/generate";
import { freePorts, startServers, stopRecordedProcesses } from "@sluice/local-servers";
import { projectRoot, provision, serviceEnvironment, type ServiceName, serviceNames, startService } from "@sluice/environment";
import { describeUp, upDirectory, writeUpState } from "./up-state.ts";

const database = "sluice";
const httpPortWanted = 8080;
const consolePortWanted = 8081;
const controlPortWanted = 8082;

export async function startUp(configurationFile: string): Promise<void> {
  const configuration = readConfigurationFile(configurationFile, process.env);
  generateConfigSchema(projectRoot);
  await stopRecordedProcesses(upDirectory);
  try {
    await startAll(configurationFile, configuration);
  } catch (error) {
    await stopRecordedProcesses(upDirectory);
    throw error;
  }
}

async function startAll(configurationFile: string, { partitionCount, topics }: Configuration): Promise<void> {
  const servers = await startServers({ directory: upDirectory, storage: "file", isDetached: true, progress: say });
  say("topics, schemas, indexes");
  // A broker that was started here is alone.
  const isOurs = servers.started.some(({ name }) => name === "kafka");
  await provision(servers, database, { partitionCount, ...(isOurs ? {} : { topics }) });
  const [httpPort = 0, consolePort = 0, controlPort = 0] = await freePorts(3, [httpPortWanted, consolePortWanted, controlPortWanted]);
  const environment = serviceEnvironment({ servers, configurationFile, database, httpPort, consolePort, controlPort });
  say(`starting ${serviceNames.join(", ")}`);
  const services = await Promise.all(
    serviceNames.map(async (name) => {
      const options = { directory: upDirectory, isDetached: true };
      const service = await startService(name, environment, join(upDirectory, `${name}.log`), options);
      await service.ready();
      return service;
    }),
  );
  const { kafkaBrokers, schemaRegistryUrl, mongoUrl } = servers;
  const findService = (wanted: ServiceName) => services.find(({ name }) => name === wanted);
  const localUrl = (port: number | null | undefined): string => `http://127.0.0.1:${port ?? 0}`;
  const state = {
    kafkaBrokers,
    schemaRegistryUrl,
    mongoUrl,
    connections: connectionSettingsOf(process.env),
    database,
    configurationFile,
    partitionCount,
    ingressUrl: localUrl(findService("ingress")?.port),
    consoleUrl: localUrl(findService("console")?.port),
    controlUrl: localUrl(findService("console")?.controlPort),
    operations: Object.fromEntries(services.map(({ name, opsPort }) => [name, `http://127.0.0.1:${opsPort}`])),
  };
  writeUpState(state);
  say("is up");
  process.stdout.write(`${describeUp(state)}\n`);
}

function say(text: string): void {
  process.stderr.write(`sluice: ${text}\n`);
}
