// `./sluice bench journeys`: parses its options, and runs the bench in the terminal.

import { resolve } from "node:path";
import { runInTerminal } from "./trial-terminal.ts";
import { readSize, shortOption } from "./bench-options.ts";
import { readWhole } from "./whole-number.ts";
import { exitUsage } from "../../terminal/exit-codes.ts";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";

const rateMax = 100_000;
/** The rule of what is sustained compares tens of seconds: in twenty it finds only a collapse. */
const seconds = { whole: 60, short: 20, most: 3_600 } as const;

const run: RunVerb = async (call) => {
  const rate = call.value("rate");
  const ratePerSecond = rate === null ? null : readWhole(rate, 1, rateMax);
  const secondsAsked = readWhole(readSize(call, "seconds", seconds), 1, seconds.most);
  if (rate !== null && ratePerSecond === null) return refuse(`--rate is a whole number from 1 to ${rateMax}`);
  if (secondsAsked === null) return refuse(`--seconds is a whole number from 1 to ${seconds.most}`);
  const profile = call.value("profile");
  const profileDirectory = profile === null ? null : resolve(profile);
  const { formatJourneysReport, runJourneysBench } = await import("@sluice/benches");
  return await runInTerminal(
    call.flag("json"),
    (say, signal) => runJourneysBench({ ratePerSecond, seconds: secondsAsked, profileDirectory, say, signal, environment: process.env }),
    formatJourneysReport,
  );
};

export const benchJourneysVerb: Verb = {
  name: "bench journeys",
  summary: "whole on-us journeys through all services: the highest rate that is sustained, latencies, processor time",
  arguments: [],
  options: {
    rate: { type: "string", placeholder: "N", text: "debits a second (default: searches for the highest sustained rate)" },
    seconds: { type: "string", placeholder: "S", text: `at each rate (${seconds.whole}; short ${seconds.short})` },
    profile: {
      type: "string",
      placeholder: "DIR",
      text: "services write a profile of their processor time there (*.cpuprofile)",
      completes: "folders",
    },
    short: shortOption,
    json: jsonOption,
  },
  notes: [
    "Debits are posted at times fixed beforehand; latency counts from those. Servers as for bench delivery.",
    "Exit 0 if all journeys ended. docs/benchmarks.md explains what is measured.",
  ],
  examples: ["bench journeys --rate 200 --seconds 10"],
  run,
};

function refuse(text: string): number {
  process.stderr.write(`sluice: bench journeys: ${text}\n`);
  return exitUsage;
}
