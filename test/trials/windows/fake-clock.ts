// Gives a process a wrong clock by libfaketime. Its wall clock is off by an offset that can change while it runs; its
// monotonic clock, and so its timers, stay real.
//
// #1 The offset is in a file that the process reads every other second.
// #2 Without libfaketime there are no wrong clocks, and the trial must report that with `fakeTimeMissingText`.

import { glob, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface FakeClock {
  /** Environment variables that the process needs. */
  readonly environment: Readonly<Record<string, string>>;
  set(offsetMs: number): Promise<void>;
}

const places = [
  "/usr/lib/*/faketime/libfaketime.so.1",
  "/usr/lib/faketime/libfaketime.so.1",
  "/usr/local/lib/faketime/libfaketime.so.1",
] as const;

export const fakeTimeMissingText =
  "libfaketime is not installed: this run is WITHOUT SKEWED CLOCKS and does not show how they are borne. On Debian or Ubuntu: sudo apt-get install -y libfaketime";

/** Returns the path of the library; null if it is not installed. */
export async function findFakeTime(): Promise<string | null> {
  for await (const path of glob([...places])) return path;
  return null;
}

/** Creates the file of the offset, which is 0 at first. `library` is the path from `findFakeTime`. */
export async function createFakeClock(library: string, directory: string, name: string): Promise<FakeClock> {
  const file = join(directory, `${name}.clock`);
  async function set(offsetMs: number): Promise<void> {
    const seconds = Math.round(offsetMs / 1_000);
    await writeFile(`${file}.new`, `${seconds < 0 ? "-" : "+"}${Math.abs(seconds)}s\n`);
    await rename(`${file}.new`, file);
  }
  await set(0);
  const environment = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
  return { environment, set };
}
