// Starts `./sluice demo --stay` as a process, and reads what it tells a stranger: the console's address, two people,
// and what there is to try.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { projectRoot } from "@sluice/environment";
import { sleep, type Time } from "@sluice/kernel";

/** What the demo says once its day is over. */
export interface Stay {
  /** Address of the console, without a path. */
  readonly origin: string;
  /** Token of the person who decides, and of the one who confirms. */
  readonly tokens: readonly [decides: string, confirms: string];
  /** UETR of the debit that waits. */
  readonly waiting: string;
  readonly bank: string;
  readonly day: string;
}

export interface StayingDemoOptions {
  /** Over memory in one process, without servers. */
  readonly isInMemory: boolean;
  readonly time: Time;
  readonly signal: AbortSignal;
}

const withinMs = 600_000;
/** Beside the special ones: the tasks need no more. */
const debits = "20";
const lookEveryMs = 100;
/** The line with which its text ends. */
const lastLine = /^ +\.\/sluice conservation --day .*$/m;

/** `opened` ends it. Its day is played first, which takes about a minute. */
export async function openStayingDemo({ isInMemory, time, signal }: StayingDemoOptions, opened: AsyncDisposableStack): Promise<Stay> {
  const words = ["demo", "--stay", "--json", "--debits", debits, ...(isInMemory ? ["--in-memory"] : [])];
  const child = spawn(process.execPath, [join(projectRoot, "packages/cli/main.ts"), ...words], {
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  let [said, isOver] = ["", false];
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const exited = once(child, "exit").then(() => (isOver = true));
  opened.defer(async () => {
    if (!isOver) child.kill("SIGINT");
    await exited;
  });
  const deadlineMs = time.monotonicMs() + withinMs;
  while (!lastLine.test(said)) {
    if (isOver || time.monotonicMs() > deadlineMs) throw new Error(`the demo does not stay; it said last: ${said.slice(-2_000)}`);
    await sleep(time, lookEveryMs, signal);
  }
  return readStay(said);
}

export function readStay(said: string): Stay {
  const find = (pattern: RegExp): string => {
    const found = pattern.exec(said)?.[1];
    if (found === undefined) throw new Error(`the demo does not say ${pattern.source}`);
    return found;
  };
  return {
    origin: find(/The console: (\S+)\/$/m),
    tokens: [find(/ decides +token (\S+)$/m), find(/ confirms +token (\S+)$/m)],
    waiting: find(/Find out why debit (\S+) waits/),
    bank: find(/Pause (\S+) for 30 minutes/),
    day: find(/Close the list of (\S+):/),
  };
}
