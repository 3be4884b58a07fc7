// Reads how much processor time processes have used, as the kernel counts it, and describes the machine.

import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { availableParallelism, cpus, totalmem } from "node:os";

/** Process ids by name. */
export type WatchedProcesses = ReadonlyMap<string, number>;
export type ProcessorSeconds = ReadonlyMap<string, number>;

/** Reads user and system time since each process began. Processes that have ended are left out. */
export async function readProcessorSeconds(watched: WatchedProcesses): Promise<ProcessorSeconds> {
  const found = await Promise.all([...watched].map(async ([name, pid]) => [name, await readSeconds(pid)] as const));
  return new Map(found.flatMap(([name, seconds]) => (seconds === null ? [] : [[name, seconds]])));
}

export function subtractProcessorSeconds(before: ProcessorSeconds, after: ProcessorSeconds): ProcessorSeconds {
  return new Map([...after].map(([name, seconds]) => [name, seconds - (before.get(name) ?? 0)]));
}

async function readSeconds(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name, in brackets, may contain anything, so the fields are counted from its end.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isNaN(ticks) ? null : ticks / ticksPerSecond();
}

let ticks: number | null = null;

function ticksPerSecond(): number {
  ticks ??= Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  return ticks;
}

export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryMiB: number;
  readonly node: string;
  readonly system: string;
}

export function machineFacts(): Machine {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? "unknown",
    memoryMiB: Math.round(totalmem() / 1_048_576),
    node: process.versions.node,
    system: `${process.platform} ${process.arch}`,
  };
}
