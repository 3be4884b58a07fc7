// `./sluice bench compare`: compares two reports that a bench printed with `--json`.

import { readFile } from "node:fs/promises";
import { exitUsage } from "../../terminal/exit-codes.ts";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";

const run: RunVerb = async (call) => {
  const reports: unknown[] = [];
  for (const file of call.positionals) {
    const text = await readFile(file, "utf8").catch(() => null);
    if (text === null) return refuse(`${file} cannot be read`);
    try {
      reports.push(JSON.parse(text));
    } catch {
      return refuse(`${file} is no JSON: what a bench prints with --json is`);
    }
  }
  const { compareReports, formatComparison } = await import("@sluice/benches");
  const compared = compareReports(reports[0], reports[1]);
  if (compared.figures.length === 0) return refuse("the two reports have no figure in common");
  process.stdout.write(`${call.flag("json") ? JSON.stringify(compared, null, 2) : formatComparison(compared)}\n`);
  return 0;
};

export const benchCompareVerb: Verb = {
  name: "bench compare",
  summary: "two reports of one bench, figure by figure: before, after, ratio, and whether their rounds lie apart",
  arguments: [
    { placeholder: "BEFORE", text: "a report that a bench printed with --json", completes: "files" },
    { placeholder: "AFTER", text: "another report of the same bench", completes: "files" },
  ],
  options: { json: jsonOption },
  notes: ["Speeds depend on the machine and its load: run both reports in turns, and compare ratios and processor time."],
  examples: ["bench compare before.json after.json"],
  run,
};

function refuse(text: string): number {
  process.stderr.write(`sluice: bench compare: ${text}\n`);
  return exitUsage;
}
