// Brings packages into folders: jars by Maven from one pinned pom, each folder whole or not at all.
//
// #1 A folder under its final name is complete: it is built under another name and renamed.
// #2 Two processes may build at once; one wins, and the other uses the winner's folder.

import { type ChildProcess, spawn } from "node:child_process";
import { access, mkdir, readdir, rename, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Fault } from "@sluice/kernel";
import { isAlive } from "./process-identity.ts";

export type ReportProgress = (text: string) => void;

/** #1, #2. `fill` gets the folder under its other name. */
export async function buildFolder(parent: string, folder: string, fill: (partial: string) => Promise<void>): Promise<void> {
  if (await exists(folder)) return;
  await removeAbandoned(parent);
  const partial = `${folder}.partial-${process.pid}`;
  await mkdir(partial, { recursive: true });
  try {
    await fill(partial);
    await rename(partial, folder).catch(async (error: unknown) => {
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

export interface MavenDownload {
  readonly maven: string;
  readonly pom: string;
  /** Folder that the pom writes to. */
  readonly into: string;
  /** What is brought, for people. */
  readonly what: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly progress: ReportProgress;
}

/** Rejects with Fault `servers.not-installed`. */
export async function downloadPackages({ maven, pom, into, what, environment, progress }: MavenDownload): Promise<void> {
  const child = spawn(maven, ["-B", "-f", pom, `-Dinto=${into}`, "package"], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let files = 0;
  const errors: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    if (line.startsWith("[ERROR]") && errors.length < 3) errors.push(line.slice("[ERROR] ".length).slice(0, 600));
    if (!line.includes("Downloaded from")) return;
    files += 1;
    if (files % 25 === 0) progress(`downloading ${what}: ${files} files`);
  });
  child.stderr.resume();
  const code = await waitForExit(child);
  if (code !== 0) throw notInstalled(what, `Maven ended with ${code}`, errors.join("\n"));
}

export function waitForExit(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
}

export function notInstalled(what: string, problem: string, output: string): Fault {
  return new Fault("servers.not-installed", `Could not install ${what}: ${problem}.\n${output}`, { isRetryable: true });
}

/** Removes unfinished folders of processes that have ended. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const pid = /\.partial-(\d+)$/.exec(name)?.[1];
    if (pid === undefined || (await isAlive({ pid: Number(pid), host: hostname(), startedAt: null }))) continue;
    await rm(join(parent, name), { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
