// Files that hold secrets, read anew while a service runs.
//
// #1 Every `pollMs` each file is looked at, and read only when it is another or has changed. A value is made of all files that belong together.
// #2 What cannot be read, or is wrong, changes nothing: the value that was there stays, and that is said once for each such state of the files.
// #3 Nothing of a file is ever said: a problem is a code.
// #4 What could not be read is tried again each time: rights may change where the file does not.
// #5 Files of different units wait for each other in nothing: one that never answers (a dead network drive) holds its own unit alone.

import { open, stat } from "node:fs/promises";
import { sleep, type Time } from "@sluice/runtime";

export interface SecretFilesOptions {
  readonly time: Time;
  readonly pollMs?: number;
  /** `code`: why a value could not be made. */
  notRead(owner: SecretsOwner, code: string): void;
  /** A value was made, the first or in place of another, and counts. */
  read(owner: SecretsOwner): void;
  /** Rejects with an error that has a `code`. Not given: of the machine. */
  readFile?: (path: string) => Promise<Buffer>;
}

/** Whose secrets they are, and where in the configuration they are named. */
export interface SecretsOwner {
  readonly bank: string;
  readonly member: string;
}

/** Files that belong together. */
export interface SecretFilesUnit<T> {
  readonly owner: SecretsOwner;
  readonly paths: readonly string[];
  /** In the order of `paths`; throws where they are wrong. */
  make(contents: readonly Buffer[]): T;
  changed?(value: T): void;
}

export interface SecretFiles {
  /** The latest value; null until there was one. Before `started` only. */
  keep<T>(unit: SecretFilesUnit<T>): () => T | null;
  /** Resolves when each was looked at once, or after `waitMaxMs` at most. */
  started(): Promise<void>;
  stop(): Promise<void>;
}

export const secretFileBytesMax = 1024 * 1024;
const pollDefaultMs = 5_000;
export const startWaitMaxMs = 5_000;

export function createSecretFiles(options: SecretFilesOptions): SecretFiles {
  const { time, pollMs = pollDefaultMs } = options;
  const stopping = new AbortController();
  const looks: (() => Promise<void>)[] = [];
  let starting: Promise<void> | null = null;

  /** #5 */
  async function keepLooking(look: () => Promise<void>, looked: () => void): Promise<void> {
    while (!stopping.signal.aborted) {
      await look();
      looked();
      await sleep(time, pollMs, stopping.signal);
    }
  }

  async function start(): Promise<void> {
    const over = new AbortController();
    stopping.signal.addEventListener("abort", () => over.abort(), { once: true });
    const first = looks.map((look) => new Promise<void>((looked) => void keepLooking(look, looked)));
    await Promise.race([Promise.all(first), sleep(time, startWaitMaxMs, over.signal)]);
    over.abort();
  }

  return {
    keep(unit) {
      const kept = keptValue(unit, options, stopping.signal);
      looks.push(() => kept.look());
      return () => kept.value();
    },
    started: () => (starting ??= start()),
    async stop() {
      stopping.abort();
      await starting;
    },
  };
}

function keptValue<T>(unit: SecretFilesUnit<T>, options: SecretFilesOptions, stopped: AbortSignal) {
  const { readFile = readBounded } = options;
  let judged = "";
  let unreadable = "";
  let value: T | null = null;

  const stateNow = async (): Promise<string> => (await Promise.all(unit.paths.map(stateOf))).join();

  /** A text: why they could not be read. */
  async function contents(): Promise<readonly Buffer[] | string> {
    try {
      return await Promise.all(unit.paths.map(readFile));
    } catch (error) {
      return codeOf(error);
    }
  }

  return {
    value: () => value,
    async look(): Promise<void> {
      const state = await stateNow();
      if (state === judged) return;
      const found = await contents();
      // What changed while it was read is read at the next look: half of a file is never the last word.
      if (stopped.aborted || (await stateNow()) !== state) return;
      if (typeof found === "string") {
        // #4
        if (unreadable !== `${state} ${found}`) options.notRead(unit.owner, found);
        [judged, unreadable] = ["", `${state} ${found}`];
        return;
      }
      [judged, unreadable] = [state, ""];
      try {
        const made = unit.make(found);
        value = made;
        unit.changed?.(made);
        options.read(unit.owner);
      } catch (error) {
        options.notRead(unit.owner, codeOf(error));
      }
    },
  };
}

/** Of the file itself, wherever links lead: a folder that is swapped as a whole is seen too. */
async function stateOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${dev}/${ino}/${size}/${mtimeNs}`;
  } catch (error) {
    return codeOf(error);
  }
}

async function readBounded(path: string): Promise<Buffer> {
  // What is no file may never answer: a pipe waits for somebody to write.
  if (!(await stat(path)).isFile()) throw new SecretProblem("no-file");
  await using file = await open(path, "r");
  const { size } = await file.stat();
  if (size > secretFileBytesMax) throw new SecretProblem("too-long");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
  return buffer.subarray(0, bytesRead);
}

/** What is wrong with a secret, as a code. */
export class SecretProblem extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "wrong";
}
