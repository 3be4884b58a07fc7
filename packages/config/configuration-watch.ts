// Watches the configuration file while a service runs.
//
// #1 The file is read every `pollMs`, at most `fileBytesMax` of it, and evaluated only if its bytes differ from the
//    last evaluation.
// #2 `changed` is called with the new callers and operators and with the changes that wait for a restart, but only if
//    one differs.
// #3 A file that is unreadable or wrong is reported once for each such content. It changes nothing but what it takes
//    away (`revocations.ts`): a token can be revoked whatever else is wrong.

import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { sleep, type Time } from "@sluice/kernel";
import { updateCallers, listCallers, listRestartChanges, type CallerSettings } from "./callers.ts";
import type { Configuration, ConfiguredOperator } from "./configuration.ts";
import { formatProblems } from "./file/problem.ts";
import type { FileVariables } from "./file/variables.ts";
import { readConfiguration, readConfigurationTree } from "./file/read-configuration.ts";
import { takeAway, type Holders } from "./revocations.ts";

export interface ConfigurationWatchOptions {
  readonly time: Time;
  readonly path: string;
  readonly environment: FileVariables;
  /** The configuration read at the start. */
  readonly running: Configuration;
  readonly pollMs?: number;
  /** Called after a change. `waiting` holds the paths of changes that need a restart. */
  changed(callers: readonly CallerSettings[], waiting: readonly string[], operators: readonly ConfiguredOperator[]): void;
  /** Called for a file that is unreadable or wrong, with one text per problem and no values. No caller is added. */
  broken(problems: readonly string[]): void;
  /** Called for a file that is right, whether it changes anything or not. */
  read?(): void;
}

export interface ConfigurationWatch {
  stop(): Promise<void>;
}

const fileBytesMax = 4 * 1024 * 1024;
const pollDefaultMs = 2_000;

export function watchConfiguration(options: ConfigurationWatchOptions): ConfigurationWatch {
  const stopping = new AbortController();
  const evaluate = createEvaluation(options);

  async function keepLooking(): Promise<void> {
    while (!stopping.signal.aborted) {
      evaluate(await readBounded(options.path));
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

function createEvaluation(options: ConfigurationWatchOptions): (reading: FileReading) => void {
  const { running, environment } = options;
  let evaluated = "";
  let inForce: Holders = { callers: listCallers(running), operators: running.operators };
  let waiting: readonly string[] = [];

  function takeOver(next: Holders, nextWaiting: readonly string[]): void {
    const isNews = JSON.stringify([next, nextWaiting]) !== JSON.stringify([inForce, waiting]);
    inForce = next;
    waiting = nextWaiting;
    if (isNews) options.changed(next.callers, nextWaiting, next.operators);
  }

  return (reading) => {
    const hash = reading.ok ? createHash("sha256").update(reading.bytes).digest("hex") : reading.problem;
    if (hash === evaluated) return;
    evaluated = hash;
    if (!reading.ok) {
      options.broken([reading.problem]);
      return;
    }
    const text = new TextDecoder().decode(reading.bytes);
    const next = readConfiguration(text, environment);
    if (!next.ok) {
      takeOver(takeAway(readConfigurationTree(text, environment), inForce), waiting);
      options.broken(formatProblems(next.problems));
      return;
    }
    options.read?.();
    const { operators } = next.configuration;
    takeOver({ callers: updateCallers(running, next.configuration), operators }, listRestartChanges(running, next.configuration));
  };
}

async function readBounded(path: string): Promise<FileReading> {
  try {
    await using file = await open(path, "r");
    const { size } = await file.stat();
    if (size > fileBytesMax) return { ok: false, problem: `longer than ${fileBytesMax} bytes` };
    // A file that is being written is read completely at the next poll.
    const { buffer, bytesRead } = await file.read(new Uint8Array(size), 0, size, 0);
    return { ok: true, bytes: buffer.subarray(0, bytesRead) };
  } catch {
    return { ok: false, problem: "cannot be read" };
  }
}
