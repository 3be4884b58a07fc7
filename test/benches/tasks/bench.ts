// `./sluice bench tasks`: the three tasks that `./sluice demo --stay` gives a stranger, in Chromium: find out why a
// debit waits, pause a bank for 30 minutes, and close the list of a day as two people.
//
// The seconds are those of a script that knows where to click: what the console takes, not a person.

import { loadavg } from "node:os";
import { machineTime, type Time } from "@sluice/kernel";
import { chromium } from "playwright-core";
import { type Machine, machineFacts } from "../processor-time.ts";
import { roundTo } from "../spread.ts";
import { openStayingDemo } from "./staying-demo.ts";
import { playTasks, type TimedTask } from "./tasks.ts";

export interface TasksBenchOptions {
  readonly isInMemory: boolean;
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
  readonly time?: Time;
}

export interface TasksBenchReport {
  readonly isRight: boolean;
  readonly problems: readonly string[];
  readonly machine: Machine;
  readonly tasks: readonly TimedTask[];
  /** The machine's load of the last minute, before and after the tasks. */
  readonly load: readonly [before: number, after: number];
  readonly tookMs: number;
}

export async function runTasksBench(options: TasksBenchOptions): Promise<TasksBenchReport> {
  const { environment, say, time = machineTime } = options;
  const startedMs = time.monotonicMs();
  await using opened = new AsyncDisposableStack();
  say("the demo plays its day");
  const stay = await openStayingDemo({ ...options, time }, opened);
  say(`it stays at ${stay.origin}`);
  const browser = await chromium.launch({
    executablePath: environment["SLUICE_CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
  opened.defer(() => browser.close());
  const before = roundTo(loadavg()[0] ?? 0, 1);
  const { tasks, problems } = await playTasks(browser, stay, { time, say });
  return {
    isRight: problems.length === 0,
    problems,
    machine: machineFacts(),
    tasks,
    load: [before, roundTo(loadavg()[0] ?? 0, 1)],
    tookMs: Math.round(time.monotonicMs() - startedMs),
  };
}
