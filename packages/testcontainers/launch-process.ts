// Starts the mode `all` as a process of this machine, from a folder that has Sluice's source. It needs Node 26, and no
// container engine.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LaunchSluice } from "./launched.ts";

const host = "127.0.0.1";
const readyCheckMs = 20;
/** Milliseconds from SIGTERM to SIGKILL. */
const stopMaxMs = 5_000;

interface Listening {
  readonly port: number;
  readonly controlPort: number;
  readonly opsPort: number;
}

/** `node` is the program that runs it. */
export function launchProcess(folder: string, node: string): LaunchSluice {
  return async ({ render, startAt, log, startWithinMs }) => {
    const temporary = await mkdtemp(join(tmpdir(), "sluice-"));
    const file = join(temporary, "sluice.json");
    const { configuration, variables } = render(host);
    await writeFile(file, configuration);
    const child = spawn(node, [join(folder, "infra", "image", "main.ts"), "all"], {
      env: {
        ...machineVariables(),
        NODE_COMPILE_CACHE: join(folder, ".sluice", "compiled"),
        ...variables,
        SLUICE_CONFIG: file,
        SLUICE_CLOCK_START: startAt,
        SLUICE_OPS_PORT: "0",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const exited = once(child, "close");
    const listening = Promise.withResolvers<Listening | null>();
    void exited.then(() => listening.resolve(null));
    for (const output of [child.stdout, child.stderr]) {
      output.setEncoding("utf8").on("data", (chunk: string) => {
        log.add(chunk);
        const found = findPorts(log.text());
        if (found !== null) listening.resolve(found);
      });
    }
    const stop = async (): Promise<void> => {
      child.kill("SIGTERM");
      const isOver = await Promise.race([exited.then(() => true), sleep(stopMaxMs, false, { ref: false })]);
      if (!isOver) child.kill("SIGKILL");
      await exited;
      await rm(temporary, { recursive: true });
    };
    try {
      const found = await Promise.race([listening.promise, sleep(startWithinMs, null, { ref: false })]);
      if (found === null) throw new Error("Sluice did not start");
      await becomeReady(found.opsPort, startWithinMs);
      return { url: `http://${host}:${found.port}`, controlUrl: `http://${host}:${found.controlPort}`, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  };
}

/** Our own variables without those of Sluice and of servers: a process for tests knows neither. */
function machineVariables(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(SLUICE|KAFKA|SCHEMA_REGISTRY|MONGO)_/.test(name)));
}

function findPorts(log: string): Listening | null {
  const line = log.split("\n").find((one) => one.includes('"service.listening"'));
  if (line === undefined || !line.endsWith("}")) return null;
  const listening: Listening = JSON.parse(line);
  return listening;
}

async function becomeReady(opsPort: number, withinMs: number): Promise<void> {
  const deadline = AbortSignal.timeout(withinMs);
  for (;;) {
    const answer = await fetch(`http://${host}:${opsPort}/readyz`, { signal: deadline });
    await answer.body?.cancel();
    if (answer.ok) return;
    await sleep(readyCheckMs);
  }
}
