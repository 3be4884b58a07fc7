// The benches that compare with a limit measured in the same run: `./sluice bench ingress`, `bench scheduler`,
// `bench dead-bank`, `bench idle` and `bench opening`. They differ in what they play, so their verbs are rows.

import { limitsSizes } from "@sluice/benches/sizes";
import { runInTerminal } from "./trial-terminal.ts";
import { readSize, shortOption } from "./bench-options.ts";
import { readWhole } from "./whole-number.ts";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";

interface LimitsBench {
  readonly name: "ingress" | "scheduler" | "dead-bank" | "idle" | "opening";
  readonly summary: string;
  /** The option that says how much is played. */
  readonly sizeOption: string;
  readonly sizeText: string;
  readonly sizeMost: number;
}

const exitUsage = 2;
const roundsMost = 100;

function buildVerb(bench: LimitsBench): Verb {
  const { name, sizeOption, sizeMost } = bench;
  const { size, rounds } = limitsSizes[name];
  const isOnce = rounds.whole === 1;
  const refuse = (text: string): number => {
    process.stderr.write(`sluice: bench ${name}: ${text}\n`);
    return exitUsage;
  };
  const run: RunVerb = async (call) => {
    const sizeAsked = readWhole(readSize(call, sizeOption, size), 1, sizeMost);
    const roundsAsked = isOnce ? 1 : readWhole(readSize(call, "rounds", rounds), 1, roundsMost);
    if (sizeAsked === null) return refuse(`--${sizeOption} is a whole number from 1 to ${sizeMost}`);
    if (roundsAsked === null) return refuse(`--rounds is a whole number from 1 to ${roundsMost}`);
    const benches = await import("@sluice/benches");
    const runs = {
      ingress: benches.runIngressBench,
      scheduler: benches.runSchedulerBench,
      "dead-bank": benches.runDeadBankBench,
      idle: benches.runIdleBench,
      opening: benches.runOpeningBench,
    };
    return await runInTerminal(
      call.flag("json"),
      (say, signal) => runs[name]({ size: sizeAsked, rounds: roundsAsked, say, signal, environment: process.env }),
      benches.formatLimitsReport,
    );
  };
  return {
    name: `bench ${name}`,
    summary: bench.summary,
    arguments: [],
    options: {
      [sizeOption]: { type: "string", placeholder: "N", text: `${bench.sizeText} (${size.whole}; short ${size.short})` },
      ...(isOnce ? {} : { rounds: { type: "string", placeholder: "N", text: `rounds (${rounds.whole}; short ${rounds.short})` } }),
      short: shortOption,
      json: jsonOption,
    },
    notes: [
      "Servers as for bench delivery. Figures and goals are printed, not asserted: speeds depend on the machine.",
      "docs/benchmarks.md explains what is measured.",
    ],
    examples: [`bench ${name} --short`],
    run,
  };
}

export const benchIngressVerb = buildVerb({
  name: "ingress",
  summary: "debits a second that ingress takes, alone, against a bare HTTP server and against plain produce of the same bytes",
  sizeOption: "debits",
  sizeText: "debits of each turn",
  sizeMost: 1_000_000,
});

export const benchSchedulerVerb = buildVerb({
  name: "scheduler",
  summary: "records a second of the scheduler from a full journal, alone, against consuming them and writing their bytes in bulks",
  sizeOption: "debits",
  sizeText: "debits in the journal",
  sizeMost: 1_000_000,
});

export const benchDeadBankVerb = buildVerb({
  name: "dead-bank",
  summary: "latency of nine banks' messages while a tenth bank never answers, against the same traffic with one that does",
  sizeOption: "seconds",
  sizeText: "of each turn",
  sizeMost: 3_600,
});

export const benchIdleVerb = buildVerb({
  name: "idle",
  summary: "processor time and memory of each service while nothing happens, against a process that only polls the journal",
  sizeOption: "seconds",
  sizeText: "of each round",
  sizeMost: 3_600,
});

export const benchOpeningVerb = buildVerb({
  name: "opening",
  summary: "how fast held debits leave when their window opens, against what their bank can take",
  sizeOption: "held",
  sizeText: "debits held",
  sizeMost: 1_000_000,
});
