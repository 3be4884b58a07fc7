// The place of events: what came, what is missing, and from where on to ask for it.
//
// Events of one UETR are numbered from 1 without a gap. They come in that order; a gap is one that Sluice gave up, or that the bank
// lost after it had said 202. Either way `GET /transactions/{uetr}/events?from=N` has it.

/** What a bank has of one UETR: all events up to `upTo`, and those of `ahead`, which is sorted. */
export interface Kept {
  readonly upTo: number;
  readonly ahead: readonly number[];
}

export interface Place {
  /** `next` in order; `repeat`: it is here; `ahead`: some before it are missing; `late`: it was one of those. */
  readonly kind: "next" | "repeat" | "ahead" | "late";
  readonly kept: Kept;
  /** Ask for the events from this one on; null: none is missing. */
  readonly askFrom: number | null;
}

export interface KeptEvent {
  readonly sequence: number;
  readonly webhookId: string;
  /** Null where it is not known. */
  readonly previousId: string | null;
}

export type Completeness =
  | { readonly kind: "complete"; readonly upTo: number }
  | { readonly kind: "gaps"; readonly missing: readonly number[]; readonly askFrom: number }
  /** Two events under one number, or one that names another as the one before it: not a history of Sluice's. */
  | { readonly kind: "broken"; readonly at: number };

/** From the numbers that a bank has stored, in any order. */
export function keptOf(sequences: Iterable<number>): Kept {
  const sorted = [...new Set(sequences)].toSorted((a, b) => a - b);
  let upTo = 0;
  while (sorted[upTo] === upTo + 1) upTo += 1;
  return { upTo, ahead: sorted.slice(upTo) };
}

export function placeOf(kept: Kept, sequence: number): Place {
  if (sequence <= kept.upTo || kept.ahead.includes(sequence)) return placed("repeat", kept);
  const now = keptOf([...counted(kept.upTo), ...kept.ahead, sequence]);
  if (now.upTo < sequence) return placed(kept.ahead.some((other) => other > sequence) ? "late" : "ahead", now);
  return placed(kept.ahead.length === 0 ? "next" : "late", now);
}

/** Whether what is stored of one UETR is whole so far. For the newest: ask from `upTo + 1` on, and be given an empty list. */
export function proveComplete(events: readonly KeptEvent[]): Completeness {
  const byPlace = new Map<number, KeptEvent>();
  for (const event of events) {
    const other = byPlace.get(event.sequence);
    if (other !== undefined && other.webhookId !== event.webhookId) return { kind: "broken", at: event.sequence };
    if (other === undefined || other.previousId === null) byPlace.set(event.sequence, event);
  }
  for (const { sequence, previousId } of byPlace.values()) {
    const before = byPlace.get(sequence - 1);
    if (previousId !== null && (sequence === 1 || (before !== undefined && before.webhookId !== previousId))) {
      return { kind: "broken", at: sequence };
    }
  }
  const { upTo, ahead } = keptOf(byPlace.keys());
  const newest = ahead.at(-1);
  if (newest === undefined) return { kind: "complete", upTo };
  return { kind: "gaps", missing: counted(newest).filter((sequence) => !byPlace.has(sequence)), askFrom: upTo + 1 };
}

function placed(kind: Place["kind"], kept: Kept): Place {
  return { kind, kept, askFrom: kept.ahead.length === 0 ? null : kept.upTo + 1 };
}

function counted(upTo: number): readonly number[] {
  return Array.from({ length: upTo }, (_, index) => index + 1);
}
