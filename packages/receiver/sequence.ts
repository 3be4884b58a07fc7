// The sequence of events: which came, which are missing, and from which number on to ask.
//
// Events of one UETR are numbered from 1 without gaps and are posted in that order. A gap is an event that Sluice gave
// up, or one that the bank lost after it had answered 202. In both cases `GET /transactions/{uetr}/events?from=N` has
// it.

/** What a bank has of one UETR: all events up to `upTo`, and those in `ahead`, which is sorted. */
export interface EventProgress {
  readonly upTo: number;
  readonly ahead: readonly number[];
}

export interface SequencePlace {
  /**
   * `next`: in order. `repeat`: already stored. `ahead`: some before it are missing. `late`: it was one of the missing.
   */
  readonly kind: "next" | "repeat" | "ahead" | "late";
  readonly progress: EventProgress;
  /** Ask for the events from this number on; null: none is missing. */
  readonly askFrom: number | null;
}

export interface StoredEvent {
  readonly sequence: number;
  readonly webhookId: string;
  /** Null where it is not known. */
  readonly previousId: string | null;
}

export type Completeness =
  | { readonly kind: "complete"; readonly upTo: number }
  | { readonly kind: "gaps"; readonly missing: readonly number[]; readonly askFrom: number }
  /** Two events under one number, or one that names a wrong predecessor: this is not a history of Sluice's. */
  | { readonly kind: "broken"; readonly at: number };

/** Summarizes the numbers that a bank has stored, in any order. */
export function readProgress(sequences: Iterable<number>): EventProgress {
  const sorted = [...new Set(sequences)].toSorted((a, b) => a - b);
  let upTo = 0;
  while (sorted[upTo] === upTo + 1) upTo += 1;
  return { upTo, ahead: sorted.slice(upTo) };
}

export function placeEvent(kept: EventProgress, sequence: number): SequencePlace {
  if (sequence <= kept.upTo || kept.ahead.includes(sequence)) return placed("repeat", kept);
  const now = readProgress([...counted(kept.upTo), ...kept.ahead, sequence]);
  if (now.upTo < sequence) return placed(kept.ahead.some((other) => other > sequence) ? "late" : "ahead", now);
  return placed(kept.ahead.length === 0 ? "next" : "late", now);
}

/**
 * Checks whether what is stored of one UETR is complete so far. For the newest events, ask from `upTo + 1` on and get
 * an empty list.
 */
export function proveComplete(events: readonly StoredEvent[]): Completeness {
  const byPlace = new Map<number, StoredEvent>();
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
  const { upTo, ahead } = readProgress(byPlace.keys());
  const newest = ahead.at(-1);
  if (newest === undefined) return { kind: "complete", upTo };
  return { kind: "gaps", missing: counted(newest).filter((sequence) => !byPlace.has(sequence)), askFrom: upTo + 1 };
}

function placed(kind: SequencePlace["kind"], kept: EventProgress): SequencePlace {
  return { kind, progress: kept, askFrom: kept.ahead.length === 0 ? null : kept.upTo + 1 };
}

function counted(upTo: number): readonly number[] {
  return Array.from({ length: upTo }, (_, index) => index + 1);
}
