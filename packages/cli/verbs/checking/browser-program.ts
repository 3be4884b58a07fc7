// The browser of the part `browser` of `./sluice test`: the console's pages in Chromium. Nothing is downloaded by the
// tests themselves.
//
// #1 Chromium is taken from the PATH. Where it is missing it is installed as Debian's package, if this user may.

import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { Fault } from "@sluice/kernel";

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"] as const;

const howToGet =
  "the console's pages are tested in Chromium: put it on the PATH, or on Debian run `apt-get install chromium`, or this part as root";

/** Path of the program. Rejects with Fault `cli.no-browser`. */
export async function bringBrowser(progress: (text: string) => void): Promise<string> {
  const found = findBrowser();
  if (found !== null) return found;
  if (process.getuid?.() === 0) {
    progress("installing Debian's chromium");
    await runToEnd("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "chromium"]);
  }
  const installed = findBrowser();
  if (installed === null) throw new Fault("cli.no-browser", howToGet, { isRetryable: false });
  return installed;
}

function findBrowser(): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const programs = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return programs.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether it worked is seen by what it leaves. */
function runToEnd(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return new Promise((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
}
