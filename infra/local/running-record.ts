// What runs in a directory, noted beside its data, so that servers whose starter died can be found and ended by the next one.
//
// 1. A process is only signalled if its command line names the directory: a number that is used again is left alone.

import { renameSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { machineTime, sleep } from "@sluice/runtime";
import { isAlive, isRunningWith } from "./process-identity.ts";
import type { ProcessNote } from "./process-identity.ts";
import { directoryMark } from "./server-process.ts";
import type { ServerName } from "./server-process.ts";

export interface RunningRecord {
  /** Who started them. Servers that shall outlive their starter have none. */
  readonly owner: ProcessNote | null;
  readonly servers: readonly { readonly name: ServerName; readonly pid: number; readonly ports: readonly number[] }[];
}

const fileName = "servers.json";
const stopTimeoutMs = 15_000;
const killTimeoutMs = 5_000;
const checkMs = 100;

/** Synchronous: a process must be noted before anything else can happen to us. */
export function writeRecord(directory: string, record: RunningRecord): void {
  const file = join(directory, fileName);
  writeFileSync(`${file}.new`, `${JSON.stringify(record, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

export async function readRecord(directory: string): Promise<RunningRecord | null> {
  const text = await readFile(join(directory, fileName), "utf8").catch(() => null);
  if (text === null) return null;
  const record: RunningRecord = JSON.parse(text);
  return record;
}

/** Ends the servers noted in a directory, if they still run, and keeps their data. Answers the names of those that ran. */
export async function stopRecorded(directory: string): Promise<readonly ServerName[]> {
  const record = await readRecord(directory);
  const stopped = await Promise.all((record?.servers ?? []).map(async ({ name, pid }) => ((await end(pid, directory)) ? name : null)));
  return stopped.filter((name) => name !== null);
}

async function end(pid: number, directory: string): Promise<boolean> {
  const mark = `${directoryMark}${directory}`;
  if (!(await isRunningWith(pid, mark))) return false;
  for (const [signal, timeoutMs] of [
    ["SIGTERM", stopTimeoutMs],
    ["SIGKILL", killTimeoutMs],
  ] as const) {
    process.kill(pid, signal);
    const deadlineMs = machineTime.monotonicMs() + timeoutMs;
    while (machineTime.monotonicMs() < deadlineMs) {
      if (!(await isRunningWith(pid, mark))) return true;
      await sleep(machineTime, checkMs);
    }
  }
  throw new Error(`process ${pid} in ${directory} did not end`);
}

/** A new folder for one run, after what dead runs left behind is stopped and removed. */
export async function makeRunDirectory(parent: string, purpose: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  for (const name of await readdir(parent)) {
    const directory = join(parent, name);
    const starter = { pid: Number(/-(\d+)-\w+$/.exec(name)?.[1] ?? 0), startedAt: null };
    const owner = (await readRecord(directory))?.owner ?? starter;
    if (owner.pid > 0 && (await isAlive(owner))) continue;
    await stopRecorded(directory);
    await rm(directory, { recursive: true, force: true });
  }
  return mkdtemp(join(parent, `${purpose}-${process.pid}-`));
}
