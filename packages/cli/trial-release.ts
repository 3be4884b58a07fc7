// `./sluice trial release`: its options, what it says while it runs, and its end.

import { machineRandom } from "@sluice/runtime";
import { tellTrial } from "./trial-terminal.ts";
import { formatReleaseReport, runReleaseTrial } from "./trial/release.ts";
import { readWhole } from "./trial/whole-number.ts";
import type { RunVerb } from "./verbs.ts";

const heldDefault = 200_000;
const heldMax = 5_000_000;
const exitUsage = 2;

export const trialRelease: RunVerb = async (call) => {
  const held = readWhole(call.value("held") ?? String(heldDefault), 1, heldMax);
  if (held === null) {
    process.stderr.write(`sluice: trial release: --held is a whole number from 1 to ${heldMax}\n`);
    return exitUsage;
  }
  return await tellTrial(
    call.flag("json"),
    (say, signal) => runReleaseTrial({ held, random: machineRandom, say, signal, environment: process.env }),
    formatReleaseReport,
  );
};
