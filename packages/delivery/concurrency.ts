// How many requests at once an address bears, learnt from its answers. Pure: additive increase, multiplicative decrease.
//
// #1 An acknowledgement, while all of the limit is in use, raises it: by one below the threshold (it doubles in a round of answers), by one
//    in a round of answers from there on. Never above the connections configured.
// #2 429, or a `Retry-After`, halves it. So do a 503 and a time-out, but only in a row of failures over several UETRs: a message that a
//    receiver chokes on is not a receiver that has too much to do.
// #3 Once in a round trip: of attempts begun before the last decrease nothing more is learnt.
// #4 Time-outs leave two, where there are two: a message that hangs holds one of them only, as a retry, and new ones have the other (I14).

export interface Concurrency {
  /** Its whole part is the limit. */
  readonly limit: number;
  /** Up to there it grows fast. */
  readonly threshold: number;
  /** Monotonic. */
  readonly decreasedAtMs: number;
}

/** Nothing is known against all connections. */
export function unlearnt(connections: number): Concurrency {
  return { limit: connections, threshold: connections, decreasedAtMs: Number.NEGATIVE_INFINITY };
}

/** What was learnt before a restart. */
export function learntBefore(limit: number, connections: number): Concurrency {
  const bounded = Math.min(Math.max(1, Math.floor(limit)), connections);
  return { limit: bounded, threshold: bounded, decreasedAtMs: Number.NEGATIVE_INFINITY };
}

/** What was learnt, also while it is only approached after a breaker closed. */
export function bearsAtOnce({ limit, threshold }: Concurrency): number {
  return Math.floor(Math.max(limit, threshold));
}

/** #1. `running`: requests under way, this one included. */
export function raised(before: Concurrency, running: number, connections: number): Concurrency {
  const { limit, threshold } = before;
  if (limit >= connections || running < Math.floor(limit) - 1) return before;
  return { ...before, limit: Math.min(connections, limit < threshold ? Math.min(limit + 1, threshold) : limit + 1 / limit) };
}

export interface Throttled {
  /** When the attempt began, and now, monotonic. */
  readonly startedMs: number;
  readonly nowMs: number;
  readonly isTimeout: boolean;
}

/** #2, #3, #4 */
export function lowered(before: Concurrency, { startedMs, nowMs, isTimeout }: Throttled): Concurrency {
  if (startedMs < before.decreasedAtMs) return before;
  const least = Math.min(isTimeout ? 2 : 1, before.limit);
  const limit = Math.max(least, Math.floor(before.limit / 2));
  return { limit, threshold: limit, decreasedAtMs: nowMs };
}

/** The first requests after a breaker closed: few, then fast up to what was learnt. */
export function ramped({ limit, threshold, decreasedAtMs }: Concurrency): Concurrency {
  return { limit: Math.min(2, limit), threshold: Math.max(limit, threshold), decreasedAtMs };
}
