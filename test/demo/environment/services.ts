// Runs the services of a demo day as processes that can be killed and started again at the same addresses.

import { join } from "node:path";
import { controlPrefix } from "@sluice/contracts";
import { Fault } from "@sluice/kernel";
import { serviceNames, startService, type ServiceName, type ServiceProcess } from "@sluice/environment";

export interface DemoServices {
  /** Address of ingress, also after it was started again. */
  readonly ingressUrl: string;
  /** Address of the control API, also after the console was started again. */
  readonly controlUrl: string;
  /** Sends SIGKILL; resolves when the process has ended. */
  kill(name: ServiceName): Promise<void>;
  /** Starts a service that was killed; resolves when it is ready. */
  restart(name: ServiceName): Promise<void>;
  /** Returns the services that ended by themselves. */
  lost(): readonly string[];
  stop(): Promise<void>;
}

export interface DemoServicesOptions {
  readonly environment: Readonly<Record<string, string>>;
  /** What a service has besides; null: nothing is secured. */
  readonly secured: { settingsOf(service: string): Readonly<Record<string, string>> } | null;
  /** Folder of the run, for the logs. */
  readonly directory: string;
  readonly signal: AbortSignal;
}

export async function startDemoServices(options: DemoServicesOptions): Promise<DemoServices> {
  const { directory, signal } = options;
  const running = new Map<ServiceName, ServiceProcess>();
  const lost: string[] = [];

  async function start(name: ServiceName, environment: Readonly<Record<string, string>>): Promise<ServiceProcess> {
    const own = { ...environment, ...options.secured?.settingsOf(name) };
    const service = await startService(name, own, join(directory, `${name}.log`), { directory, signal });
    running.set(name, service);
    void noteLoss(name, service);
    await service.ready();
    return service;
  }

  async function noteLoss(name: ServiceName, service: ServiceProcess): Promise<void> {
    const { code, signal: by } = await service.exited;
    if (running.get(name) === service) lost.push(`${name} ended by itself (${code ?? by})`);
  }

  async function stop(): Promise<void> {
    const all = [...running.values()];
    running.clear();
    await Promise.all(all.map((service) => service.stop()));
  }

  const starting = await Promise.allSettled(serviceNames.map((name) => start(name, options.environment)));
  const failed = starting.find((result) => result.status === "rejected");
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  const port = running.get("ingress")?.port ?? null;
  const controlPort = running.get("console")?.controlPort ?? null;
  if (port === null || controlPort === null) {
    throw new Fault("demo.no-address", "ingress or console did not say where it listens", { isRetryable: false });
  }
  const scheme = options.secured === null ? "http" : "https";
  return {
    ingressUrl: `${scheme}://127.0.0.1:${port}`,
    controlUrl: `${scheme}://127.0.0.1:${controlPort}${controlPrefix}`,
    async kill(name) {
      const service = running.get(name);
      running.delete(name);
      await service?.kill();
    },
    async restart(name) {
      await start(name, { ...options.environment, SLUICE_HTTP_PORT: String(port), SLUICE_CONTROL_PORT: String(controlPort) });
    },
    lost: () => lost,
    stop,
  };
}
