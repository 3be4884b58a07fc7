// Looks at one process while a trial runs: its memory as the kernel counts it, and its metrics.

import { readFile } from "node:fs/promises";
import type { Time } from "@sluice/runtime";

/** Resident memory now and at its highest since the process began, in bytes; null where the kernel does not say (it is gone, or no Linux). */
export interface Memory {
  readonly nowBytes: number;
  readonly highestBytes: number;
}

export async function memoryOf(pid: number): Promise<Memory | null> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kibibytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? Number.NaN);
  const [nowBytes, highestBytes] = [kibibytes("VmRSS") * 1_024, kibibytes("VmHWM") * 1_024];
  return Number.isNaN(nowBytes) || Number.isNaN(highestBytes) ? null : { nowBytes, highestBytes };
}

const answerTimeoutMs = 5_000;

/** Text of `/metrics`; empty: no answer. */
export async function metricsOf(opsPort: number, time: Time): Promise<string> {
  const given = new AbortController();
  using _timer = time.after(answerTimeoutMs, () => given.abort());
  const answer = await fetch(`http://127.0.0.1:${opsPort}/metrics`, { signal: given.signal }).catch(() => null);
  return (await answer?.text().catch(() => "")) ?? "";
}

/** Sum of a metric's values, of those whose labels hold `label` (such as `state="HELD"`). */
export function sumOf(text: string, name: string, label = ""): number {
  let sum = 0;
  for (const line of text.split("\n")) {
    const [, found = "", labels = "", value = "0"] = /^([a-z0-9_]+)(\{.*\})? (\S+)$/.exec(line) ?? [];
    if (found === name && labels.includes(label)) sum += Number(value);
  }
  return sum;
}
