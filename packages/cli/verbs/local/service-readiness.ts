// What a service's `/readyz` says: whether it is ready, and which records hold the positions of its partitions back.

import { maskControlCharacters } from "../../terminal/control-table.ts";

export interface ShownReadiness {
  /** Why it is not ready; null: it is ready. */
  readonly notReady: string | null;
  /** One sentence for each position that is held back. */
  readonly blocked: readonly string[];
}

/** Reads the body of an answer; `isReady` is what its status says. */
export function readReadiness(isReady: boolean, body: unknown): ShownReadiness {
  const { reasons, blocked } = asRecord(body);
  const notReady = isReady ? null : listIn(reasons).map(String).join("; ");
  return { notReady, blocked: listIn(blocked).map(blockedText) };
}

function blockedText(blocked: unknown): string {
  const { topic, partition, offset, key, receiver, since, why } = asRecord(blocked);
  const to = typeof receiver === "string" ? ` to ${receiver}` : "";
  const text = `${String(topic)}/${String(partition)} stands at offset ${String(offset)} since ${String(since)}: ${String(key)}${to}, ${String(why)}`;
  return maskControlCharacters(`${text}: docs/runbooks/a-partition-stands-still.md`);
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
