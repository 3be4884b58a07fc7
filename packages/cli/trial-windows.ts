// `./sluice trial windows`: its options, what it says while it runs, and its end.

import { machineTime } from "@sluice/runtime";
import { interruptible } from "./interruption.ts";
import { readWhole } from "./trial/whole-number.ts";
import { formatWindowsReport, runWindowsTrial } from "./trial/windows.ts";
import type { RunVerb } from "./verbs.ts";

const windowsDefault = 200;
const windowsMax = 2_400;
const seedMax = 2 ** 31;
const exitCodes = { right: 0, violated: 1, usage: 2, interrupted: 130 } as const;

export const trialWindows: RunVerb = async (call) => {
  const seed = readWhole(call.value("seed") ?? String(Math.floor(machineTime.nowMs() / 1_000) % 1_000_000), 0, seedMax);
  const windows = readWhole(call.value("windows") ?? String(windowsDefault), 1, windowsMax);
  if (seed === null || windows === null) {
    process.stderr.write(`sluice: trial windows: --seed is a whole number, --windows one from 1 to ${windowsMax}\n`);
    return exitCodes.usage;
  }
  const isJson = call.flag("json");
  const startedMs = machineTime.monotonicMs();
  const say = (text: string): void => {
    const seconds = ((machineTime.monotonicMs() - startedMs) / 1_000).toFixed(1).padStart(6);
    (isJson ? process.stderr : process.stdout).write(`${seconds} s  ${text}\n`);
  };
  using interruption = interruptible();
  try {
    const report = await runWindowsTrial({ seed, windows, isKept: call.flag("keep") }, say, interruption.signal);
    process.stdout.write(`${isJson ? JSON.stringify(report, null, 2) : `\n${formatWindowsReport(report)}`}\n`);
    return report.isRight ? exitCodes.right : exitCodes.violated;
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    say(`interrupted; everything is stopped (seed ${seed})`);
    return exitCodes.interrupted;
  }
};
