// Compares what journeys cost in the turns of a tracing bench.
//
// #1 What is compared was played by the same processes one after the other where that is possible: processes differ by
//    more than a trace costs. Only `off` has processes of its own.

import { computeSpread, roundTo, type Spread } from "../spread.ts";

export const variants = ["off", "none", "hundredth", "all"] as const;
/** `off`: without a collector. The others: with one, and this share of the transactions is traced. */
export type Variant = (typeof variants)[number];

export interface Turn {
  /** Number of the processes that played it. */
  readonly processes: number;
  readonly variant: Variant;
  /** Microseconds of processor time for a journey, of the five services together. */
  readonly micros: number;
}

export interface Comparison {
  /** Microseconds of a journey. */
  readonly cost: Readonly<Record<Variant, Spread>>;
  /** Percent more than `none` of the same processes; #1. */
  readonly overNone: Readonly<Record<"hundredth" | "all", Spread>>;
  /** Percent more than the median of `off`. */
  readonly noneOverOff: number;
  /** How far turns of `off` lie apart, in percent of their median. A difference must exceed it to say something. */
  readonly noisePercent: number;
}

export function compareTurns(turns: readonly Turn[]): Comparison {
  const costOf = (variant: Variant): Spread =>
    computeSpread(
      turns.filter((turn) => turn.variant === variant).map(({ micros }) => micros),
      0,
    );
  const cost = { off: costOf("off"), none: costOf("none"), hundredth: costOf("hundredth"), all: costOf("all") };
  return {
    cost,
    overNone: { hundredth: computeSpread(pairs(turns, "hundredth"), 1), all: computeSpread(pairs(turns, "all"), 1) },
    noneOverOff: percentOver(cost.none.median, cost.off.median),
    noisePercent: roundTo(((cost.off.most - cost.off.least) / Math.max(1, cost.off.median)) * 100, 1),
  };
}

function pairs(turns: readonly Turn[], variant: Variant): readonly number[] {
  const nones = turns.filter((turn) => turn.variant === "none");
  return nones.flatMap(({ processes, micros }) => {
    const same = turns.find((turn) => turn.processes === processes && turn.variant === variant);
    return same === undefined ? [] : [percentOver(same.micros, micros)];
  });
}

function percentOver(value: number, base: number): number {
  return roundTo((value / Math.max(1, base) - 1) * 100, 1);
}
