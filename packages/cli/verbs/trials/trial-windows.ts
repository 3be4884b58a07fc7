// `./sluice trial windows`: parses its options, and runs the trial in the terminal.

import { machineTime } from "@sluice/kernel";
import { runInTerminal } from "./trial-terminal.ts";
import { readWhole } from "./whole-number.ts";
import { exitUsage } from "../../terminal/exit-codes.ts";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";

const windowsDefault = 200;
const windowsMax = 2_400;
const seedMax = 2 ** 31;
const seedsDrawn = 1_000_000;

const run: RunVerb = async (call) => {
  const seed = readWhole(call.value("seed") ?? String(Math.floor(machineTime.nowMs() / 1_000) % seedsDrawn), 0, seedMax);
  const windows = readWhole(call.value("windows") ?? String(windowsDefault), 1, windowsMax);
  if (seed === null || windows === null) {
    process.stderr.write(`sluice: trial windows: --seed is a whole number, --windows one from 1 to ${windowsMax}\n`);
    return exitUsage;
  }
  const { formatWindowsReport, runWindowsTrial } = await import("@sluice/trials");
  const options = { seed, windows, isKept: call.flag("keep") };
  return await runInTerminal(call.flag("json"), (say, signal) => runWindowsTrial(options, say, signal), formatWindowsReport);
};

export const trialWindowsVerb: Verb = {
  name: "trial windows",
  summary: "three schedulers over many short windows, with kills, stops and wrong clocks; verifies the topics",
  arguments: [],
  options: {
    seed: { type: "string", placeholder: "N", text: "the same seed gives the same plan of faults (one is drawn and printed)" },
    windows: {
      type: "string",
      placeholder: "N",
      text: `in rounds of up to 24, each a business day on fresh servers (${windowsDefault}: about half an hour)`,
    },
    keep: {
      type: "boolean",
      text: "also keeps histories and logs of good rounds; those of bad ones are always kept, in .sluice/trial",
    },
    json: jsonOption,
  },
  notes: ["Wrong clocks need libfaketime; without it the run says so and continues."],
  examples: ["trial windows --seed 1 --windows 24"],
  run,
};
