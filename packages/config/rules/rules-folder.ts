// Builds an operator's rule book from the shipped rules and the folder of imported rule data.
//
// #1 All or nothing: a file that is unreadable or was changed ends the reading, because a process with half of the
//    tables would decide differently from the other processes.
// #2 A version of rule uk-modulus is a table with the substitutions of its day. Every such pair has a name and can be
//    asked for again. The pair in force consists of the table and the substitutions in force.

import { lstatSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  createCdvData,
  createUkModulusData,
  orderRuleVersions,
  type RuleBook,
  type RuleVersion,
  shippedRules,
  type UkModulusData,
} from "@sluice/account-validation";
import { Fault } from "@sluice/kernel";
import { readRulesFile, type RulesFile, type RulesFileInFormat, type TableFormat } from "./rules-file.ts";

const rulesFilesMax = 1_000;
const rulesFileBytesMax = 128 * 1_048_576;

/**
 * Reads the rule book; a null path gives the shipped rules alone. Throws Fault `rules.unreadable` or `rules.invalid`,
 * neither retryable.
 */
export function readRulesFolder(path: string | null): RuleBook {
  return path === null ? shippedRules : buildRuleBook(readRulesFiles(path));
}

/** Returns the files in the order of their import. */
export function readRulesFiles(folder: string): readonly RulesFile[] {
  const names = listNames(folder).filter((name) => name.endsWith(".json") && !name.startsWith("."));
  if (names.length > rulesFilesMax) throw invalid(folder, `more than ${rulesFilesMax} files`);
  const files = names.map((name) => {
    const path = join(folder, name);
    const read = readRulesFile(name, readText(path));
    if (typeof read === "string") throw invalid(path, read);
    return read;
  });
  return files.toSorted((a, b) => a.sequence - b.sequence);
}

function buildRuleBook(files: readonly RulesFile[]): RuleBook {
  const imported = inFormat(files, "cim900").map(({ version, effectiveFrom, content }) => ({
    version,
    effectiveFrom,
    origin: "imported" as const,
    data: createCdvData({ version, ...content }),
  }));
  const tables = inFormat(files, "valacdos");
  const substitutions = inFormat(files, "scsubtab");
  return {
    ...shippedRules,
    "za-cdv": orderRuleVersions([...shippedRules["za-cdv"], ...imported]),
    "uk-modulus": ukVersions(tables, substitutions),
  };
}

type Table = RulesFileInFormat<"valacdos">;
type Substitutions = RulesFileInFormat<"scsubtab"> | null;

function ukVersions(tables: readonly Table[], given: readonly NonNullable<Substitutions>[]): readonly RuleVersion<UkModulusData>[] {
  const changes = [...new Set([...tables, ...given].map(({ effectiveFrom }) => effectiveFrom))].sort();
  const inForce = changes.flatMap((date) => {
    const table = latest(tables, date);
    return table === null ? [] : [buildPair(table, latest(given, date), date)];
  });
  const versions = orderRuleVersions(inForce);
  const named = new Set(versions.map(({ version }) => version));
  const pairs = tables.flatMap((table) => [null, ...given].map((one) => buildPair(table, one, table.effectiveFrom)));
  const others = pairs.filter(({ version }) => !named.has(version));
  // These pairs are in force on no day now, but decisions may have been made with them before a later import.
  return [...versions, ...others.map((one) => ({ ...one, effectiveTo: one.effectiveFrom }))];
}

/** Returns the file in force on a date; of two files from one date, the one imported later. */
function latest<File extends { readonly effectiveFrom: string }>(files: readonly File[], date: string): File | null {
  const begun = files.filter(({ effectiveFrom }) => effectiveFrom <= date);
  const start = begun.reduce((last, { effectiveFrom }) => (effectiveFrom > last ? effectiveFrom : last), "");
  return begun.findLast(({ effectiveFrom }) => effectiveFrom === start) ?? null;
}

function buildPair(table: Table, substitutions: Substitutions, effectiveFrom: string): Omit<RuleVersion<UkModulusData>, "effectiveTo"> {
  return {
    version: substitutions === null ? table.version : `${table.version}+${substitutions.version}`,
    effectiveFrom,
    origin: "imported",
    data: createUkModulusData({ rows: table.content.rows, substitutions: substitutions?.content.substitutions ?? null }),
  };
}

function inFormat<Format extends TableFormat>(files: readonly RulesFile[], format: Format): readonly RulesFileInFormat<Format>[] {
  return files.filter((file): file is RulesFileInFormat<Format> => file.format === format);
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    throw new Fault("rules.unreadable", `rules: the folder ${folder} cannot be read`, { isRetryable: false, cause });
  }
}

function readText(path: string): string {
  try {
    if (lstatSync(path).size <= rulesFileBytesMax) return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Fault("rules.unreadable", `rules: ${path} cannot be read`, { isRetryable: false, cause });
  }
  throw invalid(path, `larger than ${rulesFileBytesMax} bytes`);
}

function invalid(path: string, text: string): Fault {
  return new Fault("rules.invalid", `rules: ${path}: ${text}`, { isRetryable: false });
}
