// Learns from the answers how many requests at once an endpoint bears. Pure: additive increase, multiplicative
// decrease.
//
// #1 An acknowledgement, while the whole limit is in use, raises it: by one below the threshold (which doubles it in a
//    round trip), by one a round trip above it. It never exceeds the configured connections.
// #2 429 or a `Retry-After` halves it. So do a 503 and a time-out, but only in a streak of failures over several UETRs:
//    a message that a receiver chokes on does not mean that the receiver is overloaded.
// #3 It decreases once a round trip: answers to attempts that began before the last decrease teach nothing more.
// #4 Time-outs leave two of at least two: a hanging message occupies only one of them, as a retry, and new ones have
//    the other (I14).

export interface LearntConcurrency {
  /** Its integer part is the limit in force. */
  readonly limit: number;
  /** Below it the limit grows fast. */
  readonly threshold: number;
  /** Milliseconds of the monotonic clock. */
  readonly decreasedAtMs: number;
}

/** Starts with all connections, because nothing speaks against them yet. */
export function initialConcurrency(connections: number): LearntConcurrency {
  return { limit: connections, threshold: connections, decreasedAtMs: Number.NEGATIVE_INFINITY };
}

/** Continues with the limit that was learnt before a restart. */
export function restoredConcurrency(limit: number, connections: number): LearntConcurrency {
  const bounded = Math.min(Math.max(1, Math.floor(limit)), connections);
  return { limit: bounded, threshold: bounded, decreasedAtMs: Number.NEGATIVE_INFINITY };
}

/** The limit that was learnt, also while the ramp after a closed breaker is below it. */
export function learntLimit({ limit, threshold }: LearntConcurrency): number {
  return Math.floor(Math.max(limit, threshold));
}

/** #1. `running` counts the requests under way, including this one. */
export function raiseLimit(before: LearntConcurrency, running: number, connections: number): LearntConcurrency {
  const { limit, threshold } = before;
  if (limit >= connections || running < Math.floor(limit) - 1) return before;
  return { ...before, limit: Math.min(connections, limit < threshold ? Math.min(limit + 1, threshold) : limit + 1 / limit) };
}

export interface ThrottleSign {
  /** When the attempt began, and now, in milliseconds of the monotonic clock. */
  readonly startedMs: number;
  readonly nowMs: number;
  readonly isTimeout: boolean;
}

/** #2, #3, #4 */
export function lowerLimit(before: LearntConcurrency, { startedMs, nowMs, isTimeout }: ThrottleSign): LearntConcurrency {
  if (startedMs < before.decreasedAtMs) return before;
  const least = Math.min(isTimeout ? 2 : 1, before.limit);
  const limit = Math.max(least, Math.floor(before.limit / 2));
  return { limit, threshold: limit, decreasedAtMs: nowMs };
}

/** Restarts with few requests after a breaker closed, and grows fast up to what was learnt. */
export function rampLimit({ limit, threshold, decreasedAtMs }: LearntConcurrency): LearntConcurrency {
  return { limit: Math.min(2, limit), threshold: Math.max(limit, threshold), decreasedAtMs };
}
