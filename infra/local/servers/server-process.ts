// Runs one Java server as a process: starts it, waits for it, and always stops it.
//
// #1 Ready means that a real request was answered, not that a port is open.
// #2 A server that does not become ready reports the reason with the end of its log. A server that lost its port to
//    another process is reported separately.
// #3 `stop` ends it: SIGTERM, and SIGKILL if that takes too long.
// #4 It runs in its own process group: a Ctrl-C for us does not reach it before we stop it.
// #5 Its command line names its directory, so that it can be recognised later.

import { type ChildProcess, spawn } from "node:child_process";
import { access, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Fault, machineTime, sleep } from "@sluice/kernel";
import type { JavaTools } from "../java-tools.ts";
import type { ServerKind, ServerName, ServerPlace, ServerPlan } from "./server-kind.ts";

export interface ServerProcess {
  readonly name: ServerName;
  readonly pid: number;
  readonly address: string;
  readonly ports: readonly number[];
  stop(): Promise<void>;
}

const readyTimeoutMs = 120_000;
const readyCheckMs = 100;
const stopTimeoutMs = 15_000;
const killTimeoutMs = 5_000;
const logTailLines = 15;

export const directoryMark = "-Dsluice.directory=";

/**
 * Calls `note` with the process id before it waits. Throws Fault `servers.port-taken` (retryable, with other ports) or
 * `servers.not-up`.
 */
export async function startServer(
  kind: ServerKind,
  tools: JavaTools,
  place: ServerPlace,
  note: (pid: number) => void,
): Promise<ServerProcess> {
  const plan = await kind.plan(place);
  const archive = await archiveOptions(kind, place);
  const logFile = join(place.directory, `${kind.name}.log`);
  const log = await open(logFile, "w");
  const flags = [
    ...(place.isForLoad ? [] : ["-XX:TieredStopAtLevel=1"]),
    "-XX:+UseSerialGC",
    "-Xlog:disable",
    "-Xlog:all=error:stderr",
    ...archive.flags,
  ];
  const child = spawn(tools.java, [...flags, `${directoryMark}${place.directory}`, ...plan.arguments], {
    cwd: place.directory,
    detached: true,
    stdio: ["ignore", log.fd, log.fd],
  });
  await log.close();
  const exit = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(`it ended with ${code ?? signal ?? "an unknown code"}`));
  });
  const { pid } = child;
  if (pid === undefined) throw new Fault("servers.not-up", `${kind.name} could not be started: ${await exit}`, { isRetryable: false });
  note(pid);
  const started: ServerProcess = {
    name: kind.name,
    pid,
    address: plan.address,
    ports: place.ports,
    async stop() {
      await stopChild(child);
      await archive.keep(child.signalCode !== "SIGKILL");
    },
  };
  try {
    await becomeReady(kind.name, plan, exit, logFile);
    await plan.prepare?.();
  } catch (error) {
    await stopChild(child);
    throw error;
  }
  child.unref();
  return started;
}

async function becomeReady(name: ServerName, plan: ServerPlan, exit: Promise<string>, logFile: string): Promise<void> {
  let reason: string | null = null;
  void exit.then((text) => (reason = text));
  const deadlineMs = machineTime.monotonicMs() + readyTimeoutMs;
  while (!(await plan.isReady().catch(() => false))) {
    if (reason === null && machineTime.monotonicMs() > deadlineMs) reason = `no answer after ${readyTimeoutMs / 1000} s`;
    if (reason !== null) throw await notUp(name, reason, logFile);
    await sleep(machineTime, readyCheckMs);
  }
  // Another process that took the port first may have answered.
  await sleep(machineTime, 0);
  if (reason !== null) throw await notUp(name, reason, logFile);
}

async function notUp(name: ServerName, reason: string, logFile: string): Promise<Fault> {
  const log = await readFile(logFile, "utf8").catch(() => "");
  const isPortTaken = /Address already in use|BindException|Port already bound|seems to be in use/.test(log);
  const tail = log.trimEnd().split("\n").slice(-logTailLines).join("\n");
  const text = `${name} did not come up: ${reason}. The end of its log:\n${tail}`;
  return new Fault(isPortTaken ? "servers.port-taken" : "servers.not-up", text, { isRetryable: isPortTaken });
}

async function stopChild(child: ChildProcess): Promise<void> {
  child.ref();
  const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const exit = new Promise<void>((resolve) => (isOver() ? resolve() : child.once("exit", () => resolve())));
  for (const [signal, timeoutMs] of [
    ["SIGTERM", stopTimeoutMs],
    ["SIGKILL", killTimeoutMs],
  ] as const) {
    if (isOver()) return;
    child.kill(signal);
    const over = new AbortController();
    await Promise.race([exit, sleep(machineTime, timeoutMs, over.signal)]);
    over.abort();
  }
}

interface Archive {
  readonly flags: readonly string[];
  keep(isWhole: boolean): Promise<void>;
}

/**
 * Java ignores an archive that does not fit. It is written under another name and renamed, so that it is never read
 * incomplete.
 */
async function archiveOptions(kind: ServerKind, place: ServerPlace): Promise<Archive> {
  const archive = place.installed.archive(kind.name);
  const isThere = await access(archive).then(
    () => true,
    () => false,
  );
  if (isThere) return { flags: [`-XX:SharedArchiveFile=${archive}`], keep: () => Promise.resolve() };
  if (!kind.hasArchive || place.storage !== "memory") return { flags: [], keep: () => Promise.resolve() };
  const written = `${archive}.${process.pid}`;
  return {
    flags: [`-XX:ArchiveClassesAtExit=${written}`],
    async keep(isWhole) {
      if (isWhole) await rename(written, archive).catch(() => {});
      await rm(written, { force: true });
    },
  };
}
