// Runs one process of Sluice on this machine, from a folder that has its source.
//
// #1 Its log comes in whole lines, because several processes may write to one log.
// #2 `stop` is SIGTERM, and SIGKILL if that takes too long. It may be called twice.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { LogTail } from "./log-tail.ts";

export interface ChildOptions {
  readonly folder: string;
  /** The program that runs it. */
  readonly node: string;
  /** The words of the image. */
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly log: LogTail;
}

interface Listening {
  /** Null for a service without an API. */
  readonly port: number | null;
  readonly controlPort: number | null;
  readonly opsPort: number;
}

export interface SluiceChild {
  /** Resolves with the code of its end; null where a signal ended it. */
  readonly exited: Promise<number | null>;
  /** Resolves when it is ready, and rejects where it ends before that or takes longer. */
  ready(withinMs: number): Promise<Listening>;
  /** #2 */
  stop(): Promise<void>;
}

const host = "127.0.0.1";
const readyCheckMs = 20;
/** Milliseconds from SIGTERM to SIGKILL. */
const stopMaxMs = 12_000;

export function runChild({ folder, node, words, variables, log }: ChildOptions): SluiceChild {
  const child = spawn(node, [join(folder, "infra", "image", "main.ts"), ...words], {
    env: { ...machineVariables(), NODE_COMPILE_CACHE: join(folder, ".sluice", "compiled"), ...variables, SLUICE_OPS_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "close").then(([code]) => (typeof code === "number" ? code : null));
  const listening = Promise.withResolvers<Listening | null>();
  void exited.then(() => listening.resolve(null));
  for (const output of [child.stdout, child.stderr]) {
    createInterface({ input: output }).on("line", (line) => {
      log.add(`${line}\n`);
      if (line.includes('"service.listening"')) listening.resolve(readPorts(line));
    });
  }
  return {
    exited,
    async ready(withinMs) {
      const found = await Promise.race([listening.promise, sleep(withinMs, null, { ref: false })]);
      if (found === null) throw new Error(`${words.join(" ")} did not start`);
      await becomeReady(found.opsPort, withinMs);
      return found;
    },
    async stop() {
      child.kill("SIGTERM");
      const isOver = await Promise.race([exited.then(() => true), sleep(stopMaxMs, false, { ref: false })]);
      if (!isOver) child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Our own variables without those of Sluice and of servers: a process for tests knows only what it is given. */
function machineVariables(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(SLUICE|KAFKA|SCHEMA_REGISTRY|MONGO)_/.test(name)));
}

function readPorts(line: string): Listening {
  const { port = null, controlPort = null, opsPort }: Partial<Listening> & { readonly opsPort: number } = JSON.parse(line);
  return { port, controlPort, opsPort };
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
