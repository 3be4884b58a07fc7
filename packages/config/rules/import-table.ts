// Imports an operator's table as a version of a rule's data: reads it, reports on it, and writes it into the folder.
//
// #1 An existing version is never overwritten. The file appears complete under its name, or not at all.
// #2 Lines that cannot be understood are named. A sort code table or substitution file with such a line is refused,
//    because a missing row would reject good account numbers. Of CIM900 the understood branches are imported, and the
//    others are unknown.

import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCim900, readScsubtab, readValacdos, type RefusedLine, type RuleName, type TableReading } from "@sluice/account-validation";
import { Fault } from "@sluice/kernel";
import { readRulesFiles } from "./rules-folder.ts";
import { hashContent, hashSource, readRulesFile, type RulesFile, rulesFileName, type TableFormat, tableVersion } from "./rules-file.ts";

export interface TableImport {
  readonly format: TableFormat;
  readonly sourceName: string;
  readonly bytes: Uint8Array;
  /** YYYY-MM-DD. */
  readonly effectiveFrom: string;
  /** RFC 3339. */
  readonly importedAt: string;
  readonly folder: string;
  readonly isDryRun: boolean;
}

export interface ImportReport {
  readonly outcome: "imported" | "already-there" | "would-import" | "refused";
  readonly format: TableFormat;
  readonly rule: RuleName;
  readonly version: string;
  readonly effectiveFrom: string;
  /** Name of the file in the folder. */
  readonly file: string;
  readonly linesRead: number;
  readonly rowsRead: number;
  readonly refused: readonly RefusedLine[];
  readonly warnings: readonly string[];
}

export const tableBytesMax = 64 * 1_048_576;
const tableLinesMax = 200_000;

const rulesByFormat: Readonly<Record<TableFormat, RuleName>> = { cim900: "za-cdv", valacdos: "uk-modulus", scsubtab: "uk-modulus" };

/**
 * Imports a table. Throws Fault `rules.too-large`, `rules.unreadable`, `rules.invalid` or `rules.unwritable`, none
 * retryable.
 */
export function importTable(given: TableImport): ImportReport {
  const { format, bytes, effectiveFrom, folder, isDryRun } = given;
  const reading = readTable(format, decodeText(bytes));
  const sourceSha256 = hashSource(bytes);
  const version = tableVersion(effectiveFrom, sourceSha256);
  const file = rulesFileName({ format, version });
  const { content: _, ...findings } = reading;
  const report = { format, rule: rulesByFormat[format], version, effectiveFrom, file, ...findings };
  const isWhole = format === "cim900" ? reading.rowsRead > 0 : reading.rowsRead > 0 && reading.refused.length === 0;
  if (!isWhole) return { outcome: "refused", ...report };
  if (isImported(folder, file, sourceSha256)) return { outcome: "already-there", ...report };
  if (isDryRun) return { outcome: "would-import", ...report };
  mkdirSync(folder, { recursive: true });
  const sequence = readRulesFiles(folder).reduce((last, one) => Math.max(last, one.sequence), 0) + 1;
  writeOnce(folder, file, JSON.stringify(buildFile(given, version, sourceSha256, sequence, reading)));
  return { outcome: "imported", ...report };
}

function readTable(format: TableFormat, text: string): TableReading<unknown> {
  if (format === "cim900") return readCim900(text);
  return format === "valacdos" ? readValacdos(text) : readScsubtab(text);
}

/** Decodes one character per byte, so that positions are those of the file, whatever its names contain. */
function decodeText(bytes: Uint8Array): string {
  if (bytes.length > tableBytesMax) throw tooLarge(`${tableBytesMax} bytes`);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  if (lines > tableLinesMax) throw tooLarge(`${tableLinesMax} lines`);
  return text;
}

function tooLarge(bound: string): Fault {
  return new Fault("rules.too-large", `rules: the table has more than ${bound}`, { isRetryable: false });
}

function buildFile(
  given: TableImport,
  version: string,
  sourceSha256: string,
  sequence: number,
  { content, linesRead }: TableReading<unknown>,
): Omit<RulesFile, "content"> & { readonly content: unknown } {
  const { format, sourceName, bytes, effectiveFrom, importedAt } = given;
  return {
    schema: "sluice-rules/1",
    format,
    version,
    effectiveFrom,
    sequence,
    importedAt,
    source: { name: sourceName, sha256: sourceSha256, bytes: bytes.length, lines: linesRead },
    contentSha256: hashContent(content),
    content,
  };
}

/** Tells whether this table already exists under its name. Throws if the name holds something else. */
function isImported(folder: string, file: string, sourceSha256: string): boolean {
  const path = join(folder, file);
  if (!existsSync(path)) return false;
  const read = readRulesFile(file, readFileSync(path, "utf8"));
  if (typeof read !== "string" && read.source.sha256 === sourceSha256) return true;
  throw new Fault("rules.invalid", `rules: ${path} is there and holds something else`, { isRetryable: false });
}

function writeOnce(folder: string, file: string, text: string): void {
  const written = join(folder, `.${file}.tmp`);
  try {
    const descriptor = openSync(written, "w", 0o644);
    try {
      writeFileSync(descriptor, `${text}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    linkSync(written, join(folder, file));
  } catch (cause) {
    throw new Fault("rules.unwritable", `rules: ${file} cannot be written into ${folder}`, { isRetryable: false, cause });
  } finally {
    rmSync(written, { force: true });
  }
}
