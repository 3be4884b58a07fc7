// `./sluice trial release`: parses its options, and runs the trial in the terminal.

import { machineRandom } from "@sluice/kernel";
import { runInTerminal } from "./trial-terminal.ts";
import { formatReleaseReport, runReleaseTrial } from "@sluice/trials";
import { readWhole } from "./whole-number.ts";
import type { RunVerb } from "../../terminal/verb.ts";

const heldDefault = 200_000;
const heldMax = 5_000_000;
const exitUsage = 2;

export const trialRelease: RunVerb = async (call) => {
  const held = readWhole(call.value("held") ?? String(heldDefault), 1, heldMax);
  if (held === null) {
    process.stderr.write(`sluice: trial release: --held is a whole number from 1 to ${heldMax}\n`);
    return exitUsage;
  }
  return await runInTerminal(
    call.flag("json"),
    (say, signal) => runReleaseTrial({ held, random: machineRandom, say, signal, environment: process.env }),
    formatReleaseReport,
  );
};
