// A wrong clock for a process, by libfaketime: its wall clock is off by an offset that can be changed while it runs; its monotonic clock, and so
// its timers, stay real.
//
// 1. The offset lies in a file that the process looks at every other second.
// 2. Where libfaketime is not installed there are no wrong clocks, and whoever asked says so: `missingText`.

import { glob, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface FakeClock {
  /** What the process needs in its environment. */
  readonly environment: Readonly<Record<string, string>>;
  set(offsetMs: number): Promise<void>;
}

const places = [
  "/usr/lib/*/faketime/libfaketime.so.1",
  "/usr/lib/faketime/libfaketime.so.1",
  "/usr/local/lib/faketime/libfaketime.so.1",
] as const;

export const missingText =
  "libfaketime is not installed: this run is WITHOUT SKEWED CLOCKS, which it was to show too. On Debian or Ubuntu: sudo apt-get install -y libfaketime";

/** Path of the library; null: not installed. */
export async function findFakeTime(): Promise<string | null> {
  for await (const path of glob([...places])) return path;
  return null;
}

/** `file` is made; `library` as `findFakeTime` answers. */
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
