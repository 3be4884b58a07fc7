// `./sluice rules import`: imports an operator's table as a new version of a rule's data.

import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { type ImportReport, importTable, tableBytesMax, tableFormats } from "@sluice/config";
import { Fault } from "@sluice/kernel";
import { chosenRules, parseDateOption, exitFailed, parseChoiceOption, reportRulesMisuse, rulesTerminal, misuse } from "./rules-terminal.ts";
import type { RunVerb } from "../../terminal/verb.ts";

const refusedLinesShown = 20;

export const runRulesImport = reportRulesMisuse("rules import", (call, where) => {
  const format = parseChoiceOption(call, "format", tableFormats, null);
  const effectiveFrom = parseDateOption(call, "effective-from", where.today());
  const { folder } = chosenRules(call, where);
  if (folder === null) throw misuse("needs --folder, or --config with a file that has a rulesFolder");
  const [file = ""] = call.positionals;
  const report = importTable({
    format,
    sourceName: basename(file),
    bytes: readTable(file),
    effectiveFrom,
    importedAt: where.now(),
    folder,
    isDryRun: call.flag("dry-run"),
  });
  where.out(call.flag("json") ? JSON.stringify(report, null, 2) : formatReport(report));
  return report.outcome === "refused" ? exitFailed : 0;
});

export const rulesImport: RunVerb = (call) => Promise.resolve(runRulesImport(call, rulesTerminal));

function readTable(file: string): Uint8Array {
  try {
    if (statSync(file).size <= tableBytesMax) return readFileSync(file);
  } catch (cause) {
    throw new Fault("cli.unfit-file", `${file} cannot be read`, { isRetryable: false, cause });
  }
  throw new Fault("cli.unfit-file", `${file} is larger than ${tableBytesMax} bytes`, { isRetryable: false });
}

const outcomes: Readonly<Record<ImportReport["outcome"], string>> = {
  imported: "imported",
  "already-there": "already there, nothing changed",
  "would-import": "would be imported; nothing was written",
  refused: "refused; nothing was written",
};

function formatReport({ outcome, rule, version, effectiveFrom, linesRead, rowsRead, refused, warnings }: ImportReport): string {
  const shown = refused.slice(0, refusedLinesShown);
  return [
    `${rule} version ${version}, in force from ${effectiveFrom}: ${outcomes[outcome]}`,
    `${linesRead} lines read, ${rowsRead} rows understood, ${refused.length} lines refused`,
    ...shown.map(({ line, reason }) => `  line ${line}: ${reason}`),
    ...(refused.length > shown.length ? [`  and ${refused.length - shown.length} more; --json names all`] : []),
    ...warnings,
  ].join("\n");
}
