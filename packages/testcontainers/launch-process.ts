// Starts Sluice as processes of this machine, from a folder that has its source: the mode `all` alone, or on real
// servers each service. It needs Node 26, and no container engine.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Launched, LaunchSluice } from "./launched.ts";
import { type ChildOptions, runChild, type SluiceChild } from "./run-child.ts";
import { serverVariables, type StartedService, startedServices } from "./servers.ts";

const host = "127.0.0.1";

/** `node` is the program that runs it. */
export function launchProcess(folder: string, node: string): LaunchSluice {
  return async ({ render, startAt, log, startWithinMs, servers, isReused }) => {
    if (isReused) throw new Error("a process is not kept for another run: withReuse needs a container");
    await using opened = new AsyncDisposableStack();
    const temporary = await mkdtemp(join(tmpdir(), "sluice-"));
    opened.defer(() => rm(temporary, { recursive: true }));
    const file = join(temporary, "sluice.json");
    const { configuration, variables } = render(host);
    await writeFile(file, configuration);
    const child = { folder, node, log, variables: { ...variables, SLUICE_CONFIG: file } };
    const given = servers === null ? { SLUICE_CLOCK_START: startAt } : serverVariables(servers);
    const options = { ...child, variables: { ...child.variables, ...given } };
    const addresses =
      servers === null ? await startAll(options, opened, startWithinMs) : await startServices(options, opened, startWithinMs);
    const owned = opened.move();
    return { ...addresses, stop: () => owned.disposeAsync() };
  };
}

type Addresses = Omit<Launched, "stop">;
type Options = Omit<ChildOptions, "words">;

async function startAll(options: Options, opened: AsyncDisposableStack, withinMs: number): Promise<Addresses> {
  const { port, controlPort } = await startChild("all", options, opened).ready(withinMs);
  return { url: local(port), consoleUrl: local(port), controlUrl: local(controlPort) };
}

async function startServices(options: Options, opened: AsyncDisposableStack, withinMs: number): Promise<Addresses> {
  const code = await startChild("provision", options, opened).exited;
  if (code !== 0) throw new Error(`provision ended with ${code}`);
  const start = async (name: StartedService) => [name, await startChild(name, options, opened).ready(withinMs)] as const;
  const ports = new Map(await Promise.all(startedServices.map(start)));
  const [ingress, console] = [ports.get("ingress"), ports.get("console")];
  return { url: local(ingress?.port), consoleUrl: local(console?.port), controlUrl: local(console?.controlPort) };
}

function startChild(word: string, options: Options, opened: AsyncDisposableStack): SluiceChild {
  const child = runChild({ ...options, words: [word] });
  opened.defer(() => child.stop());
  return child;
}

function local(port: number | null | undefined): string {
  return `http://${host}:${port}`;
}
