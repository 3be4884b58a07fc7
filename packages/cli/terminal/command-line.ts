// Turns the words of a command line into a call of a verb and its exit code.
//
// #1 Exit codes: the verb's own; 1 with the reason if it failed; 2 for a verb, option or argument that does not fit.
// #2 Wrong use is reported in one line.

import { parseArgs } from "node:util";
import { Fault } from "@sluice/kernel";
import { verbs } from "../verbs.ts";
import { countArguments, type VerbCall, type Verb } from "./verb.ts";
import { formatHelp, formatOverview } from "./verb-help.ts";

const exitFailed = 1;
const exitUsage = 2;

export interface TerminalOutput {
  out(text: string): void;
  err(text: string): void;
}

const terminal: TerminalOutput = {
  out: (text) => void process.stdout.write(`${text}\n`),
  err: (text) => void process.stderr.write(`${text}\n`),
};

export async function runCommandLine(
  words: readonly string[],
  table: readonly Verb[] = verbs,
  output: TerminalOutput = terminal,
): Promise<number> {
  const [first] = words;
  if (first === undefined) {
    output.err(formatOverview(table));
    return exitUsage;
  }
  if (first === "--help" || first === "-h" || first === "help") {
    output.out(formatOverview(table));
    return 0;
  }
  const verb = table.find(({ name }) => name === first || name === words.slice(0, 2).join(" "));
  if (verb === undefined) return refuse(output, `there is no verb ${first}; ./sluice --help lists all`);
  const raw = words.slice(verb.name.split(" ").length);
  if (raw.some((word) => word === "--help" || word === "-h")) {
    output.out(formatHelp(verb));
    return 0;
  }
  const reading = readCall(verb, raw);
  if (typeof reading === "string") return refuse(output, `${verb.name}: ${reading}; see ./sluice ${verb.name} --help`);
  try {
    return await verb.run(reading, table);
  } catch (error) {
    output.err(error instanceof Fault ? `sluice: ${error.message}` : `sluice: ${error instanceof Error ? error.stack : String(error)}`);
    return exitFailed;
  }
}

function refuse(output: TerminalOutput, text: string): number {
  output.err(`sluice: ${text}`);
  return exitUsage;
}

/** Returns a text that says what does not fit. */
function readCall(verb: Verb, raw: readonly string[]): VerbCall | string {
  try {
    const { values, positionals } = parseArgs({ args: [...raw], options: verb.options, allowPositionals: true });
    const [least, most] = countArguments(verb);
    if (positionals.length < least) return "an argument is missing";
    if (positionals.length > most) return `${positionals[most]} is one argument too many`;
    return {
      positionals,
      raw,
      flag: (name) => values[name] === true,
      value(name) {
        const value = values[name];
        return typeof value === "string" ? value : null;
      },
    };
  } catch (error) {
    return error instanceof Error ? (error.message.split(". ")[0] ?? "") : "the options are not readable";
  }
}
