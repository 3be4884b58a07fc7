// `./sluice bench starts`: parses its options, and runs the bench in the terminal.

import { runInTerminal } from "./trial-terminal.ts";
import { readSize, shortOption } from "./bench-options.ts";
import { readWhole } from "./whole-number.ts";
import { exitUsage } from "../../terminal/exit-codes.ts";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";

const rounds = { whole: 5, short: 2, most: 100 } as const;

const run: RunVerb = async (call) => {
  const roundsAsked = readWhole(readSize(call, "rounds", rounds), 1, rounds.most);
  if (roundsAsked === null) {
    process.stderr.write(`sluice: bench starts: --rounds is a whole number from 1 to ${rounds.most}\n`);
    return exitUsage;
  }
  const { formatStartsReport, runStartsBench } = await import("@sluice/benches");
  return await runInTerminal(
    call.flag("json"),
    (say, signal) => runStartsBench({ rounds: roundsAsked, say, signal, environment: process.env }),
    formatStartsReport,
  );
};

export const benchStartsVerb: Verb = {
  name: "bench starts",
  summary: "how long each service takes to start as its container starts it: until it listens, and until it is ready",
  arguments: [],
  options: {
    rounds: {
      type: "string",
      placeholder: "N",
      text: `starts of each service, with the image's cache of compiled code and without (${rounds.whole}; short ${rounds.short})`,
    },
    short: shortOption,
    json: jsonOption,
  },
  notes: ["Servers as for bench delivery. Times are printed, not asserted: they depend on the machine and on its load."],
  examples: ["bench starts --rounds 3"],
  run,
};
