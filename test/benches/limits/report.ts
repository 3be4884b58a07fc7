// Formats the report of a bench of limits as text.

import { formatTable } from "@sluice/environment";
import { formatSpread } from "../spread.ts";
import type { Figure, LimitsReport } from "./figures.ts";

export function formatLimitsReport({ isRight, problems, machine, store, played, figures, tookMs }: LimitsReport): string {
  return [
    `  machine  ${machine.cores} cores (${machine.processor}), Node ${machine.node}, ${store}`,
    `  played   ${played}; median (least–most)`,
    "",
    formatTable(["figure", "unit", "value", "goal", "reached"], Object.entries(figures).map(formatRow)),
    "",
    `${isRight ? "All arrived." : "VIOLATED:"} (${(tookMs / 1_000).toFixed(0)} s)`,
    ...problems.map((problem) => `  - ${problem}`),
  ].join("\n");
}

function formatRow([name, { unit, value, goal, isReached }]: readonly [string, Figure]): readonly (string | null)[] {
  return [name, unit, formatSpread(value), goal, isReached === null ? null : isReached ? "yes" : "no"];
}
