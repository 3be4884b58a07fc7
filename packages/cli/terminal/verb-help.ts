// Formats the overview, the help of a group and the help of a verb. No line is longer than `columnsMax`. A long example
// goes on in the next line as a shell takes it, so that it can still be pasted.

import { argumentText, isRequired, optionText, type Verb, type VerbArgument, type VerbOption } from "./verb.ts";
import type { VerbIndex, VerbRow } from "./verb-index.ts";

/** Columns of a line: what a terminal has at least. */
export const columnsMax = 80;

/** Verb, its words, and what they show. */
const overviewExamples = [
  ["demo", "", "a business day in a minute"],
  ["tx", " 0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60", "one transaction"],
  ["held", " --bank sample", "what waits, and why"],
] as const;

export function formatOverview(index: VerbIndex): string {
  const width = Math.max(...index.flatMap(({ rows }) => rows.map(({ name }) => name.length)));
  const groups = index.map(({ title, rows }) => [title, ...rows.map((row) => rowLine(row, width))].join("\n"));
  const names = index.flatMap(({ rows }) => rows.map(({ name }) => name));
  const examples = overviewExamples
    .filter(([name]) => names.includes(name))
    .map(([name, words, text]) => [`./sluice ${name}${words}`, text] as const);
  const exampleWidth = Math.max(0, ...examples.map(([command]) => command.length));
  return [
    "Sluice, a payments engine between a bank and the payment schemes.",
    "usage: ./sluice VERB [ARGUMENT…] [OPTION…]",
    ...groups,
    ["Examples", ...examples.map(([command, text]) => `  ${command.padEnd(exampleWidth)}  ${text}`)].join("\n"),
    "./sluice VERB --help says more; ./sluice man is the manual page.",
  ].join("\n\n");
}

/** The verbs that begin with the same word. */
export function formatGroupHelp(first: string, rows: readonly VerbRow[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return [`usage: ./sluice ${first} VERB`, ...rows.map((row) => rowLine(row, width)), `./sluice ${first} VERB --help says more.`].join(
    "\n",
  );
}

function rowLine({ name, line }: VerbRow, width: number): string {
  return `  ${name.padEnd(width)}  ${line}`;
}

export function formatHelp(verb: Verb): string {
  const { summary, notes = [], examples } = verb;
  const sections = [
    [...fold(words(summary), 2)],
    helpLines(verb),
    notes.flatMap((note) => fold(words(note), 2)),
    examples.flatMap(foldExample),
  ];
  return [foldUsage(usageParts(verb)), ...sections.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"))].join("\n\n");
}

/** Name, arguments and options; an option that is not required is in brackets. */
export function usageParts({ name, arguments: wanted, options }: Verb): readonly string[] {
  const given = Object.entries(options).map(([option, spec]) =>
    isRequired(spec) ? optionText(option, spec) : `[${optionText(option, spec)}]`,
  );
  return [name, ...wanted.map(argumentText), ...given];
}

function foldUsage(parts: readonly string[]): string {
  return fold(["./sluice", ...parts], 0, 4).join("\n");
}

function words(text: string): readonly string[] {
  return text.split(" ");
}

const goesOn = " \\";

/** Breaks before an option only: what belongs to it stays in its line. */
function foldExample(example: string): readonly string[] {
  const lines = fold(`./sluice ${example}`.split(/ (?=--)/), 2, 6, columnsMax - goesOn.length);
  return lines.map((line, index) => (index + 1 < lines.length ? `${line}${goesOn}` : line));
}

/** Lines of at most `columns`, indented; the second line and those after it by `hanging`. */
function fold(parts: readonly string[], indent: number, hanging = indent, columns = columnsMax): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + part.length <= columns) lines.splice(-1, 1, `${last} ${part}`);
    else lines.push(`${" ".repeat(last === undefined ? indent : hanging)}${part}`);
  }
  return lines;
}

/** Columns of the names; the text of a longer one begins on the next line. */
const namesMax = 24;

function helpLines({ arguments: wanted, options }: Verb): readonly string[] {
  const rows = [
    ...wanted.map((argument) => [argument.placeholder, describeWord(argument)] as const),
    ...Object.entries(options).map(([option, spec]) => [optionText(option, spec), describeWord(spec)] as const),
  ];
  const width = Math.min(namesMax, Math.max(...rows.map(([name]) => name.length)));
  return rows.flatMap(([name, text]) => {
    const [first = "", ...more] = fold(words(text), width + 4);
    return name.length > width ? [`  ${name}`, first, ...more] : [`  ${name.padEnd(width)}  ${first.trimStart()}`, ...more];
  });
}

/** The text of an argument or option, with its choices. */
export function describeWord(word: VerbArgument | VerbOption): string {
  const choices = "choices" in word ? (word.choices ?? []) : [];
  return choices.length === 0 ? word.text : `${word.text}: ${choices.join(", ")}`;
}
