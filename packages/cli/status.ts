// `./sluice status`: what of `up` runs, what is ready, and what a person should look at. Exit 0 only if all of it is well.

import { readRecord, isRunning } from "@sluice/local-servers";
import { Fault } from "@sluice/runtime";
import { readiness } from "./processes.ts";
import { noticesIn, readMetrics } from "./service-metrics.ts";
import type { MetricSample } from "./service-metrics.ts";
import { readUpFile, upDirectory } from "./up-state.ts";
import type { UpState } from "./up-state.ts";
import type { RunVerb } from "./verbs.ts";

interface Standing {
  readonly name: string;
  readonly kind: "server" | "service";
  readonly pid: number;
  readonly isRunning: boolean;
  /** Of a service; null: it is no service, or it is ready. */
  readonly notReady: string | null;
  readonly skewMs: number | null;
  /** What a person should look at. */
  readonly notices: readonly string[];
}

const metricsTimeoutMs = 2_000;

export const status: RunVerb = async (call) => {
  const processes = readRecord(upDirectory)?.processes ?? [];
  const state = readUpFile();
  if (processes.length === 0) throw new Fault("cli.not-up", "nothing is up: start with ./sluice up", { isRetryable: false });
  const standings = await Promise.all(
    processes.map(async ({ name, kind, pid, ...noted }): Promise<Standing> => {
      const runs = await isRunning({ name, kind, pid, ...noted });
      const about = { name, kind, pid, isRunning: runs };
      return kind === "server" || !runs
        ? { ...about, notReady: null, skewMs: null, notices: [] }
        : { ...about, ...(await lookAt(name, state)) };
    }),
  );
  const isWell = standings.every((one) => one.isRunning && one.notReady === null && one.notices.length === 0);
  process.stdout.write(`${call.flag("json") ? JSON.stringify({ isWell, processes: standings }, null, 2) : tableOf(standings)}\n`);
  return isWell ? 0 : 1;
};

async function lookAt(name: string, state: UpState | null): Promise<Pick<Standing, "notReady" | "skewMs" | "notices">> {
  const address = state?.operations[name];
  if (address === undefined) return { notReady: "its address is not known", skewMs: null, notices: [] };
  const answer = await readiness(Number(new URL(address).port));
  const samples = await metricsAt(address);
  const skew = samples.find((sample) => sample.name === "sluice_clock_skew_milliseconds");
  return {
    notReady: answer === "ready" ? null : (answer ?? "it does not answer"),
    skewMs: skew === undefined ? null : Math.round(skew.value),
    notices: noticesIn(samples),
  };
}

async function metricsAt(address: string): Promise<readonly MetricSample[]> {
  try {
    const answer = await fetch(`${address}/metrics`, { signal: AbortSignal.timeout(metricsTimeoutMs) });
    return readMetrics(await answer.text());
  } catch {
    return [];
  }
}

function tableOf(standings: readonly Standing[]): string {
  const width = Math.max(...standings.map(({ name }) => name.length));
  return standings
    .flatMap(({ name, pid, isRunning: runs, notReady, skewMs, notices }) => {
      const clock = skewMs === null ? "" : `, clock ${skewMs >= 0 ? "+" : ""}${skewMs} ms`;
      const says = runs ? (notReady === null ? `up${clock}` : `not ready: ${notReady}${clock}`) : "DOWN";
      return [
        `${name.padEnd(width)}  ${String(pid).padStart(7)}  ${says}`,
        ...notices.map((notice) => `${" ".repeat(width)}           ! ${notice}`),
      ];
    })
    .join("\n");
}
