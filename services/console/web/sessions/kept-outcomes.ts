// What a person decided about several at once, kept in the session, so that a page can say what became of each.
//
// #1 A session keeps the newest `keptMax`; the audit has all of them.

export interface OneDecided {
  /** A UETR, or `bank:` and a bank's id. */
  readonly key: string;
  /** What it is besides its key, such as a message; null: nothing. */
  readonly name: string | null;
  /** The id of this one's decision. */
  readonly action: string;
  /** Why it was refused at once; null: it was stored. */
  readonly whyRefused: string | null;
  /** What was done with it at once; left out: it has an outcome when its record is judged. */
  readonly done?: string;
}

export interface DecidedTogether {
  readonly action: string;
  /** The time of the log when they were decided, epoch milliseconds; null: it was not known. */
  readonly atMs: number | null;
  readonly ones: readonly OneDecided[];
  readonly sums: readonly { readonly currency: string; readonly count: number; readonly sum: string }[];
}

export interface KeptOutcomes {
  keep(decided: DecidedTogether): void;
  /** Null: it is not kept, or not any more. */
  find(action: string): DecidedTogether | null;
}

export const keptMax = 16;

export function createKeptOutcomes(): KeptOutcomes {
  const kept = new Map<string, DecidedTogether>();
  return {
    keep(decided) {
      kept.delete(decided.action);
      kept.set(decided.action, decided);
      const [oldest] = kept.keys();
      if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
    },
    find: (action) => kept.get(action) ?? null,
  };
}
