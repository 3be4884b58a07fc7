// `./sluice status`: which processes of `up` run, which services are ready, and what a person should look at. Where a
// console is named it is asked instead: partitions, paused banks and days. Exit 0 only if all is well.

import { readRecord, isRunning } from "@sluice/local-servers/running-record";
import { Fault, findConfiguration, type MetricSample, readMetrics, type ShownConfiguration } from "@sluice/kernel";
import { findMetricWarnings } from "./service-metrics.ts";
import { readReadiness, type ShownReadiness } from "./service-readiness.ts";
import { readUpFile, upDirectory, type UpState } from "./up-state.ts";
import { asControlVerb, controlOptions, isConsoleNamed, trustAuthorities, type RunControlVerb } from "../../terminal/control-client.ts";
import type { Verb } from "../../terminal/verb.ts";
import { showConsoleStatus } from "./console-status.ts";

interface ProcessRow {
  readonly name: string;
  readonly kind: "server" | "service";
  readonly pid: number;
  readonly isRunning: boolean;
  /** Why a service is not ready; null: it is ready, or it is a server. */
  readonly notReady: string | null;
  /** Milliseconds by which its clock is ahead of the broker clock; null: not known. */
  readonly skewMs: number | null;
  /** Null: not known. */
  readonly configuration: ShownConfiguration | null;
  /** Sentences about what a person should look at. */
  readonly notices: readonly string[];
}

const answerTimeoutMs = 2_000;

export const runStatus: RunControlVerb = async (call, where) => {
  if (isConsoleNamed(call, where)) return await showConsoleStatus(call, where);
  const processes = readRecord(upDirectory)?.processes ?? [];
  const state = readUpFile();
  trustAuthorities(state?.authorityFile ?? "");
  if (processes.length === 0) throw new Fault("cli.not-up", "nothing is up: start with ./sluice up", { isRetryable: false });
  const rows = await Promise.all(
    processes.map(async ({ name, kind, pid, ...noted }): Promise<ProcessRow> => {
      const runs = await isRunning({ name, kind, pid, ...noted });
      const about = { name, kind, pid, isRunning: runs };
      return kind === "server" || !runs
        ? { ...about, notReady: null, skewMs: null, configuration: null, notices: [] }
        : { ...about, ...(await inspectService(name, state)) };
    }),
  );
  const isWell = rows.every((one) => one.isRunning && one.notReady === null && one.notices.length === 0);
  where.out(call.flag("json") ? JSON.stringify({ schema: "UpStatus", isWell, processes: rows }, null, 2) : formatTable(rows));
  return isWell ? 0 : 1;
};

export const statusVerb: Verb = {
  name: "status",
  summary: "what runs, what is ready, its clock, its configuration file, and what a person should look at",
  arguments: [],
  options: controlOptions,
  notes: [
    "Shows what ./sluice up has started. Where a console is named (--console, SLUICE_CONTROL_URL) it shows what that console",
    "knows: how far the partitions are, paused banks, and days.",
    "Exit 0 if all is well, else 1.",
  ],
  examples: ["status", "status --console https://console.example:8082"],
  run: asControlVerb(runStatus),
};

type Inspected = Pick<ProcessRow, "notReady" | "skewMs" | "configuration" | "notices">;

async function inspectService(name: string, state: UpState | null): Promise<Inspected> {
  const address = state?.operations[name];
  if (address === undefined) return { notReady: "its address is not known", skewMs: null, configuration: null, notices: [] };
  const { notReady, notices } = await readService(address);
  const samples = await readServiceMetrics(address);
  const skew = samples.find((sample) => sample.name === "sluice_clock_skew_seconds");
  return {
    notReady,
    skewMs: skew === undefined ? null : Math.round(skew.value * 1_000),
    configuration: findConfiguration(samples),
    notices: [...findMetricWarnings(samples), ...notices],
  };
}

async function readService(address: string): Promise<ShownReadiness> {
  try {
    const answer = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(answerTimeoutMs) });
    return readReadiness(answer.ok, await answer.json());
  } catch {
    return { notReady: "it does not answer", notices: [] };
  }
}

async function readServiceMetrics(address: string): Promise<readonly MetricSample[]> {
  try {
    const answer = await fetch(`${address}/metrics`, { signal: AbortSignal.timeout(answerTimeoutMs) });
    return readMetrics(await answer.text());
  } catch {
    return [];
  }
}

function formatTable(rows: readonly ProcessRow[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows
    .flatMap(({ name, pid, isRunning: runs, notReady, skewMs, configuration, notices }) => {
      const clock = skewMs === null ? "" : `, clock ${skewMs >= 0 ? "+" : ""}${skewMs} ms`;
      const file = configuration === null ? "" : `, configuration ${configuration.hash} since ${configuration.since.slice(0, 19)}Z`;
      const says = runs ? (notReady === null ? `up${clock}${file}` : `not ready: ${notReady}${clock}${file}`) : "DOWN";
      return [
        `${name.padEnd(width)}  ${String(pid).padStart(7)}  ${says}`,
        ...notices.map((notice) => `${" ".repeat(width)}           ! ${notice}`),
      ];
    })
    .join("\n");
}
