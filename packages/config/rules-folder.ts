// The rule book of an operator: what ships, and what lies in the folder of imported rule data.
//
// #1 All or nothing: a file that cannot be read or was changed ends the reading. A process that went on with half of the tables would
//    decide differently from its neighbours.
// #2 A version of rule uk-modulus is a table with the substitutions of its day. Every pair of the two has its name and can be asked
//    again; in force is the pair of what is in force.

import { lstatSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { cdvData, inOrder, shippedRules, ukModulusData } from "@sluice/account-validation";
import type { RuleBook, RuleVersion, UkModulusData } from "@sluice/account-validation";
import { Fault } from "@sluice/runtime";
import { readRulesFile } from "./rules-folder-file.ts";
import type { RulesFile, RulesFileOf, TableFormat } from "./rules-folder-file.ts";

export const rulesFilesMax = 1_000;
export const rulesFileBytesMax = 128 * 1_048_576;

/** Null: what ships alone. Throws Fault `rules.unreadable` or `rules.invalid`, neither retryable. */
export function readRulesFolder(path: string | null): RuleBook {
  return path === null ? shippedRules : bookOf(readRulesFiles(path));
}

/** In the order of their import. */
export function readRulesFiles(folder: string): readonly RulesFile[] {
  const names = namesIn(folder).filter((name) => name.endsWith(".json") && !name.startsWith("."));
  if (names.length > rulesFilesMax) throw invalid(folder, `more than ${rulesFilesMax} files`);
  const files = names.map((name) => {
    const path = join(folder, name);
    const read = readRulesFile(name, textIn(path));
    if (typeof read === "string") throw invalid(path, read);
    return read;
  });
  return files.toSorted((a, b) => a.sequence - b.sequence);
}

export function bookOf(files: readonly RulesFile[]): RuleBook {
  const imported = of(files, "cim900").map(({ version, effectiveFrom, content }) => ({
    version,
    effectiveFrom,
    origin: "imported" as const,
    data: cdvData({ version, ...content }),
  }));
  const tables = of(files, "valacdos");
  const substitutions = of(files, "scsubtab");
  return { ...shippedRules, "za-cdv": inOrder([...shippedRules["za-cdv"], ...imported]), "uk-modulus": ukVersions(tables, substitutions) };
}

type Table = RulesFileOf<"valacdos">;
type Substitutions = RulesFileOf<"scsubtab"> | null;

function ukVersions(tables: readonly Table[], given: readonly NonNullable<Substitutions>[]): readonly RuleVersion<UkModulusData>[] {
  const changes = [...new Set([...tables, ...given].map(({ effectiveFrom }) => effectiveFrom))].sort();
  const inForce = changes.flatMap((date) => {
    const table = latest(tables, date);
    return table === null ? [] : [pairOf(table, latest(given, date), date)];
  });
  const versions = inOrder(inForce);
  const named = new Set(versions.map(({ version }) => version));
  const pairs = tables.flatMap((table) => [null, ...given].map((one) => pairOf(table, one, table.effectiveFrom)));
  const others = pairs.filter(({ version }) => !named.has(version));
  // In force on no day by now, but decisions may have been made with them before a later import.
  return [...versions, ...others.map((one) => ({ ...one, effectiveTo: one.effectiveFrom }))];
}

/** In force on a date; of two from one date the one imported later. */
function latest<File extends { readonly effectiveFrom: string }>(files: readonly File[], date: string): File | null {
  const begun = files.filter(({ effectiveFrom }) => effectiveFrom <= date);
  const start = begun.reduce((last, { effectiveFrom }) => (effectiveFrom > last ? effectiveFrom : last), "");
  return begun.findLast(({ effectiveFrom }) => effectiveFrom === start) ?? null;
}

function pairOf(table: Table, substitutions: Substitutions, effectiveFrom: string): Omit<RuleVersion<UkModulusData>, "effectiveTo"> {
  return {
    version: substitutions === null ? table.version : `${table.version}+${substitutions.version}`,
    effectiveFrom,
    origin: "imported",
    data: ukModulusData({ rows: table.content.rows, substitutions: substitutions?.content.substitutions ?? null }),
  };
}

function of<Format extends TableFormat>(files: readonly RulesFile[], format: Format): readonly RulesFileOf<Format>[] {
  return files.filter((file): file is RulesFileOf<Format> => file.format === format);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    throw new Fault("rules.unreadable", `rules: the folder ${folder} cannot be read`, { isRetryable: false, cause });
  }
}

function textIn(path: string): string {
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
