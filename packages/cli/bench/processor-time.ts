// What processes have used of the processors, as the kernel counts it, and what machine that was.

import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { availableParallelism, cpus, totalmem } from "node:os";

/** Process by a name. */
export type Watched = ReadonlyMap<string, number>;
export type ProcessorSeconds = ReadonlyMap<string, number>;

/** User and system time since each began; one that is gone is left out. */
export async function processorSecondsOf(watched: Watched): Promise<ProcessorSeconds> {
  const found = await Promise.all([...watched].map(async ([name, pid]) => [name, await secondsOf(pid)] as const));
  return new Map(found.flatMap(([name, seconds]) => (seconds === null ? [] : [[name, seconds]])));
}

export function between(before: ProcessorSeconds, after: ProcessorSeconds): ProcessorSeconds {
  return new Map([...after].map(([name, seconds]) => [name, seconds - (before.get(name) ?? 0)]));
}

async function secondsOf(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name, in brackets, may hold anything: the fields are counted from its end.
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
