// Checks that a process is still the recorded one. Process ids are reused, so the check also compares the command line
// (a server of ours names its directory there), or the host and the time at which the process began.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";

export interface ProcessNote {
  readonly pid: number;
  /** A process id is valid on one host only; a container over the same folder is another host. */
  readonly host: string;
  /** The kernel's start time; null where it cannot be read. */
  readonly startedAt: string | null;
}

export async function readProcessNote(pid: number): Promise<ProcessNote> {
  return { pid, host: hostname(), startedAt: await readStartTime(pid) };
}

/** Also true if it cannot be known. */
export async function isAlive(note: ProcessNote): Promise<boolean> {
  if (note.host !== hostname()) return true;
  try {
    process.kill(note.pid, 0);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  const fields = await statFields(note.pid);
  return fields === null || (fields[0] !== "Z" && (note.startedAt === null || fields[startField] === note.startedAt));
}

/** True if the process runs and its command line contains `text`. */
export async function isRunningWith(pid: number, text: string): Promise<boolean> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => commandLineByPs(pid));
  return commandLine.includes(text);
}

/** Index of the start time among the fields that follow the process's name. */
const startField = 19;

async function readStartTime(pid: number): Promise<string | null> {
  return (await statFields(pid))?.[startField] ?? null;
}

async function statFields(pid: number): Promise<readonly string[] | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? null;
}

async function commandLineByPs(pid: number): Promise<string> {
  return promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", String(pid)]).then(
    ({ stdout }) => stdout,
    () => "",
  );
}
