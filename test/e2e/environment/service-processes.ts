// Runs the services of an environment as real processes, which can be killed and started again at the same addresses.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ServiceName, serviceNames, type ServiceProcess, startService } from "@sluice/environment";
import { machineTime } from "@sluice/kernel";

export interface ServiceProcesses {
  readonly ingressUrl: string;
  readonly consoleUrl: string;
  /** The base address of the control API, without its prefix. */
  readonly controlUrl: string;
  /** The environment variables of each service. */
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds until all services were ready at the first start, as a measure of the machine. */
  readonly startedInMs: number;
  /** Kills a service with SIGKILL. */
  kill(name: ServiceName): Promise<void>;
  /** Starts a killed service. Resolves when it is ready. */
  start(name: ServiceName): Promise<void>;
  /** Kills all services at once with SIGKILL. */
  killAll(): Promise<void>;
  /** Starts all killed services. Resolves when all are ready. */
  startAll(): Promise<void>;
  /** Stops a service and starts it with the present configuration file. */
  restart(name: ServiceName): Promise<void>;
  /**
   * Starts a service of another release beside the running one, and stops that one when the other is ready, as an
   * update does. The service keeps that release from then on, unless it does not start.
   */
  replace(name: ServiceName, release: ServiceRelease): Promise<void>;
  /** Reads everything that a service has logged so far. */
  readLog(name: ServiceName): Promise<string>;
  /** The services that ended without a request to stop. */
  lost(): readonly string[];
  stop(): Promise<void>;
}

export interface ServiceRelease {
  /** The root of its tree. */
  readonly tree: string;
  /** Variables that differ from those of the environment. */
  readonly environment: Environment;
}

type Environment = Readonly<Record<string, string>>;

/** `variablesOf`: what differs for a service. */
export async function startServiceProcesses(
  environment: Environment,
  directory: string,
  variablesOf: (name: ServiceName) => Environment = () => ({}),
): Promise<ServiceProcesses> {
  const running = new Map<ServiceName, ServiceProcess>();
  const lost: string[] = [];
  const ports: Record<string, string> = {};
  const releases = new Map<ServiceName, ServiceRelease>();

  const logPath = (name: ServiceName): string => join(directory, `${name}.log`);

  async function start(name: ServiceName): Promise<void> {
    const release = releases.get(name);
    const own = release === undefined ? { directory } : { directory, tree: release.tree };
    const service = await startService(
      name,
      { ...environment, ...variablesOf(name), ...ports, ...release?.environment },
      logPath(name),
      own,
    );
    running.set(name, service);
    void noteLoss(name, service);
    if (name === "ingress") ports["SLUICE_HTTP_PORT"] = String(service.port);
    if (name === "console") {
      ports["SLUICE_CONSOLE_PORT"] = String(service.port);
      ports["SLUICE_CONTROL_PORT"] = String(service.controlPort);
    }
    await service.ready();
  }

  async function noteLoss(name: ServiceName, service: ServiceProcess): Promise<void> {
    const { code, signal } = await service.exited;
    if (running.get(name) === service) lost.push(`${name} ended by itself (${code ?? signal})`);
  }

  async function end(how: "kill" | "stop", names: readonly ServiceName[] = serviceNames): Promise<void> {
    const ending = names.flatMap((name) => running.get(name) ?? []);
    for (const { name } of ending) running.delete(name);
    await Promise.all(ending.map((service) => service[how]()));
  }

  const startingMs = machineTime.monotonicMs();
  const startAll = async (): Promise<void> => void (await Promise.all(serviceNames.map((name) => start(name))));
  await startAll().catch(async (error: unknown) => {
    await end("kill");
    throw error;
  });
  const startedInMs = machineTime.monotonicMs() - startingMs;
  return {
    ingressUrl: `http://127.0.0.1:${ports["SLUICE_HTTP_PORT"]}`,
    consoleUrl: `http://127.0.0.1:${ports["SLUICE_CONSOLE_PORT"]}`,
    controlUrl: `http://127.0.0.1:${ports["SLUICE_CONTROL_PORT"]}`,
    environment,
    startedInMs,
    kill: (name) => end("kill", [name]),
    start,
    killAll: () => end("kill"),
    startAll,
    async restart(name) {
      await end("stop", [name]);
      await start(name);
    },
    async replace(name, release) {
      const [before, known] = [running.get(name), releases.get(name)];
      releases.set(name, release);
      try {
        await start(name);
      } catch (error) {
        if (known === undefined) releases.delete(name);
        else releases.set(name, known);
        throw error;
      }
      await before?.stop();
    },
    readLog: (name) => readFile(logPath(name), "utf8"),
    lost: () => lost,
    stop: () => end("stop"),
  };
}
