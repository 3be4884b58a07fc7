// What a service's `/readyz` says: whether it is ready, what of it does not work although it is, and which records hold
// the positions of its partitions back.

import { maskControlCharacters } from "../../terminal/control-table.ts";

export interface ShownReadiness {
  /** Why it is not ready; null: it is ready. */
  readonly notReady: string | null;
  /** One sentence for each part that does not work although the service is ready, and each position held back. */
  readonly notices: readonly string[];
}

/** Reads the body of an answer; `isReady` is what its status says. */
export function readReadiness(isReady: boolean, body: unknown): ShownReadiness {
  const { reasons, blocked } = asRecord(body);
  const texts = listIn(reasons).map((reason) => maskControlCharacters(String(reason)));
  const held = listIn(blocked).map(blockedText);
  return isReady ? { notReady: null, notices: [...texts, ...held] } : { notReady: texts.join("; "), notices: held };
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
