// Watches the configuration file while a service runs.
//
// #1 The file is read every `pollMs`, at most `fileBytesMax` of it, and evaluated only if its bytes differ from the
//    last evaluation.
// #2 A file is taken over as a whole or not at all. One that is unreadable, wrong, or changes what needs a restart is
//    refused, and the refusal is reported once for each such content. The former configuration stays in force but for
//    what the file takes away (`revocations.ts`): a token can be revoked whatever else is wrong.

import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { sleep, type Time } from "@sluice/kernel";
import type { Configuration } from "./configuration.ts";
import { formatProblems } from "./file/problem.ts";
import type { FileVariables } from "./file/variables.ts";
import { readConfiguration, readConfigurationTree } from "./file/read-configuration.ts";
import { isSameContent, keepUnchanged, listRestartChanges } from "./live-configuration.ts";
import { takeAway } from "./revocations.ts";

export interface ConfigurationWatchOptions {
  readonly time: Time;
  readonly path: string;
  readonly environment: FileVariables;
  /** The configuration read at the start. */
  readonly running: Configuration;
  readonly pollMs?: number;
  /** Called with the whole configuration of a changed file; parties that did not change are the same objects. */
  replaced(next: Configuration): void;
  /** Called with one text per problem and no values; null: the file in force is there again. */
  refused(problems: readonly string[] | null): void;
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
  let { running } = options;
  let evaluated = "";
  let isRefused = false;
  /** A refused file has taken something away: the file in force counts again only once it is taken over again. */
  let isPartial = false;

  function refuse(problems: readonly string[], text: string | null): void {
    isRefused = true;
    options.refused(problems);
    if (text === null) return;
    const left = { ...running, ...takeAway(readConfigurationTree(text, options.environment), running) };
    if (isSameContent(left, running)) return;
    isPartial = true;
    running = left;
    options.replaced(running);
  }

  return (reading) => {
    const hash = reading.ok ? createHash("sha256").update(reading.bytes).digest("hex") : reading.problem;
    if (hash === evaluated) return;
    evaluated = hash;
    if (!isRefused && hash.startsWith(running.hash)) return;
    if (!reading.ok) return refuse([reading.problem], null);
    const text = new TextDecoder().decode(reading.bytes);
    const next = readConfiguration(text, options.environment);
    if (!next.ok) return refuse(formatProblems(next.problems), text);
    const waiting = listRestartChanges(running, next.configuration);
    if (waiting.length > 0)
      return refuse(
        waiting.map((path) => `${path}: changes only with a restart`),
        text,
      );
    if (isRefused) options.refused(null);
    isRefused = false;
    if (next.configuration.hash === running.hash && !isPartial) return;
    isPartial = false;
    running = keepUnchanged(running, next.configuration);
    options.replaced(running);
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
