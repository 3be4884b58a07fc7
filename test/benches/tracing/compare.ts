// Compares what journeys cost in the turns of a tracing bench.
//
// #1 What is compared was played by the same processes within one round: processes differ by more than a trace costs.
//    Only `off` has processes of its own.
// #2 A round is played there and back, so that what drifts steadily cancels out in its means.

import { computeSpread, roundTo, type Spread } from "../spread.ts";

export const variants = ["off", "none", "hundredth", "all"] as const;
/** `off`: without a collector. The others: with one, and this share of the transactions is traced. */
export type Variant = (typeof variants)[number];

/** #2 */
export const turnsOfRound = ["none", "hundredth", "all", "hundredth", "none"] as const satisfies readonly Variant[];

export interface Turn {
  /** Number of the round; 0 for turns without a collector. */
  readonly round: number;
  readonly variant: Variant;
  /** Microseconds of processor time for a journey, of the five services together. */
  readonly micros: number;
}

export interface Comparison {
  /** Microseconds of a journey. */
  readonly cost: Readonly<Record<Variant, Spread>>;
  /** Percent more than `none` of the same round, round by round; #1, #2. */
  readonly rounds: Readonly<Record<"hundredth" | "all", readonly number[]>>;
  readonly overNone: Readonly<Record<"hundredth" | "all", Spread>>;
  /** Percent that the two turns of `none` of a round lie apart: what is smaller says nothing. */
  readonly noise: Spread;
  /** Percent more than the median of `off`, by other processes. */
  readonly noneOverOff: number;
  /** How far turns of `off` lie apart, in percent of their median. */
  readonly offApart: number;
}

export function compareTurns(turns: readonly Turn[]): Comparison {
  const costOf = (variant: Variant): Spread => computeSpread(pick(turns, variant), 0);
  const cost = { off: costOf("off"), none: costOf("none"), hundredth: costOf("hundredth"), all: costOf("all") };
  const played = [...new Set(turns.map(({ round }) => round))].filter((round) => round > 0);
  const byRound = played.map((round) => turns.filter((turn) => turn.round === round));
  const over = (variant: Variant): readonly number[] =>
    byRound.map((own) => percentOver(mean(pick(own, variant)), mean(pick(own, "none"))));
  const rounds = { hundredth: over("hundredth"), all: over("all") };
  const apart = byRound.map((own) => {
    const [first = 0, last = 0] = pick(own, "none");
    return Math.abs(percentOver(last, first));
  });
  return {
    cost,
    rounds,
    overNone: { hundredth: computeSpread(rounds.hundredth, 1), all: computeSpread(rounds.all, 1) },
    noise: computeSpread(apart, 1),
    noneOverOff: percentOver(cost.none.median, cost.off.median),
    offApart: roundTo(((cost.off.most - cost.off.least) / Math.max(1, cost.off.median)) * 100, 1),
  };
}

/**
 * The chance that every round shows less than a bound although the median does not: each round would have to fall on
 * the lucky side.
 */
export function chanceOfLuck(rounds: readonly number[], boundPercent: number): number | null {
  return rounds.length > 0 && rounds.every((percent) => percent < boundPercent) ? 0.5 ** rounds.length : null;
}

function pick(turns: readonly Turn[], wanted: Variant): readonly number[] {
  return turns.filter(({ variant }) => variant === wanted).map(({ micros }) => micros);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function percentOver(value: number, base: number): number {
  return roundTo((value / Math.max(1, base) - 1) * 100, 1);
}
