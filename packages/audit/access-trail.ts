// Who came and who was refused, as entries of the audit. The same sign-in, refusal or read is one entry when it is
// first, and one more with the count at the end of its window. So nobody is left out, and nobody can fill the topic.
//
// #1 In a window of `trailWindowMs` each kind has at most `subjectsMax` subjects of its own; all others are one.
// #2 `note` costs a look-up in a map: it is called for each request.

import type { Time } from "@sluice/kernel";
import type { AuditContent } from "./entry.ts";
import type { AuditLog } from "./audit-log.ts";

export interface AccessTrail {
  note(kind: AccessKind, subject: AuditContent): void;
  /** Writes what is counted. */
  stop(): void;
}

type AccessKind = "sign-in" | "refused" | "read";

export const trailWindowMs = 600_000;
/** Strangers choose their addresses, so refusals have fewer subjects than what needs a known credential. */
export const subjectsMax: Readonly<Record<AccessKind, number>> = { "sign-in": 2_048, refused: 128, read: 2_048 };

interface Subject {
  readonly kind: AccessKind;
  readonly content: AuditContent;
  again: number;
}

export function createAccessTrail({ time }: { readonly time: Time }, log: Pick<AuditLog, "note">): AccessTrail {
  let subjects = new Map<string, Subject>();
  const counts: Record<AccessKind, number> = { "sign-in": 0, refused: 0, read: 0 };
  let window: Disposable | null = null;

  function closeWindow(): void {
    window = null;
    for (const { kind, content, again } of subjects.values()) if (again > 0) log.note(kind, { ...content, again });
    subjects = new Map();
    counts["sign-in"] = counts.refused = counts.read = 0;
  }

  /** #1 */
  function othersOf(kind: AccessKind): Subject {
    const known = subjects.get(kind);
    if (known !== undefined) return known;
    const added = { kind, content: { others: true }, again: 0 };
    subjects.set(kind, added);
    return added;
  }

  return {
    note(kind, content) {
      window ??= time.after(trailWindowMs, closeWindow);
      const key = `${kind} ${Object.values(content).join(" ")}`;
      const known = subjects.get(key) ?? (counts[kind] < subjectsMax[kind] ? null : othersOf(kind));
      if (known !== null) {
        known.again += 1;
        return;
      }
      counts[kind] += 1;
      subjects.set(key, { kind, content, again: 0 });
      log.note(kind, content);
    },
    stop() {
      window?.[Symbol.dispose]();
      closeWindow();
    },
  };
}
