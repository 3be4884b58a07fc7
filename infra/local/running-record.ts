// Records next to its data what runs for a directory, so that the next run can find and end what a killed run left
// behind.
//
// #1 A process is signalled only if its command line still contains the recorded mark: a reused process id is left
//    alone.
// #2 Services end before the servers that they use.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { machineTime, sleep } from "@sluice/kernel";
import { isAlive, isRunningWith, type ProcessNote, readProcessNote } from "./process-identity.ts";

export interface NotedProcess {
  readonly kind: "server" | "service";
  readonly name: string;
  readonly pid: number;
  /** Text that its command line contains. */
  readonly mark: string;
  /** Ports of a server, which it takes again at the next start if they are free. */
  readonly ports: readonly number[];
}

export interface RunningRecord {
  /** The process that started them and will end them; null: they outlive their starter. */
  readonly owner: ProcessNote | null;
  readonly processes: readonly NotedProcess[];
}

const fileName = "running.json";
const stopTimeoutMs = 15_000;
const killTimeoutMs = 5_000;
const checkMs = 100;

/** Creates a folder for one run of this process, after ending and removing what dead runs left behind. */
export async function makeRunDirectory(parent: string, purpose: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  for (const name of await readdir(parent)) {
    const directory = join(parent, name);
    const starter = { pid: Number(/-(\d+)-\w+$/.exec(name)?.[1] ?? 0), host: hostname(), startedAt: null };
    const owner = readRecord(directory)?.owner ?? starter;
    if (owner.pid > 0 && (await isAlive(owner))) continue;
    await stopRecordedProcesses(directory);
    await rm(directory, { recursive: true, force: true });
  }
  const directory = await mkdtemp(join(parent, `${purpose}-${process.pid}-`));
  await beginRecord(directory, { isOwned: true });
  return directory;
}

/** Starts an empty record; an earlier one is lost. */
export async function beginRecord(directory: string, options: { readonly isOwned: boolean }): Promise<void> {
  writeRecord(directory, { owner: options.isOwned ? await readProcessNote(process.pid) : null, processes: [] });
}

/** Records a process. Synchronous, so that the process is recorded before anything can stop us. */
export function noteProcess(directory: string, noted: NotedProcess): void {
  const record = readRecord(directory) ?? { owner: null, processes: [] };
  const others = record.processes.filter(({ kind, name }) => kind !== noted.kind || name !== noted.name);
  writeRecord(directory, { ...record, processes: [...others, noted] });
}

export function readRecord(directory: string): RunningRecord | null {
  try {
    const record: RunningRecord = JSON.parse(readFileSync(join(directory, fileName), "utf8"));
    return record;
  } catch {
    return null;
  }
}

/** Ends all recorded processes of a directory that still run, and returns their names; data stays. */
export async function stopRecordedProcesses(directory: string): Promise<readonly string[]> {
  const processes = readRecord(directory)?.processes ?? [];
  const stopped: string[] = [];
  for (const kind of ["service", "server"] as const) {
    const ends = processes.filter((noted) => noted.kind === kind).map(async (noted) => ((await endProcess(noted)) ? [noted.name] : []));
    stopped.push(...(await Promise.all(ends)).flat());
  }
  return stopped;
}

export function isRunning(noted: NotedProcess): Promise<boolean> {
  return isRunningWith(noted.pid, noted.mark);
}

function writeRecord(directory: string, record: RunningRecord): void {
  const file = join(directory, fileName);
  writeFileSync(`${file}.new`, `${JSON.stringify(record, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

async function endProcess(noted: NotedProcess): Promise<boolean> {
  if (!(await isRunning(noted))) return false;
  for (const [signal, timeoutMs] of [
    ["SIGTERM", stopTimeoutMs],
    ["SIGKILL", killTimeoutMs],
  ] as const) {
    process.kill(noted.pid, signal);
    const deadlineMs = machineTime.monotonicMs() + timeoutMs;
    while (machineTime.monotonicMs() < deadlineMs) {
      if (!(await isRunning(noted))) return true;
      await sleep(machineTime, checkMs);
    }
  }
  throw new Error(`${noted.name} (process ${noted.pid}) did not end`);
}
