// Histories as text: one JSON object a line.

import type { HistoryEntry } from "./history.ts";

const kinds: ReadonlySet<unknown> = new Set([
  "sent",
  "received",
  "record",
  "snapshot",
  "fault",
  "renewed",
] satisfies HistoryEntry["kind"][]);

/** One line, without its line end. */
export function formatEntry(entry: HistoryEntry): string {
  return JSON.stringify(entry);
}

/** Entries of a text, or of lines, in order; empty lines are skipped. Throws an Error that names the line which is no entry. */
export function* parseHistory(source: string | Iterable<string>): Generator<HistoryEntry, void, void> {
  const lines = typeof source === "string" ? source.split("\n") : source;
  let number = 0;
  for (const line of lines) {
    number += 1;
    if (line.trim() !== "") yield parseEntry(line, number);
  }
}

function parseEntry(line: string, number: number): HistoryEntry {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new Error(`line ${number} is not JSON`, { cause: error });
  }
  if (!isEntry(value)) throw new Error(`line ${number} is no entry of a history`);
  return value;
}

/** Known by its kind; the members are what `formatEntry` wrote. */
function isEntry(value: unknown): value is HistoryEntry {
  return typeof value === "object" && value !== null && kinds.has(Reflect.get(value, "kind"));
}
