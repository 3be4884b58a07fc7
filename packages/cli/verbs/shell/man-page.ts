// Formats the manual page `sluice(1)` in roff, with the macros that every `man` has.
//
// #1 Texts are escaped: a backslash, a hyphen, a leading dot or quote means something in roff, and other than ASCII is
//    not read alike everywhere.

import { exitCodes } from "../../terminal/exit-codes.ts";
import { describeWord, usageParts } from "../../terminal/verb-help.ts";
import { argumentText, optionText, type Verb } from "../../terminal/verb.ts";

const environment: readonly (readonly [string, string])[] = [
  ["SLUICE_CONTROL_URL", "the console that operators' verbs call, if --console is not given; else what is up"],
  ["SLUICE_PROFILE", "the profile whose console is called, if neither --console, --profile nor SLUICE_CONTROL_URL is given"],
  ["SLUICE_OPERATOR_TOKEN", "the operator's token, where no profile has one or is signed in (sluice login)"],
  ["SLUICE_CONTROL_CA_FILE", "PEM file of authorities that the control API's certificate may be from"],
  ["SLUICE_BANK_TOKEN", "the token of the bank as which send posts messages"],
  ["NO_COLOR", "any value: no colour on a terminal"],
  ["MONGO_URL", "the store that trials and benches use; else a local one"],
];

const files: readonly (readonly [string, string])[] = [
  [".sluice/up", "data, logs and addresses of what up has started"],
  ["~/.config/sluice/profiles.json", "the profiles (or below XDG_CONFIG_HOME)"],
  [".sluice/trial", "histories and logs of trials"],
  [".sluice/reports", "reports of tests"],
];

export function formatManPage(table: readonly Verb[]): string {
  const lines = [
    ".TH SLUICE 1",
    ".SH NAME",
    String.raw`sluice \- a payments engine between a bank and the payment schemes`,
    ".SH SYNOPSIS",
    String.raw`\fB./sluice\fR \fIVERB\fR [\fIARGUMENT\fR...] [\fIOPTION\fR...]`,
    ".SH VERBS",
    ...table.flatMap(verbLines),
    ".SH EXIT STATUS",
    ...exitCodes.flatMap(termLines),
    ".SH ENVIRONMENT",
    ...environment.flatMap(termLines),
    ".SH FILES",
    ...files.flatMap(termLines),
  ];
  return `${lines.join("\n")}\n`;
}

function verbLines(verb: Verb): readonly string[] {
  const { name, summary, arguments: wanted, options, notes = [], examples } = verb;
  const words = [
    ...wanted.map((argument) => [argumentText(argument), describeWord(argument)] as const),
    ...Object.entries(options).map(([option, spec]) => [optionText(option, spec), describeWord(spec)] as const),
  ];
  return [
    `.SS ${escapeText(name)}`,
    ".nh",
    `\\fB${usageParts(verb).map(escapePart).join(" ")}\\fR`,
    ".hy",
    ".PP",
    escapeText(summary),
    ...words.flatMap(termLines),
    ...(notes.length === 0 ? [] : [".PP", ...notes.map(escapeText)]),
    ".PP",
    ".EX",
    ...examples.map((example) => escapeText(`./sluice ${example}`)),
    ".EE",
  ];
}

function termLines([term, text]: readonly [string, string]): readonly string[] {
  return [".TP", `\\fB${escapePart(term)}\\fR`, escapeText(text)];
}

/** #1 */
function escapeText(text: string): string {
  const escaped = escapePart(text);
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

function escapePart(text: string): string {
  return text
    .replaceAll("\\", String.raw`\e`)
    .replaceAll("-", String.raw`\-`)
    .replaceAll(/[^\n -~]/gu, (letter) => `\\[u${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`);
}
