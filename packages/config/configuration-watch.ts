// The configuration file, looked at while a service runs.
//
// #1 It is read every `pollMs`, at most `fileBytesMax` of it, and judged only when its bytes differ from those judged last.
// #2 Whoever watches is told the callers and operators as they are now, and what waits for a restart; nothing, where none of it changed.
// #3 A file that cannot be read or is wrong changes nothing, and that is said once for each such content.

import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { sleep, type Time } from "@sluice/runtime";
import { callersAfter, callersOf, waitingForRestart, type CallerSettings } from "./callers-of.ts";
import type { Configuration, Operator } from "./configuration.ts";
import type { Environment } from "./environment.ts";
import { readConfiguration } from "./read-configuration.ts";

export interface ConfigurationWatchOptions {
  readonly time: Time;
  readonly path: string;
  readonly environment: Environment;
  /** As read at the start. */
  readonly running: Configuration;
  readonly pollMs?: number;
  /** `waiting`: paths of what differs and is taken only by a restart. */
  changed(callers: readonly CallerSettings[], waiting: readonly string[], operators: readonly Operator[]): void;
  /** The old callers stay. One text for each problem, without values of the file. */
  broken(problems: readonly string[]): void;
}

export interface ConfigurationWatch {
  stop(): Promise<void>;
}

const fileBytesMax = 4 * 1024 * 1024;
const pollDefaultMs = 2_000;

export function watchConfiguration(options: ConfigurationWatchOptions): ConfigurationWatch {
  const stopping = new AbortController();
  const judge = createJudge(options);

  async function keepLooking(): Promise<void> {
    while (!stopping.signal.aborted) {
      judge(await readBounded(options.path));
      await sleep(options.time, options.pollMs ?? pollDefaultMs, stopping.signal);
    }
  }

  const looking = keepLooking();
  return {
    async stop() {
      stopping.abort();
      await looking;
    },
  };
}

type FileReading = { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly problem: string };

function createJudge(options: ConfigurationWatchOptions): (reading: FileReading) => void {
  const { running, environment } = options;
  let judged = "";
  let told = JSON.stringify([callersOf(running), [], running.operators]);
  return (reading) => {
    const hash = reading.ok ? createHash("sha256").update(reading.bytes).digest("hex") : reading.problem;
    if (hash === judged) return;
    judged = hash;
    if (!reading.ok) {
      options.broken([reading.problem]);
      return;
    }
    const next = readConfiguration(new TextDecoder().decode(reading.bytes), environment);
    if (!next.ok) {
      options.broken(next.problems.map(({ path, text }) => `${path}: ${text}`));
      return;
    }
    const callers = callersAfter(running, next.configuration);
    const waiting = waitingForRestart(running, next.configuration);
    const { operators } = next.configuration;
    const news = JSON.stringify([callers, waiting, operators]);
    if (news === told) return;
    told = news;
    options.changed(callers, waiting, operators);
  };
}

async function readBounded(path: string): Promise<FileReading> {
  try {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    if (size > fileBytesMax) return { ok: false, problem: `longer than ${fileBytesMax} bytes` };
    // What is being written just now is seen whole at the next look.
    const { buffer, bytesRead } = await file.read(new Uint8Array(size), 0, size, 0);
    return { ok: true, bytes: buffer.subarray(0, bytesRead) };
  } catch {
    return { ok: false, problem: "cannot be read" };
  }
}
