// Writes and reads histories as text, one JSON object a line.

import type { HistoryEntry } from "./history.ts";

const kinds: ReadonlySet<unknown> = new Set([
  "sent",
  "received",
  "record",
  "snapshot",
  "fault",
  "renewed",
] satisfies HistoryEntry["kind"][]);

/** Returns one line, without its line end. */
export function formatEntry(entry: HistoryEntry): string {
  return JSON.stringify(entry);
}

/**
 * Yields the entries of a text, or of lines, in order. Skips empty lines, and throws an Error that names a line without
 * an entry.
 */
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

/** Checks the kind alone, because `formatEntry` wrote the other members. */
function isEntry(value: unknown): value is HistoryEntry {
  return typeof value === "object" && value !== null && kinds.has(Reflect.get(value, "kind"));
}
