// How much each bench of limits plays, as a whole and in short.

interface Sizes {
  readonly size: { readonly whole: number; readonly short: number };
  readonly rounds: { readonly whole: number; readonly short: number };
}

export const limitsSizes = {
  /** Debits of each turn. */
  ingress: { size: { whole: 30_000, short: 5_000 }, rounds: { whole: 3, short: 1 } },
  /** Debits in the journal. */
  scheduler: { size: { whole: 30_000, short: 5_000 }, rounds: { whole: 3, short: 1 } },
  /** Seconds of each round. */
  "dead-bank": { size: { whole: 30, short: 10 }, rounds: { whole: 3, short: 1 } },
  /** Seconds of each round. */
  idle: { size: { whole: 60, short: 20 }, rounds: { whole: 3, short: 1 } },
  /** Debits held. It has one round, because a window opens once. */
  opening: { size: { whole: 200_000, short: 20_000 }, rounds: { whole: 1, short: 1 } },
} as const satisfies Readonly<Record<string, Sizes>>;
