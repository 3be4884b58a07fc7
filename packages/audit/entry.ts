// One entry of the audit: what it holds, and its hash. Every process writes one chain: each entry names the hash of the
// one before it, so an entry that is changed, missing, inserted or moved breaks the chain.
//
// #1 The hash covers the text of an entry as it lies in the topic, and no field that a later schema adds. So an entry
//    is verified in the same way by every release.
// #2 An entry never holds a secret, a name, an account number or a text of a person: only ids, addresses, counts and
//    hashes. Its content has at most `contentCharactersMax` characters.

import { sha256Hex, type Records } from "@sluice/contracts";

export type AuditEntry = Records["AuditEntry"];

/** What an entry is about. */
export type AuditKind =
  | "started"
  | "stopped"
  | "sign-in"
  | "refused"
  | "read"
  | "export"
  | "decision"
  | "answered"
  | "configuration"
  | "lost";

/** Ids, addresses, counts and hashes; a list for those that have several. */
export type AuditContent = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** Key of every record of the topic: all lie in one partition, in one order. */
export const auditKey = "audit";

const contentCharactersMax = 16_384;
const textCharactersMax = 256;
const listMax = 100;

/** The content as JSON (#2); longer texts are cut, and further members of a list are only counted. */
export function formatContent(content: AuditContent): string {
  const bounded = Object.fromEntries(Object.entries(content).map(([name, value]) => [name, boundValue(value)]));
  const text = JSON.stringify(bounded);
  return text.length <= contentCharactersMax ? text : JSON.stringify({ tooLong: text.length, sha256: sha256Hex(text) });
}

function boundValue(value: AuditContent[string]): AuditContent[string] {
  if (typeof value === "string") return value.slice(0, textCharactersMax);
  if (value === null || typeof value !== "object") return value;
  const kept = value.slice(0, listMax).map((text) => text.slice(0, textCharactersMax));
  return value.length <= listMax ? kept : [...kept, `and ${value.length - listMax} more`];
}

/** #1 */
export function hashEntry({ chain, sequence, previousSha256, recordedAtMs, kind, content }: AuditEntry): string {
  return sha256Hex(JSON.stringify(["sluice-audit-entry-1", chain, String(sequence), previousSha256, recordedAtMs, kind, content]));
}
