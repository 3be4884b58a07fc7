// Reads the substitution file of rule uk-modulus (scsubtab): a sort code and its substitute, separated by blanks.

import { type RefusedLine, splitLines, type TableReading } from "../table-reading.ts";

export interface ScsubtabContent {
  readonly substitutions: Readonly<Record<string, string>>;
}

export function readScsubtab(text: string): TableReading<ScsubtabContent> {
  const lines = splitLines(text);
  const substitutions = new Map<string, string>();
  const refused: RefusedLine[] = [];
  for (const { line, text: one } of lines) {
    const [from = "", to = "", ...more] = one.trim().split(/\s+/);
    const before = substitutions.get(from);
    if (!/^\d{6}$/.test(from) || !/^\d{6}$/.test(to) || more.length > 0) refused.push({ line, reason: "not two sort codes of six digits" });
    else if (before !== undefined && before !== to) refused.push({ line, reason: "its sort code has another substitute above" });
    else substitutions.set(from, to);
  }
  return {
    content: { substitutions: Object.fromEntries(substitutions) },
    linesRead: lines.length,
    rowsRead: substitutions.size,
    refused,
    warnings: [],
  };
}
