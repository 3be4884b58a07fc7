// `./sluice bench console`: parses its options, and runs the bench in the terminal.

import { runInTerminal } from "./trial-terminal.ts";
import { readSize, shortOption } from "./bench-options.ts";
import { readWhole } from "./whole-number.ts";
import { exitUsage } from "../../terminal/exit-codes.ts";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";

const transactions = { whole: 100_000, short: 5_000, least: 1_000, most: 10_000_000 } as const;
const rounds = { whole: 5, short: 2, most: 100 } as const;

const run: RunVerb = async (call) => {
  const size = readWhole(readSize(call, "transactions", transactions), transactions.least, transactions.most);
  const roundsAsked = readWhole(readSize(call, "rounds", rounds), 1, rounds.most);
  if (size === null) return refuse(`--transactions is a whole number from ${transactions.least} to ${transactions.most}`);
  if (roundsAsked === null) return refuse(`--rounds is a whole number from 1 to ${rounds.most}`);
  const { formatConsoleReport, runConsoleBench } = await import("@sluice/benches");
  return await runInTerminal(
    call.flag("json"),
    (say, signal) => runConsoleBench({ transactions: size, rounds: roundsAsked, say, signal, environment: process.env }),
    formatConsoleReport,
  );
};

function refuse(text: string): number {
  process.stderr.write(`sluice: bench console: ${text}\n`);
  return exitUsage;
}

export const benchConsoleVerb: Verb = {
  name: "bench console",
  summary: "how long the console's first page and its lists take over a store with many transactions",
  arguments: [],
  options: {
    transactions: {
      type: "string",
      placeholder: "N",
      text: `transactions in the store, of two days (${transactions.whole}; short ${transactions.short})`,
    },
    rounds: { type: "string", placeholder: "N", text: `rounds after the first (${rounds.whole}; short ${rounds.short})` },
    short: shortOption,
    json: jsonOption,
  },
  notes: [
    "Broker and registry are its own. The store is the local one in memory, or what MONGO_URL names: that keeps what it",
    "was filled with, and the next run of the same day and size does not fill it again.",
    "Times are printed, not asserted: they depend on the machine and on its load.",
  ],
  examples: ["bench console --short", "bench console --transactions 1000000 --json"],
  run,
};
