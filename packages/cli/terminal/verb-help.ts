// Formats the usage line and the help of verbs from their entries.

import type { Verb, VerbArgument, VerbOption } from "./verb.ts";

/** Columns of a usage line. */
const columnsMax = 120;

export function formatOverview(table: readonly Verb[]): string {
  const usages = table.map((verb) => `./sluice ${formatShortUsage(verb)}`);
  const width = Math.max(...usages.map((usage) => usage.length));
  const lines = table.map(({ summary }, index) => `  ${(usages[index] ?? "").padEnd(width)}  ${summary}`);
  return ["Sluice, a payments engine between a bank and the payment schemes.", "", ...lines, "", "./sluice VERB --help says more."].join(
    "\n",
  );
}

export function formatHelp(verb: Verb): string {
  const { summary, notes = [], examples } = verb;
  const sections = [[summary], helpLines(verb), notes, examples.map((example) => `./sluice ${example}`)];
  const indented = sections.filter((lines) => lines.length > 0).map((lines) => lines.map((line) => `  ${line}`).join("\n"));
  return [foldUsage(usageParts(verb)), ...indented].join("\n\n");
}

/** Name, arguments and options; an option that is not required is in brackets. */
export function usageParts({ name, arguments: wanted, options }: Verb): readonly string[] {
  const given = Object.entries(options).map(([option, spec]) =>
    isRequired(spec) ? optionText(option, spec) : `[${optionText(option, spec)}]`,
  );
  return [name, ...wanted.map(argumentText), ...given];
}

function foldUsage(parts: readonly string[]): string {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1) ?? "./sluice";
    if (lines.length > 0 && last.length + part.length >= columnsMax) lines.push(`    ${part}`);
    else lines.splice(-1, 1, `${last} ${part}`);
  }
  return lines.join("\n");
}

/** The options that are not required are in the verb's own help. */
function formatShortUsage({ name, arguments: wanted, options }: Verb): string {
  const given = Object.entries(options).flatMap(([option, spec]) => (isRequired(spec) ? [optionText(option, spec)] : []));
  return [name, ...wanted.map(argumentText), ...given].join(" ");
}

function isRequired(option: VerbOption): boolean {
  return option.type === "string" && option.isRequired === true;
}

function helpLines({ arguments: wanted, options }: Verb): readonly string[] {
  const rows = [
    ...wanted.map((argument) => [argument.placeholder, describeWord(argument)] as const),
    ...Object.entries(options).map(([option, spec]) => [optionText(option, spec), describeWord(spec)] as const),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `${name.padEnd(width)}  ${text}`);
}

/** The text of an argument or option, with its choices. */
export function describeWord(word: VerbArgument | VerbOption): string {
  const choices = "choices" in word ? (word.choices ?? []) : [];
  return choices.length === 0 ? word.text : `${word.text}: ${choices.join(", ")}`;
}

export function optionText(option: string, spec: VerbOption): string {
  return spec.type === "string" ? `--${option} ${spec.placeholder}` : `--${option}`;
}

export function argumentText({ placeholder, count: [least, most] = [1, 1] }: VerbArgument): string {
  const text = most > 1 ? `${placeholder}…` : placeholder;
  return least === 0 ? `[${text}]` : text;
}
