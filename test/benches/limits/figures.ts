// What a bench measures against a limit: figures, each with its goal if it has one.

import type { Machine } from "../processor-time.ts";
import type { Spread } from "../spread.ts";

export interface Figure {
  readonly unit: string;
  readonly value: Spread;
  /** As text, such as `≥ 0.5`; null where none is set. */
  readonly goal: string | null;
  /** By the median; null where no goal is set. */
  readonly isReached: boolean | null;
}

export interface LimitsReport {
  readonly isRight: boolean;
  readonly problems: readonly string[];
  readonly machine: Machine;
  readonly store: string;
  /** What was played, in a few words. */
  readonly played: string;
  readonly figures: Readonly<Record<string, Figure>>;
  readonly tookMs: number;
}

/** What every bench of limits is given. */
export interface LimitsBenchOptions {
  /** How much is played: requests, debits or seconds. */
  readonly size: number;
  readonly rounds: number;
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

interface Goal {
  readonly atLeast?: number;
  readonly atMost?: number;
}

export function buildFigure(unit: string, value: Spread, { atLeast, atMost }: Goal = {}): Figure {
  if (atLeast !== undefined) return { unit, value, goal: `≥ ${atLeast}`, isReached: value.median >= atLeast };
  if (atMost !== undefined) return { unit, value, goal: `≤ ${atMost}`, isReached: value.median <= atMost };
  return { unit, value, goal: null, isReached: null };
}
