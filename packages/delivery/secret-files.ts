// Files that hold secrets, read anew while a service runs.
//
// #1 Every `pollMs` each file is looked at, and read only when it is another or has changed. A value is made of all files that belong together.
// #2 What cannot be read, or is wrong, changes nothing: the value that was there stays, and that is said once for each such state of the files.
// #3 Nothing of a file is ever said: a problem is a code.

import { open, stat } from "node:fs/promises";
import { sleep, type Time } from "@sluice/runtime";

export interface SecretFilesOptions {
  readonly time: Time;
  readonly pollMs?: number;
  /** `code`: why a value could not be made. */
  notRead(owner: SecretsOwner, code: string): void;
  /** A value was made: the first, or in place of another. */
  read(owner: SecretsOwner): void;
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
  /** Resolves when each was looked at once. */
  started(): Promise<void>;
  stop(): Promise<void>;
}

export const secretFileBytesMax = 1024 * 1024;
const pollDefaultMs = 5_000;

export function createSecretFiles(options: SecretFilesOptions): SecretFiles {
  const stopping = new AbortController();
  const looks: (() => Promise<void>)[] = [];
  let looking: Promise<void> | null = null;
  const first = Promise.withResolvers<void>();

  async function keepLooking(): Promise<void> {
    while (!stopping.signal.aborted) {
      for (const look of looks) await look();
      first.resolve();
      await sleep(options.time, options.pollMs ?? pollDefaultMs, stopping.signal);
    }
  }

  return {
    keep(unit) {
      const kept = keptValue(unit, options);
      looks.push(() => kept.look());
      return () => kept.value();
    },
    started() {
      if (looks.length > 0) looking ??= keepLooking();
      return looks.length === 0 ? Promise.resolve() : first.promise;
    },
    async stop() {
      stopping.abort();
      await looking;
      first.resolve();
    },
  };
}

function keptValue<T>(unit: SecretFilesUnit<T>, options: SecretFilesOptions) {
  let judged = "";
  let value: T | null = null;
  return {
    value: () => value,
    async look(): Promise<void> {
      // What is written after this is seen at the next look: half of a file is never the last word.
      const states = await Promise.all(unit.paths.map(stateOf));
      const state = states.join();
      if (state === judged) return;
      judged = state;
      try {
        const made = unit.make(await Promise.all(unit.paths.map(readBounded)));
        value = made;
        options.read(unit.owner);
        unit.changed?.(made);
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
