// The services of a world: real processes, which can be killed and started again at the same addresses.

import { join } from "node:path";
import { serviceNames, startService } from "@sluice/cli";
import type { ServiceName, ServiceProcess } from "@sluice/cli";

export interface WorldServices {
  readonly ingressUrl: string;
  readonly consoleUrl: string;
  /** Of each service. */
  readonly environment: Readonly<Record<string, string>>;
  /** SIGKILL, all at once. */
  killAll(): Promise<void>;
  /** What was killed; resolves when all are ready. */
  startAll(): Promise<void>;
  /** In order, with the configuration file as it is by then. */
  restart(name: ServiceName): Promise<void>;
  /** Services that ended though nobody asked them to. */
  lost(): readonly string[];
  stop(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

export async function startWorldServices(environment: Environment, directory: string): Promise<WorldServices> {
  const running = new Map<ServiceName, ServiceProcess>();
  const lost: string[] = [];
  const ports: Record<string, string> = {};

  async function start(name: ServiceName): Promise<void> {
    const service = await startService(name, { ...environment, ...ports }, join(directory, `${name}.log`), { directory });
    running.set(name, service);
    void noteLoss(name, service);
    if (name === "ingress") ports["SLUICE_HTTP_PORT"] = String(service.port);
    if (name === "console") ports["SLUICE_CONSOLE_PORT"] = String(service.port);
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

  const startAll = async (): Promise<void> => void (await Promise.all(serviceNames.map((name) => start(name))));
  await startAll().catch(async (error: unknown) => {
    await end("kill");
    throw error;
  });
  return {
    ingressUrl: `http://127.0.0.1:${ports["SLUICE_HTTP_PORT"]}`,
    consoleUrl: `http://127.0.0.1:${ports["SLUICE_CONSOLE_PORT"]}`,
    environment,
    killAll: () => end("kill"),
    startAll,
    async restart(name) {
      await end("stop", [name]);
      await start(name);
    },
    lost: () => lost,
    stop: () => end("stop"),
  };
}
