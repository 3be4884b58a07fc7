// The services of a world: real processes, which can be killed and started again at the same addresses.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { serviceNames, startService } from "@sluice/cli";
import type { ServiceName, ServiceProcess } from "@sluice/cli";
import { machineTime } from "@sluice/runtime";

export interface WorldServices {
  readonly ingressUrl: string;
  readonly consoleUrl: string;
  /** Of the control API, without its prefix. */
  readonly controlUrl: string;
  /** Of each service. */
  readonly environment: Readonly<Record<string, string>>;
  /** How long the first start took, until all were ready: a measure of the machine. */
  readonly startedInMs: number;
  /** SIGKILL. */
  kill(name: ServiceName): Promise<void>;
  /** What was killed; resolves when it is ready. */
  start(name: ServiceName): Promise<void>;
  /** SIGKILL, all at once. */
  killAll(): Promise<void>;
  /** What was killed; resolves when all are ready. */
  startAll(): Promise<void>;
  /** In order, with the configuration file as it is by then. */
  restart(name: ServiceName): Promise<void>;
  /** All that a service has logged so far. */
  readLog(name: ServiceName): Promise<string>;
  /** Services that ended though nobody asked them to. */
  lost(): readonly string[];
  stop(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

export async function startWorldServices(environment: Environment, directory: string): Promise<WorldServices> {
  const running = new Map<ServiceName, ServiceProcess>();
  const lost: string[] = [];
  const ports: Record<string, string> = {};

  const logOf = (name: ServiceName): string => join(directory, `${name}.log`);

  async function start(name: ServiceName): Promise<void> {
    const service = await startService(name, { ...environment, ...ports }, logOf(name), { directory });
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
    readLog: (name) => readFile(logOf(name), "utf8"),
    lost: () => lost,
    stop: () => end("stop"),
  };
}
