// `./sluice bench journeys`: parses its options, and runs the bench in the terminal.

import { resolve } from "node:path";
import { formatJourneysReport, runJourneysBench } from "@sluice/benches";
import { runInTerminal } from "./trial-terminal.ts";
import { readWhole } from "./whole-number.ts";
import type { RunVerb } from "../../terminal/verb.ts";

const rateMax = 100_000;
const secondsDefault = 20;
const secondsMax = 3_600;
const exitUsage = 2;

export const benchJourneys: RunVerb = async (call) => {
  const rate = call.value("rate");
  const ratePerSecond = rate === null ? null : readWhole(rate, 1, rateMax);
  const seconds = readWhole(call.value("seconds") ?? String(secondsDefault), 1, secondsMax);
  if (rate !== null && ratePerSecond === null) return refuse(`--rate is a whole number from 1 to ${rateMax}`);
  if (seconds === null) return refuse(`--seconds is a whole number from 1 to ${secondsMax}`);
  const profile = call.value("profile");
  const profileDirectory = profile === null ? null : resolve(profile);
  return await runInTerminal(
    call.flag("json"),
    (say, signal) => runJourneysBench({ ratePerSecond, seconds, profileDirectory, say, signal, environment: process.env }),
    formatJourneysReport,
  );
};

function refuse(text: string): number {
  process.stderr.write(`sluice: bench journeys: ${text}\n`);
  return exitUsage;
}
