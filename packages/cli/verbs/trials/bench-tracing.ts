// `./sluice bench tracing`: parses its options, and runs the bench in the terminal.

import { runInTerminal } from "./trial-terminal.ts";
import { readWhole } from "./whole-number.ts";
import { exitUsage } from "../../terminal/exit-codes.ts";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";

const defaults = { rounds: 5, rate: 60, seconds: 4 } as const;
const most = { rounds: 100, rate: 10_000, seconds: 3_600 } as const;

const run: RunVerb = async (call) => {
  const read = (name: keyof typeof defaults): number | null => readWhole(call.value(name) ?? String(defaults[name]), 1, most[name]);
  const [rounds, ratePerSecond, seconds] = [read("rounds"), read("rate"), read("seconds")];
  if (rounds === null || ratePerSecond === null || seconds === null) {
    const bounds = `--rounds to ${most.rounds}, --rate to ${most.rate}, --seconds to ${most.seconds}`;
    process.stderr.write(`sluice: bench tracing: whole numbers from 1, ${bounds}\n`);
    return exitUsage;
  }
  const { formatTracingReport, runTracingBench } = await import("@sluice/benches");
  return await runInTerminal(
    call.flag("json"),
    (say, signal) => runTracingBench({ rounds, ratePerSecond, seconds, say, signal, environment: process.env }),
    formatTracingReport,
  );
};

export const benchTracingVerb: Verb = {
  name: "bench tracing",
  summary: "what tracing costs: processor time of a journey without it, with one in a hundred traced, and with each, in turns",
  arguments: [],
  options: {
    rounds: {
      type: "string",
      placeholder: "N",
      text: `rounds of five turns: none, a hundredth, each traced, and back (${defaults.rounds})`,
    },
    rate: { type: "string", placeholder: "N", text: `debits a second (${defaults.rate})` },
    seconds: { type: "string", placeholder: "S", text: `of one turn (${defaults.seconds})` },
    json: jsonOption,
  },
  notes: [
    `Servers as for bench delivery. A round takes some 40 seconds, ${defaults.rounds} of them less than five minutes.`,
    "docs/benchmarks.md explains what is measured.",
  ],
  examples: ["bench tracing --rounds 5"],
  run,
};
