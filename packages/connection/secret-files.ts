// Reads files that hold secrets, and reads them again when they change while a service runs.
//
// #1 Every `pollMs` each file is looked at, and read only when it was replaced or has changed. One value is made of all
//    files of a unit.
// #2 Files that cannot be read, or are wrong, change nothing: the previous value stays, and the problem is reported
//    once for each state of the files.
// #3 A problem is reported as a code, so that nothing of a file's content leaks.
// #4 Unreadable files are tried again each time, because access rights may change where the file does not.
// #5 Units do not wait for each other: a file that never answers (a dead network drive) affects its own unit alone.

import { open, stat } from "node:fs/promises";
import { sleep, type Time } from "@sluice/kernel";

/** `O` says whose secrets they are, and which setting names them. */
export interface SecretFilesOptions<O> {
  readonly time: Time;
  readonly pollMs?: number;
  /** `code` says why no value could be made. */
  notRead(owner: O, code: string): void;
  /** Called when a value was made, the first or a later one, and is in force. */
  read(owner: O): void;
  /** Rejects with an error that has a `code`. Reads the machine's files where it is not given. */
  readFile?: (path: string) => Promise<Buffer>;
}

/** Files that belong together. */
interface SecretFilesUnit<T, O> {
  readonly owner: O;
  readonly paths: readonly string[];
  /** `contents` has the order of `paths`; throws where they are wrong. */
  make(contents: readonly Buffer[]): T;
  changed?(value: T): void;
}

export interface SecretFiles<O> {
  /** Returns a function for the latest value, null until there is one. To be called before `started`. */
  watch<T>(unit: SecretFilesUnit<T, O>): () => T | null;
  /** Resolves when each unit was looked at once, or after `startWaitMaxMs`. */
  started(): Promise<void>;
  stop(): Promise<void>;
}

export const secretFileBytesMax = 1024 * 1024;
const pollDefaultMs = 5_000;
export const startWaitMaxMs = 5_000;

export function createSecretFiles<O>(options: SecretFilesOptions<O>): SecretFiles<O> {
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
    watch(unit) {
      const kept = watchUnit(unit, options, stopping.signal);
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

function watchUnit<T, O>(unit: SecretFilesUnit<T, O>, options: SecretFilesOptions<O>, stopped: AbortSignal) {
  const { readFile = readSecretFile } = options;
  let evaluated = "";
  let unreadable = "";
  let value: T | null = null;

  const stateNow = async (): Promise<string> => (await Promise.all(unit.paths.map(fileState))).join();

  /** Returns a text, the reason, where they could not be read. */
  async function contents(): Promise<readonly Buffer[] | string> {
    try {
      return await Promise.all(unit.paths.map(readFile));
    } catch (error) {
      return errorCode(error);
    }
  }

  return {
    value: () => value,
    async look(): Promise<void> {
      const state = await stateNow();
      if (state === evaluated) return;
      const found = await contents();
      // Files that changed while they were read are read at the next look: half a file must never count.
      if (stopped.aborted || (await stateNow()) !== state) return;
      if (typeof found === "string") {
        // #4
        if (unreadable !== `${state} ${found}`) options.notRead(unit.owner, found);
        [evaluated, unreadable] = ["", `${state} ${found}`];
        return;
      }
      [evaluated, unreadable] = [state, ""];
      try {
        const made = unit.make(found);
        value = made;
        unit.changed?.(made);
        options.read(unit.owner);
      } catch (error) {
        options.notRead(unit.owner, errorCode(error));
      }
    },
  };
}

/** The state of the file itself, wherever links lead, so that a folder that is swapped as a whole is noticed too. */
async function fileState(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${dev}/${ino}/${size}/${mtimeNs}`;
  } catch (error) {
    return errorCode(error);
  }
}

/** Reads a regular file of at most `secretFileBytesMax`. */
export async function readSecretFile(path: string): Promise<Buffer> {
  // What is no regular file may never answer: a pipe waits for a writer.
  if (!(await stat(path)).isFile()) throw new SecretProblem("no-file");
  await using file = await open(path, "r");
  const { size } = await file.stat();
  if (size > secretFileBytesMax) throw new SecretProblem("too-long");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
  return buffer.subarray(0, bytesRead);
}

/** A problem with a secret; `code` says which. */
export class SecretProblem extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "wrong";
}
