// `./sluice rules import`: imports an operator's table as a new version of a rule's data.

import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import type { ImportReport } from "@sluice/config";
import { Fault } from "@sluice/kernel";
import {
  parseDateOption,
  exitFailed,
  parseChoiceOption,
  reportRulesMisuse,
  rulesFolderOptions,
  asRulesVerb,
  misuse,
} from "./rules-terminal.ts";
import type { Verb } from "../../terminal/verb.ts";

const refusedLinesShown = 20;

export const runRulesImport = reportRulesMisuse("rules import", async (call, where) => {
  const { importTable, tableBytesMax, tableFormats } = await import("@sluice/config");
  const { chosenRules } = await import("./chosen-rules.ts");
  const format = parseChoiceOption(call, "format", tableFormats, null);
  const effectiveFrom = parseDateOption(call, "effective-from", where.today());
  const { folder } = chosenRules(call, where);
  if (folder === null) throw misuse("needs --folder, or --config with a file that has a rulesFolder");
  const [file = ""] = call.positionals;
  const report = importTable({
    format,
    sourceName: basename(file),
    bytes: readTable(file, tableBytesMax),
    effectiveFrom,
    importedAt: where.now(),
    folder,
    isDryRun: call.flag("dry-run"),
  });
  where.out(call.flag("json") ? JSON.stringify({ schema: "RulesImport", ...report }, null, 2) : formatReport(report));
  return report.outcome === "refused" ? exitFailed : 0;
});

export const rulesImportVerb: Verb = {
  name: "rules import",
  summary: "imports a table of a clearing house as a new version of a rule's data",
  arguments: [{ placeholder: "FILE", text: "the table", completes: "files" }],
  options: {
    format: { type: "string", placeholder: "FORMAT", text: "of the table", choices: ["cim900", "valacdos", "scsubtab"], isRequired: true },
    "effective-from": { type: "string", placeholder: "DATE", text: "first day that it decides on, YYYY-MM-DD (today)" },
    "dry-run": { type: "boolean", text: "only the report" },
    ...rulesFolderOptions,
    json: { type: "boolean", text: "prints the report with every refused line" },
  },
  notes: [
    "Needs --folder, or --config with a file that has a rulesFolder. Services read the folder when they start.",
    "Exit 0 if it is imported or was imported before; 1 if it is refused.",
  ],
  examples: ["rules import --format valacdos valacdos.txt --folder rules --effective-from 2026-12-01"],
  run: asRulesVerb(runRulesImport),
};

function readTable(file: string, bytesMax: number): Uint8Array {
  try {
    if (statSync(file).size <= bytesMax) return readFileSync(file);
  } catch (cause) {
    throw new Fault("cli.unfit-file", `${file} cannot be read`, { isRetryable: false, cause });
  }
  throw new Fault("cli.unfit-file", `${file} is larger than ${bytesMax} bytes`, { isRetryable: false });
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
