// What the generators have in common: a text is written or compared, a page has tables, and a process ends.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** Writes or compares files below `root`. Returns the differences, one sentence each; none when all is well. */
type Generate = (root: string, isCheck: boolean) => readonly string[];

/** Writes a text, or with `isCheck` returns a sentence if the file has another one. */
export function writeOrCompare(root: string, path: string, text: string, isCheck: boolean): readonly string[] {
  const file = join(root, path);
  if (isCheck) {
    const isSame = existsSync(file) && readFileSync(file, "utf8") === text;
    return isSame ? [] : [`${path} is not what its sources give: run ./sluice generate`];
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return [];
}

/** Formats a table of a page in Markdown. */
export function formatPageTable(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heading, heading.map(() => "---"), ...rows].map((cells) => `| ${cells.map(escapeCell).join(" | ")} |`);
  return `${lines.join("\n")}\n`;
}

function escapeCell(cell: string): string {
  return cell.replaceAll("|", "\\|").replaceAll("\n", " ");
}

/** Runs a generator as a process over this repository. `--check` writes nothing; a difference makes the exit code 1. */
export function runGenerator(generate: Generate): void {
  const { values } = parseArgs({ options: { check: { type: "boolean" } } });
  const complaints = generate(fileURLToPath(new URL("../..", import.meta.url)), values.check === true);
  for (const complaint of complaints) console.error(complaint);
  process.exitCode = complaints.length === 0 ? 0 : 1;
}
