// Turns the words of a command line into a call of a verb and its exit code.
//
// #1 Exit codes: the verb's own; else those of `exit-codes.ts`.
// #2 Wrong use is reported in one line, which names what is missing or what was probably meant.

import { parseArgs } from "node:util";
import { Fault } from "@sluice/kernel";
import { exitCodeFor, exitUsage } from "./exit-codes.ts";
import { argumentText, countArguments, isRequired, type Verb, type VerbCall } from "./verb.ts";
import { describeWord, formatGroupHelp, formatHelp, formatOverview } from "./verb-help.ts";
import { addAll, findRow, findSimilar, listRows, loadVerbs, rowsBelow, type VerbIndex } from "./verb-index.ts";

export interface TerminalOutput {
  out(text: string): void;
  err(text: string): void;
}

const terminal: TerminalOutput = {
  out: (text) => void process.stdout.write(`${text}\n`),
  err: (text) => void process.stderr.write(`${text}\n`),
};

const helpWords = new Set(["--help", "-h"]);

export async function runCommandLine(words: readonly string[], index: VerbIndex, output: TerminalOutput = terminal): Promise<number> {
  const [first] = words;
  if (first === undefined) {
    output.err(formatOverview(index));
    return exitUsage;
  }
  if (helpWords.has(first)) return show(output, formatOverview(index));
  if (first === "--version") return show(output, (await import("./version.ts")).describeVersion());
  if (first === "help") return await help(words.slice(1), index, output);
  const named = words.some((word) => helpWords.has(word)) ? words : addAll(index, words);
  const row = findRow(index, named);
  if (row === null) return refuseUnknown(words, index, output);
  const raw = named.slice(row.name.split(" ").length);
  const verb = await row.load();
  if (raw.some((word) => helpWords.has(word)) || (raw.length === 1 && raw[0] === "help")) return show(output, formatHelp(verb));
  const reading = readCall(verb, raw);
  if (typeof reading === "string") return refuse(output, `${verb.name}: ${reading}; see ./sluice ${verb.name} --help`);
  try {
    return await verb.run(reading, () => loadVerbs(index));
  } catch (error) {
    output.err(`sluice: ${describeFailure(error)}`);
    return exitCodeFor(error);
  }
}

/** Only what nobody expected is shown with its stack. */
function describeFailure(error: unknown): string {
  if (error instanceof Fault) return error.message;
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "EADDRINUSE" && "port" in error)
    return `port ${String(error.port)} is taken by another process: give another one`;
  return error.stack ?? error.message;
}

function show(output: TerminalOutput, text: string): number {
  output.out(text);
  return 0;
}

function refuse(output: TerminalOutput, text: string): number {
  output.err(`sluice: ${text}`);
  return exitUsage;
}

async function help(words: readonly string[], index: VerbIndex, output: TerminalOutput): Promise<number> {
  const [first] = words;
  if (first === undefined) return show(output, formatOverview(index));
  const row = findRow(index, words);
  if (row !== null) return show(output, formatHelp(await row.load()));
  const below = rowsBelow(index, first);
  return below.length === 0 ? refuseUnknown(words, index, output) : show(output, formatGroupHelp(first, below));
}

/** #2 The first word of several verbs is answered with their list. */
function refuseUnknown(words: readonly string[], index: VerbIndex, output: TerminalOutput): number {
  const [first = "", second] = words;
  const below = rowsBelow(index, first);
  if (below.length > 0 && (second === undefined || helpWords.has(second) || second === "help")) {
    const text = formatGroupHelp(first, below);
    if (second !== undefined) return show(output, text);
    output.err(text);
    return exitUsage;
  }
  const names = listRows(index).map(({ name }) => name);
  const [given, known] = below.length > 0 ? [`${first} ${second}`, below.map(({ name }) => name)] : [first, names];
  const similar = findSimilar(given, [...known, ...(below.length > 0 ? [] : firstWords(names))]);
  return refuse(output, `there is no verb ${given}${meantText(similar)}; ./sluice --help lists all`);
}

function firstWords(names: readonly string[]): readonly string[] {
  return [...new Set(names.flatMap((name) => (name.includes(" ") ? [name.split(" ")[0] ?? name] : [])))];
}

function meantText(similar: readonly string[]): string {
  return similar.length === 0 ? "" : `; did you mean ${similar.join(" or ")}?`;
}

/** Returns a text that says what does not fit. */
function readCall(verb: Verb, raw: readonly string[]): VerbCall | string {
  const unknown = findUnknownOption(verb, raw);
  if (unknown !== null) return unknown;
  try {
    const { values, positionals } = parseArgs({ args: [...raw], options: verb.options, allowPositionals: true });
    const [least, most] = countArguments(verb);
    if (positionals.length < least) return `${missingArguments(verb, positionals.length).join(" and ")} is missing`;
    if (positionals.length > most) return `${positionals[most]} is one argument too many`;
    const lacking = Object.entries(verb.options).find(([name, spec]) => isRequired(spec) && (values[name] ?? "") === "");
    if (lacking !== undefined) return `--${lacking[0]} is missing: ${describeWord(lacking[1])}`;
    const unfit = findUnfit(verb, values, positionals);
    if (unfit !== null) return unfit;
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

function findUnknownOption(verb: Verb, raw: readonly string[]): string | null {
  const end = raw.indexOf("--");
  for (const word of end === -1 ? raw : raw.slice(0, end)) {
    const name = /^--([a-z][a-z-]*)(?:=.*)?$/.exec(word)?.[1];
    if (name === undefined || name in verb.options) continue;
    return `there is no option --${name}${meantText(findSimilar(name, Object.keys(verb.options)).map((one) => `--${one}`))}`;
  }
  return null;
}

/** #2 The last argument takes all words that are left. */
function findUnfit(verb: Verb, values: Readonly<Record<string, unknown>>, positionals: readonly string[]): string | null {
  const places = [
    ...positionals.map((word, at) => ({ word, name: word, place: verb.arguments[at] ?? verb.arguments.at(-1) })),
    ...Object.entries(verb.options).map(([name, place]) => ({ word: values[name], name: `--${name}`, place })),
  ];
  for (const { word, name, place } of places) {
    if (typeof word !== "string" || place === undefined || !("choices" in place) || place.choices === undefined) continue;
    if (place.choices.includes(word)) continue;
    const fitting = `${place.choices.join(", ")}${meantText(findSimilar(word, place.choices))}`;
    return name === word ? `${word} is no ${place.placeholder}: ${fitting}` : `${name} is one of ${fitting}`;
  }
  return null;
}

function missingArguments({ arguments: wanted }: Verb, given: number): readonly string[] {
  return wanted.slice(given).flatMap((argument) => ((argument.count?.[0] ?? 1) > 0 ? [argumentText(argument)] : []));
}
