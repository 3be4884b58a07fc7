// Reads the memory of a running process, as the kernel counts it, and its metrics.

import { readFile } from "node:fs/promises";
import type { Time } from "@sluice/kernel";

/** Resident memory in bytes: now, and the highest since the process began. */
export interface ProcessMemory {
  readonly nowBytes: number;
  readonly highestBytes: number;
}

/** Returns null if the kernel does not know it: the process has ended, or this is not Linux. */
export async function readMemory(pid: number): Promise<ProcessMemory | null> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kibibytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? Number.NaN);
  const [nowBytes, highestBytes] = [kibibytes("VmRSS") * 1_024, kibibytes("VmHWM") * 1_024];
  return Number.isNaN(nowBytes) || Number.isNaN(highestBytes) ? null : { nowBytes, highestBytes };
}

const answerTimeoutMs = 5_000;

/** Fetches the text of `/metrics`; the text is empty if the process does not answer. */
export async function fetchMetrics(opsPort: number, time: Time): Promise<string> {
  const timeout = new AbortController();
  using _timer = time.after(answerTimeoutMs, () => timeout.abort());
  const answer = await fetch(`http://127.0.0.1:${opsPort}/metrics`, { signal: timeout.signal }).catch(() => null);
  return (await answer?.text().catch(() => "")) ?? "";
}

/**
 * Adds up the values of a metric whose labels contain `label` (such as `state="HELD"`); all of them if `label` is
 * empty.
 */
export function sumMetric(text: string, name: string, label = ""): number {
  let sum = 0;
  for (const line of text.split("\n")) {
    const [, found = "", labels = "", value = "0"] = /^([a-z0-9_]+)(\{.*\})? (\S+)$/.exec(line) ?? [];
    if (found === name && labels.includes(label)) sum += Number(value);
  }
  return sum;
}
