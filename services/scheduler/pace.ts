// How many debits of a bank a lane may have out and not acknowledged. `maxUnacknowledged` is the bank's, over all lanes; lanes do not talk
// to each other, so each has a fixed share of it, and where there are more lanes than debits allowed they take turns by agreed time.
//
// 1. The shares of all lanes at one moment add up to `maxUnacknowledged`.
// 2. What a lane has out from an earlier turn counts in that lane only: a bank whose limit is below the number of lanes may for a while have
//    more out than its limit, at most one a lane.

export const rotationTurnMs = 1_000;

export interface LaneShare {
  readonly debits: number;
  /** Milliseconds after which the share may be another one; null: it is fixed. */
  readonly changesInMs: number | null;
}

export function laneShare(maxUnacknowledged: number, lanes: number, lane: number, agreedNowMs: number | null): LaneShare {
  const whole = Math.floor(maxUnacknowledged / lanes);
  const rest = maxUnacknowledged % lanes;
  if (whole > 0) return { debits: whole + (lane < rest ? 1 : 0), changesInMs: null };
  if (agreedNowMs === null) return { debits: 0, changesInMs: rotationTurnMs };
  const turn = Math.floor(agreedNowMs / rotationTurnMs);
  const first = (turn * rest) % lanes;
  const isOnTurn = (lane - first + lanes) % lanes < rest;
  return { debits: isOnTurn ? 1 : 0, changesInMs: rotationTurnMs - (agreedNowMs % rotationTurnMs) };
}
