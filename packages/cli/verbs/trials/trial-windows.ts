// `./sluice trial windows`: parses its options, and runs the trial in the terminal.

import { machineTime } from "@sluice/kernel";
import { runInTerminal } from "./trial-terminal.ts";
import { readWhole } from "./whole-number.ts";
import { formatWindowsReport, runWindowsTrial } from "@sluice/trials";
import type { RunVerb } from "../../terminal/verb.ts";

const windowsDefault = 200;
const windowsMax = 2_400;
const seedMax = 2 ** 31;
const seedsDrawn = 1_000_000;
const exitUsage = 2;

export const trialWindows: RunVerb = async (call) => {
  const seed = readWhole(call.value("seed") ?? String(Math.floor(machineTime.nowMs() / 1_000) % seedsDrawn), 0, seedMax);
  const windows = readWhole(call.value("windows") ?? String(windowsDefault), 1, windowsMax);
  if (seed === null || windows === null) {
    process.stderr.write(`sluice: trial windows: --seed is a whole number, --windows one from 1 to ${windowsMax}\n`);
    return exitUsage;
  }
  const options = { seed, windows, isKept: call.flag("keep") };
  return await runInTerminal(call.flag("json"), (say, signal) => runWindowsTrial(options, say, signal), formatWindowsReport);
};
