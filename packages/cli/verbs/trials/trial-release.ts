// `./sluice trial release`: parses its options, and runs the trial in the terminal.

import { machineRandom } from "@sluice/kernel";
import { runInTerminal } from "./trial-terminal.ts";
import { readWhole } from "./whole-number.ts";
import { exitUsage } from "../../terminal/exit-codes.ts";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";

const heldDefault = 200_000;
const heldMax = 5_000_000;

const run: RunVerb = async (call) => {
  const held = readWhole(call.value("held") ?? String(heldDefault), 1, heldMax);
  if (held === null) {
    process.stderr.write(`sluice: trial release: --held is a whole number from 1 to ${heldMax}\n`);
    return exitUsage;
  }
  const { formatReleaseReport, runReleaseTrial } = await import("@sluice/trials");
  return await runInTerminal(
    call.flag("json"),
    (say, signal) => runReleaseTrial({ held, random: machineRandom, say, signal, environment: process.env }),
    formatReleaseReport,
  );
};

export const trialReleaseVerb: Verb = {
  name: "trial release",
  summary: "holds many debits, opens their window, and watches the scheduler's memory while they are released in order",
  arguments: [],
  options: { held: { type: "string", placeholder: "N", text: `how many (${heldDefault})` }, json: jsonOption },
  notes: [
    "Uses the store of MONGO_URL, else a local one; broker and registry are always its own. Figures are printed, not asserted;",
    "asserted are order, exactly one release each, and at most 300 MiB of the scheduler's memory.",
  ],
  examples: ["trial release --held 50000"],
  run,
};
