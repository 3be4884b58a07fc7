// Formats the report of a tracing bench as text.

import { formatSpread } from "../spread.ts";
import type { TracingBenchReport } from "./bench.ts";
import { type Variant, variants } from "./compare.ts";

const texts: Readonly<Record<Variant, string>> = {
  off: "without a collector",
  none: "with one, none traced",
  hundredth: "one in a hundred traced",
  all: "each traced",
};

export function formatTracingReport(report: TracingBenchReport): string {
  const { machine, cost, overNone, noneOverOff, noisePercent, isRight, problems, spans, turns, tookMs } = report;
  return [
    `  machine     ${machine.cores} cores (${machine.processor}), Node ${machine.node}`,
    "  a journey   µs of processor time of the five services, median (least–most) of the turns",
    ...variants.map((variant) => `  ${texts[variant].padEnd(24)}${formatSpread(cost[variant])}`),
    "",
    `  With a collector and none traced: ${noneOverOff} % more than without one. Turns without one lie ${noisePercent} % apart.`,
    `  One in a hundred: ${formatSpread(overNone.hundredth)} % more than none, in the same processes.`,
    `  Each: ${formatSpread(overNone.all)} % more than none, in the same processes.`,
    "",
    `${isRight ? "All journeys ended, and the right ones were traced." : "NOT RIGHT:"} (${turns.length} turns, ${spans} spans, ${(tookMs / 1_000).toFixed(0)} s)`,
    ...problems.map((problem) => `  - ${problem}`),
  ].join("\n");
}
