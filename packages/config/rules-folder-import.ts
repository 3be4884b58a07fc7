// An operator's table becomes a version of a rule's data: read, reported on, and written into the folder.
//
// #1 A version that is there is never written over. The file appears whole, under its name, or not at all.
// #2 What could not be understood is named with its line. Of a sort code table or substitution file nothing is taken then: one missing
//    row of two would refuse good numbers. Of CIM900 the branches that were understood are taken; the others are unknown.

import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCim900, readScsubtab, readValacdos } from "@sluice/account-validation";
import type { RefusedLine, TableReading } from "@sluice/account-validation";
import { Fault } from "@sluice/runtime";
import { readRulesFiles } from "./rules-folder.ts";
import { contentSha256Of, nameOf, readRulesFile, sha256, versionOf } from "./rules-folder-file.ts";
import type { RulesFile, TableFormat } from "./rules-folder-file.ts";

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
  readonly rule: "za-cdv" | "uk-modulus";
  readonly version: string;
  readonly effectiveFrom: string;
  /** In the folder. */
  readonly file: string;
  readonly linesRead: number;
  readonly rowsRead: number;
  readonly refused: readonly RefusedLine[];
  readonly remarks: readonly string[];
}

export const tableBytesMax = 64 * 1_048_576;
export const tableLinesMax = 200_000;

/** Throws Fault `rules.too-large`, `rules.unreadable`, `rules.invalid` or `rules.unwritable`, none retryable. */
export function importTable(given: TableImport): ImportReport {
  const { format, bytes, effectiveFrom, folder, isDryRun } = given;
  const reading = readTable(format, textOf(bytes));
  const sourceSha256 = sha256(bytes);
  const version = versionOf(effectiveFrom, sourceSha256);
  const file = nameOf({ format, version });
  const { content: _, ...told } = reading;
  const rule: ImportReport["rule"] = format === "cim900" ? "za-cdv" : "uk-modulus";
  const report = { format, rule, version, effectiveFrom, file, ...told };
  const isWhole = format === "cim900" ? reading.rowsRead > 0 : reading.rowsRead > 0 && reading.refused.length === 0;
  if (!isWhole) return { outcome: "refused", ...report };
  if (isThere(folder, file, sourceSha256)) return { outcome: "already-there", ...report };
  if (isDryRun) return { outcome: "would-import", ...report };
  mkdirSync(folder, { recursive: true });
  const sequence = readRulesFiles(folder).reduce((last, one) => Math.max(last, one.sequence), 0) + 1;
  writeOnce(folder, file, JSON.stringify(fileOf(given, version, sourceSha256, sequence, reading)));
  return { outcome: "imported", ...report };
}

function readTable(format: TableFormat, text: string): TableReading<unknown> {
  if (format === "cim900") return readCim900(text);
  return format === "valacdos" ? readValacdos(text) : readScsubtab(text);
}

/** A byte a character, so that positions are those of the file, whatever is written in its names. */
function textOf(bytes: Uint8Array): string {
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

function fileOf(
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
    contentSha256: contentSha256Of(content),
    content,
  };
}

/** True where this very table is there under its name; throws where something else is. */
function isThere(folder: string, file: string, sourceSha256: string): boolean {
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
